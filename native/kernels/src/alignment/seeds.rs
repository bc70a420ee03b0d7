//! Where passages may be: windows of both texts that share rare stems.
//!
//! A shared stem weighs what it would take chance to put it into both windows: ln (1 / 2p), p = 1 - e^-(window · rate),
//! the rate being that of the collection plus half of the lower one in the two texts. Stems go by the product of the
//! numbers of windows they are in, rarest first, and what exceeds a bound is left out: so texts of any length and any
//! monotony cost no more than their length times a constant.

use hashbrown::HashTable;

use crate::alignment::fit::fixed;
use crate::alignment::logarithms::{decay, ln};
use crate::alignment::pair::{NumberedText, TextPair};
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

/// The windows in which stems stand: each stem has a range of `places`.
#[derive(Default)]
struct StemWindows {
    begins: Vec<u32>,
    ends: Vec<u32>,
    places: Vec<u32>,
}

impl StemWindows {
    /// Of stems that weigh something.
    fn read(&mut self, text: &NumberedText, weights: &[i64], rules: &AlignmentRules) {
        let overlap = rules.window.div_ceil(rules.step);
        let count = windows(text.words.len(), rules);
        self.begins.clear();
        let mut end = 0;
        for (&count, &weight) in text.counts.iter().zip(weights) {
            self.begins.push(end);
            end += if weight > 0 { count * overlap as u32 } else { 0 };
        }
        self.ends.clone_from(&self.begins);
        self.places.clear();
        self.places.resize(end as usize, 0);
        for (at, &word) in text.words.iter().enumerate() {
            let word = word as usize;
            if weights[word] == 0 {
                continue;
            }
            let last = (at / rules.step).min(count - 1);
            let first = (at / rules.step + 1).saturating_sub(overlap);
            for window in first..=last {
                let (begin, end) = (self.begins[word] as usize, self.ends[word] as usize);
                if begin == end || self.places[end - 1] < window as u32 {
                    self.places[end] = window as u32;
                    self.ends[word] += 1;
                }
            }
        }
    }

    fn of(&self, stem: usize) -> &[u32] {
        &self.places[self.begins[stem] as usize..self.ends[stem] as usize]
    }
}

/// Finds seeds; keeps its buffers.
#[derive(Default)]
pub struct WindowPairs {
    weights: Vec<i64>,
    a: StemWindows,
    b: StemWindows,
    shared: Vec<(usize, u32)>,
    /// Of a window of `a`: the score of each window of `b`, those that have one, and the last window that counted a stem.
    row: Vec<i64>,
    columns: Vec<u32>,
    counted: Vec<u32>,
    pub found: Vec<WindowPair>,
    /// Whether stems were left out.
    pub bounded: bool,
}

impl WindowPairs {
    /// The seeds of two texts, the best first; of equal ones the first in `a`, then in `b`.
    pub fn find(&mut self, pair: &TextPair, rules: &AlignmentRules) {
        self.found.clear();
        self.bounded = false;
        self.weigh(pair, rules);
        self.a.read(&pair.a, &self.weights, rules);
        self.b.read(&pair.b, &self.weights, rules);
        let (rows, columns) = (windows(pair.a.words.len(), rules), windows(pair.b.words.len(), rules));
        self.choose(rows + columns, rules);
        let least = fixed(rules.seed);
        self.row.clear();
        self.row.resize(columns, 0);
        self.counted.clear();
        self.counted.resize(pair.stems(), u32::MAX);
        for window in 0..rows {
            let begin = window * rules.step;
            let end = pair.a.words.len().min(begin + rules.window);
            for &stem in &pair.a.words[begin.min(end)..end] {
                let stem = stem as usize;
                let weight = self.weights[stem];
                if weight == 0 || self.counted[stem] == window as u32 {
                    continue;
                }
                self.counted[stem] = window as u32;
                for &column in self.b.of(stem) {
                    let score = &mut self.row[column as usize];
                    if *score == 0 {
                        self.columns.push(column);
                    }
                    *score += weight;
                }
            }
            for column in self.columns.drain(..) {
                let score = std::mem::take(&mut self.row[column as usize]);
                if score >= least {
                    self.found.push(WindowPair { score, a: begin, b: column as usize * rules.step });
                }
            }
        }
        self.found.sort_unstable_by_key(|seed| (-seed.score, seed.a, seed.b));
    }

    fn weigh(&mut self, pair: &TextPair, rules: &AlignmentRules) {
        self.weights.clear();
        let (a, b) = (pair.a.words.len() as f64 + rules.prior, pair.b.words.len() as f64 + rules.prior);
        self.weights.extend((0..pair.stems()).map(|stem| {
            let (in_a, in_b) = (f64::from(pair.a.counts[stem]), f64::from(pair.b.counts[stem]));
            if in_a == 0.0 || in_b == 0.0 {
                return 0;
            }
            weight(pair.rates[stem] + 0.5 * (in_a / a).min(in_b / b), rules)
        }));
    }

    /// The stems that both texts have, by the products of their numbers of windows, as far as the bound allows.
    fn choose(&mut self, windows: usize, rules: &AlignmentRules) {
        let Self { shared, a, b, weights, .. } = self;
        shared.clear();
        let mut sum = 0;
        for stem in (0..weights.len()).filter(|&stem| weights[stem] > 0) {
            let product = a.of(stem).len() * b.of(stem).len();
            sum += product;
            shared.push((product, stem as u32));
        }
        let most = rules.products + rules.products_a_window * windows;
        if sum > most {
            shared.sort_unstable();
            let mut sum = 0;
            let within = |&&(product, _): &&(usize, u32)| {
                sum += product;
                sum <= most
            };
            let fitting = shared.iter().take_while(within).count();
            shared.drain(fitting..).for_each(|(_, stem)| weights[stem as usize] = 0);
            self.bounded = true;
        }
    }
}
