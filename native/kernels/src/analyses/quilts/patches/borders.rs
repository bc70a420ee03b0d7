//! Whether a text reads on across the borders of a passage.
//!
//! Whoever wrote a text goes on with the same matter: the words before a border and behind it have some in common that are
//! not common words. Where a passage was put behind one of another page, they have hardly any. So a page that was stitched
//! together jumps at the borders of its passages, and its sources read on there; a page that others took from reads on, and
//! it is they who jump.

use crate::sketches::lexicon::Lexicon;
use crate::store::checksums::Parts;
use crate::text::fingerprint::Fingerprinter;
use crate::text::unicode;

use super::places::PlacedWords;

/// How many words on each side of a border are compared.
pub const REACH: usize = 80;
/// Fewer words behind a border say nothing.
pub const FEWEST: usize = 8;

/// Of borders: the distinct uncommon words on both sides of each, and twice those on both.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Bond {
    pub twice_common: u64,
    pub words: u64,
}

impl Bond {
    pub fn add(&mut self, other: Self) {
        self.twice_common += other.twice_common;
        self.words += other.words;
    }

    /// The share of the words that are on both sides; none of nothing.
    pub fn share(self) -> f64 {
        crate::analyses::quilts::covers::share(self.twice_common, self.words)
    }
}

/// Tells words that are in few documents.
pub struct Uncommon<B> {
    common: Lexicon<B>,
    print: Fingerprinter,
    folded: Vec<u8>,
    repeats: Repeats,
}

/// The words around a passage that repeat some of it.
#[derive(Default)]
struct Repeats {
    passage: Vec<u64>,
    words: Vec<usize>,
}

impl Repeats {
    /// Finds them by the grams of the page, the first of which begins with its first word, and so on.
    fn find(&mut self, grams: &[u64], k: usize, (begin, end): (usize, usize)) {
        self.passage.clear();
        self.passage.extend(&grams[begin..end + 1 - k]);
        self.passage.sort_unstable();
        self.words.clear();
        let before = begin.saturating_sub(REACH + k - 1)..(begin + 1).saturating_sub(k);
        let behind = end..grams.len().min(end + REACH);
        for at in before.chain(behind).filter(|&at| self.passage.binary_search(&grams[at]).is_ok()) {
            self.words.extend(at..at + k);
        }
        self.words.sort_unstable();
    }
}

impl<B: Parts> Uncommon<B> {
    pub fn new(common: Lexicon<B>) -> Self {
        Self { common, print: Fingerprinter::plain(), folded: Vec::new(), repeats: Repeats::default() }
    }

    /// The distinct uncommon words among some words of a page, sorted.
    fn choose(&mut self, text: &str, page: &PlacedWords, words: impl Iterator<Item = usize>) -> Vec<u64> {
        let mut found: Vec<u64> = words
            .map(|word| {
                let (begin, end) = page.spans[word].bytes;
                self.folded.clear();
                unicode::append_folded(&mut self.folded, &text[begin as usize..end as usize]);
                self.print.word(&self.folded)
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        found.retain(|&word| self.common.rank(word).is_none());
        found
    }

    /// Before and behind the words `begin..end` of a page: what they have in common with those on the other side of the
    /// border. Of the passage, only words that it shares with the other page count (`exact`). Beyond it, words that repeat
    /// some of it do not count: who says a thing twice does not read on.
    pub fn bonds(
        &mut self,
        text: &str,
        page: &PlacedWords,
        (grams, k): (&[u64], usize),
        (begin, end): (usize, usize),
        exact: impl Fn(usize) -> bool,
    ) -> [Bond; 2] {
        self.repeats.find(grams, k, (begin, end));
        let borders = [
            (begin.saturating_sub(REACH)..begin, begin..end.min(begin + REACH)),
            (end..page.spans.len().min(end + REACH), begin.max(end.saturating_sub(REACH))..end),
        ];
        borders.map(|(outside, inside)| {
            let outside: Vec<usize> = outside.filter(|word| self.repeats.words.binary_search(word).is_err()).collect();
            if outside.len() < FEWEST {
                return Bond::default();
            }
            let inside = self.choose(text, page, inside.filter(|&word| exact(word)));
            let outside = self.choose(text, page, outside.into_iter());
            let common = outside.iter().filter(|word| inside.binary_search(word).is_ok()).count();
            Bond { twice_common: 2 * common as u64, words: (outside.len() + inside.len()) as u64 }
        })
    }

    /// What the page's own words before a passage and behind it have in common: whoever quotes goes on with their matter.
    pub fn resume(
        &mut self,
        text: &str,
        page: &PlacedWords,
        (begin, end): (usize, usize),
        own: impl Fn(usize) -> bool,
    ) -> Bond {
        let before: Vec<usize> = (begin.saturating_sub(REACH)..begin).filter(|&word| own(word)).collect();
        let behind: Vec<usize> = (end..page.spans.len().min(end + REACH)).filter(|&word| own(word)).collect();
        if before.len().min(behind.len()) < FEWEST {
            return Bond::default();
        }
        let before = self.choose(text, page, before.into_iter());
        let behind = self.choose(text, page, behind.into_iter());
        let common = before.iter().filter(|word| behind.binary_search(word).is_ok()).count();
        Bond { twice_common: 2 * common as u64, words: (before.len() + behind.len()) as u64 }
    }
}
