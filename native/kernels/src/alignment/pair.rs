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
}

impl TextPair {
    /// Numbers the stems of two texts.
    pub fn read(&mut self, a: &[u64], b: &[u64], rates: &StemRates) {
        let Self { numbers, stems, .. } = self;
        numbers.clear();
        stems.clear();
        for (stream, text) in [(a, &mut self.a), (b, &mut self.b)] {
            text.words.clear();
            text.counts.clear();
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
                        number
                    }
                };
                text.words.push(number);
            }
        }
        for text in [&mut self.a, &mut self.b] {
            text.counts.resize(stems.len(), 0);
            for &word in &text.words {
                text.counts[word as usize] += 1;
            }
        }
        self.rates.clear();
        self.rates.extend(stems.iter().map(|&stem| rates.rate(stem)));
    }

    /// How many different stems there are.
    pub fn stems(&self) -> usize {
        self.stems.len()
    }
}
