//! From a seed to the two intervals that explain each other best.
//!
//! A word of one text scores the logarithm of how much likelier it is to be found in the other's interval if words were
//! taken over at rate q than by chance ([`scores`](super::scores)), which has it there x times:
//!
//! ```text
//! x = L · (rate in the collection + outside)                L words in the other's interval
//! outside = the greater of its rate in the other text outside that interval, and half its rate in its own text
//!           outside its own interval; rates are count / (length + 400)
//! ```
//!
//! The new interval is the segment with the greatest sum, and q is estimated anew from it. Sides take turns, the other
//! interval with a margin as long as they grow. A round costs the words in reach.

use crate::alignment::pair::{PairedText, TextPair};
use crate::alignment::rules::AlignmentRules;
use crate::alignment::scores::{chances, level, scores, CHANCES};

/// Scores are in units of 2^-16 nats.
const UNITS: f64 = 65536.0;
/// A word that is part of a passage already.
const BARRED: f64 = -50.0;
/// Fewer words are no interval.
const LEAST_WORDS: usize = 5;

/// Nats as a whole number of units.
#[inline]
pub fn fixed(nats: f64) -> i64 {
    let units = nats * UNITS + 0.5;
    let cut = units as i64; // towards zero, without the call that `floor` is on most machines
    cut - i64::from(units < cut as f64)
}

/// A score in nats.
pub fn nats(score: i64) -> f64 {
    score as f64 / UNITS
}

/// An interval of each text, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rectangle {
    pub a: (usize, usize),
    pub b: (usize, usize),
}

impl Rectangle {
    fn size(&self) -> usize {
        self.a.1 - self.a.0 + self.b.1 - self.b.0
    }
}

/// Two intervals, how well each is explained by the other, and the rates at which their words are in the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    pub at: Rectangle,
    pub scores: (i64, i64),
    pub rates: (f64, f64),
}

impl Fit {
    /// The score of the worse side.
    pub fn score(&self) -> i64 {
        self.scores.0.min(self.scores.1)
    }
}

/// How a fit differs for a summary: the weight of the own text while it grows, and the least rate of the source.
#[derive(Clone, Copy)]
pub struct Manner {
    pub own: f64,
    pub rate_a: f64,
    pub rate_b: f64,
}

struct BestSegment {
    begin: usize,
    end: usize,
    score: i64,
    rate: f64,
}

/// One side of a round: whose words are scored, against what.
struct Turn<'a> {
    text: &'a PairedText,
    own: (usize, usize),
    other: &'a PairedText,
    against: (usize, usize),
    rate: f64,
    weight: f64,
    least_rate: f64,
    barred: Option<&'a [bool]>,
}

/// Fits intervals to each other; keeps its buffers.
#[derive(Default)]
pub struct Fitting {
    /// How often each stem stands in the other's interval, and in the own.
    inside: Vec<u32>,
    inside_own: Vec<u32>,
    /// What each stem scores more than one that is not found.
    gains: Vec<i32>,
    /// Whether no estimate of the last fit was below the least rate of a plain one: then it is the same whichever side may
    /// have a lower one.
    pub usual: bool,
    /// The greatest score that the last fit had on the way.
    pub greatest: i64,
}

impl Fitting {
    /// To be called for each new pair: makes room for its stems. Each turn leaves zeros behind.
    pub fn begin(&mut self, pair: &TextPair) {
        let stems = pair.stems();
        if self.gains.len() < stems {
            self.inside.resize(stems, 0);
            self.inside_own.resize(stems, 0);
            self.gains.resize(stems, 0);
        }
    }

    /// Grows a rectangle from a seed; none if one side comes to nothing.
    pub fn fit(
        &mut self,
        pair: &TextPair,
        seed: Rectangle,
        barred: &[bool],
        manner: Manner,
        rules: &AlignmentRules,
    ) -> Option<Fit> {
        let (mut at, mut rates, mut scores) = (seed, (rules.rate, rules.rate), (0, 0));
        let mut grows = true;
        (self.usual, self.greatest) = (true, 0);
        for round in 1..=rules.rounds {
            let margin = if grows { rules.margin } else { 0 };
            let weight = if grows { manner.own } else { rules.own };
            let a = self.turn(
                &pair.rates,
                &Turn {
                    text: &pair.a,
                    own: at.a,
                    other: &pair.b,
                    against: widened(at.b, margin, pair.b.words.len()),
                    rate: rates.0,
                    weight,
                    least_rate: manner.rate_a,
                    barred: Some(barred),
                },
                rules,
            )?;
            let b = self.turn(
                &pair.rates,
                &Turn {
                    text: &pair.b,
                    own: at.b,
                    other: &pair.a,
                    against: widened((a.begin, a.end), margin, pair.a.words.len()),
                    rate: rates.1,
                    weight,
                    least_rate: manner.rate_b,
                    barred: None,
                },
                rules,
            )?;
            let new = Rectangle { a: (a.begin, a.end), b: (b.begin, b.end) };
            (rates, scores) = ((a.rate, b.rate), (a.score, b.score));
            self.greatest = self.greatest.max(scores.0.min(scores.1));
            let before = std::mem::replace(&mut at, new);
            if grows {
                let small = new.size() as f64 <= before.size() as f64 * (1.0 + rules.growth) + 2.0;
                grows = !(small && round > 1 || round + rules.last_rounds >= rules.rounds);
            } else if new == before {
                break;
            }
        }
        Some(Fit { at, scores, rates })
    }

    /// The best segment of one text against an interval of the other.
    fn turn(&mut self, rates: &[f64], turn: &Turn<'_>, rules: &AlignmentRules) -> Option<BestSegment> {
        let Turn { text, own, other, against, .. } = *turn;
        count(&other.words[against.0..against.1], &mut self.inside);
        count(&text.words[own.0..own.1], &mut self.inside_own);
        let expected = Expected::new(turn, rates, rules);
        let (scores, chances) = (scores(turn.rate), chances());
        for &word in &other.words[against.0..against.1] {
            let stem = word as usize;
            if self.gains[stem] == 0 && text.counts[stem] > 0 {
                self.gains[stem] = scores.gains[expected.level(stem, self.inside[stem], self.inside_own[stem])];
            }
        }
        let reach = rules.reach.max(((own.1 - own.0) as f64 * rules.reach_share) as usize);
        let (low, high) = widened(own, reach, text.words.len());
        let (score, begin, end) = best_segment(turn, (low, high), scores.missing, &self.gains);
        let (mut found, mut by_chance) = (0_u64, 0_u64);
        for &word in &text.words[begin..end] {
            let stem = word as usize;
            found += u64::from(self.inside[stem] > 0);
            let level = expected.level(stem, self.inside[stem], self.inside_own[stem]);
            by_chance += u64::from(chances[level]);
        }
        for &word in &other.words[against.0..against.1] {
            (self.inside[word as usize], self.gains[word as usize]) = (0, 0);
        }
        text.words[own.0..own.1].iter().for_each(|&word| self.inside_own[word as usize] = 0);
        if end - begin < LEAST_WORDS {
            return None;
        }
        let words = (end - begin) as f64;
        let by_chance = by_chance as f64 / CHANCES / words;
        let rate = (found as f64 / words - by_chance) / (1.0 - by_chance);
        self.usual &= rate >= rules.least_rate;
        let rate = rate.clamp(turn.least_rate, rules.greatest_rate);
        Some(BestSegment { begin, end, score, rate })
    }
}

/// The segment with the greatest sum: of equal ones that which ends first, then begins last; and the sum.
fn best_segment(turn: &Turn<'_>, (low, high): (usize, usize), missing: i64, gains: &[i32]) -> (i64, usize, usize) {
    let (mut sum, mut least, mut begin) = (0, 0, low);
    let mut best = (0, low, low);
    let mut add = |at: usize, score: i64| {
        sum += score;
        if sum <= least {
            (least, begin) = (sum, at + 1);
        } else if sum - least > best.0 {
            best = (sum - least, begin, at + 1);
        }
    };
    let words = (low..high).zip(&turn.text.words[low..high]);
    let score = |word: u32| missing + i64::from(gains[word as usize]);
    match turn.barred.filter(|barred| barred[low..high].contains(&true)) {
        None => words.for_each(|(at, &word)| add(at, score(word))),
        Some(barred) => words.for_each(|(at, &word)| add(at, if barred[at] { fixed(BARRED) } else { score(word) })),
    }
    best
}

/// How often stems are expected in the other's interval by chance.
struct Expected<'a> {
    text: &'a PairedText,
    other: &'a PairedText,
    rates: &'a [f64],
    /// One over the words outside the other's interval, and outside the own one times what these weigh.
    outside: f64,
    outside_own: f64,
    length: f64,
}

impl<'a> Expected<'a> {
    fn new(turn: &Turn<'a>, rates: &'a [f64], rules: &AlignmentRules) -> Self {
        let Turn { text, own, other, against, weight, .. } = *turn;
        let length = (against.1 - against.0) as f64;
        let outside = 1.0 / (other.words.len() as f64 - length + rules.prior);
        let outside_own = weight / ((text.words.len() + own.0 - own.1) as f64 + rules.prior);
        Self { text, other, rates, outside, outside_own, length }
    }

    #[inline]
    fn level(&self, stem: usize, inside: u32, inside_own: u32) -> usize {
        let there = f64::from(self.other.counts[stem] - inside) * self.outside;
        let here = f64::from(self.text.counts[stem] - inside_own) * self.outside_own;
        level(self.length * (self.rates[stem] + there.max(here)))
    }
}

fn widened(interval: (usize, usize), by: usize, length: usize) -> (usize, usize) {
    (interval.0.saturating_sub(by), (interval.1 + by).min(length))
}

fn count(words: &[u32], counts: &mut [u32]) {
    words.iter().for_each(|&word| counts[word as usize] += 1);
}
