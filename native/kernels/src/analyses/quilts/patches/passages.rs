//! The passages that a quilt was sent, as the letters in which its own words are looked for.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::borders::Bond;
use crate::analyses::quilts::matches::MatchIndex;
use crate::text::fingerprint::Fingerprinter;
use crate::text::slots::Multiply;

/// Where a slice comes from: its source, the number of its first word there, and how the source reads on before and
/// behind the passage that it belongs to.
#[derive(Clone, Copy)]
pub struct Origin {
    pub source: u64,
    pub first_word: u64,
    pub bonds: [Bond; 2],
}

/// The slices that a quilt was sent, best first.
#[derive(Default)]
pub struct Passages {
    pub letters: Letters,
    pub index: MatchIndex,
    /// Where each word stands in its source.
    places: Vec<(u32, u32)>,
    /// The first place of each slice, and what is known of it.
    slices: Vec<(usize, Origin)>,
}

impl Passages {
    pub fn clear(&mut self) {
        self.letters.clear();
        self.index.clear();
        self.places.clear();
        self.slices.clear();
    }

    pub fn add<'a>(
        &mut self,
        origin: Origin,
        words: impl Iterator<Item = (&'a [u8], u32, u32)>,
        print: &Fingerprinter,
    ) {
        self.slices.push((self.places.len(), origin));
        self.index.part();
        for (folded, begin, end) in words {
            self.places.push((begin, end));
            self.index.push(self.letters.letter(print.word(folded), folded));
        }
    }

    /// Of so many words at a place: where they come from, as words from that place on, and their begin and end.
    pub fn locate(&self, place: usize, words: usize) -> (Origin, u64, u64) {
        let slice = self.slices.partition_point(|&(first, _)| first <= place) - 1;
        let (first, origin) = self.slices[slice];
        let origin = Origin { first_word: origin.first_word + (place - first) as u64, ..origin };
        (origin, self.places[place].0.into(), self.places[place + words - 1].1.into())
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
