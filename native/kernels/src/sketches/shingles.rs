//! Near-duplicates by shingles: who shares two of six super-fingerprints (Broder et al.; Fetterly, Manasse, Najork).
//!
//! [`Shingles`] sends each document to the fifteen buckets of its pairs of super-fingerprints; in [`Buckets`], where
//! documents meet that share one, each is tied to the lowest. So there are at most fifteen edges a document, however many
//! share a template, and closing them transitively (see [`components`](crate::documents::components)) gives the same clusters as
//! all pairs would: two documents share two of six if and only if they meet in a bucket.

use crate::flow::kernel::{Column, GroupKernel, MapKernel, Output, Rows};
use crate::flow::rows::take_doc;
use crate::sketches::minwise::{Sketcher, SUPERS};
use crate::text::fingerprint::Fingerprinter;

/// Map (doc, text): each document with words in the bucket of each pair of its super-fingerprints.
pub struct Shingles {
    pub sketcher: Sketcher,
}

impl MapKernel for Shingles {
    fn batch(&mut self, columns: &[Column<'_>], _: &[Column<'_>], out: &mut Output) {
        let [documents, texts] = columns else { return };
        for row in 0..documents.len() {
            let doc = documents.number(row) as u32;
            match self.sketcher.supers(&texts.text(row)) {
                Some(supers) => pairs(&supers).for_each(|pair| out.ports[0].row(pair, &doc.to_be_bytes())),
                None => out.count("without_words", 1),
            }
        }
    }
}

/// The buckets of a document: a fingerprint for each pair of super-fingerprints, of which places they have, too.
pub fn pairs(supers: &[u64; SUPERS]) -> impl Iterator<Item = u64> + '_ {
    let print = Fingerprinter::plain();
    let places = (0..SUPERS).flat_map(|first| (first + 1..SUPERS).map(move |second| (first, second)));
    places.map(move |(first, second)| {
        let mut bytes = [0; 17];
        bytes[0] = (first * SUPERS + second) as u8;
        bytes[1..9].copy_from_slice(&supers[first].to_le_bytes());
        bytes[9..].copy_from_slice(&supers[second].to_le_bytes());
        print.bytes(&bytes)
    })
}

/// Group by bucket: an edge from each of its documents but the lowest to the lowest. The document is the end of a tail;
/// what comes before it, if anything, tells apart buckets that share a key. Keeps one tail.
#[derive(Default)]
pub struct Buckets {
    bucket: Vec<u8>,
}

impl GroupKernel for Buckets {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) {
        let mut lowest = None;
        while let Some((_, tail)) = rows.next() {
            let (bucket, mut doc) = tail.split_at(tail.len().saturating_sub(4));
            let Some(doc) = take_doc(&mut doc).map(u64::from) else { continue };
            match lowest {
                Some(lowest) if bucket == self.bucket => out.ports[0].row(doc, &u64::to_be_bytes(lowest)),
                _ => {
                    lowest = Some(doc);
                    self.bucket.clear();
                    self.bucket.extend_from_slice(bucket);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn two_of_six_is_one_bucket() {
        let buckets = |supers: [u64; SUPERS]| pairs(&supers).collect::<HashSet<_>>();
        let one = buckets([1, 2, 3, 4, 5, 6]);
        assert_eq!(one.len(), 15);
        for (other, common) in [
            ([1, 2, 3, 4, 5, 6], 15),
            ([1, 2, 3, 0, 0, 0], 3),
            ([0, 2, 0, 0, 5, 0], 1),
            ([0, 0, 3, 0, 0, 0], 0),
            ([2, 1, 4, 3, 6, 5], 0), // the same values, in other places
        ] {
            assert_eq!(one.intersection(&buckets(other)).count(), common, "{other:?}");
        }
    }
}
