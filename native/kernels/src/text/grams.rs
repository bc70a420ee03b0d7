//! The distinct k-grams of a text, linear or circular.
//!
//! Distinctness is decided per document by an open-addressing set that stays in the first-level cache for ordinary
//! pages and grows with the number of *distinct* grams: ten million equal words cost ten million look-ups of one entry.

use crate::flow::columns::Column;
use crate::text::fingerprint::{Fingerprinter, Slide};
use crate::text::slots::home;
use crate::text::words::words;

/// The grams of a long text are found in several passes, each for one range of fingerprints: one pass for so many bytes
/// of text. A set of grams takes up to 32 bytes for a byte of text; of one range it is at most as large as a batch of
/// pages, and more of it stays in the cache.
const RANGE: usize = 4 << 20;
/// No more passes than this, so that time stays linear in the text.
const MOST_RANGES: usize = 16;

/// Finds distinct grams, document after document; keeps its buffers.
pub struct Grams<'a> {
    print: &'a Fingerprinter,
    slide: Slide<'a>,
    k: usize,
    set: Distinct,
    head: Vec<u64>,
}

impl<'a> Grams<'a> {
    pub fn new(print: &'a Fingerprinter, k: usize) -> Self {
        Self { print, slide: Slide::new(print, k), k, set: Distinct::default(), head: Vec::new() }
    }

    /// Number of words of `text` and its distinct linear k-grams, in order of first appearance.
    pub fn linear(&mut self, text: &str) -> (u64, &[u64]) {
        let words = self.collect(text, 0, 1);
        (words, &self.set.items)
    }

    /// Shows `take` the distinct linear k-grams of `text`, those of a long text by ranges, each found in a pass of its
    /// own: a set of them all would take many times the text. Returns the numbers of words and of distinct grams.
    pub fn linear_by_ranges(&mut self, text: &str, mut take: impl FnMut(&[u64])) -> (u64, u64) {
        let ranges = (text.len() / RANGE).clamp(1, MOST_RANGES) as u64;
        let (mut words, mut distinct) = (0, 0);
        for range in 0..ranges {
            words = self.collect(text, range, ranges);
            distinct += self.set.items.len() as u64;
            take(&self.set.items);
        }
        (words, distinct)
    }

    /// Finds the grams in one of so many ranges of equal size; returns the number of words.
    fn collect(&mut self, text: &str, range: u64, ranges: u64) -> u64 {
        let Self { print, slide, set, .. } = self;
        set.clear();
        slide.clear();
        let mut count = 0;
        words(text, print, |_, _, word| {
            count += 1;
            if let Some(gram) = slide.push(word) {
                if ((u128::from(gram) * u128::from(ranges)) >> 64) as u64 == range {
                    set.insert(gram);
                }
            }
        });
        count
    }

    /// The same for circular k-grams: the last word is followed by the first, as often as it takes.
    pub fn circular(&mut self, text: &str) -> (u64, &[u64]) {
        let Self { print, slide, k, set, head } = self;
        set.clear();
        slide.clear();
        let push = |word| slide.push(word);
        let count = circle(text, print, *k, head, |_, _, word| word, push, |gram| set.insert(gram));
        (count, &set.items)
    }
}

/// Calls `emit` with each circular k-gram of a text: after the last word come the first k - 1 again, starting over if
/// there are fewer. `token` makes a number of a word (its begin, end and fingerprint); `push` takes the next number and
/// returns the gram of the last k, once there are so many. Returns how many words there are, which is also how many
/// grams; `head` is a buffer.
#[inline]
pub fn circle(
    text: &str,
    print: &Fingerprinter,
    k: usize,
    head: &mut Vec<u64>,
    mut token: impl FnMut(usize, usize, u64) -> u64,
    mut push: impl FnMut(u64) -> Option<u64>,
    mut emit: impl FnMut(u64),
) -> u64 {
    head.clear();
    let mut count = 0;
    words(text, print, |begin, end, fingerprint| {
        count += 1;
        let token = token(begin, end, fingerprint);
        if head.len() + 1 < k {
            head.push(token);
        }
        if let Some(gram) = push(token) {
            emit(gram);
        }
    });
    for &token in head.iter().cycle().take(k - 1) {
        if let Some(gram) = push(token) {
            emit(gram);
        }
    }
    count
}

/// The distinct linear k-grams of a column of texts and how many each text has, as little-endian bytes.
pub fn distinct_all(texts: &Column<'_>, k: usize) -> (Vec<u8>, Vec<u8>) {
    let print = Fingerprinter::plain();
    let mut grams = Grams::new(&print, k);
    let (mut found, mut counts) = (Vec::new(), Vec::new());
    for row in 0..texts.len() {
        let (_, distinct) = grams.linear(&texts.text(row));
        distinct.iter().for_each(|gram| found.extend_from_slice(&gram.to_le_bytes()));
        counts.extend_from_slice(&(distinct.len() as u64).to_le_bytes());
    }
    (found, counts)
}

/// A set of fingerprints that remembers their order; hashbrown takes 1.27 times as long (see slots.rs).
#[derive(Default)]
pub struct Distinct {
    items: Vec<u64>,
    /// Each fingerprint is in the slot that [`home`] names or, if that is taken, in the next free one. Zero is a free
    /// slot. Their number is a power of two, and at most half of them are taken.
    slots: Vec<u64>,
    has_zero: bool,
}

impl Distinct {
    const LEAST: usize = 1 << 9;
    /// Clearing slots that few documents need would cost more than growing again.
    const KEPT: usize = 1 << 13;

    pub fn clear(&mut self) {
        self.items.clear();
        self.has_zero = false;
        if self.slots.len() > Self::KEPT || self.slots.is_empty() {
            self.slots = vec![0; Self::LEAST];
        } else {
            self.slots.fill(0);
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.items.len()
    }

    /// In the order in which they came.
    pub fn items(&self) -> &[u64] {
        &self.items
    }

    #[inline]
    pub fn insert(&mut self, gram: u64) {
        if gram == 0 {
            if !std::mem::replace(&mut self.has_zero, true) {
                self.items.push(0);
            }
        } else if Self::claim(&mut self.slots, gram) {
            self.items.push(gram);
            if self.items.len() * 2 > self.slots.len() {
                self.grow();
            }
        }
    }

    /// Whether `gram` was not there yet.
    #[inline]
    fn claim(slots: &mut [u64], gram: u64) -> bool {
        let mask = slots.len() - 1;
        let mut slot = home(gram, slots.len());
        loop {
            match slots[slot & mask] {
                0 => {
                    slots[slot & mask] = gram;
                    return true;
                }
                taken if taken == gram => return false,
                _ => slot += 1,
            }
        }
    }

    #[cold]
    fn grow(&mut self) {
        self.slots = vec![0; self.slots.len() * 4];
        for &item in self.items.iter().filter(|&&item| item != 0) {
            Self::claim(&mut self.slots, item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn count(text: &str, k: usize) -> (u64, usize, usize) {
        let print = Fingerprinter::plain();
        let mut grams = Grams::new(&print, k);
        let (words, linear) = grams.linear(text);
        let linear = linear.len();
        let circular = grams.circular(text).1.len();
        (words, linear, circular)
    }

    #[test]
    fn counts() {
        assert_eq!(count("", 3), (0, 0, 0));
        assert_eq!(count("a", 3), (1, 0, 1));
        assert_eq!(count("a b", 3), (2, 0, 2));
        assert_eq!(count("a b c", 3), (3, 1, 3));
        assert_eq!(count("a b c a b c", 3), (6, 3, 3));
        assert_eq!(count("a a a a a", 3), (5, 1, 1));
        assert_eq!(count("a b c", 1), (3, 3, 3));
    }

    #[test]
    fn ranges_are_all_of_it() {
        let text: String = (0..1_500_000).map(|i| format!("{} ", i * i % 999_983)).collect();
        let print = Fingerprinter::plain();
        let mut grams = Grams::new(&print, 2);
        let (words, all) = grams.linear(&text);
        let all: HashSet<u64> = all.iter().copied().collect();
        let (mut found, mut largest, mut ranges) = (HashSet::new(), 0, 0);
        let counts = grams.linear_by_ranges(&text, |range| {
            found.extend(range);
            largest = largest.max(range.len());
            ranges += 1;
        });
        assert_eq!(ranges, text.len() / RANGE);
        assert!(largest < all.len() * 3 / 2 / ranges);
        assert_eq!(counts, (words, all.len() as u64));
        assert_eq!(found, all);
        assert_eq!(grams.linear_by_ranges("a b a b c", |range| assert_eq!(range.len(), 3)), (5, 3));
    }

    #[test]
    fn the_set_is_a_set() {
        let mut set = Distinct::default();
        for round in 1..4_u64 {
            set.clear();
            let values: Vec<u64> =
                (0..50_000 / round).map(|i| (i % 20_000).wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
            values.iter().for_each(|&value| set.insert(value));
            assert_eq!(set.items.len(), values.iter().collect::<HashSet<_>>().len());
        }
    }
}
