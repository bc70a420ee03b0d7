//! The kernels of a sweep: how many quilts there are, for many (m, c, σ) at once.
//!
//! Grams and lists are made once, for the largest m: an element says the df of its grams, so those of a smaller m are
//! a subset. What is left for each document and m is a cover, and [`Sweep`] makes only those that can matter: where the
//! patch fraction reaches the least σ, where there is enough to cover for the least c, and where m has elements that
//! the next smaller one has not. c and σ are mere comparisons then.

use crate::analyses::cover::Cover;
use crate::analyses::quilts::{element, numbers};
use crate::flow::kernel::{Column, GroupKernel, MapKernel, Output, Rows};
use crate::flow::rows::take_u64;
use crate::flow::tables::{put_number, put_real};

/// The values to combine: some of each, ascending.
pub struct Grid {
    pub m: Vec<u64>,
    pub c: Vec<u64>,
    pub sigma: Vec<f64>,
}

/// Group by document, of its numbers (first table) and its elements (second): for each combination, the number of
/// quilts and of all their sources, and the number of documents, in this partition. Rows are keyed by k. Keeps the
/// elements of one document, and two numbers for each combination.
pub struct Sweep {
    k: u64,
    grid: Grid,
    min_share: f64,
    documents: u64,
    /// Quilts and their sources by combination: σ changes fastest, m slowest.
    counts: Vec<[u64; 2]>,
    cover: Cover,
    /// The candidates of all elements of the document, one after the other, and the elements.
    candidates: Vec<u8>,
    elements: Vec<Element>,
}

struct Element {
    df: u32,
    weight: u64,
    /// Where its candidates begin and end.
    candidates: (usize, usize),
}

impl Sweep {
    pub fn new(k: u64, grid: Grid, min_share: f64) -> Self {
        let counts = vec![[0; 2]; grid.m.len() * grid.c.len() * grid.sigma.len()];
        let (cover, candidates, elements) = (Cover::default(), Vec::new(), Vec::new());
        Self { k, grid, min_share, documents: 0, counts, cover, candidates, elements }
    }

    /// Reads the document's elements; returns the number of its grams.
    fn read(&mut self, rows: &mut dyn Rows) -> u64 {
        self.candidates.clear();
        self.elements.clear();
        let mut grams = 0;
        while let Some((table, mut tail)) = rows.next() {
            if table == 0 {
                let _words = take_u64(&mut tail);
                grams = take_u64(&mut tail).unwrap_or_default();
            } else {
                let (candidates, df, weight) = element(tail);
                let begin = self.candidates.len();
                self.candidates.extend_from_slice(candidates);
                self.elements.push(Element { df, weight, candidates: (begin, self.candidates.len()) });
            }
        }
        grams
    }

    /// Counts the document where it is a quilt. The patch fraction grows with m, and so does what is to be covered.
    fn count(&mut self, grams: u64) {
        let (Some(&least_sources), Some(&least_share)) = (self.grid.c.first(), self.grid.sigma.first()) else { return };
        let share = |patch_grams: u64| patch_grams as f64 / grams as f64;
        if grams == 0 || share(self.elements.iter().map(|element| element.weight).sum()) < least_share {
            return;
        }
        self.elements.sort_unstable_by_key(|element| element.df);
        self.cover.clear();
        let (mut added, mut patch_grams, mut sources) = (0, 0, Some(0));
        for (place, &m) in self.grid.m.iter().enumerate() {
            for element in self.elements[added..].iter().take_while(|element| u64::from(element.df) <= m) {
                self.cover.add(element.weight, numbers(&self.candidates[element.candidates.0..element.candidates.1]));
                patch_grams += element.weight;
                added += 1;
                sources = None;
            }
            if share(patch_grams) < least_share {
                continue;
            }
            let sources = *sources.get_or_insert_with(|| match self.cover.most_picks() as u64 {
                few if few < least_sources => few,
                _ => self.cover.greedy(self.min_share, patch_grams).len() as u64,
            });
            let combinations = self.grid.c.len() * self.grid.sigma.len();
            let rows = self.counts[place * combinations..][..combinations].chunks_mut(self.grid.sigma.len());
            for (_, row) in self.grid.c.iter().zip(rows).take_while(|(&c, _)| sources >= c) {
                for (_, cell) in self.grid.sigma.iter().zip(row).take_while(|(&sigma, _)| share(patch_grams) >= sigma) {
                    cell[0] += 1;
                    cell[1] += sources;
                }
            }
        }
    }
}

impl GroupKernel for Sweep {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, _: &mut Output) {
        let grams = self.read(rows);
        self.documents += 1;
        self.count(grams);
    }

    fn finish(&mut self, out: &mut Output) {
        if self.documents == 0 {
            return; // an engine may leave out partitions without rows, so they must not show
        }
        let mut counts = self.counts.iter();
        let mut tail = Vec::new();
        for &m in &self.grid.m {
            for &c in &self.grid.c {
                for (place, [quilts, sources]) in counts.by_ref().take(self.grid.sigma.len()).enumerate() {
                    tail.clear();
                    for number in [m, c, place as u64, *quilts, *sources, self.documents] {
                        put_number(&mut tail, number);
                    }
                    out.ports[0].row(self.k, &tail);
                }
            }
        }
    }
}

/// Group by k: the counts of all partitions, added up for each combination. Keeps one combination.
#[derive(Default)]
pub struct Sums {
    combination: Vec<u8>,
    counts: [u64; 3],
}

impl Sums {
    const COMBINATION: usize = 3 * 8;

    fn send(&mut self, key: u64, out: &mut Output) {
        if !self.combination.is_empty() {
            self.counts.iter().for_each(|&count| put_number(&mut self.combination, count));
            out.ports[0].row(key, &self.combination);
        }
        self.combination.clear();
        self.counts = [0; 3];
    }
}

impl GroupKernel for Sums {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) {
        while let Some((_, tail)) = rows.next() {
            let (combination, mut counts) = tail.split_at(Self::COMBINATION.min(tail.len()));
            if combination != self.combination {
                self.send(key, out);
                self.combination.extend_from_slice(combination);
            }
            self.counts.iter_mut().for_each(|sum| *sum += take_u64(&mut counts).unwrap_or_default());
        }
        self.send(key, out);
    }
}

/// Map (k, m, c, number of σ, quilts, sources, documents): the share of documents that are quilts and the mean number
/// of their sources, 0 where there is no quilt.
pub struct Rates {
    pub sigma: Vec<f64>,
}

impl MapKernel for Rates {
    fn batch(&mut self, columns: &[Column<'_>], _: &[Column<'_>], out: &mut Output) {
        let [k, m, c, sigma, quilts, sources, documents] = columns else { return };
        let rate = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        let mut tail = Vec::new();
        for row in 0..k.len() {
            let [quilts, sources, documents] = [quilts, sources, documents].map(|column| column.number(row));
            tail.clear();
            put_number(&mut tail, m.number(row));
            put_number(&mut tail, c.number(row));
            put_real(&mut tail, self.sigma.get(sigma.number(row) as usize).copied().unwrap_or_default());
            put_number(&mut tail, quilts);
            put_real(&mut tail, rate(quilts, documents));
            put_real(&mut tail, rate(sources, quilts));
            out.ports[0].row(k.number(row), &tail);
        }
    }
}
