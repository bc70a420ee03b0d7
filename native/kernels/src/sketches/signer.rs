//! The buckets of a document by either method: documents are near-duplicates if they share one.

use crate::sketches::imatch::{key, Signatures};
use crate::sketches::minwise::Sketcher;
use crate::sketches::shingles::pairs;
use crate::store::checksums::Parts;

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
