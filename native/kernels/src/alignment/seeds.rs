//! Where passages may be: windows of both texts that share rare stems.
//!
//! A shared stem weighs what it would take chance to put it into both windows: ln (1 / 2p), p = 1 - e^-(window · rate),
//! the rate being that of the collection plus half of the lower one in the two texts. Stems go by the product of the
//! numbers of windows they are in, rarest first, and what exceeds a bound is left out: so texts of any length and any
//! monotony cost no more than their length times a constant.

use crate::alignment::fit::fixed;
use crate::alignment::logarithms::{decay, ln};
use crate::alignment::pair::{NumberedText, TextPair};
use crate::alignment::rules::AlignmentRules;

/// A pair of windows: the first words of both, and their score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowPair {
    pub score: i64,
    pub a: usize,
    pub b: usize,
}

/// How many windows a text of so many words has.
pub fn windows(words: usize, rules: &AlignmentRules) -> usize {
    words.saturating_sub(rules.window).div_ceil(rules.step) + 1
}

/// Matrices of so many cells are kept as such.
const DENSE: usize = 1 << 16;

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
    dense: Vec<i64>,
    sparse: Vec<(usize, i64)>,
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
        let seed =
            |at: usize, score: i64| WindowPair { score, a: at / columns * rules.step, b: at % columns * rules.step };
        if rows.saturating_mul(columns) <= DENSE {
            self.dense.clear();
            self.dense.resize(rows * columns, 0);
            for &(_, stem) in &self.shared {
                let weight = self.weights[stem as usize];
                for &row in self.a.of(stem as usize) {
                    let row = &mut self.dense[row as usize * columns..][..columns];
                    for &column in self.b.of(stem as usize) {
                        row[column as usize] += weight;
                    }
                }
            }
            let good = self.dense.iter().enumerate().filter(|(_, &score)| score >= least);
            self.found.extend(good.map(|(at, &score)| seed(at, score)));
        } else {
            self.sparse.clear();
            for &(_, stem) in &self.shared {
                let weight = self.weights[stem as usize];
                for &row in self.a.of(stem as usize) {
                    let cells = self.b.of(stem as usize).iter().map(|&column| row as usize * columns + column as usize);
                    self.sparse.extend(cells.map(|cell| (cell, weight)));
                }
            }
            self.sparse.sort_unstable();
            let sums = self.sparse.chunk_by(|one, other| one.0 == other.0);
            let sums = sums.map(|same| (same[0].0, same.iter().map(|(_, weight)| weight).sum::<i64>()));
            self.found.extend(sums.filter(|&(_, score)| score >= least).map(|(at, score)| seed(at, score)));
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
            let rate = pair.rates[stem] + 0.5 * (in_a / a).min(in_b / b);
            let chance = 1.0 - decay(rules.window as f64 * rate);
            fixed((-ln(2.0 * chance)).clamp(0.0, rules.word))
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
            shared.truncate(fitting);
            self.bounded = true;
        }
    }
}
