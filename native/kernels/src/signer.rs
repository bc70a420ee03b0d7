//! The buckets of a document by either method: documents are near-duplicates if they share one.

use crate::checksums::Parts;
use crate::imatch::{key, Signatures};
use crate::minwise::Sketcher;
use crate::shingles::pairs;

/// Says the buckets of documents.
pub enum Signer<B> {
    Shingles(Sketcher),
    IMatch(Signatures<B>),
}

impl<B: Parts> Signer<B> {
    /// Calls `each` with the key of each bucket of a document.
    pub fn keys(&mut self, text: &str, mut each: impl FnMut(u64)) {
        match self {
            Self::Shingles(sketcher) => sketcher.supers(text).iter().flat_map(pairs).for_each(each),
            Self::IMatch(signatures) => signatures.of(text, |coordinate, signature| each(key(coordinate, &signature))),
        }
    }
}
