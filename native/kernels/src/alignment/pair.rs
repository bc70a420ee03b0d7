//! Two texts whose stems are numbered, and how often each has which.
//!
//! A text is numbered once, however many others it is paired with.

use hashbrown::{hash_table, HashTable};

use crate::alignment::rates::StemRates;
use crate::text::slots::mixed;

/// A text whose stems are numbered.
#[derive(Clone, Debug, Default)]
pub struct NumberedText {
    /// The number of each word's stem.
    words: Vec<u32>,
    /// Its different stems, and how often each occurs.
    distinct: Vec<(u32, u32)>,
}

/// Numbers of stems, in the order in which they come, and their rates in the collection.
#[derive(Default)]
pub struct StemNumbers {
    numbers: HashTable<u32>,
    stems: Vec<u64>,
    rates: Vec<f64>,
    /// Of the text that is read.
    counts: Vec<u32>,
}

impl StemNumbers {
    /// How many stems have numbers.
    pub fn len(&self) -> usize {
        self.stems.len()
    }

    pub fn is_empty(&self) -> bool {
        self.stems.is_empty()
    }

    /// Numbers the stems of a text.
    pub fn read(&mut self, stems: &[u64], rates: &StemRates, text: &mut NumberedText) {
        text.words.clear();
        text.distinct.clear();
        for &stem in stems {
            let number = self.number(stem, rates);
            let count = &mut self.counts[number as usize];
            if *count == 0 {
                text.distinct.push((number, 0));
            }
            *count += 1;
            text.words.push(number);
        }
        for (number, count) in &mut text.distinct {
            *count = std::mem::take(&mut self.counts[*number as usize]);
        }
    }

    fn number(&mut self, stem: u64, rates: &StemRates) -> u32 {
        let Self { numbers, stems, .. } = self;
        let is_it = |&number: &u32| stems[number as usize] == stem;
        match numbers.entry(mixed(stem), is_it, |&number| mixed(stems[number as usize])) {
            hash_table::Entry::Occupied(known) => *known.get(),
            hash_table::Entry::Vacant(place) => {
                let number = stems.len() as u32;
                place.insert(number);
                self.stems.push(stem);
                self.rates.push(rates.rate(stem));
                self.counts.push(0);
                number
            }
        }
    }
}

/// One of two texts: the numbers of its words, its different stems and how often each occurs, and how often each stem of
/// both texts does.
#[derive(Clone, Debug, Default)]
pub struct PairedText {
    pub words: Vec<u32>,
    pub distinct: Vec<(u32, u32)>,
    pub counts: Vec<u32>,
}

/// Two texts whose stems have numbers of the pair, those of `a` first: low ones, so that what is noted of stems lies close
/// together.
#[derive(Default)]
pub struct TextPair {
    pub a: PairedText,
    pub b: PairedText,
    /// Of each stem its rate in the collection.
    pub rates: Vec<f64>,
    /// Of each stem that has a number of all texts, the one in this pair, counted from one.
    paired: Vec<u32>,
    /// The stems of the pair, by their numbers of all texts.
    stems: Vec<u32>,
    /// How many of them the first text has.
    first: usize,
}

impl TextPair {
    /// Begins with a first text, which may be paired with several others.
    pub fn read_first(&mut self, text: &NumberedText, numbers: &StemNumbers) {
        self.forget(0);
        self.a.counts.clear();
        self.read(text, numbers, true);
        self.first = self.stems.len();
    }

    /// Adds a second text, in place of the one before.
    pub fn read_second(&mut self, text: &NumberedText, numbers: &StemNumbers) {
        self.forget(self.first);
        self.read(text, numbers, false);
        self.a.counts.truncate(self.first);
        self.a.counts.resize(self.stems.len(), 0);
    }

    fn forget(&mut self, from: usize) {
        self.stems.drain(from..).for_each(|stem| self.paired[stem as usize] = 0);
        self.rates.truncate(from);
    }

    fn read(&mut self, text: &NumberedText, numbers: &StemNumbers, first: bool) {
        let Self { a, b, rates, paired, stems, .. } = self;
        paired.resize(paired.len().max(numbers.len()), 0);
        let into = if first { a } else { b };
        into.distinct.clear();
        into.counts.clear();
        into.counts.resize(stems.len() + text.distinct.len(), 0);
        for &(stem, times) in &text.distinct {
            let number = &mut paired[stem as usize];
            if *number == 0 {
                stems.push(stem);
                rates.push(numbers.rates[stem as usize]);
                *number = stems.len() as u32;
            }
            into.counts[*number as usize - 1] = times;
            into.distinct.push((*number - 1, times));
        }
        into.counts.truncate(stems.len());
        into.words.clear();
        into.words.extend(text.words.iter().map(|&stem| paired[stem as usize] - 1));
    }

    /// How many different stems there are.
    pub fn stems(&self) -> usize {
        self.stems.len()
    }
}
