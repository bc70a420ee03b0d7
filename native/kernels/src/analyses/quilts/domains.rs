//! On which domains quilts stand, and which domains feed them.
//!
//! [`Visits`] brings what is known of a document (it is there, it is a quilt, a quilt draws on it) to its domain, and
//! [`Domains`] counts. Documents without a domain are counted together, under none.

use crate::flow::kernel::{GroupKernel, Output, Rows};
use crate::flow::rows::take_u64;
use crate::flow::tables::{put_number, put_real};
use crate::text::fingerprint::Fingerprinter;

/// What a row says of a document: tables of [`Visits`], and the order in which [`Domains`] hears of them.
const THERE: u8 = 0;
const QUILT: u8 = 1;
const SOURCE: u8 = 2;

/// Bytes of a visit behind the domain: what it says, and two numbers.
const VISIT: usize = 17;

/// Group by document, of its domain (first table), the quilt it may be (second) and the quilts that draw on it (third:
/// quilt, new grams): each as a row keyed by domain. Keeps one domain.
#[derive(Default)]
pub struct Visits {
    tail: Vec<u8>,
}

impl GroupKernel for Visits {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) {
        let mut domain = None;
        while let Some((table, mut tail)) = rows.next() {
            if table == THERE {
                self.tail.clear();
                self.tail.extend_from_slice(tail);
                domain = Some((Fingerprinter::plain().bytes(tail), tail.len()));
            }
            let Some((hash, length)) = domain else { continue };
            let (document, new_grams) = match table {
                SOURCE => (take_u64(&mut tail).unwrap_or_default(), take_u64(&mut tail).unwrap_or_default()),
                _ => (key, 0),
            };
            self.tail.truncate(length);
            self.tail.push(table);
            put_number(&mut self.tail, document);
            put_number(&mut self.tail, new_grams);
            out.ports[0].row(hash, &self.tail);
        }
    }
}

/// Group by domain: its lowest document, with the number of documents and quilts there, if there are quilts; and with
/// the number of quilts that draw on it, how often and for how many grams, if there are some. Keeps one domain.
#[derive(Default)]
pub struct Domains {
    /// As a field of a tail.
    name: Vec<u8>,
    counts: Counts,
}

#[derive(Default)]
struct Counts {
    first: u64,
    documents: u64,
    quilts: u64,
    /// Quilts that draw on the domain, and the last of them; they come in order.
    fed: u64,
    last_fed: Option<u64>,
    sources: u64,
    new_grams: u64,
}

impl Domains {
    pub const QUILTING: usize = 0;
    pub const FEEDING: usize = 1;

    fn close(&mut self, out: &mut Output) {
        let Counts { first, documents, quilts, fed, sources, new_grams, .. } = std::mem::take(&mut self.counts);
        if quilts > 0 {
            let mut tail = self.name.clone();
            put_number(&mut tail, documents);
            put_number(&mut tail, quilts);
            put_real(&mut tail, quilts as f64 / documents as f64);
            out.ports[Self::QUILTING].row(first, &tail);
        }
        if sources > 0 {
            let mut tail = self.name.clone();
            for number in [fed, sources, new_grams] {
                put_number(&mut tail, number);
            }
            out.ports[Self::FEEDING].row(first, &tail);
        }
    }
}

impl GroupKernel for Domains {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) {
        while let Some((_, tail)) = rows.next() {
            let (name, visit) = tail.split_at(tail.len().saturating_sub(VISIT));
            let Some((&said, mut numbers)) = visit.split_first() else { continue };
            let document = take_u64(&mut numbers).unwrap_or_default();
            // The first visit of a domain is that of its lowest document; another name may share the fingerprint.
            if self.counts.documents == 0 || name != self.name {
                self.close(out);
                self.name.clear();
                self.name.extend_from_slice(name);
                self.counts.first = document;
            }
            let counts = &mut self.counts;
            match said {
                THERE => counts.documents += 1,
                QUILT => counts.quilts += 1,
                _ => {
                    counts.fed += u64::from(counts.last_fed.replace(document) != Some(document));
                    counts.sources += 1;
                    counts.new_grams += take_u64(&mut numbers).unwrap_or_default();
                }
            }
        }
        self.close(out);
    }
}
