//! Passages: patches with a few changed words between, and whether they were sewn into a page.
//!
//! Patches of one source in the same order, with at most a few words between any two in page and source, are one passage.
//!
//! Where somebody put a passage of one page behind a passage of another, the words across the seam are nowhere else: the
//! passages of the two sources end there. Where the passage of one source runs on into that of another, no one cut: the
//! text was there first, and each of the others took a part of it, or all are versions of the same text. And scraps,
//! headings and titles of a few words, are no passages. So a passage is *sewn in* if it has a least length, and shares no
//! two words in a row with such a passage of another source. (One word is often chance: many sentences begin alike.)

use std::collections::{HashMap, HashSet};

use super::borders::Bond;
use super::passages::Origin;

/// Words that the passages of two sources may have in common at a seam, where equal words are passages.
pub const BY_CHANCE: u32 = 1;
/// Passages of two sources with at most so many words between are joined: a heading or a sentence.
const BETWEEN: u32 = 20;

/// A run of words of the page, and where the source has it.
pub struct Passage {
    pub source: u64,
    /// First word, and the one behind the last, in the page and in the source.
    pub begin: u32,
    pub end: u32,
    pub source_begin: u64,
    pub source_end: u64,
    /// How the source reads on before and behind it.
    pub bonds: [Bond; 2],
}

/// The passages of a page, from patches in the order of the page.
pub struct PassageChains {
    gap: u64,
    overlap: u64,
    pub passages: Vec<Passage>,
    /// The last passage of each source.
    last: HashMap<u64, usize>,
}

impl PassageChains {
    pub fn new(k: usize, gap: u64) -> Self {
        Self { gap, overlap: k as u64, passages: Vec::new(), last: HashMap::new() }
    }

    /// Adds the patch `begin..end` of the page.
    pub fn add(&mut self, origin: &Origin, begin: u32, end: u32) {
        let words = u64::from(end - begin);
        let (source_begin, source_end) = (origin.first_word, origin.first_word + words);
        if let Some(last) = self.last.get(&origin.source).map(|&last| &mut self.passages[last]) {
            let follows = |from: u64, to: u64| from + self.overlap >= to && from <= to + self.gap;
            if self.gap > 0
                && follows(begin.into(), last.end.into())
                && follows(source_begin, last.source_end)
                && source_begin > last.source_begin
                && source_end > last.source_end
            {
                (last.end, last.source_end) = (end, source_end);
                last.bonds[1] = origin.bonds[1];
                return;
            }
        }
        self.last.insert(origin.source, self.passages.len());
        let Origin { source, bonds, .. } = *origin;
        self.passages.push(Passage { source, begin, end, source_begin, source_end, bonds });
    }
}

/// How much of a page is in passages, and how much of that is sewn in.
#[derive(Debug, Default, PartialEq)]
pub struct Seams {
    /// Places of grams that lie in a passage.
    pub spanned: u64,
    /// Grams in passages, and in those that are sewn in.
    pub all: u64,
    pub sewn: u64,
    /// Words in those, and their sources.
    pub sewn_words: u64,
    pub sewn_sources: u64,
    /// The same of those that are joined to one of another source.
    pub joined_words: u64,
    pub joined_sources: u64,
    /// Pairs of passages of one source, one after the other in the page, with a passage of another source between: how many
    /// follow each other in the source, too, and how many do not.
    pub in_order: u64,
    pub out_of_order: u64,
}

/// Judges the passages of a page, in the order in which they begin; scraps are those of fewer than `least` words. Those of
/// two sources may have so many words in common at a seam.
pub fn judge_seams(passages: &[Passage], k: u32, least: u64, blurred: u32) -> Seams {
    let mut seams = Seams::default();
    let mut done = 0;
    for passage in passages {
        let end = passage.end + 1 - k;
        seams.all += u64::from(end - passage.begin);
        seams.spanned += u64::from(end.saturating_sub(passage.begin.max(done)));
        done = done.max(end);
    }
    let long: Vec<&Passage> = passages.iter().filter(|p| u64::from(p.end - p.begin) >= least).collect();
    // Where the next passage of another source begins.
    let mut next = vec![u32::MAX; long.len()];
    for place in (1..long.len()).rev() {
        let same = long[place].source == long[place - 1].source;
        next[place - 1] = if same { next[place] } else { long[place].begin };
    }
    let mut last: HashMap<u64, u64> = HashMap::new();
    for (place, passage) in long.iter().enumerate() {
        let before = last.insert(passage.source, passage.source_begin);
        if let Some(before) = before.filter(|_| long[place - 1].source != passage.source) {
            *if passage.source_begin > before { &mut seams.in_order } else { &mut seams.out_of_order } += 1;
        }
    }
    let mut sewn: Vec<&Passage> = Vec::new();
    // Of the passages before: how far they reach, and of which source; and how far those of other sources reach.
    let (mut farthest, mut other): ((u32, u64), u32) = ((0, u64::MAX), 0);
    for (passage, next) in long.iter().zip(next) {
        let before = if farthest.1 == passage.source { other } else { farthest.0 };
        if before <= passage.begin + blurred && passage.end <= next.saturating_add(blurred) {
            seams.sewn += u64::from(passage.end + 1 - k - passage.begin);
            seams.sewn_words += u64::from(passage.end - passage.begin);
            sewn.push(passage);
        }
        if passage.source == farthest.1 {
            farthest.0 = farthest.0.max(passage.end);
        } else if passage.end > farthest.0 {
            (other, farthest) = (farthest.0, (passage.end, passage.source));
        } else {
            other = other.max(passage.end);
        }
    }
    seams.sewn_sources = count_sources(sewn.iter().copied());
    let joins = |at: usize| sewn[at].source != sewn[at + 1].source && sewn[at + 1].begin <= sewn[at].end + BETWEEN;
    let is_joined = |&at: &usize| (at > 0 && joins(at - 1)) || (at + 1 < sewn.len() && joins(at));
    let joined: Vec<&Passage> = (0..sewn.len()).filter(is_joined).map(|at| sewn[at]).collect();
    seams.joined_words = joined.iter().map(|passage| u64::from(passage.end - passage.begin)).sum();
    seams.joined_sources = count_sources(joined.into_iter());
    seams
}

fn count_sources<'a>(passages: impl Iterator<Item = &'a Passage>) -> u64 {
    passages.map(|passage| passage.source).collect::<HashSet<_>>().len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passages(patches: &[(u64, u64, u32, u32)], gap: u64) -> Vec<Passage> {
        let mut chains = PassageChains::new(1, gap);
        for &(source, first_word, begin, end) in patches {
            chains.add(&Origin { source, first_word, bonds: [Bond::default(); 2] }, begin, end);
        }
        chains.passages
    }

    fn sewn(patches: &[(u64, u32, u32)], least: u64) -> f64 {
        let patches: Vec<_> = patches.iter().map(|&(source, begin, end)| (source, 0, begin, end)).collect();
        let Seams { sewn, all, .. } = judge_seams(&passages(&patches, 0), 1, least, BY_CHANCE);
        sewn as f64 / all.max(1) as f64
    }

    #[test]
    fn passages_that_run_into_each_other_are_not_sewn_in() {
        assert_eq!(sewn(&[], 1), 0.0);
        assert_eq!(sewn(&[(1, 0, 10)], 1), 1.0);
        assert_eq!(sewn(&[(1, 0, 10)], 11), 0.0);
        assert_eq!(sewn(&[(1, 0, 10), (2, 10, 30), (3, 29, 39)], 1), 1.0, "one word may be chance");
        assert_eq!(sewn(&[(1, 0, 10), (2, 10, 30), (3, 28, 38)], 1), 0.25);
        assert_eq!(sewn(&[(1, 0, 10), (1, 8, 30), (2, 30, 40), (1, 38, 46)], 1), 32.0 / 50.0, "of one source");
        assert_eq!(sewn(&[(1, 0, 10), (2, 5, 15), (2, 10, 20), (3, 16, 26)], 1), 0.0, "the last but one, too");
        assert_eq!(sewn(&[(1, 0, 20), (2, 18, 22), (3, 22, 42)], 10), 40.0 / 44.0, "scraps hide no seam");
    }

    #[test]
    fn patches_with_changed_words_between_are_one_passage() {
        let spans = |patches: &[(u64, u64, u32, u32)], gap| {
            passages(patches, gap).iter().map(|p| (p.source, p.begin, p.end)).collect::<Vec<_>>()
        };
        let edited = [(1, 100, 0, 9), (1, 110, 10, 19), (1, 300, 20, 29), (1, 120, 30, 39)];
        assert_eq!(spans(&edited, 0).len(), 4);
        assert_eq!(spans(&edited, 3), [(1, 0, 19), (1, 20, 29), (1, 30, 39)]);
        assert_eq!(spans(&[(1, 0, 0, 9), (2, 50, 9, 14), (1, 14, 15, 24)], 10), [(1, 0, 24), (2, 9, 14)]);
        assert_eq!(
            judge_seams(&passages(&edited, 3), 1, 10, BY_CHANCE),
            Seams { spanned: 37, all: 37, sewn: 19, sewn_words: 19, sewn_sources: 1, ..Seams::default() }
        );
    }

    #[test]
    fn interleaved_passages_follow_the_order_of_their_source_or_do_not() {
        let order = |patches: &[(u64, u64, u32, u32)]| {
            let Seams { in_order, out_of_order, .. } = judge_seams(&passages(patches, 0), 1, 1, BY_CHANCE);
            (in_order, out_of_order)
        };
        assert_eq!(order(&[(1, 100, 0, 10), (1, 50, 10, 20)]), (0, 0), "nothing between");
        assert_eq!(order(&[(1, 100, 0, 10), (2, 100, 10, 20), (1, 200, 20, 30), (2, 50, 30, 40)]), (1, 1));
    }
}
