//! How alike the documents of a cluster are: the Jaccard coefficients of their sets of circular k-grams, exactly.
//!
//! Documents are compared with the one that is kept for them and, on request, with those that an edge ties them to. Who
//! is to be compared with whom is a table ([`Comparisons`]); [`GramSets`] sends the set of each document to those it is
//! compared with, 8 bytes a gram; [`Jaccard`] has them side by side; [`Spread`] sums a cluster up.

use crate::flow::kernel::{Along, Column, GroupKernel, MapKernel, Output, Rows};
use crate::flow::rows::{take_bytes, take_u64};
use crate::flow::tables::{put_number, put_real};
use crate::text::fingerprint::Fingerprinter;
use crate::text::grams::Grams;

/// Why two documents are compared: one is kept for the other, or an edge ties them together.
const KEPT: u64 = 1;
const EDGE: u64 = 2;

/// Map (doc, other): the comparison as a row of `doc`, for a reason; and to the other document, that it takes part.
pub struct Comparisons {
    /// Whether the rows are edges; else they say which document is kept.
    pub edges: bool,
}

impl MapKernel for Comparisons {
    fn batch(&mut self, columns: &[Column<'_>], _: &[Column<'_>], out: &mut Output) {
        let [documents, others] = columns else { return };
        let mut tail = Vec::new();
        for row in 0..documents.len() {
            let other = others.number(row);
            for (doc, reason) in [(documents.number(row), if self.edges { EDGE } else { KEPT }), (other, 0)] {
                tail.clear();
                put_number(&mut tail, other);
                put_number(&mut tail, reason);
                out.ports[0].row(doc, &tail);
            }
        }
    }
}

/// Group by document: each of the others it is compared with once, for all reasons. Keeps one.
pub struct Compared;

impl GroupKernel for Compared {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) {
        let mut open: Option<(u64, u64)> = None;
        let mut tail = Vec::new();
        let mut close = |(other, reasons): (u64, u64), out: &mut Output| {
            tail.clear();
            put_number(&mut tail, other);
            put_number(&mut tail, reasons);
            out.ports[0].row(key, &tail);
        };
        while let Some((_, mut tail)) = rows.next() {
            let (Some(other), Some(reason)) = (take_u64(&mut tail), take_u64(&mut tail)) else { continue };
            match &mut open {
                Some((last, reasons)) if *last == other => *reasons |= reason,
                _ => {
                    if let Some(done) = open.replace((other, reason)) {
                        close(done, out);
                    }
                }
            }
        }
        if let Some(done) = open {
            close(done, out);
        }
    }
}

/// Map (doc, text), beside the comparisons of documents (doc, other, reasons): to each other document the grams of this
/// one, ascending.
pub struct GramSets {
    pub k: usize,
    pub print: Fingerprinter,
}

impl MapKernel for GramSets {
    fn batch(&mut self, columns: &[Column<'_>], beside: &[Column<'_>], out: &mut Output) {
        let ([documents, texts], [compared, others, reasons]) = (columns, beside) else { return };
        let mut along = Along::new(*compared);
        let mut grams = Grams::new(&self.print, self.k);
        let (mut set, mut tail) = (Vec::new(), Vec::new());
        for row in 0..documents.len() {
            let doc = documents.number(row);
            let with = along.rows(doc);
            if with.is_empty() {
                continue;
            }
            set.clear();
            set.extend_from_slice(grams.circular(&texts.text(row)).1);
            set.sort_unstable();
            for row in with {
                let other = others.number(row);
                tail.clear();
                tail.push(u8::from(doc != other)); // its own grams come first
                tail.extend_from_slice(&doc.to_be_bytes());
                tail.push(reasons.number(row) as u8);
                set.iter().for_each(|gram| tail.extend_from_slice(&gram.to_le_bytes()));
                out.ports[0].row(other, &tail);
            }
        }
    }
}

/// Group by document, of its own grams and those of documents compared with it: each pair that an edge ties together
/// with its Jaccard coefficient; and to the document that is kept, those of the ones it stands for. Keeps one document's
/// grams.
#[derive(Default)]
pub struct Jaccard {
    own: Vec<u64>,
}

impl Jaccard {
    pub const PAIRS: usize = 0;
    pub const KEPT: usize = 1;
}

impl GroupKernel for Jaccard {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) {
        self.own.clear();
        let mut row = Vec::new();
        while let Some((_, mut tail)) = rows.next() {
            let (Some(&[other]), Some(doc)) = (take_bytes(&mut tail, 1), take_u64(&mut tail)) else { continue };
            let Some(&[reasons]) = take_bytes(&mut tail, 1) else { continue };
            let grams = tail.as_chunks().0.iter().map(|gram| u64::from_le_bytes(*gram));
            if other == 0 {
                self.own.extend(grams);
                continue;
            }
            let jaccard = jaccard(&self.own, grams);
            row.clear();
            put_number(&mut row, key);
            put_real(&mut row, jaccard);
            if u64::from(reasons) & EDGE != 0 {
                out.ports[Self::PAIRS].row(doc, &row);
            }
            if u64::from(reasons) & KEPT != 0 {
                out.ports[Self::KEPT].row(key, &row[8..]);
            }
        }
    }
}

/// |A ∩ B| / |A ∪ B| of two ascending sets.
fn jaccard(own: &[u64], others: impl Iterator<Item = u64>) -> f64 {
    let (mut common, mut count, mut at) = (0_usize, 0_usize, 0);
    for gram in others {
        count += 1;
        while own.get(at).is_some_and(|&own| own < gram) {
            at += 1;
        }
        common += usize::from(own.get(at) == Some(&gram));
    }
    common as f64 / (own.len() + count - common).max(1) as f64
}

/// Group by kept document, of the similarities of the others to it: how many documents there are, the least similarity
/// and the median. Keeps 8 bytes a document of one cluster.
#[derive(Default)]
pub struct Spread {
    found: Vec<f64>,
}

impl GroupKernel for Spread {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) {
        self.found.clear();
        while let Some((_, mut tail)) = rows.next() {
            self.found.extend(take_u64(&mut tail).map(f64::from_bits)); // ascending: the bits of such numbers sort as they do
        }
        let Some(&least) = self.found.first() else { return };
        let middle = |half: usize| self.found[half.min(self.found.len() - 1)];
        let median = (middle((self.found.len() - 1) / 2) + middle(self.found.len() / 2)) / 2.0;
        let mut tail = Vec::new();
        put_number(&mut tail, self.found.len() as u64 + 1);
        put_real(&mut tail, least);
        put_real(&mut tail, median);
        out.ports[0].row(key, &tail);
    }
}

#[cfg(test)]
mod tests {
    use super::jaccard;

    #[test]
    fn coefficients() {
        assert!((jaccard(&[], std::iter::empty()) - 0.0).abs() < f64::EPSILON);
        assert!((jaccard(&[1, 2, 3], [2, 3, 4].into_iter()) - 0.5).abs() < f64::EPSILON);
        assert!((jaccard(&[1, 2], [1, 2].into_iter()) - 1.0).abs() < f64::EPSILON);
        assert!((jaccard(&[1, 2], [3, 4].into_iter()) - 0.0).abs() < f64::EPSILON);
        assert!((jaccard(&[5], [1, 2, 3, 5].into_iter()) - 0.25).abs() < f64::EPSILON);
    }
}
