//! From a seed to the two intervals that explain each other best.
//!
//! A word of one text scores the logarithm of how much likelier it is to be found in the other's interval if words were
//! taken over at rate q than by chance:
//!
//! ```text
//! p0 = 1 - e^-(L · (rate in the collection + outside))      L words in the other's interval
//! outside = the greater of its rate in the other text outside that interval, and half its rate in its own text
//!           outside its own interval; rates are count / (length + 200)
//! found      min(4, ln (q / p0 + 1 - q))                    ln p1 / p0 with p1 = q + (1 - q) p0
//! not found  ln (1 - q)                                     ln (1 - p1) / (1 - p0)
//! ```
//!
//! The new interval is the segment with the greatest sum, and q is estimated anew from it. Sides take turns, the other
//! interval with a margin as long as they grow. A round costs the words in reach.

use crate::alignment::logarithms::{decay, ln};
use crate::alignment::pair::{NumberedText, TextPair};
use crate::alignment::rules::AlignmentRules;

/// Scores are in units of 2^-16 nats.
const UNITS: f64 = 65536.0;
/// Chances are in units of 2^-32.
const CHANCES: f64 = 4_294_967_296.0;
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

/// What a stem scores in this round.
#[derive(Clone, Copy, Default)]
struct KnownStem {
    round: u32,
    score: i64,
    chance: u64,
}

struct BestSegment {
    begin: usize,
    end: usize,
    score: i64,
    rate: f64,
}

/// One side of a round: whose words are scored, against what.
struct Turn<'a> {
    text: &'a NumberedText,
    own: (usize, usize),
    other: &'a NumberedText,
    against: (usize, usize),
    rate: f64,
    weight: f64,
    least_rate: f64,
    barred: Option<&'a [bool]>,
}

/// Fits intervals to each other; keeps its buffers.
#[derive(Default)]
pub struct Fitting {
    known: Vec<KnownStem>,
    round: u32,
    inside: Vec<u32>,
    inside_own: Vec<u32>,
}

impl Fitting {
    /// To be called for each new pair.
    pub fn begin(&mut self, pair: &TextPair) {
        self.known.clear();
        self.known.resize(pair.stems(), KnownStem::default());
        self.inside.clear();
        self.inside.resize(pair.stems(), 0);
        self.inside_own.clear();
        self.inside_own.resize(pair.stems(), 0);
        self.round = 0;
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
        self.round += 1;
        count(&other.words[against.0..against.1], &mut self.inside);
        count(&text.words[own.0..own.1], &mut self.inside_own);
        let length = (against.1 - against.0) as f64;
        let outside = 1.0 / (other.words.len() as f64 - length + rules.prior);
        let outside_own = turn.weight / ((text.words.len() + own.0 - own.1) as f64 + rules.prior);
        let (inside, inside_own) = (&self.inside, &self.inside_own);
        let chance = |stem: usize| {
            let there = f64::from(other.counts[stem] - inside[stem]) * outside;
            let here = f64::from(text.counts[stem] - inside_own[stem]) * outside_own;
            (1.0 - decay(length * (rates[stem] + there.max(here)))).clamp(1e-6, 1.0 - 1e-3)
        };
        let missing = fixed(ln(1.0 - turn.rate));
        let most = rules.word;
        let (known, round) = (&mut self.known, self.round);
        let reach = rules.reach.max(((own.1 - own.0) as f64 * rules.reach_share) as usize);
        let (low, high) = widened(own, reach, text.words.len());
        let (mut sum, mut least, mut begin) = (0, 0, low);
        let mut best = (0, low, low);
        for (at, &word) in (low..high).zip(&text.words[low..high]) {
            let stem = word as usize;
            sum += if turn.barred.is_some_and(|barred| barred[at]) {
                fixed(BARRED)
            } else if inside[stem] == 0 {
                missing
            } else {
                if known[stem].round != round {
                    let p = chance(stem);
                    let score = fixed(ln(turn.rate / p + 1.0 - turn.rate).min(most));
                    known[stem] = KnownStem { round, score, chance: (p * CHANCES) as u64 };
                }
                known[stem].score
            };
            if sum <= least {
                (least, begin) = (sum, at + 1);
            } else if sum - least > best.0 {
                best = (sum - least, begin, at + 1);
            }
        }
        let (score, begin, end) = best;
        let (mut found, mut chances) = (0_u64, 0_u64);
        for &word in &text.words[begin..end] {
            let stem = word as usize;
            if known[stem].round != round {
                known[stem] = KnownStem { round, score: 0, chance: (chance(stem) * CHANCES) as u64 };
            }
            found += u64::from(inside[stem] > 0);
            chances += known[stem].chance;
        }
        uncount(&other.words[against.0..against.1], &mut self.inside);
        uncount(&text.words[own.0..own.1], &mut self.inside_own);
        if end - begin < LEAST_WORDS {
            return None;
        }
        let words = (end - begin) as f64;
        let by_chance = chances as f64 / CHANCES / words;
        let rate = ((found as f64 / words - by_chance) / (1.0 - by_chance)).clamp(turn.least_rate, rules.greatest_rate);
        Some(BestSegment { begin, end, score, rate })
    }
}

fn widened(interval: (usize, usize), by: usize, length: usize) -> (usize, usize) {
    (interval.0.saturating_sub(by), (interval.1 + by).min(length))
}

fn count(words: &[u32], counts: &mut [u32]) {
    words.iter().for_each(|&word| counts[word as usize] += 1);
}

fn uncount(words: &[u32], counts: &mut [u32]) {
    words.iter().for_each(|&word| counts[word as usize] = 0);
}
