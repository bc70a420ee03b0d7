//! Document frequencies and patch fractions, from grams that are given as pairs (gram, document).
//!
//! No analysis needs this. Benchmarks use it, because SQL engines can be asked for the same, and so do tests of the
//! verbs.

use crate::flow::columns::Numbers;
use crate::flow::contract::Port;
use crate::flow::kernel::{Done, Group, Map, Output, Rows};
use crate::{columns, contract, parameters, row};

columns! {
    /// Pairs of a gram and a document.
    pub struct Pairs<'a> { gram: Numbers<'a>, doc: Numbers<'a> }
}

row! {
    /// Of a gram: a document.
    pub struct Holder { doc: u32 }
}

/// Map: the pairs as rows, keyed by gram. Pairs of one document that follow each other share its tail.
pub struct Postings;

contract! {
    map Postings = "postings";
    new() = Ok(Self);
    reads Pairs<'a>;
    keeps "the grams of one document";
    const ROWS: Port<Holder> = Port::hashes(0, "rows");
}

impl Map for Postings {
    fn batch<'a>(&mut self, pairs: Pairs<'a>, (): (), out: &mut Output) -> Done {
        let mut keys = Vec::new();
        for (doc, rows) in pairs.doc.runs() {
            keys.clear();
            keys.extend(rows.map(|row| pairs.gram.at(row)));
            out.run(&Self::ROWS, &keys, Holder { doc: doc as u32 });
        }
        out.count("grams", pairs.gram.len() as u64);
        Ok(())
    }
}

parameters! {
    /// The most documents that share a patch gram.
    pub struct Most { m: usize }
}

row! {
    /// Of a document: how many grams and patch grams it has.
    pub struct Counted { grams: u64, patch_grams: u64 }
}

/// Group by gram: how many grams, and how many patch grams, each document has in this partition.
pub struct Shares {
    m: usize,
    documents: Vec<u32>,
    counts: Vec<[u32; 2]>,
}

contract! {
    group Shares = "shares";
    new(Most { m }) = Ok(Self { m, documents: Vec::new(), counts: Vec::new() });
    key Hash of [Holder];
    keeps "m + 1 rows of a key, and two numbers for each document";
    const COUNTS: Port<Counted> = Port::documents(0, "counts");
}

impl Shares {
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

impl Group for Shares {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, _: &mut Output) -> Done {
        let mut df = 0;
        while let Some((_, tail)) = rows.next() {
            df += 1;
            self.documents.push(Holder::take(tail)?.doc);
            if df > self.m {
                self.count(false);
            }
        }
        self.count(df > 1 && df <= self.m);
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        for (doc, [grams, patch]) in self.counts.iter().enumerate().filter(|(_, counts)| counts[0] > 0) {
            let counted = Counted { grams: u64::from(*grams), patch_grams: u64::from(*patch) };
            out.row(&Self::COUNTS, doc as u64, counted);
        }
    }
}

row! {
    /// Of a document: its grams, its patch grams and their share.
    pub struct Total { grams: u64, patch_grams: u64, patchfrac: f64 }
}

/// Group by document: the counts of all partitions, added up.
pub struct Totals;

contract! {
    group Totals = "totals";
    new() = Ok(Self);
    key Doc of [Counted];
    keeps "two numbers";
    const TOTALS: Port<Total> = Port::documents(0, "totals");
}

impl Group for Totals {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let (mut grams, mut patch_grams) = (0, 0);
        while let Some((_, tail)) = rows.next() {
            let counted = Counted::take(tail)?;
            grams += counted.grams;
            patch_grams += counted.patch_grams;
        }
        let patchfrac = if grams == 0 { 0.0 } else { patch_grams as f64 / grams as f64 };
        out.row(&Self::TOTALS, key, Total { grams, patch_grams, patchfrac });
        Ok(())
    }
}
