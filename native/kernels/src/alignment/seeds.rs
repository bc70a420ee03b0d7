//! Where passages may be: windows of both texts that share rare stems.
//!
//! A shared stem weighs what it would take chance to put it into both windows: ln (1 / 2p), p = 1 - e^-(window · rate)
//! with the exponent rounded as in [`scores`](super::scores), the rate being that of the collection plus half of the lower one in the two texts. Stems go by the product of the
//! numbers of windows they are in, rarest first, and what exceeds a bound is left out: so texts of any length and any
//! monotony cost no more than their length times a constant.

use hashbrown::HashTable;

use crate::alignment::fit::fixed;
use crate::alignment::pair::{PairedStem, SharedWord, TextPair};
use crate::alignment::rates::{StemRates, LEAST};
use crate::alignment::rules::AlignmentRules;
use crate::alignment::scores::{level, weights};
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
    weights()[level(rules.window as f64 * rate)]
}

/// How many windows a text of so many words has.
pub fn windows(words: usize, rules: &AlignmentRules) -> usize {
    words.saturating_sub(rules.window).div_ceil(rules.step) + 1
}

/// A stem that both texts have.
struct SharedStem {
    /// Nothing if it is passed over.
    weight: i64,
    /// The last window of `a` that counted it.
    counted: usize,
}

/// The windows of a text in which each shared stem stands: a range of `places`.
#[derive(Default)]
struct StemWindows {
    ranges: Vec<(usize, usize)>,
    places: Vec<u32>,
}

impl StemWindows {
    /// Reads one of two texts.
    fn read(&mut self, pair: &TextPair, side: usize, shared: &[SharedStem], rules: &AlignmentRules) {
        let text = [&pair.a, &pair.b][side];
        let overlap = rules.window.div_ceil(rules.step);
        let count = windows(text.words.len(), rules);
        self.ranges.clear();
        let mut room = 0;
        for (stem, SharedStem { weight, .. }) in pair.stems.iter().zip(shared) {
            self.ranges.push((room, room));
            room += if *weight > 0 { stem.counts[side] as usize * overlap } else { 0 };
        }
        self.places.clear();
        self.places.resize(room, 0);
        for &SharedWord { at, stem } in &text.shared {
            if shared[stem as usize].weight == 0 {
                continue;
            }
            let (begin, end) = &mut self.ranges[stem as usize];
            let step = at as usize / rules.step;
            for window in (step + 1).saturating_sub(overlap)..=step.min(count - 1) {
                if begin == end || self.places[*end - 1] < window as u32 {
                    self.places[*end] = window as u32;
                    *end += 1;
                }
            }
        }
    }

    fn of(&self, stem: usize) -> &[u32] {
        let (begin, end) = self.ranges[stem];
        &self.places[begin..end]
    }
}

/// Finds seeds; keeps its buffers.
#[derive(Default)]
pub struct WindowPairs {
    shared: Vec<SharedStem>,
    a: StemWindows,
    b: StemWindows,
    /// The words of `a` whose stems are not passed over.
    rare: Vec<SharedWord>,
    /// Of a window of `a`: its shared stems, each behind the number of windows of `b` that have it.
    stems: Vec<(usize, usize)>,
    /// The score of each window of `b`, and those that have one.
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
        self.weigh(pair, rules);
        self.b.read(pair, 1, &self.shared, rules);
        self.bound(pair, rules);
        self.row.clear();
        self.row.resize(windows(pair.b.words.len(), rules), 0);
        let mut rare = std::mem::take(&mut self.rare);
        rare.clear();
        rare.extend(pair.a.shared.iter().filter(|word| self.shared[word.stem as usize].weight > 0));
        let mut words = &rare[..];
        for window in 0..windows(pair.a.words.len(), rules) {
            let begin = window * rules.step;
            words = &words[words.iter().take_while(|word| (word.at as usize) < begin).count()..];
            let inside = words.iter().take_while(|word| (word.at as usize) < begin + rules.window);
            self.score(window, inside, rules);
        }
        self.rare = rare;
        self.found.sort_unstable_by_key(|seed| (-seed.score, seed.a, seed.b));
    }

    /// What shared stems weigh; those are passed over that do not weigh enough.
    fn weigh(&mut self, pair: &TextPair, rules: &AlignmentRules) {
        let (a, b) = (pair.a.words.len() as f64 + rules.prior, pair.b.words.len() as f64 + rules.prior);
        let least = fixed(rules.least_weight);
        self.shared.clear();
        for &PairedStem { rate, counts: [in_a, in_b] } in &pair.stems[..pair.shared] {
            let often = (f64::from(in_a) / a).min(f64::from(in_b) / b);
            let weight = weight(rate + 0.5 * often, rules);
            self.shared.push(SharedStem { weight: if weight >= least { weight } else { 0 }, counted: usize::MAX });
        }
    }

    /// Passes over the stems with the greatest products of their numbers of windows, if all together are too many.
    fn bound(&mut self, pair: &TextPair, rules: &AlignmentRules) {
        let all = windows(pair.a.words.len(), rules) + windows(pair.b.words.len(), rules);
        let most = rules.products + rules.products_a_window * all;
        let overlap = rules.window.div_ceil(rules.step);
        let at_most = |stem: usize| pair.stems[stem].counts[0] as usize * overlap * self.b.of(stem).len();
        self.bounded = false;
        if (0..pair.shared).map(at_most).sum::<usize>() <= most {
            return; // so the windows of `a` need not be counted
        }
        self.a.read(pair, 0, &self.shared, rules);
        let product = |stem: usize| self.a.of(stem).len() * self.b.of(stem).len();
        let mut products: Vec<(usize, usize)> = (0..pair.shared).map(|stem| (product(stem), stem)).collect();
        products.sort_unstable();
        let mut sum = 0;
        for (product, stem) in products {
            sum += product;
            if sum > most {
                self.shared[stem].weight = 0;
                self.bounded = true;
            }
        }
    }

    /// Scores the windows of `b` against one of `a`. Stems that are in most windows of `b`, and that together are not half
    /// enough, are looked for only where the others are half enough.
    fn score<'a>(&mut self, window: usize, words: impl Iterator<Item = &'a SharedWord>, rules: &AlignmentRules) {
        let Self { shared, b, stems, row, columns, found, .. } = self;
        let least = fixed(rules.seed);
        stems.clear();
        let mut all = 0;
        for word in words {
            let stem = word.stem as usize;
            let SharedStem { weight, counted } = &mut shared[stem];
            if *counted != window {
                *counted = window;
                all += *weight;
                stems.push((b.of(stem).len(), stem));
            }
        }
        if all < least {
            return;
        }
        stems.sort_unstable();
        let (mut first, mut left) = (stems.len(), 0);
        while left + shared[stems[first - 1].1].weight < least / 2 {
            first -= 1;
            left += shared[stems[first].1].weight;
        }
        let (first, later) = stems.split_at(first);
        for &(_, stem) in first {
            for &column in b.of(stem) {
                let score = &mut row[column as usize];
                if *score == 0 {
                    columns.push(column);
                }
                *score += shared[stem].weight;
            }
        }
        for column in columns.drain(..) {
            let mut score = std::mem::take(&mut row[column as usize]);
            if score + left < least {
                continue;
            }
            for &(_, stem) in later {
                score += b.of(stem).binary_search(&column).map_or(0, |_| shared[stem].weight);
            }
            if score >= least {
                found.push(WindowPair { score, a: window * rules.step, b: column as usize * rules.step });
            }
        }
    }
}
