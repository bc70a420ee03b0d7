//! Two texts whose stems are numbered, and how often each has which.
//!
//! A text is numbered once, however many others it is paired with.

use hashbrown::{hash_table, HashTable};

use crate::alignment::rates::StemRates;
use crate::text::slots::mixed;

/// A text whose stems are numbered, in the order in which they come.
#[derive(Clone, Debug, Default)]
pub struct NumberedText {
    /// The number of each word's stem.
    words: Vec<u32>,
    /// Of each stem its number of all texts, and how often it occurs.
    stems: Vec<(u32, u32)>,
}

impl NumberedText {
    /// The number among all texts of the stem of a word.
    pub fn stem(&self, word: usize) -> u32 {
        self.stems[self.words[word] as usize].0
    }
}

/// Numbers of the stems of all texts, in the order in which they come, and their rates in the collection.
#[derive(Default)]
pub struct StemNumbers {
    numbers: HashTable<u32>,
    stems: Vec<u64>,
    rates: Vec<f64>,
    /// Their numbers in the text that is read, counted from one.
    here: Vec<u32>,
}

impl StemNumbers {
    /// How many stems have numbers.
    pub fn len(&self) -> usize {
        self.stems.len()
    }

    pub fn is_empty(&self) -> bool {
        self.stems.is_empty()
    }

    /// The stem that has a number.
    pub fn stem(&self, number: u32) -> u64 {
        self.stems[number as usize]
    }

    /// Numbers the stems of the words of a text.
    pub fn read(&mut self, stems: impl Iterator<Item = u64>, rates: &StemRates, text: &mut NumberedText) {
        text.words.clear();
        text.stems.clear();
        for stem in stems {
            let number = self.number(stem, rates);
            let here = &mut self.here[number as usize];
            if *here == 0 {
                text.stems.push((number, 0));
                *here = text.stems.len() as u32;
            }
            text.stems[*here as usize - 1].1 += 1;
            text.words.push(*here - 1);
        }
        text.stems.iter().for_each(|&(number, _)| self.here[number as usize] = 0);
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
                self.here.push(0);
                number
            }
        }
    }
}

/// A stem of one of two texts, or of both.
#[derive(Clone, Copy, Debug)]
pub struct PairedStem {
    /// In the collection.
    pub rate: f64,
    /// How often it stands in either text.
    pub counts: [u32; 2],
}

/// A word whose stem the other text has, too.
#[derive(Clone, Copy, Debug, Default)]
pub struct SharedWord {
    pub at: u32,
    pub stem: u32,
}

/// One of two texts: the stem of each word; and those of its words whose stems the other text has, too, in order.
#[derive(Clone, Debug, Default)]
pub struct PairedText {
    pub words: Vec<u32>,
    pub shared: Vec<SharedWord>,
}

impl PairedText {
    /// Its shared words in an interval.
    pub fn shared_in(&self, (begin, end): (usize, usize)) -> &[SharedWord] {
        let before = |word: usize| self.shared.partition_point(|shared| (shared.at as usize) < word);
        &self.shared[before(begin)..before(end)]
    }

    /// Takes the words of a text, whose stems have these numbers in the pair: those that are shared come first.
    fn read(&mut self, text: &NumberedText, numbers: &[u32], shared: usize) {
        self.words.clear();
        self.words.extend(text.words.iter().map(|&stem| numbers[stem as usize]));
        self.shared.resize(self.words.len(), SharedWord::default());
        let mut count = 0; // without branches, as nobody knows which words are shared
        for (&stem, at) in self.words.iter().zip(0..) {
            self.shared[count] = SharedWord { at, stem };
            count += usize::from((stem as usize) < shared);
        }
        self.shared.truncate(count);
    }
}

/// Two texts whose stems have numbers of the pair: low ones, those first that both have, so that what is noted of them lies
/// close together.
#[derive(Default)]
pub struct TextPair {
    pub a: PairedText,
    pub b: PairedText,
    pub stems: Vec<PairedStem>,
    /// How many stems both texts have.
    pub shared: usize,
    /// Of each stem that has a number of all texts, the one in the first text, counted from one.
    first: Vec<u32>,
    /// The stems of the first text, by their numbers of all texts.
    marked: Vec<u32>,
    numbers_a: Vec<u32>,
    numbers_b: Vec<u32>,
}

impl TextPair {
    /// Begins with a first text, which may be paired with several others.
    pub fn begin(&mut self, a: &NumberedText, numbers: &StemNumbers) {
        self.marked.drain(..).for_each(|stem| self.first[stem as usize] = 0);
        self.first.resize(self.first.len().max(numbers.len()), 0);
        for (&(stem, _), number) in a.stems.iter().zip(1..) {
            self.first[stem as usize] = number;
            self.marked.push(stem);
        }
    }

    /// Pairs the first text, with which it was begun, with a second one.
    pub fn read(&mut self, a: &NumberedText, b: &NumberedText, numbers: &StemNumbers) {
        const NONE: u32 = u32::MAX;
        let Self { stems, numbers_a, numbers_b, .. } = self;
        let rate = |stem: u32| numbers.rates[stem as usize];
        stems.clear();
        for (of, text) in [(&mut *numbers_a, a), (&mut *numbers_b, b)] {
            of.clear();
            of.resize(text.stems.len(), NONE);
        }
        for (&(stem, in_b), number_b) in b.stems.iter().zip(&mut *numbers_b) {
            let in_first = self.first.get(stem as usize).copied().unwrap_or(0);
            if let Some(in_first) = (in_first as usize).checked_sub(1) {
                *number_b = stems.len() as u32;
                numbers_a[in_first] = *number_b;
                stems.push(PairedStem { rate: rate(stem), counts: [a.stems[in_first].1, in_b] });
            }
        }
        self.shared = stems.len();
        for (side, of, text) in [(0, &mut *numbers_a, a), (1, &mut *numbers_b, b)] {
            for (&(stem, times), number) in text.stems.iter().zip(of).filter(|(_, number)| **number == NONE) {
                *number = stems.len() as u32;
                let mut counts = [0, 0];
                counts[side] = times;
                stems.push(PairedStem { rate: rate(stem), counts });
            }
        }
        self.a.read(a, numbers_a, self.shared);
        self.b.read(b, numbers_b, self.shared);
    }
}
