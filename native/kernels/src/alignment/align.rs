//! From fits to passages.
//!
//! WindowPairs are tried from the best on, unless most of their words are in a passage already, or in a seed that failed. A
//! fit is a passage if the worse of its sides scores enough, and if enough neighbouring words are shared, too. Then its
//! words of `a` are barred.
//!
//! In a summary, little of a long source is found again, so a fit that demands much of both sides stops early. A second
//! fit demands less of the source; it counts where it shows a summary: its source is much longer than itself, and it is
//! longer than the first fit; once it has grown, it must show that already. Where it is known which of two texts may be a
//! summary, what is summarised is mostly a whole document: where a good part of the source is covered, the passage is all
//! of it. Where either may be one, a passage is no more than what corresponds.

use crate::alignment::fit::{fixed, BarredWords, Fit, Fitting, Manner, Rectangle};
use crate::alignment::pair::{StemNumbers, TextPair};
use crate::alignment::rules::AlignmentRules;
use crate::alignment::seeds::{windows, WindowPair, WindowPairs};
use crate::alignment::sequences::SharedSequences;
use crate::alignment::texts::ReadText;

/// A passage of two texts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlignedPassage {
    /// In words that are aligned, and in all words: where there is boilerplate, these are more.
    pub at: Rectangle,
    pub all: Rectangle,
    /// In code points.
    pub a: (u32, u32),
    pub b: (u32, u32),
    /// In units of 2^-16 nats: that of the side that is explained worse; of passages that were joined, the sum.
    pub score: i64,
    /// Estimated shares of words that were taken over, of both sides.
    pub rates: (f64, f64),
}

/// Aligns pairs of texts; keeps its buffers.
#[derive(Default)]
pub struct Aligner {
    pub rules: AlignmentRules,
    /// Whether `b` may be a summary of `a`, too, and not only `a` one of `b`.
    pub both_ways: bool,
    pair: TextPair,
    seeds: WindowPairs,
    fitting: Fitting,
    sequences: SharedSequences,
    barred: BarredWords,
    blocked: TriedPlaces,
    fits: Vec<Fit>,
    passages: Vec<AlignedPassage>,
}

impl Aligner {
    pub fn new(both_ways: bool) -> Self {
        Self { both_ways, ..Self::default() }
    }

    /// To be called for each new `a`, and whenever stems are numbered anew.
    pub fn begin(&mut self, a: &ReadText, numbers: &StemNumbers) {
        self.pair.begin(&a.numbered, numbers);
    }

    /// The passages that `a`, with which it was begun, took from `b`, in the order of `a`.
    pub fn align(&mut self, a: &ReadText, b: &ReadText, numbers: &StemNumbers) -> &[AlignedPassage] {
        self.passages.clear();
        let mut pair = std::mem::take(&mut self.pair);
        pair.read(&a.numbered, &b.numbered, numbers);
        self.seeds.find(&pair, &self.rules);
        self.fit_seeds(&pair);
        self.pair = pair;
        self.join();
        self.locate(a, b);
        &self.passages
    }

    /// Whether a bound on the work left something out of the last pair.
    pub fn bounded(&self) -> bool {
        self.seeds.bounded
    }

    fn fit_seeds(&mut self, pair: &TextPair) {
        self.fits.clear();
        if self.seeds.found.is_empty() {
            return;
        }
        self.fitting.begin(pair);
        let (words_a, words_b) = (pair.a.words.len(), pair.b.words.len());
        self.barred.begin();
        self.blocked.begin(words_a);
        let all = windows(words_a, &self.rules) + windows(words_b, &self.rules);
        let mut tries = self.rules.tries + all / self.rules.windows_a_try;
        let mut failures = 0;
        for at in 0..self.seeds.found.len() {
            let seed = self.window(pair, self.seeds.found[at]);
            if self.is_known(seed) {
                continue;
            }
            if tries == 0 {
                self.seeds.bounded = true;
                break;
            }
            match self.fit(pair, seed).filter(|fit| self.sequences_suffice(pair, fit)) {
                Some(fit) => {
                    failures = 0;
                    self.barred.bar(fit.at.a);
                    self.blocked.add(fit.at);
                    let at = self.completed(pair, fit.at);
                    self.fits.push(Fit { at, ..fit });
                }
                None => {
                    tries -= 1;
                    failures += 1;
                    if failures == self.rules.failures + self.fits.len() {
                        break;
                    }
                    self.blocked.add(seed);
                }
            }
        }
    }

    fn window(&self, pair: &TextPair, seed: WindowPair) -> Rectangle {
        let window = |begin: usize, length: usize| (begin, (begin + self.rules.window).min(length));
        Rectangle { a: window(seed.a, pair.a.words.len()), b: window(seed.b, pair.b.words.len()) }
    }

    /// Whether most words of a seed are in a passage, or in both windows of a rectangle that was tried.
    fn is_known(&self, seed: Rectangle) -> bool {
        2 * self.barred.count(seed.a) > seed.a.1 - seed.a.0 || self.blocked.have(seed)
    }

    /// The best fit of a seed, if it scores enough. Where the plain one comes to nothing, or has many words, a summary is not
    /// looked for.
    fn fit(&mut self, pair: &TextPair, seed: Rectangle) -> Option<Fit> {
        let Self { rules, both_ways, fitting, barred, .. } = self;
        let fit_in = |fitting: &mut Fitting, (own, reach, rate_a, rate_b), promises: &dyn Fn(Rectangle) -> bool| {
            let fit = fitting.fit(pair, seed, barred, Manner { own, reach, rate_a, rate_b }, rules, promises);
            fit.filter(|fit| fit.score() >= fixed(rules.score))
        };
        let (usual, low, own) = (rules.least_rate, rules.summary_rate, rules.own_in_summary);
        let plain = fit_in(fitting, (rules.own, rules.reach, usual, usual), &|_| true);
        if fitting.greatest < fixed(rules.hopeful) {
            return None;
        }
        let (plain_a, plain_b) = plain.map_or((0, 0), |plain| (plain.at.words_a(), plain.at.words_b()));
        if plain_a.min(plain_b) > rules.copied {
            return plain;
        }
        let sums_up_b = |at: Rectangle| is_summary(at.words_a(), at.words_b(), plain_a, rules);
        let sums_up_a = |at: Rectangle| *both_ways && is_summary(at.words_b(), at.words_a(), plain_b, rules);
        let sums_up = |at| sums_up_b(at) || sums_up_a(at);
        let of_b = fit_in(fitting, (own, rules.reach_in_summary, usual, low), &sums_up);
        if of_b.is_some_and(|of_b| sums_up_b(of_b.at)) {
            return of_b;
        }
        if *both_ways {
            let of_a =
                if fitting.usual { of_b } else { fit_in(fitting, (own, rules.reach_in_summary, low, usual), &sums_up) };
            if of_a.is_some_and(|of_a| sums_up_a(of_a.at)) {
                return of_a;
            }
        }
        plain
    }

    fn sequences_suffice(&mut self, pair: &TextPair, fit: &Fit) -> bool {
        let AlignmentRules { sequences, elsewhere, words_elsewhere, evidence, sequence, .. } = self.rules;
        let more = (pair.a.words.len() + pair.b.words.len()) / words_elsewhere;
        let shared = self.sequences.count(pair, fit.at, (elsewhere + more) as u32);
        shared >= sequences && fit.score() >= fixed(evidence - sequence * shared as f64)
    }

    /// The source of a summary is the whole text, if a good part of it is covered and only `a` may be a summary.
    fn completed(&self, pair: &TextPair, at: Rectangle) -> Rectangle {
        let (long_a, long_b) = (at.words_a() as f64, at.words_b() as f64);
        let words_b = pair.b.words.len();
        let AlignmentRules { ratio, whole, .. } = self.rules;
        if !self.both_ways && long_b > ratio * long_a && long_b >= whole * words_b as f64 {
            Rectangle { b: (0, words_b), ..at }
        } else {
            at
        }
    }

    /// Joins fits that are close to each other in both texts.
    fn join(&mut self) {
        let Self { rules, fits, .. } = self;
        fits.sort_unstable_by_key(|fit| fit.at);
        let mut joined: Vec<Fit> = Vec::with_capacity(fits.len());
        for fit in fits.iter() {
            match joined.iter_mut().find(|known| are_close(known, fit, rules)) {
                Some(known) => {
                    let score = known.score() + fit.score();
                    known.at = hull(known.at, fit.at);
                    known.scores = (score, score);
                    known.rates = (known.rates.0.min(fit.rates.0), known.rates.1.min(fit.rates.1));
                }
                None => joined.push(*fit),
            }
        }
        *fits = joined;
    }

    fn locate(&mut self, a: &ReadText, b: &ReadText) {
        let AlignmentRules { characters, words, snap: most, .. } = self.rules;
        let long = |text: &ReadText, at: (usize, usize)| at.1 - at.0 >= words || text.length(at) as usize >= characters;
        for fit in &self.fits {
            let all = Rectangle { a: snap(a.among_all(fit.at.a), a, most), b: snap(b.among_all(fit.at.b), b, most) };
            let at = Rectangle { a: a.among_aligned(all.a), b: b.among_aligned(all.b) };
            if long(a, at.a) && long(b, at.b) {
                let (in_a, in_b) = (a.points(all.a), b.points(all.b));
                self.passages.push(AlignedPassage { at, all, a: in_a, b: in_b, score: fit.score(), rates: fit.rates });
            }
        }
    }
}

/// Rectangles that were tried, by stretches of `a`, so that it costs little to look for one however many there are.
#[derive(Default)]
struct TriedPlaces {
    stretches: Vec<Vec<Rectangle>>,
}

impl TriedPlaces {
    /// Words of a stretch.
    const STRETCH: usize = 256;

    /// To be called for each new text of so many words.
    fn begin(&mut self, words: usize) {
        self.stretches.iter_mut().for_each(Vec::clear);
        self.stretches.resize_with(words / Self::STRETCH + 1, Vec::new);
    }

    fn add(&mut self, at: Rectangle) {
        let (first, last) = (at.a.0 / Self::STRETCH, (at.a.1 - 1) / Self::STRETCH);
        self.stretches[first..=last].iter_mut().for_each(|stretch| stretch.push(at));
    }

    /// Whether most of a seed's words are in both intervals of one.
    fn have(&self, seed: Rectangle) -> bool {
        let covers = |one: &Rectangle| is_mostly_in(seed.a, one.a) && is_mostly_in(seed.b, one.b);
        let (first, last) = (seed.a.0 / Self::STRETCH, (seed.a.1 - 1) / Self::STRETCH);
        self.stretches[first..=last].iter().flatten().any(covers)
    }
}

/// Whether more than three tenths of an interval are in another.
fn is_mostly_in(one: (usize, usize), other: (usize, usize)) -> bool {
    let common = one.1.min(other.1).saturating_sub(one.0.max(other.0));
    10 * common > 3 * (one.1 - one.0)
}

/// Whether a fit shows a summary: its source is much longer than itself, and it is longer than the plain fit.
fn is_summary(short: usize, long: usize, plain: usize, rules: &AlignmentRules) -> bool {
    long as f64 > rules.ratio * short as f64 && short as f64 > rules.wider * plain as f64
}

/// Whether few words stand between two fits, `later` being the later one in `a`; more may in `b` if words are taken over
/// at a low rate.
fn are_close(known: &Fit, later: &Fit, rules: &AlignmentRules) -> bool {
    let (x, y) = (&known.at, &later.at);
    let gap = if known.rates.1.min(later.rates.1) < rules.loose { rules.gap_b } else { rules.gap_a };
    y.a.0 <= x.a.1 + rules.gap_a && x.b.0.max(y.b.0) <= x.b.1.min(y.b.1) + gap
}

fn hull(x: Rectangle, y: Rectangle) -> Rectangle {
    Rectangle { a: (x.a.0.min(y.a.0), x.a.1.max(y.a.1)), b: (x.b.0.min(y.b.0), x.b.1.max(y.b.1)) }
}

/// An interval whose ends are moved to the nearest ends of sentences or lines, at most so many words away, to those
/// before rather than to those behind.
fn snap(interval: (usize, usize), text: &ReadText, most: usize) -> (usize, usize) {
    let nearest = |at: usize| {
        let before = |by: usize| at.checked_sub(by).filter(|&place| text.is_break(place));
        let behind = |by: usize| Some(at + by).filter(|&place| text.is_break(place));
        (0..=most).find_map(|by| before(by).or_else(|| behind(by))).unwrap_or(at)
    };
    let (begin, end) = (nearest(interval.0), nearest(interval.1));
    if begin < end {
        (begin, end)
    } else {
        interval
    }
}
