//! The buckets of a document by either method: documents are near-duplicates if they share one.

use crate::sketches::imatch::{key, Signatures};
use crate::sketches::minwise::Sketcher;
use crate::sketches::shingles::combine;
use crate::store::checksums::Parts;

/// How many super-fingerprints documents have, and how many of them near-duplicates share.
pub struct Supers {
    pub sketcher: Sketcher,
    pub supers: usize,
    pub agree: usize,
}

impl Supers {
    /// Calls `each` with the buckets of a text; false if it has no words.
    pub fn buckets(&mut self, text: &str, each: impl FnMut(u64)) -> bool {
        let found = self.sketcher.supers(text, self.supers);
        found.map(|supers| combine(&supers, self.agree, each)).is_some()
    }
}

/// Says the buckets of documents.
pub enum Signer<B> {
    Shingles(Supers),
    IMatch(Signatures<B>),
}

impl<B: Parts> Signer<B> {
    /// Calls `each` with the key of each bucket of a document.
    pub fn keys(&mut self, text: &str, mut each: impl FnMut(u64)) {
        match self {
            Self::Shingles(supers) => {
                supers.buckets(text, each);
            }
            Self::IMatch(signatures) => signatures.of(text, |coordinate, signature| each(key(coordinate, &signature))),
        }
    }
}
