//! A set of prototypes in one file, laid out so that it can be mapped into memory and asked at once.
//!
//! It has five sections (see sections.rs):
//!
//! ```text
//! header                JSON: method, parameters, seeds; of no concern here
//! lexicon               as lexicon.rs packs it; empty for shingles
//! buckets               the buckets of all prototypes (see sorted_map.rs): a key of 8 bytes, big-endian, and the number
//!                       of a prototype that has it, 4 bytes, big-endian
//! ends                  where the id of each prototype ends in what follows, 8 bytes each, little-endian
//! ids                   one after the other
//! ```
//!
//! Two different buckets share a key with probability 2^-64. Every byte is covered by a checksum; but checksums can be
//! crafted, so numbers are still taken for what they are, input: whatever they say, nothing is read outside the file,
//! and an answer costs no more than time and memory of the file's size.

use std::ops::Range;
use std::sync::Arc;

use crate::store::checksums::Parts;
use crate::store::sections::{Format, Packing, Section, Sections, Unreadable};
use crate::store::sorted_map::{self, Entry, SortedMap};

const FORMAT: Format = Format { magic: b"unquilt filter\n\0", version: 3, sections: 5 };
const END: usize = 8;

/// Puts a set together: the prototypes of `base`, if there is one, and others behind them. `pairs` are (key,
/// prototype), in any order, prototypes counted from the first of the base; ids are those of all but the base's, in
/// order.
pub fn pack<'a, B: AsRef<[u8]>>(
    header: &[u8],
    lexicon: &[u8],
    base: Option<&'a Prototypes<B>>,
    mut pairs: Vec<(u64, u32)>,
    ids: impl Iterator<Item = &'a [u8]>,
) -> Result<Vec<u8>, Unreadable> {
    pairs.sort_unstable();
    let added = pairs.iter().map(|(key, owner)| (key.to_be_bytes(), owner.to_be_bytes()));
    let buckets = base.map(Prototypes::buckets).transpose()?.into_iter().flatten();
    let mut all_ids: Vec<&[u8]> = Vec::new();
    if let Some(base) = base {
        base.ids(0..base.count(), |id| all_ids.push(id))?;
    }
    all_ids.extend(ids);
    let mut file = Packing::new(FORMAT);
    file.section(|out| out.extend_from_slice(header));
    file.section(|out| out.extend_from_slice(lexicon));
    file.section(|out| sorted_map::append(out, sorted_map::merge(buckets, added)));
    file.section(|out| {
        let mut end = 0;
        for id in &all_ids {
            end += id.len() as u64;
            out.extend_from_slice(&end.to_le_bytes());
        }
    });
    file.section(|out| all_ids.iter().for_each(|id| out.extend_from_slice(id)));
    Ok(file.seal())
}

/// A set, looked at where it lies.
pub struct Prototypes<B> {
    file: Arc<Sections<B>>,
    header: Section<B>,
    lexicon: Section<B>,
    buckets: SortedMap<Section<B>, 8, 4>,
    ends: Section<B>,
    ids: Section<B>,
}

impl<B: AsRef<[u8]>> Prototypes<B> {
    /// Costs the same for a set of any size.
    pub fn new(bytes: B) -> Result<Self, Unreadable> {
        let file = Arc::new(Sections::new(bytes, FORMAT)?);
        let [header, lexicon, buckets, ends, ids] = [0, 1, 2, 3, 4].map(|number| Section::new(&file, number));
        let buckets = SortedMap::new(buckets).ok_or_else(|| file.fault())?;
        if !ends.length().is_multiple_of(END) {
            return Err(Unreadable::Damaged);
        }
        Ok(Self { file, header, lexicon, buckets, ends, ids })
    }

    pub fn header(&self) -> Result<&[u8], Unreadable> {
        self.part(&self.header, 0..self.header.length())
    }

    /// All of the lexicon.
    pub fn lexicon(&self) -> Result<&[u8], Unreadable> {
        self.part(&self.lexicon, 0..self.lexicon.length())
    }

    /// The lexicon, whose words are looked up in the set.
    pub fn lexicon_in_place(&self) -> Section<B> {
        self.lexicon.clone()
    }

    /// Whether nothing was found to be damaged so far. Asked after the lexicon was used, which does not say.
    pub fn intact(&self) -> Result<(), Unreadable> {
        self.file.intact()
    }

    /// How many prototypes there are.
    pub fn count(&self) -> usize {
        self.ends.length() / END
    }

    /// Calls `each` with the prototypes that have a key.
    pub fn find(&self, key: u64, mut each: impl FnMut(u32)) -> Result<(), Unreadable> {
        let found = self.buckets.find(&key.to_be_bytes(), |owner| each(u32::from_be_bytes(*owner)));
        found.ok_or_else(|| self.file.fault())
    }

    /// Calls `each` with the ids of prototypes, whose numbers must ascend.
    pub fn ids<'a>(
        &'a self,
        numbers: impl Iterator<Item = usize>,
        mut each: impl FnMut(&'a [u8]),
    ) -> Result<(), Unreadable> {
        let mut before = 0;
        for number in numbers.map(|number| number.min(self.count())) {
            let ends = self.part(&self.ends, number.saturating_sub(1) * END..(number + 1) * END)?.as_chunks().0;
            let (begin, end) = match ends {
                [begin, end] => (index(begin), index(end)),
                [end] => (0, index(end)),
                _ => return Err(Unreadable::Damaged),
            };
            // They lie one behind the other: crafted ones, of which each is all of them, would fill the memory.
            if begin < before || end < begin {
                return Err(Unreadable::Damaged);
            }
            each(self.part(&self.ids, begin..end)?);
            before = end;
        }
        Ok(())
    }

    /// Compares all of the file with its checksums, and what is in it with what [`pack`] makes.
    pub fn verify(&self) -> Result<(), Unreadable> {
        self.file.verify()?;
        let ends: &[[u8; END]] = self.part(&self.ends, 0..self.ends.length())?.as_chunks().0;
        let named = ends.is_sorted_by_key(index) && ends.last().map_or(0, index) == self.ids.length();
        let owned = self.buckets()?.all(|(_, owner)| (u32::from_be_bytes(owner) as usize) < self.count());
        if named && owned && self.buckets.verify() {
            Ok(())
        } else {
            Err(Unreadable::Damaged)
        }
    }

    /// All keys and prototypes.
    fn buckets(&self) -> Result<impl Iterator<Item = Entry<8, 4>> + '_, Unreadable> {
        self.buckets.entries().ok_or_else(|| self.file.fault())
    }

    #[inline]
    fn part<'a>(&self, section: &'a Section<B>, range: Range<usize>) -> Result<&'a [u8], Unreadable> {
        section.part(range).ok_or_else(|| self.file.fault())
    }
}

/// A place in the file; one that is too large for this machine is beyond any file.
#[inline]
fn index(number: &[u8; END]) -> usize {
    usize::try_from(u64::from_le_bytes(*number)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::checksums::{self, checksum};

    const LEAD: usize = FORMAT.lead();
    const ROOT: usize = LEAD - 8;

    fn mix(number: u64) -> u64 {
        number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    }

    fn extend(base: Option<&Prototypes<&[u8]>>, numbers: Range<u32>) -> Vec<u8> {
        let keys = |i: u32| [(mix(i.into()), i), (mix(u64::from(i / 3 + 1) << 32), i)];
        let ids: Vec<String> = numbers.clone().map(|i| format!("id{i}")).collect();
        let ids = ids.iter().map(String::as_bytes);
        pack(b"{}", b"lexicon", base, numbers.flat_map(keys).collect(), ids).map_err(|_| ()).unwrap()
    }

    fn set(count: u32) -> Vec<u8> {
        extend(None, 0..count)
    }

    fn open(bytes: &[u8]) -> Result<Prototypes<&[u8]>, Unreadable> {
        Prototypes::new(bytes)
    }

    fn find(set: &Prototypes<&[u8]>, key: u64) -> Result<Vec<u32>, Unreadable> {
        let mut found = Vec::new();
        set.find(key, |owner| found.push(owner))?;
        Ok(found)
    }

    fn id<'a>(set: &'a Prototypes<&[u8]>, number: usize) -> Result<&'a [u8], Unreadable> {
        let mut found = &[][..];
        set.ids([number].into_iter(), |id| found = id)?;
        Ok(found)
    }

    #[test]
    fn what_was_put_in_is_found() {
        for count in [0, 1, 2, 7, 40, 5000] {
            let bytes = set(count);
            let set = open(&bytes).map_err(|_| ()).unwrap();
            assert_eq!((set.header(), set.lexicon()), (Ok(&b"{}"[..]), Ok(&b"lexicon"[..])));
            let lexicon = set.lexicon_in_place();
            assert_eq!((lexicon.length(), lexicon.part(1..4), lexicon.part(5..8)), (7, Some(&b"exi"[..]), None));
            assert_eq!(set.count(), count as usize);
            for i in 0..count {
                assert_eq!(find(&set, mix(i.into())), Ok(vec![i]));
                assert!(find(&set, mix(u64::from(i / 3 + 1) << 32)).unwrap().contains(&i));
                assert_eq!(id(&set, i as usize), Ok(format!("id{i}").as_bytes()));
            }
            assert_eq!(find(&set, mix(count.into()) ^ 1), Ok(vec![]));
            assert_eq!((find(&set, 0), find(&set, u64::MAX)), (Ok(vec![]), Ok(vec![])));
            for number in [count as usize, usize::MAX] {
                assert_eq!(id(&set, number), Err(Unreadable::Damaged));
            }
            assert_eq!((set.verify(), set.intact()), (Ok(()), Ok(())));
        }
    }

    #[test]
    fn what_is_added_comes_behind() {
        let base = set(1000);
        assert_eq!(extend(open(&base).ok().as_ref(), 1000..1500), set(1500));
        assert_eq!(extend(open(&base).ok().as_ref(), 1000..1000), base);
    }

    #[test]
    fn every_flipped_bit_is_refused_or_of_no_concern() {
        let bytes = set(400);
        let intact = open(&bytes).map_err(|_| ()).unwrap();
        let keys: Vec<u64> = (0..80).flat_map(|i| [mix(i), mix((i + 1) << 32), i << 58]).collect();
        let answers: Vec<Vec<u32>> = keys.iter().map(|&key| find(&intact, key).unwrap()).collect();
        for at in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] ^= 1 << (at % 8);
            let Ok(set) = open(&broken) else { continue };
            assert!(at >= LEAD, "{at}");
            for (&key, answer) in keys.iter().zip(&answers).take(if at % 50 == 0 { 999 } else { 9 }) {
                assert!(find(&set, key).map_or(true, |found| found == *answer), "{at}");
            }
            let named = id(&set, 7);
            assert!(named == Ok(b"id7") || named.is_err(), "{at}");
            assert!(matches!(set.verify(), Err(Unreadable::Block(_))), "{at}");
        }
    }

    /// Files whose checksums agree, whatever is in them: nothing is read outside of them, and all of it ends.
    #[test]
    fn crafted_files_do_no_harm() {
        let bytes = set(400);
        let lengths = bytes[24..ROOT].as_chunks().0.iter().map(|length| u64::from_le_bytes(*length) as usize);
        let content = LEAD + lengths.sum::<usize>();
        let mut state = 1_u64;
        let mut random = |below: usize| {
            state = mix(state);
            (state >> 11) as usize % below
        };
        let mut refused = [0; 2];
        for _ in 0..3000 {
            let mut crafted = bytes[..content].to_vec();
            for _ in 0..=random(3) {
                let at = if random(4) == 0 { 20 + random(ROOT - 20) } else { random(content - 8) };
                let number = [0, 1, 7, 1 << 31, u64::MAX, u64::MAX - 7, 1 << 63, 400, 4096, random(9999) as u64];
                let width = [1, 4, 8][random(3)];
                crafted[at..at + width].copy_from_slice(&number[random(10)].to_le_bytes()[..width]);
            }
            let root = checksums::append(&mut crafted, LEAD);
            crafted[ROOT..ROOT + 4].copy_from_slice(&root.to_le_bytes());
            let lead = checksum(&crafted[..ROOT + 4]);
            crafted[ROOT + 4..LEAD].copy_from_slice(&lead.to_le_bytes());
            let Ok(set) = open(&crafted) else {
                refused[0] += 1;
                continue;
            };
            refused[1] += u32::from(set.verify().is_err());
            assert_eq!(set.intact(), Ok(()));
            let lexicon = set.lexicon_in_place();
            _ = (lexicon.part(0..lexicon.length()), lexicon.part(3..usize::MAX), set.header(), set.lexicon());
            for i in 0..64 {
                _ = (find(&set, i << 58), find(&set, mix(i)), id(&set, i as usize), id(&set, set.count()));
            }
            let mut length = 0;
            _ = set.ids(0..set.count(), |id| length += id.len());
            assert!(length <= crafted.len());
            assert!(set.buckets().is_ok_and(|buckets| buckets.count() <= crafted.len()));
        }
        assert!(refused[0] > 300 && refused[1] > 300, "{refused:?}");
    }
}
