//! Phrases that many documents share, and what pages and sites consist of them (Fetterly, Manasse and Najork).
//!
//! 1. [`samples`] takes the shingles of each document: of 84 functions, the gram that each puts first. A shingle is a
//!    pair (function, gram); rows are keyed by gram and say by which functions a document sampled it.
//! 2. [`popular`] sees all documents of a gram: which of its shingles are popular, what to look up its text by, and, as
//!    in quilts, the distinct lists of documents that popular shingles have, each with their number.
//! 3. [`donors`] sends a list to its documents: the others can cover those shingles.
//! 4. [`covering`] counts the popular shingles of a document and finds its covering set.
//! 5. [`texts`] looks up what popular phrases say, [`whole`] joins grams to phrases that people can read; [`hosts`] counts by host, domain or address; [`draws`] draws samples
//!    of documents.
//!
//! With every gram instead of a sample, each gram is a shingle of one function, and the rest is the same.

pub mod covering;
pub mod donors;
pub mod draws;
pub mod hosts;
pub mod popular;
pub mod samples;
pub mod texts;
pub mod whole;

use crate::row;

/// What is wanted of a document: its covering set.
pub const COVERED: u8 = 1;
/// That it is a source of the covering sets of others.
pub const SOURCE: u8 = 2;
/// That it is picked before sources that are not.
pub const PREFERRED: u8 = 4;

/// How many bytes say by which of the functions a gram was sampled, a bit for each.
pub const FUNCTIONS: usize = crate::sketches::minwise::SHINGLES.div_ceil(8);

row! {
    /// Of a gram: a document that sampled it, by which functions, what is wanted of it ([`COVERED`] and so on), and where
    /// it stands (the first place of a code, see [`servers`](crate::documents::servers)).
    pub struct Sampled<'a> { doc: u32, functions: &'a [u8; FUNCTIONS], marks: u8, place: crate::flow::fields::Rest<'a> }
}

row! {
    /// Of a document: how many words and how many shingles it has; if all grams are taken, these are its grams.
    pub struct Sketched { words: u64, shingles: u64 }
}

row! {
    /// Of a document, or of a number of documents: so many shingles.
    pub struct Weight { shingles: u64 }
}
