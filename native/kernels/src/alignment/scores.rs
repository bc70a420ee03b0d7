//! What a word scores that is found in the other text's interval, or is not: from a table, as a logarithm for each word
//! and turn took most of the time.
//!
//! ```text
//! p0 = 1 - e^-x                  x times a word is expected in the interval by chance, rounded to 4 bits behind the first
//! found      min(4, ln (q / p0 + 1 - q))          ln p1 / p0 with p1 = q + (1 - q) p0, q in 64ths
//! not found  ln (1 - q)                           ln (1 - p1) / (1 - p0)
//! ```

use std::sync::OnceLock;

use crate::alignment::fit::fixed;
use crate::alignment::logarithms::{decay, ln};
use crate::alignment::rules::AlignmentRules;

/// Chances are in units of 2^-32.
pub const CHANCES: f64 = 4_294_967_296.0;
/// Rates are in units of 1/64.
const PARTS: usize = 64;
/// Bits behind the first that are kept of x.
const BITS: u32 = 4;
/// x from 2^-LEAST on; below, chance finds next to nothing.
const LEAST: u64 = 14;
/// From 2^3 on, p0 is as great as it gets.
const OCTAVES: u64 = LEAST + 3;
const LEVELS: usize = (OCTAVES as usize) << BITS;

/// The number of an x that is rounded.
#[inline]
pub fn level(x: f64) -> usize {
    const DROPPED: u32 = 52 - BITS;
    let kept = (x.to_bits() + (1 << (DROPPED - 1))) >> DROPPED;
    (kept.saturating_sub((1023 - LEAST) << BITS) as usize).min(LEVELS - 1)
}

/// p0 for a rounded x.
fn chance(level: usize) -> f64 {
    let x = f64::from_bits((((1023 - LEAST) << BITS) + level as u64) << (52 - BITS));
    (1.0 - decay(x)).clamp(1e-6, 1.0 - 1e-3)
}

/// p0 for each rounded x, in units of 2^-32.
pub fn chances() -> &'static [u32; LEVELS] {
    static CHANCES_OF: OnceLock<[u32; LEVELS]> = OnceLock::new();
    CHANCES_OF.get_or_init(|| std::array::from_fn(|level| (chance(level) * CHANCES) as u32))
}

/// What a stem weighs that two windows share, for each rounded x: ln (1 / 2 p0), which has it in one of them.
pub fn weights() -> &'static [i64; LEVELS] {
    static WEIGHTS: OnceLock<[i64; LEVELS]> = OnceLock::new();
    let weight = |level| fixed((-ln(2.0 * chance(level))).clamp(0.0, AlignmentRules::DEFAULT.word));
    WEIGHTS.get_or_init(|| std::array::from_fn(weight))
}

/// What words score at one rate.
pub struct RateScores {
    /// One that is not found.
    pub missing: i64,
    /// How much more than that one that is found, for each rounded x.
    pub gains: [i32; LEVELS],
}

/// What words score if they are taken over at rate q.
pub fn scores(q: f64) -> &'static RateScores {
    static SCORES: OnceLock<Vec<RateScores>> = OnceLock::new();
    let scores = SCORES.get_or_init(|| (0..PARTS).map(|part| at_rate(part as f64 / PARTS as f64)).collect());
    &scores[(q * PARTS as f64 + 0.5) as usize]
}

fn at_rate(q: f64) -> RateScores {
    let missing = fixed(ln(1.0 - q));
    let found = |level| fixed(ln(q / chance(level) + 1.0 - q).min(AlignmentRules::DEFAULT.word));
    RateScores { missing, gains: std::array::from_fn(|level| (found(level) - missing) as i32) }
}
