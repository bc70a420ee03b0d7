//! What two documents share, all passages together.

use crate::flow::contract::Port;
use crate::flow::kernel::{Beginning, Done, Group, Output, Rows, Stretches};
use crate::{contract, row};

row! {
    /// Of the first document of a pair: the second; the words of a passage in both; how many words both have in all; how
    /// many sentences match; its weight.
    pub struct PairSpan {
        b: u32, a_from: u32, a_to: u32, b_from: u32, b_to: u32, a_words: u32, b_words: u32, sentences: u32, weight: f64,
    }
}

row! {
    /// Of the first document of a pair: the second; how many passages they share, of how many sentences and words; which
    /// share of each document these are; and their weight.
    pub struct PassagePair {
        b: u64, passages: u64, sentences: u64, words: u64, share_a: f64, share_b: f64, weight: f64,
    }
}

/// Group by first document: one row for each other document.
#[derive(Default)]
pub struct PassagePairs {
    in_a: Vec<(u32, u32)>,
    in_b: Vec<(u32, u32)>,
}

contract! {
    group PassagePairs = "passage pairs";
    new() = Ok(Self::default());
    key Doc of [PairSpan];
    keeps "the passages of one pair";
    const PAIRS: Port<PassagePair> = Port::documents(0, "pairs");
}

/// How many words these spans have, each counted once.
fn cover(spans: &mut [(u32, u32)]) -> u64 {
    spans.sort_unstable();
    let (mut words, mut reached) = (0, 0);
    for &mut (from, to) in spans {
        words += u64::from(to.saturating_sub(from.max(reached)));
        reached = reached.max(to);
    }
    words
}

impl Group for PassagePairs {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut pairs = Stretches::new(rows, Beginning::First(4));
        while pairs.begin() {
            self.in_a.clear();
            self.in_b.clear();
            let mut row =
                PassagePair { b: 0, passages: 0, sentences: 0, words: 0, share_a: 0.0, share_b: 0.0, weight: 0.0 };
            let mut totals = (0, 0);
            while let Some(tail) = pairs.tail() {
                let span = PairSpan::take(tail)?;
                self.in_a.push((span.a_from, span.a_to));
                self.in_b.push((span.b_from, span.b_to));
                (row.b, totals) = (span.b.into(), (span.a_words, span.b_words));
                row.passages += 1;
                row.sentences += u64::from(span.sentences);
                row.weight += span.weight;
            }
            let (words_a, words_b) = (cover(&mut self.in_a), cover(&mut self.in_b));
            row.words = words_a;
            row.share_a = words_a as f64 / f64::from(totals.0.max(1));
            row.share_b = words_b as f64 / f64::from(totals.1.max(1));
            out.row(&Self::PAIRS, key, row);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_once() {
        assert_eq!(cover(&mut [(5, 9), (0, 3), (7, 12), (2, 4), (8, 9)]), 11);
        assert_eq!(cover(&mut []), 0);
    }
}
