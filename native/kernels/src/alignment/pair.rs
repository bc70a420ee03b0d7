//! Two texts whose stems are numbered, those of `a` first, in the order in which they occur.

use hashbrown::{hash_table, HashTable};

use crate::alignment::rates::StemRates;
use crate::text::slots::mixed;

/// One of the two texts.
#[derive(Clone, Debug, Default)]
pub struct NumberedText {
    /// The number of each word's stem.
    pub words: Vec<u32>,
    /// How often each stem occurs.
    pub counts: Vec<u32>,
}

/// Two texts.
#[derive(Default)]
pub struct TextPair {
    pub a: NumberedText,
    pub b: NumberedText,
    /// Of each stem its rate in the collection.
    pub rates: Vec<f64>,
    stems: Vec<u64>,
    numbers: HashTable<u32>,
    /// How many stems the first text has.
    first: usize,
}

impl TextPair {
    /// Numbers the stems of a first text, which may be paired with several others.
    pub fn read_first(&mut self, text: &[u64], rates: &StemRates) {
        self.numbers.clear();
        self.stems.clear();
        self.rates.clear();
        self.number(text, rates, true);
        self.first = self.stems.len();
    }

    /// Numbers the stems of a second text, in place of the one before.
    pub fn read_second(&mut self, text: &[u64], rates: &StemRates) {
        let Self { numbers, stems, first, .. } = self;
        for (number, &stem) in stems.iter().enumerate().skip(*first) {
            if let Ok(known) = numbers.find_entry(mixed(stem), |&known| known as usize == number) {
                known.remove();
            }
        }
        stems.truncate(*first);
        self.rates.truncate(*first);
        self.a.counts.truncate(*first);
        self.number(text, rates, false);
        self.a.counts.resize(self.stems.len(), 0);
    }

    fn number(&mut self, stream: &[u64], rates: &StemRates, first: bool) {
        let Self { numbers, stems, a, b, .. } = self;
        let text = if first { a } else { b };
        text.words.clear();
        text.counts.clear();
        text.counts.resize(stems.len(), 0);
        for &stem in stream {
            let entry = numbers.entry(
                mixed(stem),
                |&number| stems[number as usize] == stem,
                |&number| mixed(stems[number as usize]),
            );
            let number = match entry {
                hash_table::Entry::Occupied(known) => *known.get(),
                hash_table::Entry::Vacant(place) => {
                    let number = stems.len() as u32;
                    place.insert(number);
                    stems.push(stem);
                    text.counts.push(0);
                    self.rates.push(rates.rate(stem));
                    number
                }
            };
            text.counts[number as usize] += 1;
            text.words.push(number);
        }
    }

    /// How many different stems there are.
    pub fn stems(&self) -> usize {
        self.stems.len()
    }
}
