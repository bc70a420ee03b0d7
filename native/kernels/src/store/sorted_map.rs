//! Keys and their values in sorted order, in bytes that are looked up where they lie.
//!
//! Keys have K bytes each and sort as bytes, values have V bytes each, or none at all (V = 0: a set). A key may stand
//! there with several values.
//!
//! ```text
//! count                 8 bytes, how many entries there are
//! entries               key and value, K + V bytes each, ascending by key, then by value
//! places                2^bits + 1 numbers of 8 bytes: how many keys have lower leading bits
//! ```
//!
//! Counts and places are little-endian. `bits` follows from the count, so that two to four keys share a place. Keys are
//! hashes, so their leading bits spread them evenly: a look-up touches one place and the few entries there, two cache
//! lines or three, however many keys there are. Should keys be crafted so that thousands share a place, they are
//! searched by halves. The same entries give the same bytes, and to add some is a merge.
//!
//! Whoever holds the bytes compares them with their checksums (see [`Parts`]). Checksums can be crafted: whatever the
//! numbers say, nothing is read outside the bytes, and no look-up looks at an entry twice.

use std::cmp::Ordering;
use std::io::{self, Write};
use std::iter;

use crate::store::checksums::Parts;

const COUNT: usize = 8;
const PLACE: usize = 8;
const KEYS_A_PLACE: usize = 2;
/// Entries that are compared together. More that share a place are searched by halves.
const AT_ONCE: usize = 6;

/// A key and its value.
pub type Entry<const K: usize, const V: usize> = ([u8; K], [u8; V]);

/// Leading bits by which so many keys are found.
fn bits(count: usize) -> u32 {
    (count / KEYS_A_PLACE).checked_ilog2().unwrap_or(0)
}

#[inline]
fn place<const K: usize>(key: &[u8; K], bits: u32) -> usize {
    let mut beginning = [0; 8];
    let length = K.min(8);
    beginning[..length].copy_from_slice(&key[..length]);
    u64::from_be_bytes(beginning).checked_shr(u64::BITS - bits).unwrap_or(0) as usize
}

#[inline]
fn split<const K: usize, const V: usize>(entry: &[u8]) -> Option<(&[u8; K], &[u8; V])> {
    entry.split_first_chunk().and_then(|(key, value)| Some((key, value.first_chunk()?)))
}

/// Appends the map of these entries, which ascend; of equal ones, which lie side by side, there is one in it.
pub fn append<const K: usize, const V: usize>(out: &mut Vec<u8>, entries: impl Iterator<Item = Entry<K, V>>) {
    let begin = out.len();
    out.extend_from_slice(&[0; COUNT]);
    let (mut count, mut last) = (0, None);
    for entry in entries {
        debug_assert!(last.is_none_or(|last| last <= entry));
        if last != Some(entry) {
            out.extend_from_slice(&entry.0);
            out.extend_from_slice(&entry.1);
            count += 1;
            last = Some(entry);
        }
    }
    out[begin..begin + COUNT].copy_from_slice(&(count as u64).to_le_bytes());
    let bits = bits(count);
    let mut at = 0;
    for number in 0..=(1_usize << bits) {
        while at < count {
            let entry = &out[begin + COUNT + at * (K + V)..];
            if split::<K, V>(entry).is_some_and(|(key, _)| place(key, bits) >= number) {
                break;
            }
            at += 1;
        }
        out.extend_from_slice(&(at as u64).to_le_bytes());
    }
}

/// Writes what [`append`] makes of so many entries, which ascend and differ; they are read twice.
pub fn write<const K: usize, const V: usize, I: Iterator<Item = io::Result<Entry<K, V>>>>(
    out: &mut impl Write,
    count: usize,
    entries: impl Fn() -> io::Result<I>,
) -> io::Result<()> {
    out.write_all(&(count as u64).to_le_bytes())?;
    for entry in entries()? {
        let (key, value) = entry?;
        out.write_all(&key)?;
        out.write_all(&value)?;
    }
    let bits = bits(count);
    let (mut number, mut at) = (0, 0_u64);
    for entry in entries()? {
        let place = place(&entry?.0, bits);
        while number <= place {
            out.write_all(&at.to_le_bytes())?;
            number += 1;
        }
        at += 1;
    }
    while number <= (1_usize << bits) {
        out.write_all(&at.to_le_bytes())?;
        number += 1;
    }
    Ok(())
}

/// The entries of two maps in order; one that both have, once.
pub fn merge<E: Ord>(one: impl Iterator<Item = E>, other: impl Iterator<Item = E>) -> impl Iterator<Item = E> {
    let (mut one, mut other) = (one.peekable(), other.peekable());
    iter::from_fn(move || {
        let order = match (one.peek(), other.peek()) {
            (Some(one), Some(other)) => one.cmp(other),
            (_, None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        if order.is_eq() {
            other.next();
        }
        if order.is_le() {
            one.next()
        } else {
            other.next()
        }
    })
}

/// A map in bytes that [`append`] made.
pub struct SortedMap<B, const K: usize, const V: usize> {
    bytes: B,
    count: usize,
    bits: u32,
}

impl<B: Parts, const K: usize, const V: usize> SortedMap<B, K, V> {
    const WIDTH: usize = K + V;

    /// Costs the same for a map of any size. None if the bytes are no map, or the first of them are damaged.
    pub fn new(bytes: B) -> Option<Self> {
        let count = bytes.part(0..COUNT)?.first_chunk().map(|count| u64::from_le_bytes(*count))?;
        let count = usize::try_from(count).ok()?;
        let bits = bits(count);
        let entries = count.checked_mul(Self::WIDTH)?.checked_add(COUNT)?;
        let all = entries.checked_add(PLACE * ((1 << bits) + 1))?;
        (all == bytes.length()).then_some(Self { bytes, count, bits })
    }

    /// How many entries there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Calls `each` with the values of a key, in order. None if some of what there is to look at is damaged.
    #[inline]
    pub fn find(&self, key: &[u8; K], mut each: impl FnMut(&[u8; V])) -> Option<()> {
        self.values(key)?.for_each(&mut each);
        Some(())
    }

    /// The values of a key, in order. None if some of what there is to look at is damaged.
    #[inline]
    pub fn values<'a>(&'a self, key: &'a [u8; K]) -> Option<impl Iterator<Item = &'a [u8; V]> + 'a> {
        let entries = self.from(key)?.chunks_exact(Self::WIDTH).map_while(split::<K, V>);
        Some(entries.take_while(move |(there, _)| *there == key).map(|(_, value)| value))
    }

    /// The first value of a key. None if it has none, or if what there is to look at is damaged.
    #[inline]
    pub fn first(&self, key: &[u8; K]) -> Option<&[u8; V]> {
        split(self.from(key)?).filter(|(there, _)| *there == key).map(|(_, value)| value)
    }

    /// The bytes of entries from the first on whose key is not lower, as far as they can have this key.
    #[inline]
    fn from(&self, key: &[u8; K]) -> Option<&[u8]> {
        let places = COUNT + self.count * Self::WIDTH;
        let at = places + PLACE * place(key, self.bits);
        let [begin, end] = self.bytes.part(at..at + 2 * PLACE)?.as_chunks().0 else { return None };
        let [begin, end] =
            [begin, end].map(|number| usize::try_from(u64::from_le_bytes(*number)).unwrap_or(usize::MAX));
        if begin > end || end > self.count {
            return None;
        }
        let entries = |end: usize| self.bytes.part(COUNT + begin * Self::WIDTH..COUNT + end * Self::WIDTH);
        if end - begin > AT_ONCE || begin + AT_ONCE > self.count {
            return Some(Self::halve(entries(end)?, key));
        }
        // Always the same number, so that the processor need not guess how many: those of the next places are not lower.
        let entries = entries(begin + AT_ONCE)?;
        let lower =
            entries.chunks_exact(Self::WIDTH).filter_map(split::<K, V>).filter(|(there, _)| *there < key).count();
        entries.get(lower * Self::WIDTH..)
    }

    /// These entries without those of lower keys.
    #[cold]
    fn halve<'a>(entries: &'a [u8], key: &[u8; K]) -> &'a [u8] {
        let lower =
            |number: usize| split::<K, V>(&entries[number * Self::WIDTH..]).is_some_and(|(there, _)| there < key);
        let (mut begin, mut end) = (0, entries.len() / Self::WIDTH);
        while begin < end {
            let middle = begin.midpoint(end);
            if lower(middle) {
                begin = middle + 1;
            } else {
                end = middle;
            }
        }
        &entries[begin * Self::WIDTH..]
    }

    /// All entries, in order. None if some are damaged.
    pub fn entries(&self) -> Option<impl Iterator<Item = Entry<K, V>> + '_> {
        let entries = self.bytes.part(COUNT..COUNT + self.count * Self::WIDTH)?;
        Some(entries.chunks_exact(Self::WIDTH).filter_map(|entry| split(entry).map(|(key, value)| (*key, *value))))
    }

    /// Whether all of it is as [`append`] makes it: entries ascend, and places say where.
    pub fn verify(&self) -> bool {
        let places = COUNT + self.count * Self::WIDTH;
        let (Some(found), Some(keys)) = (self.bytes.part(places..self.bytes.length()), self.entries()) else {
            return false;
        };
        let (mut keys, mut at) = (keys.map(|(key, _)| key).peekable(), 0_u64);
        let placed = found.as_chunks().0.iter().enumerate().all(|(number, begin)| {
            at += iter::from_fn(|| keys.next_if(|key| place(key, self.bits) < number)).count() as u64;
            u64::from_le_bytes(*begin) == at
        });
        placed && self.entries().is_some_and(|entries| entries.is_sorted_by(|one, other| one < other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn mix(number: u64) -> u64 {
        number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    }

    fn key<const K: usize>(number: u64) -> [u8; K] {
        let eight = mix(number).to_be_bytes();
        std::array::from_fn(|at| eight[at % 8].wrapping_add((at / 8) as u8))
    }

    /// Every third key has two values.
    fn entries<const K: usize, const V: usize>(count: u64) -> BTreeSet<Entry<K, V>> {
        (0..count).map(|i| (key(i - u64::from(i % 3 == 1)), [(i % 251) as u8; V])).collect()
    }

    fn pack<const K: usize, const V: usize>(entries: &BTreeSet<Entry<K, V>>) -> Vec<u8> {
        let mut out = Vec::new();
        append(&mut out, entries.iter().copied());
        out
    }

    fn find<B: Parts, const K: usize, const V: usize>(map: &SortedMap<B, K, V>, key: &[u8; K]) -> Option<Vec<[u8; V]>> {
        let mut found = Vec::new();
        map.find(key, |value| found.push(*value))?;
        Some(found)
    }

    fn check<const K: usize, const V: usize>() {
        for count in [0, 1, 2, 7, 8, 40, 3000] {
            let expected = entries::<K, V>(count);
            let bytes = pack(&expected);
            let map = SortedMap::<_, K, V>::new(&bytes).unwrap();
            assert_eq!(map.count(), expected.len());
            assert!(map.entries().unwrap().eq(expected.iter().copied()));
            assert!(map.verify());
            let mut written = Vec::new();
            write(&mut written, expected.len(), || Ok(expected.iter().map(|entry| Ok(*entry)))).unwrap();
            assert_eq!(written, bytes);
            for asked in (0..count + 50).map(key).chain([[0; K], [255; K]]) {
                let values: Vec<_> = expected.iter().filter(|entry| entry.0 == asked).map(|entry| entry.1).collect();
                assert_eq!(map.first(&asked), values.first());
                assert_eq!(find(&map, &asked), Some(values));
            }
        }
    }

    #[test]
    fn what_was_put_in_is_found() {
        check::<8, 4>(); // words and ranks
        check::<20, 8>(); // SHA-1 and numbers
        check::<20, 0>(); // a set
        check::<3, 1>();
    }

    #[test]
    fn a_merge_is_the_map_of_all() {
        let (one, other): (BTreeSet<_>, BTreeSet<_>) = (entries::<20, 4>(900), entries(1300));
        let other: BTreeSet<_> = other.into_iter().filter(|entry| entry.0[3] % 3 != 0).collect();
        let (a, b) = (pack(&one), pack(&other));
        let [a, b] = [&a, &b].map(|bytes| SortedMap::<_, 20, 4>::new(bytes).unwrap());
        let mut merged = Vec::new();
        append(&mut merged, merge(a.entries().unwrap(), b.entries().unwrap()));
        assert_eq!(merged, pack(&one.union(&other).copied().collect()));
        let mut same = Vec::new();
        append(&mut same, merge(a.entries().unwrap(), a.entries().unwrap()));
        assert_eq!(same, pack(&one));
    }

    #[test]
    fn crowded_keys_are_searched_by_halves() {
        let crowded: BTreeSet<_> = (0..100_000_u64).map(|i| ((i << 8).to_be_bytes(), [])).collect();
        let bytes = pack(&crowded);
        let map = SortedMap::<_, 8, 0>::new(&bytes).unwrap();
        assert!(map.verify());
        assert_eq!(map.from(&(70_000_u64 << 8).to_be_bytes()).unwrap().len(), 30_000 * 8);
        for i in 0..100_000_u64 {
            assert!(map.first(&(i << 8).to_be_bytes()).is_some());
            assert_eq!(find(&map, &(i << 8 | 1).to_be_bytes()), Some(vec![]));
        }
    }

    #[test]
    fn bytes_of_another_length_are_no_map() {
        let bytes = pack(&entries::<8, 4>(50));
        for length in 0..bytes.len() {
            assert!(SortedMap::<_, 8, 4>::new(&bytes[..length]).is_none());
        }
        assert!(SortedMap::<_, 8, 4>::new([&bytes[..], &[0]].concat()).is_none());
        assert!(SortedMap::<_, 8, 8>::new(&bytes).is_none());
        for count in [0, 49, 51, 1 << 61, u64::MAX] {
            let mut other = bytes.clone();
            other[..COUNT].copy_from_slice(&count.to_le_bytes());
            assert!(SortedMap::<_, 8, 4>::new(&other).is_none());
        }
    }

    #[test]
    fn whatever_the_bytes_say_looking_up_ends() {
        let bytes = pack(&entries::<8, 4>(400));
        for at in COUNT..bytes.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut crafted = bytes.clone();
                crafted[at] = value;
                let map = SortedMap::<_, 8, 4>::new(&crafted).unwrap();
                assert!(crafted == bytes || at < COUNT + 12 * 400 || !map.verify(), "{at}");
                for i in 0..9 {
                    assert!(find(&map, &key(i)).is_none_or(|found| found.len() <= 400));
                    _ = (map.first(&(i << 61).to_be_bytes()), find(&map, &(i << 61).to_be_bytes()));
                }
            }
        }
    }
}
