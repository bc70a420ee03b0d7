//! Two texts whose stems are numbered, and how often each has which.
//!
//! A text is numbered once, however many others it is paired with; its pairs only count its distinct stems.

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

/// How often each stem occurs in a text, by its number.
#[derive(Default)]
pub struct StemTimes {
    times: Vec<u32>,
    /// Which are not zero.
    filled: Vec<u32>,
}

impl StemTimes {
    /// Counts the stems of a text in place of those of the one before.
    pub fn read(&mut self, text: &NumberedText, numbers: &StemNumbers) {
        self.filled.drain(..).for_each(|number| self.times[number as usize] = 0);
        self.cover(numbers);
        for &(number, times) in &text.distinct {
            self.times[number as usize] = times;
            self.filled.push(number);
        }
    }

    /// Makes room for stems that were numbered meanwhile.
    pub fn cover(&mut self, numbers: &StemNumbers) {
        self.times.resize(self.times.len().max(numbers.stems.len()), 0);
    }
}

/// One of two texts: the numbers of its words, its different stems, and how often each stem of both occurs in it.
#[derive(Clone, Copy)]
pub struct PairedText<'a> {
    pub words: &'a [u32],
    pub distinct: &'a [(u32, u32)],
    pub counts: &'a [u32],
}

/// Two texts, and of each stem its rate in the collection.
#[derive(Clone, Copy)]
pub struct TextPair<'a> {
    pub a: PairedText<'a>,
    pub b: PairedText<'a>,
    pub rates: &'a [f64],
}

impl<'a> TextPair<'a> {
    /// Two texts with the counts of both.
    pub fn new(
        a: (&'a NumberedText, &'a StemTimes),
        b: (&'a NumberedText, &'a StemTimes),
        numbers: &'a StemNumbers,
    ) -> Self {
        let paired = |(text, times): (&'a NumberedText, &'a StemTimes)| PairedText {
            words: &text.words,
            distinct: &text.distinct,
            counts: &times.times,
        };
        Self { a: paired(a), b: paired(b), rates: &numbers.rates }
    }
}
