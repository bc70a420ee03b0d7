//! The documents that can cover grams of another, packed: those on another server, and those on its own.

use crate::flow::fields::Damaged;
use crate::flow::rows::{put_varint, take_varint};

/// Candidates on their way into a row: foreign ones, and those on the document's own site.
#[derive(Default)]
pub struct CandidateList {
    foreign: Differences,
    same_site: Differences,
    packed: Vec<u8>,
}

/// Ascending numbers, stored as their differences, and how many they are.
#[derive(Default)]
struct Differences {
    bytes: Vec<u8>,
    last: u32,
    count: u64,
}

impl Differences {
    fn clear(&mut self) {
        self.bytes.clear();
        (self.last, self.count) = (0, 0);
    }

    fn push(&mut self, number: u32) {
        put_varint(&mut self.bytes, u64::from(number - self.last));
        self.last = number;
        self.count += 1;
    }
}

impl CandidateList {
    pub fn clear(&mut self) {
        self.foreign.clear();
        self.same_site.clear();
    }

    pub fn push(&mut self, document: u32, foreign: bool) {
        let list = if foreign { &mut self.foreign } else { &mut self.same_site };
        list.push(document);
    }

    /// The bytes of a row: how many are foreign, the foreign ones, and the others.
    pub fn pack(&mut self) -> &[u8] {
        self.packed.clear();
        put_varint(&mut self.packed, self.foreign.count);
        self.packed.extend_from_slice(&self.foreign.bytes);
        self.packed.extend_from_slice(&self.same_site.bytes);
        &self.packed
    }
}

/// The candidates of a [`CoverElement`](super::elements::CoverElement).
#[derive(Clone, Copy, Default)]
pub struct Candidates<'a> {
    foreign: u64,
    differences: &'a [u8],
}

impl<'a> Candidates<'a> {
    #[inline]
    pub fn new(mut packed: &'a [u8]) -> Result<Self, Damaged> {
        let whole = packed.last().is_some_and(|&last| last < 0x80);
        let foreign = take_varint(&mut packed).filter(|&count| whole && count <= packed.len() as u64);
        Ok(Self { foreign: foreign.ok_or(Damaged("CoverElement"))?, differences: packed })
    }

    /// Those on another server, ascending.
    #[inline]
    pub fn foreign(self) -> impl Iterator<Item = u32> + 'a {
        numbers(self.differences).take(self.foreign as usize)
    }

    /// Those on another server and those on its own site, as they are packed: equal bytes are equal documents.
    pub fn parts(self) -> (&'a [u8], &'a [u8]) {
        let mut left = self.differences;
        for _ in 0..self.foreign {
            if take_varint(&mut left).is_none() {
                break;
            }
        }
        self.differences.split_at(self.differences.len() - left.len())
    }

    /// Those on its own site, ascending.
    pub fn same_site(self) -> impl Iterator<Item = u32> + 'a {
        self.all().filter(|&(_, foreign)| !foreign).map(|(document, _)| document)
    }

    /// All candidates, and whether each is on another server; those that are come first.
    pub fn all(self) -> impl Iterator<Item = (u32, bool)> + 'a {
        let (mut differences, mut left, mut last) = (self.differences, self.foreign, 0);
        std::iter::from_fn(move || {
            let foreign = left > 0;
            last += take_varint(&mut differences)? as u32;
            let found = (last, foreign);
            left = left.saturating_sub(1);
            if foreign && left == 0 {
                last = 0;
            }
            Some(found)
        })
    }
}

/// Ascending numbers from their differences.
#[inline]
fn numbers(mut differences: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let mut last = 0;
    std::iter::from_fn(move || {
        last += take_varint(&mut differences)? as u32;
        Some(last)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_flagged() {
        let mut list = CandidateList::default();
        for (foreign, same_site) in [(&[3, 700, 701][..], &[1, 2, 900][..]), (&[], &[5]), (&[0], &[]), (&[], &[])] {
            list.clear();
            foreign.iter().for_each(|&document| list.push(document, true));
            same_site.iter().for_each(|&document| list.push(document, false));
            let packed = list.pack().to_vec();
            let found = Candidates::new(&packed).unwrap();
            assert_eq!(found.foreign().collect::<Vec<_>>(), foreign);
            let flagged = |documents: &[u32], flag: bool| documents.iter().map(move |&d| (d, flag)).collect::<Vec<_>>();
            assert_eq!(found.same_site().collect::<Vec<_>>(), same_site);
            assert_eq!(found.all().collect::<Vec<_>>(), [flagged(foreign, true), flagged(same_site, false)].concat());
        }
        assert!(Candidates::new(&[]).is_err());
        assert!(Candidates::new(&[2, 5]).is_err());
        assert!(Candidates::new(&[1, 0x85]).is_err());
    }
}
