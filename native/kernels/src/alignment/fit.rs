//! From a seed to the two intervals that explain each other best.
//!
//! A word of one text scores the logarithm of how much likelier it is to be found in the other's interval if words were
//! taken over at rate q than by chance ([`scores`](super::scores)), which has it there x times:
//!
//! ```text
//! x = L · (rate in the collection + outside)                L words in the other's interval
//! outside = the greater of its rate in the other text outside that interval, and 0.6 times its rate in its own
//!           text outside its own interval; rates are count / (length + 400)
//! ```
//!
//! The new interval is the segment with the greatest sum, and q is estimated anew from it. Sides take turns, the other
//! interval with a margin as long as they grow. A round costs the words in reach whose stems both texts have.

use crate::alignment::pair::{PairedStem, PairedText, SharedWord, TextPair};
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
    pub fn words_a(&self) -> usize {
        self.a.1 - self.a.0
    }

    pub fn words_b(&self) -> usize {
        self.b.1 - self.b.0
    }

    fn size(&self) -> usize {
        self.words_a() + self.words_b()
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

/// How a fit differs for a summary: the weight of the own text while it grows, the words around an interval that are looked
/// at, and the least rate of the source.
#[derive(Clone, Copy)]
pub struct Manner {
    pub own: f64,
    pub reach: usize,
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
    /// Which of the two texts it is.
    side: usize,
    text: &'a PairedText,
    own: (usize, usize),
    other: &'a PairedText,
    against: (usize, usize),
    rate: f64,
    weight: f64,
    reach: usize,
    least_rate: f64,
    barred: Option<&'a BarredWords>,
}

/// Words of a text that are in passages already: few intervals, however long the text is.
#[derive(Default)]
pub struct BarredWords {
    /// In order, none touching another; and how many words the ones before have.
    intervals: Vec<(usize, usize, usize)>,
}

impl BarredWords {
    /// To be called for each new text.
    pub fn begin(&mut self) {
        self.intervals.clear();
    }

    /// Bars an interval.
    pub fn bar(&mut self, (mut begin, mut end): (usize, usize)) {
        let first = self.intervals.partition_point(|&(_, to, _)| to < begin);
        let last = self.intervals.partition_point(|&(from, ..)| from <= end);
        if let [(from, ..), ..] = self.intervals[first..last] {
            (begin, end) = (begin.min(from), end.max(self.intervals[last - 1].1));
        }
        self.intervals.splice(first..last, [(begin, end, 0)]);
        let mut words =
            first.checked_sub(1).map_or(0, |at| self.intervals[at].2 + self.intervals[at].1 - self.intervals[at].0);
        for (from, to, before) in &mut self.intervals[first..] {
            *before = words;
            words += *to - *from;
        }
    }

    /// How many words before this one are barred.
    #[inline]
    fn before(&self, word: usize) -> usize {
        let behind = self.intervals.partition_point(|&(from, ..)| from < word);
        let last = behind.checked_sub(1).map(|at| self.intervals[at]);
        last.map_or(0, |(from, to, before)| before + to.min(word) - from)
    }

    /// How many words of an interval are barred.
    #[inline]
    pub fn count(&self, interval: (usize, usize)) -> usize {
        self.before(interval.1) - self.before(interval.0)
    }

    /// The intervals that have words in this one.
    fn within(&self, interval: (usize, usize)) -> &[(usize, usize, usize)] {
        let begin = self.intervals.partition_point(|&(_, to, _)| to <= interval.0);
        let end = self.intervals.partition_point(|&(from, ..)| from < interval.1);
        &self.intervals[begin.min(end)..end]
    }
}

/// How often a stem stands in the own interval, and in the other's.
#[derive(Clone, Copy, Default)]
struct Inside {
    own: u32,
    other: u32,
}

/// Fits intervals to each other; keeps its buffers.
#[derive(Default)]
pub struct Fitting {
    /// How often each stem stands in the own interval, and in the other's.
    inside: Vec<Inside>,
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
        let stems = pair.stems.len();
        if self.gains.len() < stems {
            self.inside.resize(stems, Inside::default());
            self.gains.resize(stems, 0);
        }
    }

    /// Grows a rectangle from a seed; none if one side comes to nothing, or if what it has grown to promises nothing.
    pub fn fit(
        &mut self,
        pair: &TextPair,
        seed: Rectangle,
        barred: &BarredWords,
        manner: Manner,
        rules: &AlignmentRules,
        promises: impl Fn(Rectangle) -> bool,
    ) -> Option<Fit> {
        let (mut at, mut rates, mut scores) = (seed, (rules.rate, rules.rate), (0, 0));
        let mut grows = true;
        (self.usual, self.greatest) = (true, 0);
        for round in 1..=rules.rounds {
            let margin = if grows { rules.margin } else { 0 };
            let weight = if grows { manner.own } else { rules.own };
            let a = self.turn(
                &pair.stems,
                &Turn {
                    side: 0,
                    text: &pair.a,
                    own: at.a,
                    other: &pair.b,
                    against: widened(at.b, margin, pair.b.words.len()),
                    rate: rates.0,
                    weight,
                    reach: manner.reach,
                    least_rate: manner.rate_a,
                    barred: Some(barred),
                },
                rules,
            )?;
            let b = self.turn(
                &pair.stems,
                &Turn {
                    side: 1,
                    text: &pair.b,
                    own: at.b,
                    other: &pair.a,
                    against: widened((a.begin, a.end), margin, pair.a.words.len()),
                    rate: rates.1,
                    weight,
                    reach: manner.reach,
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
                if !grows && !promises(at) {
                    return None;
                }
            } else if new == before {
                break;
            }
        }
        Some(Fit { at, scores, rates })
    }

    /// The best segment of one text against an interval of the other.
    fn turn(&mut self, stems: &[PairedStem], turn: &Turn<'_>, rules: &AlignmentRules) -> Option<BestSegment> {
        let Self { inside, gains, .. } = self;
        let Turn { text, own, other, against, .. } = *turn;
        let there = other.shared_in(against);
        there.iter().for_each(|word| inside[word.stem as usize].other += 1);
        // What stands elsewhere in the own text weighs nothing while summaries grow, and need not be counted.
        let here = if turn.weight > 0.0 { &text.words[own.0..own.1] } else { &[] };
        here.iter().for_each(|&stem| inside[stem as usize].own += 1);
        let expected = Expected::new(turn, rules);
        let (scores, chances) = (scores(turn.rate), chances());
        for word in there {
            let stem = word.stem as usize;
            if gains[stem] == 0 {
                gains[stem] = scores.gains[expected.level(stems[stem], inside[stem])];
            }
        }
        let reach = turn.reach.max(((own.1 - own.0) as f64 * rules.reach_share) as usize);
        let (score, begin, end) =
            best_segment(text, turn.barred, widened(own, reach, text.words.len()), scores.missing, gains);
        let (mut found, mut by_chance) = (0_u32, 0_u64);
        for &stem in &text.words[begin..end] {
            let inside = inside[stem as usize];
            found += u32::from(inside.other > 0);
            by_chance += u64::from(chances[expected.level(stems[stem as usize], inside)]);
        }
        for word in there {
            (inside[word.stem as usize].other, gains[word.stem as usize]) = (0, 0);
        }
        here.iter().for_each(|&stem| inside[stem as usize].own = 0);
        if end - begin < LEAST_WORDS {
            return None;
        }
        let words = (end - begin) as f64;
        let by_chance = by_chance as f64 / CHANCES / words;
        let rate = (f64::from(found) / words - by_chance) / (1.0 - by_chance);
        self.usual &= rate >= rules.least_rate;
        let rate = rate.clamp(turn.least_rate, rules.greatest_rate);
        Some(BestSegment { begin, end, score, rate })
    }
}

/// The segment with the greatest sum: of equal ones that which ends first, then begins last; and the sum. Words that are not
/// shared, or barred, lower it, so that it begins and ends at others: only these are looked at.
fn best_segment(
    text: &PairedText,
    barred: Option<&BarredWords>,
    reach: (usize, usize),
    missing: i64,
    gains: &[i32],
) -> (i64, usize, usize) {
    let mut best = BestSum::new(reach.0, missing);
    let (mut begin, mut lowered) = (reach.0, 0);
    for &(from, to, _) in barred.iter().flat_map(|barred| barred.within(reach)) {
        let (from, to) = (from.max(reach.0), to.min(reach.1));
        best.read(text.shared_in((begin, from)), lowered, gains);
        lowered += (to - from) as i64 * (fixed(BARRED) - missing);
        begin = to;
    }
    best.read(text.shared_in((begin, reach.1)), lowered, gains);
    (best.sum, best.begin, best.end)
}

/// The segment with the greatest sum of those that end at a word that was read.
struct BestSum {
    missing: i64,
    /// What words that were read scored more than if none was found.
    gained: i64,
    /// The least sum of all words before one, and that one.
    least: i64,
    least_at: usize,
    sum: i64,
    begin: usize,
    end: usize,
}

impl BestSum {
    fn new(begin: usize, missing: i64) -> Self {
        Self { missing, gained: 0, least: begin as i64 * missing, least_at: begin, sum: 0, begin, end: begin }
    }

    /// Reads the words that follow, all sums being lowered by what was barred before.
    #[inline]
    fn read(&mut self, words: &[SharedWord], lowered: i64, gains: &[i32]) {
        let Self { missing, mut gained, mut least, mut least_at, mut sum, mut begin, mut end } = *self;
        for &SharedWord { at, stem } in words {
            let gain = i64::from(gains[stem as usize]);
            let at = at as usize;
            let before = at as i64 * missing + lowered + gained;
            gained += gain;
            // No processor can foretell these conditions: in this form, they become no branches.
            let is_least = before <= least;
            least = if is_least { before } else { least };
            least_at = if is_least { at } else { least_at };
            let here = before + missing + gain - least;
            let is_best = here > sum;
            sum = if is_best { here } else { sum };
            begin = if is_best { least_at } else { begin };
            end = if is_best { at + 1 } else { end };
        }
        *self = Self { missing, gained, least, least_at, sum, begin, end };
    }
}

/// How often stems are expected in the other's interval by chance.
struct Expected {
    side: usize,
    /// One over the words outside the other's interval, and outside the own one times what these weigh.
    outside: f64,
    outside_own: f64,
    length: f64,
}

impl Expected {
    fn new(turn: &Turn<'_>, rules: &AlignmentRules) -> Self {
        let Turn { side, text, own, other, against, weight, .. } = *turn;
        let length = (against.1 - against.0) as f64;
        let outside = 1.0 / (other.words.len() as f64 - length + rules.prior);
        let outside_own = weight / ((text.words.len() + own.0 - own.1) as f64 + rules.prior);
        Self { side, outside, outside_own, length }
    }

    #[inline]
    fn level(&self, stem: PairedStem, inside: Inside) -> usize {
        let there = f64::from(stem.counts[1 - self.side] - inside.other) * self.outside;
        let here = f64::from(stem.counts[self.side] - inside.own) * self.outside_own;
        level(self.length * (stem.rate + there.max(here)))
    }
}

fn widened(interval: (usize, usize), by: usize, length: usize) -> (usize, usize) {
    (interval.0.saturating_sub(by), (interval.1 + by).min(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition: the greatest sum of neighbouring words, the first to end, then the last to begin.
    fn best_of_all(scores: &[i64], begin: usize) -> (i64, usize, usize) {
        let mut best = (0, begin, begin);
        for end in begin + 1..=scores.len() {
            for from in (begin..end).rev() {
                let sum: i64 = scores[from..end].iter().sum();
                if sum > best.0 {
                    best = (sum, from, end);
                }
            }
        }
        best
    }

    #[test]
    fn the_best_segment_is_that_of_all_segments() {
        let mut state = 1_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        for _ in 0..300 {
            let (length, begin, missing) = (random(40) as usize, random(5) as usize, -1 - random(3) as i64);
            let gains: Vec<i64> = (0..begin + length).map(|_| [0, 0, 1, 2, 3, 7][random(6) as usize]).collect();
            let shared = |&at: &usize| gains[at] > 0 || at % 3 == 0;
            let words: Vec<_> =
                (begin..gains.len()).filter(shared).map(|at| SharedWord { at: at as u32, stem: at as u32 }).collect();
            let scores: Vec<i64> = gains.iter().map(|gain| missing + gain).collect();
            let text = PairedText { words: vec![0; gains.len()], shared: words };
            let mut barred = BarredWords::default();
            for _ in 0..random(3) {
                let from = random(40) as usize;
                barred.bar((from, from + 1 + random(6) as usize));
            }
            for each in [None, Some(&barred)] {
                let scores = (0..).zip(&scores).map(|(at, score)| {
                    let is_barred = each.is_some_and(|barred| barred.count((at, at + 1)) > 0);
                    if is_barred {
                        fixed(BARRED)
                    } else {
                        *score
                    }
                });
                let reach = (begin, text.words.len());
                let gains: Vec<i32> = gains.iter().map(|&gain| gain as i32).collect();
                let found = best_segment(&text, each, reach, missing, &gains);
                assert_eq!(found, best_of_all(&scores.collect::<Vec<_>>(), begin));
            }
        }
    }

    #[test]
    fn words_are_barred_once() {
        let mut barred = BarredWords::default();
        for interval in [(6, 8), (0, 2), (12, 14), (7, 10), (3, 4)] {
            barred.bar(interval);
        }
        let has: Vec<usize> = (0..20).filter(|&word| barred.count((word, word + 1)) > 0).collect();
        assert_eq!(has, [0, 1, 3, 6, 7, 8, 9, 12, 13]);
        assert_eq!([barred.count((0, 20)), barred.count((1, 8)), barred.count((10, 12))], [9, 4, 0]);
        barred.bar((1, 12)); // all become one
        assert_eq!((barred.intervals.len(), barred.count((0, 20))), (1, 14));
    }
}
