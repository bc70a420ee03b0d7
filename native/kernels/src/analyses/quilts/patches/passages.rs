//! The passages that a quilt was sent, as the letters in which its own words are looked for.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use crate::analyses::quilts::matches::MatchIndex;
use crate::text::fingerprint::Fingerprinter;
use crate::text::slots::Multiply;

/// The slices that a quilt was sent, best first.
#[derive(Default)]
pub struct Passages {
    pub letters: Letters,
    pub index: MatchIndex,
    /// Where each word stands in its source.
    places: Vec<(u32, u32)>,
    /// The source of each slice, and its first place.
    sources: Vec<(usize, u64)>,
}

impl Passages {
    pub fn clear(&mut self) {
        self.letters.clear();
        self.index.clear();
        self.places.clear();
        self.sources.clear();
    }

    pub fn add<'a>(&mut self, source: u64, words: impl Iterator<Item = (&'a [u8], u32, u32)>, print: &Fingerprinter) {
        self.sources.push((self.places.len(), source));
        self.index.part();
        for (folded, begin, end) in words {
            self.places.push((begin, end));
            self.index.push(self.letters.letter(print.word(folded), folded));
        }
    }

    /// Source, begin and end of so many words at a place.
    pub fn locate(&self, place: usize, words: usize) -> (u64, u64, u64) {
        let slice = self.sources.partition_point(|&(first, _)| first <= place) - 1;
        (self.sources[slice].1, self.places[place].0.into(), self.places[place + words - 1].1.into())
    }
}

/// Words as letters: equal ones, and no others, have the same number.
#[derive(Default)]
pub struct Letters {
    by_print: HashMap<u64, u32, BuildHasherDefault<Multiply>>,
    /// Words whose fingerprint an earlier word has, too.
    others: HashMap<Vec<u8>, u32>,
    /// The words one after the other, and where each ends.
    spelled: Vec<u8>,
    ends: Vec<usize>,
}

impl Letters {
    const KEPT: usize = 1 << 14;

    pub fn clear(&mut self) {
        if self.by_print.capacity() > Self::KEPT {
            self.by_print = HashMap::default();
        } else {
            self.by_print.clear();
        }
        self.others.clear();
        self.spelled.clear();
        self.ends.clear();
    }

    fn spelling(&self, letter: u32) -> &[u8] {
        let begin = (letter as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.spelled[begin..self.ends[letter as usize]]
    }

    /// The letter of a word, a new one for a new word.
    pub fn letter(&mut self, print: u64, folded: &[u8]) -> u32 {
        let next = self.ends.len() as u32;
        let mut letter = *self.by_print.entry(print).or_insert(next);
        if letter != next && self.spelling(letter) != folded {
            letter = *self.others.entry(folded.to_vec()).or_insert(next);
        }
        if letter == next {
            self.spelled.extend_from_slice(folded);
            self.ends.push(self.spelled.len());
        }
        letter
    }

    /// The letter of a word, [`Self::UNKNOWN`] if it has none.
    pub fn find(&self, print: u64, folded: &[u8]) -> u32 {
        match self.by_print.get(&print) {
            Some(&letter) if self.spelling(letter) == folded => letter,
            Some(_) => self.others.get(folded).copied().unwrap_or(Self::UNKNOWN),
            None => Self::UNKNOWN,
        }
    }

    const UNKNOWN: u32 = u32::MAX;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_share_a_fingerprint_are_different_letters() {
        let mut letters = Letters::default();
        assert_eq!([b"a", b"b", b"c", b"b", b"a"].map(|word| letters.letter(7, word)), [0, 1, 2, 1, 0]);
        assert_eq!(letters.letter(8, b"d"), 3);
        assert_eq!([b"a", b"b", b"c", b"d"].map(|word| letters.find(7, word)), [0, 1, 2, Letters::UNKNOWN]);
        assert_eq!(letters.find(9, b"a"), Letters::UNKNOWN);
    }
}
