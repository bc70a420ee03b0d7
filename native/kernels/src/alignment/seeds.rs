//! Where passages may be: windows of both texts that share rare stems.
//!
//! A shared stem weighs what it would take chance to put it into both windows: ln (1 / 2p), p = 1 - e^-(window · rate),
//! the rate being that of the collection plus half of the lower one in the two texts. Stems go by the product of the
//! numbers of windows they are in, rarest first, and what exceeds a bound is left out: so texts of any length and any
//! monotony cost no more than their length times a constant.

use hashbrown::HashTable;

use crate::alignment::fit::fixed;
use crate::alignment::logarithms::{decay, ln};
use crate::alignment::pair::{PairedText, TextPair};
use crate::alignment::rates::{StemRates, LEAST};
use crate::alignment::rules::AlignmentRules;
use crate::text::slots::mixed;

/// A pair of windows: the first words of both, and their score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowPair {
    pub score: i64,
    pub a: usize,
    pub b: usize,
}

/// What stems weigh that two windows share, by their rates in the collection alone.
pub struct StemWeights {
    common: HashTable<(u64, i64)>,
    rare: i64,
}

impl StemWeights {
    pub fn new(rates: &StemRates, rules: &AlignmentRules) -> Self {
        let mut common = HashTable::with_capacity(rates.len());
        for (stem, rate) in rates.iter() {
            common.insert_unique(mixed(stem), (stem, weight(rate, rules)), |known| mixed(known.0));
        }
        Self { common, rare: weight(LEAST, rules) }
    }

    #[inline]
    pub fn of(&self, stem: u64) -> i64 {
        self.common.find(mixed(stem), |known| known.0 == stem).map_or(self.rare, |known| known.1)
    }
}

/// What a stem of this rate weighs that two windows share.
fn weight(rate: f64, rules: &AlignmentRules) -> i64 {
    let chance = 1.0 - decay(rules.window as f64 * rate);
    fixed((-ln(2.0 * chance)).clamp(0.0, rules.word))
}

/// How many windows a text of so many words has.
pub fn windows(words: usize, rules: &AlignmentRules) -> usize {
    words.saturating_sub(rules.window).div_ceil(rules.step) + 1
}

/// A stem that both texts have, and what it weighs.
struct SharedStem {
    stem: u32,
    weight: i64,
    /// The last window of `a` that counted it.
    counted: usize,
}

/// The windows of a text in which each shared stem stands: a range of `places`.
#[derive(Default)]
struct StemWindows {
    begins: Vec<usize>,
    ends: Vec<usize>,
    places: Vec<u32>,
}

impl StemWindows {
    fn read(&mut self, text: &PairedText, shared: &[SharedStem], slots: &[u32], rules: &AlignmentRules) {
        let overlap = rules.window.div_ceil(rules.step);
        let count = windows(text.words.len(), rules);
        self.begins.clear();
        let mut room = 0;
        for SharedStem { stem, .. } in shared {
            self.begins.push(room);
            room += text.counts[*stem as usize] as usize * overlap;
        }
        self.ends.clone_from(&self.begins);
        self.places.clear();
        self.places.resize(room, 0);
        for (at, &word) in text.words.iter().enumerate() {
            let Some(slot) = (slots[word as usize] as usize).checked_sub(1) else { continue };
            let last = (at / rules.step).min(count - 1);
            let first = (at / rules.step + 1).saturating_sub(overlap);
            for window in first as u32..=last as u32 {
                let (begin, end) = (self.begins[slot], &mut self.ends[slot]);
                if begin == *end || self.places[*end - 1] < window {
                    self.places[*end] = window;
                    *end += 1;
                }
            }
        }
    }

    fn of(&self, slot: usize) -> &[u32] {
        &self.places[self.begins[slot]..self.ends[slot]]
    }
}

/// Finds seeds; keeps its buffers.
#[derive(Default)]
pub struct WindowPairs {
    /// In the order in which they occur in `b`.
    shared: Vec<SharedStem>,
    /// Of each stem, where it is among the shared ones, counted from one.
    slots: Vec<u32>,
    a: StemWindows,
    b: StemWindows,
    /// Of a window of `a`: the score of each window of `b`, and those that have one.
    row: Vec<i64>,
    columns: Vec<u32>,
    pub found: Vec<WindowPair>,
    /// Whether stems were left out.
    pub bounded: bool,
}

impl WindowPairs {
    /// The seeds of two texts, the best first; of equal ones the first in `a`, then in `b`.
    pub fn find(&mut self, pair: &TextPair, rules: &AlignmentRules) {
        self.found.clear();
        self.share(pair, rules);
        self.b.read(&pair.b, &self.shared, &self.slots, rules);
        self.bound(pair, rules);
        self.row.clear();
        self.row.resize(windows(pair.b.words.len(), rules), 0);
        let least = fixed(rules.seed);
        for window in 0..windows(pair.a.words.len(), rules) {
            let begin = window * rules.step;
            let end = pair.a.words.len().min(begin + rules.window);
            self.score(window, &pair.a.words[begin.min(end)..end]);
            for column in self.columns.drain(..) {
                let score = std::mem::take(&mut self.row[column as usize]);
                if score >= least {
                    self.found.push(WindowPair { score, a: begin, b: column as usize * rules.step });
                }
            }
        }
        self.found.sort_unstable_by_key(|seed| (-seed.score, seed.a, seed.b));
        self.shared.iter().for_each(|shared| self.slots[shared.stem as usize] = 0);
    }

    /// The stems that both texts have and that weigh enough.
    fn share(&mut self, pair: &TextPair, rules: &AlignmentRules) {
        let (a, b) = (pair.a.words.len() as f64 + rules.prior, pair.b.words.len() as f64 + rules.prior);
        let least = fixed(rules.least_weight);
        self.shared.clear();
        self.slots.resize(self.slots.len().max(pair.stems()), 0);
        for &(stem, in_b) in &pair.b.distinct {
            let in_a = pair.a.counts[stem as usize];
            if in_a == 0 {
                continue;
            }
            let often = (f64::from(in_a) / a).min(f64::from(in_b) / b);
            let weight = weight(pair.rates[stem as usize] + 0.5 * often, rules);
            if weight >= least {
                self.shared.push(SharedStem { stem, weight, counted: usize::MAX });
                self.slots[stem as usize] = self.shared.len() as u32;
            }
        }
    }

    /// Leaves out the stems with the greatest products of their numbers of windows, if all together are too many.
    fn bound(&mut self, pair: &TextPair, rules: &AlignmentRules) {
        let all = windows(pair.a.words.len(), rules) + windows(pair.b.words.len(), rules);
        let most = rules.products + rules.products_a_window * all;
        let overlap = rules.window.div_ceil(rules.step);
        let at_most = |(slot, shared): (usize, &SharedStem)| {
            pair.a.counts[shared.stem as usize] as usize * overlap * self.b.of(slot).len()
        };
        self.bounded = false;
        if self.shared.iter().enumerate().map(at_most).sum::<usize>() <= most {
            return; // so the windows of `a` need not be counted
        }
        self.a.read(&pair.a, &self.shared, &self.slots, rules);
        let product = |slot: usize| self.a.of(slot).len() * self.b.of(slot).len();
        let mut products: Vec<(usize, usize)> = (0..self.shared.len()).map(|slot| (product(slot), slot)).collect();
        products.sort_unstable();
        let mut sum = 0;
        for (product, slot) in products {
            sum += product;
            if sum > most {
                self.slots[self.shared[slot].stem as usize] = 0;
                self.bounded = true;
            }
        }
    }

    /// Scores the windows of `b` against one of `a`.
    fn score(&mut self, window: usize, words: &[u32]) {
        for &word in words {
            let Some(slot) = (self.slots[word as usize] as usize).checked_sub(1) else { continue };
            let shared = &mut self.shared[slot];
            if shared.counted == window {
                continue;
            }
            shared.counted = window;
            for &column in self.b.of(slot) {
                let score = &mut self.row[column as usize];
                if *score == 0 {
                    self.columns.push(column);
                }
                *score += shared.weight;
            }
        }
    }
}
