//! A set of prototypes in one file, laid out so that it can be mapped into memory and asked at once.
//!
//! ```text
//! magic, version        16 bytes, 4 bytes and 4 unused ones
//! lengths               of the six sections, 8 bytes each
//! header                JSON: method, parameters, seeds; of no concern here
//! lexicon               as imatch.rs packs it; empty for shingles
//! places                2^b + 1 numbers: where the keys with each leading b bits begin
//! keys                  the buckets of all prototypes, ascending, 8 bytes each
//! owners                the prototype of each key, 4 bytes each; those of equal keys ascend
//! names                 where the id of each prototype ends, 8 bytes each, then all ids
//! ```
//!
//! All numbers are little-endian, and read byte by byte, so nothing has to be aligned. Keys are hashes, so their leading
//! bits spread them evenly: a look-up touches one place and a few keys, however many prototypes there are. Two
//! different buckets share a key with probability 2^-64.

use std::ops::Range;

const MAGIC: &[u8; 16] = b"unquilt filter\n\0";
const VERSION: u32 = 1;
const SECTIONS: usize = 6;
const LEAD: usize = MAGIC.len() + 8 + 8 * SECTIONS;
/// Keys that share a place, about.
const KEYS_A_PLACE: usize = 8;

/// Why a file is no set of prototypes.
#[derive(Debug, PartialEq, Eq)]
pub enum Unreadable {
    Foreign,
    Version(u32),
    CutShort,
    Damaged,
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
    let count = ids.clone().count();
    let names = 8 * count + ids.clone().map(<[u8]>::len).sum::<usize>();
    let lengths = [header.len(), lexicon.len(), places, 8 * pairs.len(), 4 * pairs.len(), names];
    let mut out = Vec::with_capacity(LEAD + lengths.iter().sum::<usize>());
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&VERSION.to_le_bytes());
    out.extend_from_slice(&bits.to_le_bytes());
    lengths.iter().for_each(|&length| out.extend_from_slice(&(length as u64).to_le_bytes()));
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
    out
}

fn leading(key: u64, bits: u32) -> u64 {
    key.checked_shr(u64::BITS - bits).unwrap_or(0)
}

/// A set, looked at where it lies.
#[derive(Clone, Copy)]
pub struct Prototypes<'a> {
    pub header: &'a [u8],
    pub lexicon: &'a [u8],
    bits: u32,
    places: &'a [[u8; 8]],
    keys: &'a [[u8; 8]],
    owners: &'a [[u8; 4]],
    names: &'a [u8],
}

impl<'a> Prototypes<'a> {
    /// Costs the same for a set of any size.
    pub fn new(bytes: &'a [u8]) -> Result<Self, Unreadable> {
        if bytes.get(..MAGIC.len()) != Some(&MAGIC[..]) {
            return Err(Unreadable::Foreign);
        }
        let (lead, mut rest) = bytes.split_at_checked(LEAD).ok_or(Unreadable::CutShort)?;
        let number = |at: usize| lead[at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
        let (version, bits) = (number(MAGIC.len()), number(MAGIC.len() + 4));
        if version != VERSION {
            return Err(Unreadable::Version(version));
        }
        let mut sections = [&[][..]; SECTIONS];
        for (section, length) in sections.iter_mut().zip(lead[LEAD - 8 * SECTIONS..].as_chunks().0) {
            let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| Unreadable::Damaged)?;
            (*section, rest) = rest.split_at_checked(length).ok_or(Unreadable::CutShort)?;
        }
        let [header, lexicon, places, keys, owners, names] = sections;
        let (places, keys, owners) = (places.as_chunks().0, keys.as_chunks().0, owners.as_chunks().0);
        let whole = rest.is_empty()
            && bits < usize::BITS
            && places.len() == (1_usize << bits) + 1
            && keys.len() == owners.len();
        if whole {
            Ok(Self { header, lexicon, bits, places, keys, owners, names })
        } else {
            Err(Unreadable::Damaged)
        }
    }

    /// Where the lexicon lies.
    pub fn lexicon_range(&self) -> Range<usize> {
        let begin = LEAD + self.header.len();
        begin..begin + self.lexicon.len()
    }

    /// Whether there can be so many prototypes: their ids end where the set does.
    pub fn has(&self, count: usize) -> bool {
        let Some((ends, ids)) = count.checked_mul(8).and_then(|length| self.names.split_at_checked(length)) else {
            return false;
        };
        let last = ends.last_chunk().map_or(0, |end| u64::from_le_bytes(*end));
        last == ids.len() as u64
    }

    /// Calls `each` with the prototypes that have a key.
    pub fn find(&self, key: u64, mut each: impl FnMut(u32)) {
        let place = leading(key, self.bits) as usize;
        let at = |place: usize| u64::from_le_bytes(self.places[place]) as usize;
        for at in at(place)..at(place + 1).min(self.keys.len()) {
            let there = u64::from_le_bytes(self.keys[at]);
            if there > key {
                break;
            }
            if there == key {
                each(u32::from_le_bytes(self.owners[at]));
            }
        }
    }

    /// All (key, prototype) pairs, to which others can be added.
    pub fn pairs(&self) -> impl Iterator<Item = (u64, u32)> + 'a {
        let owners = self.owners.iter().map(|owner| u32::from_le_bytes(*owner));
        self.keys.iter().map(|key| u64::from_le_bytes(*key)).zip(owners)
    }

    /// The id of a prototype of a set of `count`, none if there is no such.
    pub fn id(&self, number: usize, count: usize) -> Option<&'a [u8]> {
        let (ends, ids) = self.names.split_at_checked(count.checked_mul(8)?)?;
        let end = |number: usize| Some(u64::from_le_bytes(*ends.as_chunks().0.get(number)?) as usize);
        let range: Range<usize> = number.checked_sub(1).map_or(Some(0), end)?..end(number)?;
        ids.get(range)
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

    #[test]
    fn what_was_put_in_is_found() {
        for count in [0, 1, 2, 7, 40, 5000] {
            let bytes = set(count);
            let set = Prototypes::new(&bytes).map_err(|_| ()).unwrap();
            assert_eq!((set.header, set.lexicon), (&b"{}"[..], &b"lexicon"[..]));
            assert_eq!(bytes[set.lexicon_range()], b"lexicon"[..]);
            for other in 0..count as usize + 9 {
                assert_eq!(set.has(other), other == count as usize, "{other} {count}");
            }
            assert!(!set.has(usize::MAX) && !set.has(usize::MAX / 8 + 1));
            let find = |key| {
                let mut found = Vec::new();
                set.find(key, |owner| found.push(owner));
                found
            };
            for i in 0..count {
                assert_eq!(find(mix(i.into())), [i]);
                assert!(find(mix(u64::from(i / 3 + 1) << 32)).contains(&i));
                assert_eq!(set.id(i as usize, count as usize), Some(format!("id{i}").as_bytes()));
            }
            assert_eq!(find(mix(count.into()) ^ 1), []);
            assert_eq!((find(0), find(u64::MAX)), (vec![], vec![]));
            assert_eq!(set.id(count as usize, count as usize), None);
            assert!(set.pairs().is_sorted());
        }
    }

    #[test]
    fn nothing_is_read_beyond_what_is_there() {
        let bytes = set(50);
        for length in 0..bytes.len() {
            let expected = if length < MAGIC.len() { Unreadable::Foreign } else { Unreadable::CutShort };
            assert_eq!(Prototypes::new(&bytes[..length]).err(), Some(expected));
        }
        for at in 0..LEAD {
            let mut broken = bytes.clone();
            broken[at] ^= 0x40;
            assert!(Prototypes::new(&broken).is_err(), "{at}");
        }
        for at in LEAD..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] ^= 0xff;
            if let Ok(set) = Prototypes::new(&broken) {
                (0..64).for_each(|i| set.find(i << 58, |_| ()));
                (0..50).for_each(|i| _ = set.id(i, 50));
            }
        }
        let mut newer = bytes;
        newer[MAGIC.len()] = 2;
        assert_eq!(Prototypes::new(&newer).err(), Some(Unreadable::Version(2)));
    }
}
