//! From grams that someone else has made: document frequencies and patch fractions, nothing more.
//!
//! No analysis needs this alone; it is what SQL engines can be asked for on equal terms, so benchmarks use it, and tests
//! of the verbs.

use crate::flow::kernel::{Column, GroupKernel, MapKernel, Output, Rows};
use crate::flow::rows::{take_doc, take_u64};
use crate::flow::tables::{put_number, put_real};

/// Map (gram, doc): the pairs as rows, keyed by gram. Pairs of one document that follow each other share its tail.
pub struct Postings;

impl MapKernel for Postings {
    fn batch(&mut self, columns: &[Column<'_>], _: &[Column<'_>], out: &mut Output) {
        let [Column::Numbers(grams), Column::Numbers(documents)] = columns else { return };
        let mut keys = Vec::new();
        let mut begin = 0;
        for same in documents.chunk_by(|a, b| a == b) {
            keys.clear();
            keys.extend(grams[begin..begin + same.len()].iter().map(|&gram| gram as u64));
            begin += same.len();
            out.ports[0].run(&keys, &(same[0] as u32).to_be_bytes());
        }
        out.count("grams", grams.len() as u64);
    }
}

/// Group by gram: how many grams, and how many patch grams, each document has in this partition. Keeps m + 1 rows of a
/// key and two numbers for each document.
pub struct Shares {
    m: usize,
    documents: Vec<u32>,
    counts: Vec<[u32; 2]>,
}

impl Shares {
    pub fn new(m: u64) -> Self {
        Self { m: usize::try_from(m).unwrap_or(usize::MAX), documents: Vec::new(), counts: Vec::new() }
    }

    fn count(&mut self, patch: bool) {
        for &doc in &self.documents {
            let doc = doc as usize;
            if doc >= self.counts.len() {
                self.counts.resize(doc + 1 + doc / 2, [0; 2]);
            }
            self.counts[doc][0] += 1;
            self.counts[doc][1] += u32::from(patch);
        }
        self.documents.clear();
    }
}

impl GroupKernel for Shares {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, _: &mut Output) {
        let mut df = 0;
        while let Some((_, mut tail)) = rows.next() {
            df += 1;
            self.documents.extend(take_doc(&mut tail));
            if df > self.m {
                self.count(false);
            }
        }
        self.count(df > 1 && df <= self.m);
    }

    fn finish(&mut self, out: &mut Output) {
        for (doc, [grams, patch]) in self.counts.iter().enumerate().filter(|(_, counts)| counts[0] > 0) {
            let mut tail = Vec::new();
            put_number(&mut tail, u64::from(*grams));
            put_number(&mut tail, u64::from(*patch));
            out.ports[0].row(doc as u64, &tail);
        }
    }
}

/// Group by document: its grams, its patch grams and their share. Keeps two numbers.
pub struct Totals;

impl GroupKernel for Totals {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) {
        let (mut grams, mut patch) = (0, 0);
        while let Some((_, mut tail)) = rows.next() {
            grams += take_u64(&mut tail).unwrap_or_default();
            patch += take_u64(&mut tail).unwrap_or_default();
        }
        let mut tail = Vec::new();
        put_number(&mut tail, grams);
        put_number(&mut tail, patch);
        put_real(&mut tail, if grams == 0 { 0.0 } else { patch as f64 / grams as f64 });
        out.ports[0].row(key, &tail);
    }
}
