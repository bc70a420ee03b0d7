//! Counts in how many documents each word is; a lexicon is made from the counts (see
//! [`lexicon`](crate::sketches::lexicon)).

use std::num::NonZeroUsize;

use hashbrown::{hash_table, HashTable};

use crate::flow::columns::Texts;
use crate::flow::contract::Port;
use crate::flow::fields::Damaged;
use crate::flow::kernel::{Beginning, Done, Group, Map, Output, Rows, Stretches};
use crate::sketches::lexicon::Terms;
use crate::text::slots::mixed;
use crate::text::unicode;
use crate::{contract, parameters, row};

row! {
    /// Of a word's fingerprint: the word, and in how many documents it is.
    pub struct WordCount<'a> { word: &'a [u8], df: u64 }
}

parameters! {
    pub struct Counting {
        /// Whether all words are counted, or only those that can be features of I-Match.
        all: bool,
        /// Of so many documents, one is read: those whose number is a multiple of it.
        every: NonZeroUsize,
    }
}

/// Map: in how many documents of the batch each word stands, keyed by the word's fingerprint.
pub struct DocumentWords {
    terms: Terms,
    tally: WordTally,
    every: u64,
}

contract! {
    map DocumentWords = "document words";
    new(Counting { all, every }) = Ok(Self {
        terms: Terms::new(all), tally: WordTally::default(), every: every.get() as u64,
    });
    reads Texts<'a>;
    keeps "the distinct words of a batch";
    const COUNTS: Port<WordCount<'static>> = Port::hashes(0, "counts");
}

impl Map for DocumentWords {
    fn batch<'a>(&mut self, pages: Texts<'a>, (): (), out: &mut Output) -> Done {
        let Self { terms, tally, every } = self;
        for row in (0..pages.doc.len()).filter(|&row| pages.doc.at(row).is_multiple_of(*every)) {
            terms.distinct(&pages.text.at(row), |fingerprint, word| tally.add(fingerprint, word));
        }
        for entry in &tally.entries {
            let word = &tally.spellings[entry.begin..entry.end];
            out.row(&Self::COUNTS, entry.fingerprint, WordCount { word, df: entry.count });
        }
        Ok(())
    }
}

/// Counts words by fingerprint, and remembers how each is spelled.
#[derive(Default)]
struct WordTally {
    entries: Vec<CountedWord>,
    /// Folded words, one after the other.
    spellings: Vec<u8>,
    /// Places in `entries`.
    places: HashTable<u32>,
}

struct CountedWord {
    fingerprint: u64,
    begin: usize,
    end: usize,
    count: u64,
}

impl WordTally {
    #[inline]
    fn add(&mut self, fingerprint: u64, word: &str) {
        let Self { entries, spellings, places } = self;
        let print = |place: &u32| entries[*place as usize].fingerprint;
        match places.entry(mixed(fingerprint), |place| print(place) == fingerprint, |place| mixed(print(place))) {
            hash_table::Entry::Occupied(place) => entries[*place.get() as usize].count += 1,
            hash_table::Entry::Vacant(place) => {
                place.insert(entries.len() as u32);
                let begin = spellings.len();
                unicode::append_folded(spellings, word);
                entries.push(CountedWord { fingerprint, begin, end: spellings.len(), count: 1 });
            }
        }
    }
}

/// Group by fingerprint: the counts of each word added up.
pub struct WordSums;

contract! {
    group WordSums = "word sums";
    new() = Ok(Self);
    key Hash of [WordCount<'static>];
    keeps "one word";
    const SUMS: Port<WordCount<'static>> = Port::hashes(0, "sums");
}

impl Group for WordSums {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut words = Stretches::new(rows, Beginning::AllBut(8));
        while words.begin() {
            let mut df = 0;
            while let Some(tail) = words.tail() {
                df += WordCount::take(tail)?.df;
            }
            let word = words.beginning().get(4..).ok_or(Damaged("WordCount"))?;
            out.row(&Self::SUMS, key, WordCount { word, df });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::fingerprint::Fingerprinter;

    #[test]
    fn tallies_grow() {
        let mut tally = WordTally::default();
        let print = Fingerprinter::plain();
        for round in 0..3 {
            for i in (0..20_000_u32).skip(round) {
                let word = format!("word{i}");
                tally.add(print.word(word.as_bytes()), &word);
            }
        }
        assert_eq!(tally.entries.len(), 20_000);
        for (i, entry) in tally.entries.iter().enumerate() {
            assert_eq!(tally.spellings[entry.begin..entry.end], *format!("word{i}").as_bytes());
            assert_eq!(entry.count, (i as u64 + 1).min(3));
        }
    }
}
