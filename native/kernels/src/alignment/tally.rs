//! How often stems stand in documents, and in how many, by the languages of these.

use hashbrown::{hash_table, HashTable};

use crate::alignment::languages::{Language, LanguageVotes};
use crate::alignment::stems::{each_stem, StemmedWord};
use crate::text::fingerprint::Fingerprinter;
use crate::text::slots::mixed;

/// What is known of a stem in the documents of a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tallied {
    pub stem: u64,
    pub language: Language,
    /// In how many documents it is.
    pub df: u64,
    /// How often it stands in them.
    pub times: u64,
}

/// The documents of a language, and their words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LanguageSize {
    pub language: Language,
    pub documents: u64,
    pub words: u64,
}

/// Counts the stems of documents.
#[derive(Default)]
pub struct StemTally {
    stems: HashTable<Tallied>,
    sizes: Vec<LanguageSize>,
    words: u64,
    /// Of the document that is read.
    here: HashTable<(u64, u64)>,
    votes: LanguageVotes,
}

impl StemTally {
    /// Counts a document.
    pub fn read(&mut self, text: &str, print: &Fingerprinter) {
        let Self { stems, sizes, here, votes, .. } = self;
        here.clear();
        votes.clear();
        each_stem(text, print, |StemmedWord { begin, stem, .. }| {
            votes.word(text, begin);
            match here.entry(mixed(stem), |known| known.0 == stem, |known| mixed(known.0)) {
                hash_table::Entry::Occupied(mut known) => known.get_mut().1 += 1,
                hash_table::Entry::Vacant(place) => drop(place.insert((stem, 1))),
            }
        });
        here.iter().for_each(|&(stem, times)| votes.stem(stem, times));
        let (language, words) = (votes.language(), votes.words());
        for &(stem, times) in &*here {
            let is_it = |known: &Tallied| known.stem == stem && known.language == language;
            let known = stems.entry(mixed(stem), is_it, |known| mixed(known.stem));
            let known = known.or_insert(Tallied { stem, language, df: 0, times: 0 }).into_mut();
            (known.df, known.times) = (known.df + 1, known.times + times);
        }
        match sizes.iter_mut().find(|size| size.language == language) {
            Some(size) => (size.documents, size.words) = (size.documents + 1, size.words + words),
            None => sizes.push(LanguageSize { language, documents: 1, words }),
        }
        self.words += words;
    }

    /// The stems of each language, in no order.
    pub fn stems(&self) -> impl Iterator<Item = Tallied> + '_ {
        self.stems.iter().copied()
    }

    /// The languages.
    pub fn sizes(&self) -> &[LanguageSize] {
        &self.sizes
    }

    /// How many words there were.
    pub fn words(&self) -> u64 {
        self.words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_documents_and_languages() {
        let print = Fingerprinter::plain();
        let mut tally = StemTally::default();
        ["the cat and the dog", "", "les chats et les chiens", "the dog"]
            .iter()
            .for_each(|text| tally.read(text, &print));
        let of = |word: &str| {
            let stem = print.word(word.as_bytes());
            tally.stems().filter(|each| each.stem == stem).map(|each| (each.df, each.times)).collect::<Vec<_>>()
        };
        assert_eq!([of("the"), of("dog"), of("les")], [[(2, 3)], [(2, 2)], [(1, 2)]]);
        let sizes: Vec<_> = tally.sizes().iter().map(|size| (size.documents, size.words)).collect();
        assert_eq!((tally.words(), sizes), (12, vec![(2, 7), (1, 0), (1, 5)]));
    }
}
