//! A set of prototypes in one file, laid out so that it can be mapped into memory and asked at once.
//!
//! ```text
//! magic, version, bits  16 bytes, 4 bytes, 4 bytes
//! lengths               of the seven sections, 8 bytes each
//! root, checksum        of all that follows (see checksums.rs), and of all before; 4 bytes each
//! header                JSON: method, parameters, seeds; of no concern here
//! lexicon               as imatch.rs packs it; empty for shingles
//! places                2^bits + 1 numbers: where the keys with each leading bits begin
//! keys                  the buckets of all prototypes, ascending, 8 bytes each
//! owners                the prototype of each key, 4 bytes each; those of equal keys ascend
//! ends                  where the id of each prototype ends in what follows, 8 bytes each
//! ids                   one after the other
//! checksums             of the sections, by blocks of 4 KiB
//! ```
//!
//! All numbers are little-endian, and read byte by byte, so nothing has to be aligned. Keys are hashes, so their leading
//! bits spread them evenly: a look-up touches one place and a few keys, however many prototypes there are. Two
//! different buckets share a key with probability 2^-64.
//!
//! Every byte is covered by a checksum, and compared with it when it is first looked at: a damaged file gives the answers
//! of the intact one or none. Checksums can be crafted, so numbers are still taken for what they are, input: whatever
//! they say, nothing is read outside the file, and an answer costs no more than time and memory of the file's size.

use std::ops::Range;
use std::sync::Arc;

use crate::store::checksums::{self, checksum, Checksums, Parts, WrongLength};

const MAGIC: &[u8; 16] = b"unquilt filter\n\0";
const VERSION: u32 = 2;
const SECTIONS: usize = 7;
const LENGTHS: usize = MAGIC.len() + 8;
const ROOT: usize = LENGTHS + 8 * SECTIONS;
const LEAD: usize = ROOT + 8;
/// Keys that share a place, about.
const KEYS_A_PLACE: usize = 8;

/// Why a file is no set of prototypes, or not any more.
#[derive(Debug, PartialEq, Eq)]
pub enum Unreadable {
    Foreign,
    /// Of a version before checksums.
    Older,
    Version(u32),
    CutShort,
    /// What it says cannot be, though its checksums agree.
    Damaged,
    /// Its first bytes do not match their checksum.
    Lead,
    /// Nor does the block of this number.
    Block(usize),
}

/// Puts a set together. `pairs` are (key, prototype), in any order; ids are those of the prototypes, in order.
pub fn pack<'a>(
    header: &[u8],
    lexicon: &[u8],
    pairs: &mut Vec<(u64, u32)>,
    ids: impl Iterator<Item = &'a [u8]> + Clone,
) -> Vec<u8> {
    pairs.sort_unstable();
    pairs.dedup();
    let bits = (pairs.len() / KEYS_A_PLACE).checked_ilog2().unwrap_or(0);
    let places = 8 * ((1_usize << bits) + 1);
    let (ends, names) = (8 * ids.clone().count(), ids.clone().map(<[u8]>::len).sum::<usize>());
    let lengths = [header.len(), lexicon.len(), places, 8 * pairs.len(), 4 * pairs.len(), ends, names];
    let mut out = Vec::with_capacity(checksums::end(LEAD..LEAD + lengths.iter().sum::<usize>()).unwrap_or(0));
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&VERSION.to_le_bytes());
    out.extend_from_slice(&bits.to_le_bytes());
    lengths.iter().for_each(|&length| out.extend_from_slice(&(length as u64).to_le_bytes()));
    out.extend_from_slice(&[0; LEAD - ROOT]);
    out.extend_from_slice(header);
    out.extend_from_slice(lexicon);
    let mut at = 0;
    for place in 0..=(1_u64 << bits) {
        while pairs.get(at).is_some_and(|&(key, _)| leading(key, bits) < place) {
            at += 1;
        }
        out.extend_from_slice(&(at as u64).to_le_bytes());
    }
    pairs.iter().for_each(|(key, _)| out.extend_from_slice(&key.to_le_bytes()));
    pairs.iter().for_each(|(_, owner)| out.extend_from_slice(&owner.to_le_bytes()));
    let mut end = 0;
    for id in ids.clone() {
        end += id.len() as u64;
        out.extend_from_slice(&end.to_le_bytes());
    }
    ids.for_each(|id| out.extend_from_slice(id));
    let root = checksums::append(&mut out, LEAD);
    out[ROOT..ROOT + 4].copy_from_slice(&root.to_le_bytes());
    let lead = checksum(&out[..ROOT + 4]);
    out[ROOT + 4..LEAD].copy_from_slice(&lead.to_le_bytes());
    out
}

fn leading(key: u64, bits: u32) -> u64 {
    key.checked_shr(u64::BITS - bits).unwrap_or(0)
}

/// A set, looked at where it lies.
pub struct Prototypes<B> {
    bytes: B,
    checksums: Checksums,
    bits: u32,
    header: Range<usize>,
    lexicon: Range<usize>,
    places: Range<usize>,
    keys: Range<usize>,
    owners: Range<usize>,
    ends: Range<usize>,
    ids: Range<usize>,
}

impl<B: AsRef<[u8]>> Prototypes<B> {
    /// Costs the same for a set of any size.
    pub fn new(bytes: B) -> Result<Self, Unreadable> {
        let all = bytes.as_ref();
        let lead = all.get(..LEAD.min(all.len())).unwrap_or_default();
        if !lead.starts_with(MAGIC) {
            return Err(Unreadable::Foreign);
        }
        let number =
            |at: usize| lead.get(at..at + 4).and_then(|four| four.first_chunk()).map(|four| u32::from_le_bytes(*four));
        match number(MAGIC.len()).ok_or(Unreadable::CutShort)? {
            1 => return Err(Unreadable::Older),
            VERSION => (),
            other => return Err(Unreadable::Version(other)),
        }
        let (bits, root) = (number(MAGIC.len() + 4), number(ROOT));
        let (Some(bits), Some(root), Some(sum)) = (bits, root, number(ROOT + 4)) else {
            return Err(Unreadable::CutShort);
        };
        if checksum(&lead[..ROOT + 4]) != sum {
            return Err(Unreadable::Lead);
        }
        let mut at = LEAD;
        let mut sections = [const { 0..0 }; SECTIONS];
        for (section, length) in sections.iter_mut().zip(lead[LENGTHS..ROOT].as_chunks().0) {
            let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| Unreadable::CutShort)?;
            let end = at.checked_add(length).ok_or(Unreadable::CutShort)?;
            *section = at..end;
            at = end;
        }
        let checksums = Checksums::new(LEAD..at, root, all.len()).map_err(|wrong| match wrong {
            WrongLength::Short => Unreadable::CutShort,
            WrongLength::Long => Unreadable::Damaged,
        })?;
        let [header, lexicon, places, keys, owners, ends, ids] = sections;
        let whole = bits < usize::BITS - 3
            && places.len() == 8 * ((1_usize << bits) + 1)
            && keys.len() % 8 == 0
            && owners.len() == keys.len() / 2
            && ends.len() % 8 == 0;
        if whole {
            Ok(Self { bytes, checksums, bits, header, lexicon, places, keys, owners, ends, ids })
        } else {
            Err(Unreadable::Damaged)
        }
    }

    pub fn header(&self) -> Result<&[u8], Unreadable> {
        self.part(self.header.clone())
    }

    /// All of the lexicon.
    pub fn lexicon(&self) -> Result<&[u8], Unreadable> {
        self.part(self.lexicon.clone())
    }

    /// Whether nothing was found to be damaged so far. Asked after a [`SetLexicon`] was used, which does not say.
    pub fn intact(&self) -> Result<(), Unreadable> {
        self.checksums.damaged().map_or(Ok(()), |block| Err(Unreadable::Block(block)))
    }

    /// How many prototypes there are.
    pub fn count(&self) -> usize {
        self.ends.len() / 8
    }

    /// Calls `each` with the prototypes that have a key.
    pub fn find(&self, key: u64, mut each: impl FnMut(u32)) -> Result<(), Unreadable> {
        let place = leading(key, self.bits) as usize;
        let [begin, end] = self.records(&self.places, place..place + 2)? else { return Err(Unreadable::Damaged) };
        let here = index(begin)..index(end);
        for (there, at) in self.records(&self.keys, here.clone())?.iter().zip(here) {
            let there = u64::from_le_bytes(*there);
            if there > key {
                break;
            }
            if there == key {
                self.records(&self.owners, at..at + 1)?.iter().for_each(|owner| each(u32::from_le_bytes(*owner)));
            }
        }
        Ok(())
    }

    /// Calls `each` with the ids of prototypes, whose numbers must ascend.
    pub fn ids<'a>(
        &'a self,
        numbers: impl Iterator<Item = usize>,
        mut each: impl FnMut(&'a [u8]),
    ) -> Result<(), Unreadable> {
        let mut before = 0;
        for number in numbers {
            let ends = self.records(&self.ends, number.saturating_sub(1)..number.saturating_add(1))?;
            let (begin, end) = match ends {
                [begin, end] => (index(begin), index(end)),
                [end] => (0, index(end)),
                _ => return Err(Unreadable::Damaged),
            };
            // They lie one behind the other: crafted ones, of which each is all of them, would fill the memory.
            if begin < before || end < begin || end > self.ids.len() {
                return Err(Unreadable::Damaged);
            }
            each(self.part(self.ids.start + begin..self.ids.start + end)?);
            before = end;
        }
        Ok(())
    }

    /// All (key, prototype) pairs, to which others can be added.
    pub fn pairs(&self) -> Result<impl Iterator<Item = (u64, u32)> + '_, Unreadable> {
        let keys = self.all(&self.keys)?.iter().map(|key| u64::from_le_bytes(*key));
        Ok(keys.zip(self.all(&self.owners)?.iter().map(|owner| u32::from_le_bytes(*owner))))
    }

    /// Compares all of the file with its checksums, and what is in it with what [`pack`] makes.
    pub fn verify(&self) -> Result<(), Unreadable> {
        self.checksums.verify(self.bytes.as_ref()).map_err(Unreadable::Block)?;
        let ends = self.all(&self.ends)?;
        let named = ends.is_sorted_by_key(index) && ends.last().map_or(0, index) == self.ids.len();
        let owned = self.pairs()?.all(|(_, owner)| (owner as usize) < self.count());
        let sorted = self.pairs()?.is_sorted_by(|one, other| one < other);
        if named && owned && sorted && self.is_placed()? {
            Ok(())
        } else {
            Err(Unreadable::Damaged)
        }
    }

    /// Whether places are where keys, which are sorted, have them.
    fn is_placed(&self) -> Result<bool, Unreadable> {
        let keys = self.all(&self.keys)?;
        let mut at = 0;
        Ok(self.all(&self.places)?.iter().zip(0..).all(|(begin, place)| {
            let before = |key: &[u8; 8]| leading(u64::from_le_bytes(*key), self.bits) < place;
            at += keys[at..].iter().take_while(|key| before(key)).count();
            index(begin) == at
        }))
    }

    #[inline]
    fn part(&self, range: Range<usize>) -> Result<&[u8], Unreadable> {
        let found = self.checksums.part(self.bytes.as_ref(), range);
        found.ok_or_else(|| self.intact().err().unwrap_or(Unreadable::Damaged))
    }

    /// Some records of a section of records of N bytes.
    #[inline]
    fn records<const N: usize>(&self, section: &Range<usize>, wanted: Range<usize>) -> Result<&[[u8; N]], Unreadable> {
        if wanted.start > wanted.end || wanted.end > section.len() / N {
            return Err(Unreadable::Damaged);
        }
        Ok(self.part(section.start + N * wanted.start..section.start + N * wanted.end)?.as_chunks().0)
    }

    fn all<const N: usize>(&self, section: &Range<usize>) -> Result<&[[u8; N]], Unreadable> {
        self.records(section, 0..section.len() / N)
    }
}

/// A place in the file; one that is too large for this machine is beyond any file.
#[inline]
fn index(number: &[u8; 8]) -> usize {
    usize::try_from(u64::from_le_bytes(*number)).unwrap_or(usize::MAX)
}

/// The lexicon of a set, whose words are looked up in the set.
pub struct SetLexicon<B>(pub Arc<Prototypes<B>>);

impl<B: AsRef<[u8]>> Parts for SetLexicon<B> {
    fn length(&self) -> usize {
        self.0.lexicon.len()
    }

    #[inline]
    fn part(&self, range: Range<usize>) -> Option<&[u8]> {
        let begin = self.0.lexicon.start;
        if range.end > self.length() {
            return None;
        }
        self.0.checksums.part(self.0.bytes.as_ref(), begin + range.start..begin + range.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mix(number: u64) -> u64 {
        number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    }

    fn set(count: u32) -> Vec<u8> {
        let mut pairs: Vec<_> =
            (0..count).flat_map(|i| [(mix(i.into()), i), (mix(u64::from(i / 3 + 1) << 32), i)]).collect();
        let ids: Vec<String> = (0..count).map(|i| format!("id{i}")).collect();
        pack(b"{}", b"lexicon", &mut pairs, ids.iter().map(String::as_bytes))
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
            let set = Arc::new(open(&bytes).map_err(|_| ()).unwrap());
            assert_eq!((set.header(), set.lexicon()), (Ok(&b"{}"[..]), Ok(&b"lexicon"[..])));
            let lexicon = SetLexicon(Arc::clone(&set));
            assert_eq!((lexicon.length(), lexicon.part(1..4), lexicon.part(5..8)), (7, Some(&b"exi"[..]), None));
            assert_eq!(set.count(), count as usize);
            for i in 0..count {
                assert_eq!(find(&set, mix(i.into())), Ok(vec![i]));
                assert!(find(&set, mix(u64::from(i / 3 + 1) << 32)).unwrap().contains(&i));
                assert_eq!(id(&set, i as usize), Ok(format!("id{i}").as_bytes()));
            }
            assert_eq!(find(&set, mix(count.into()) ^ 1), Ok(vec![]));
            assert_eq!((find(&set, 0), find(&set, u64::MAX)), (Ok(vec![]), Ok(vec![])));
            assert_eq!(id(&set, count as usize), Err(Unreadable::Damaged));
            assert!(set.pairs().map_err(|_| ()).unwrap().is_sorted());
            assert_eq!((set.verify(), set.intact()), (Ok(()), Ok(())));
        }
    }

    #[test]
    fn every_length_but_its_own_is_refused() {
        let bytes = set(50);
        for length in 0..bytes.len() {
            let expected = if length < MAGIC.len() { Unreadable::Foreign } else { Unreadable::CutShort };
            assert_eq!(open(&bytes[..length]).err(), Some(expected));
        }
        assert_eq!(open(&[&bytes[..], &[0]].concat()).err(), Some(Unreadable::Damaged));
    }

    #[test]
    fn versions_are_told_apart() {
        let bytes = set(50);
        for (version, expected) in [(1, Unreadable::Older), (3, Unreadable::Version(3)), (0, Unreadable::Version(0))] {
            let mut other = bytes.clone();
            other[MAGIC.len()] = version;
            assert_eq!(open(&other).err(), Some(expected));
        }
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
        let content = open(&bytes).map_err(|_| ()).unwrap().ids.end;
        let mut state = 1_u64;
        let mut random = |below: usize| {
            state = mix(state);
            (state >> 11) as usize % below
        };
        let mut refused = [0; 2];
        for _ in 0..3000 {
            let mut crafted = bytes[..content].to_vec();
            for _ in 0..=random(3) {
                let at = if random(4) == 0 { MAGIC.len() + 4 + random(ROOT - 20) } else { random(content - 8) };
                let number = [0, 1, 7, 1 << 31, u64::MAX, u64::MAX - 7, 1 << 63, 400, 4096, random(9999) as u64];
                let width = [1, 4, 8][random(3)];
                crafted[at..at + width].copy_from_slice(&number[random(10)].to_le_bytes()[..width]);
            }
            let root = checksums::append(&mut crafted, LEAD);
            crafted[ROOT..ROOT + 4].copy_from_slice(&root.to_le_bytes());
            let lead = checksum(&crafted[..ROOT + 4]);
            crafted[ROOT + 4..LEAD].copy_from_slice(&lead.to_le_bytes());
            let Ok(set) = open(&crafted).map(Arc::new) else {
                refused[0] += 1;
                continue;
            };
            refused[1] += u32::from(set.verify().is_err());
            assert_eq!(set.intact(), Ok(()));
            let lexicon = SetLexicon(Arc::clone(&set));
            _ = (lexicon.part(0..lexicon.length()), lexicon.part(3..usize::MAX), set.header(), set.lexicon());
            for i in 0..64 {
                _ = (find(&set, i << 58), find(&set, mix(i)), id(&set, i as usize), id(&set, set.count()));
            }
            let mut length = 0;
            _ = set.ids(0..set.count(), |id| length += id.len());
            assert!(length <= crafted.len());
            assert!(set.pairs().is_ok_and(|pairs| pairs.count() <= crafted.len()));
        }
        assert!(refused[0] > 300 && refused[1] > 300, "{refused:?}");
    }
}
