//! A few numbers that stand for a document, by which near-duplicates are found: shingles and I-Match signatures.

pub mod imatch;
pub mod lexicon;
pub mod minwise;
pub mod rabin;
pub mod shingles;
pub mod signer;
pub mod spots;
