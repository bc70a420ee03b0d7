//! Posting lists: which documents share a gram, counted by list rather than by gram.
//!
//! 1. [`Scan`](scan::Scan) turns texts into rows (gram → document).
//! 2. [`Lists`](lists::Lists) sees all documents of a gram. It drops unique and common grams and counts, for each
//!    distinct list of documents, how many grams have it. In a cover, such grams are one element, weighted by their
//!    number.
//! 3. [`Elements`](elements::Elements) adds up the weights of a list and sends it to each of its documents: the other
//!    documents are candidates to cover it, those on another server first.
//!
//! So nothing has the size of Σ df² over all grams: there are few distinct lists even where there are many grams.

pub mod candidates;
pub mod elements;
pub mod lists;
pub mod scan;

use std::num::NonZeroUsize;

use crate::flow::fields::Rest;
use crate::parameters;
use crate::row;
use crate::text::fingerprint::Fingerprinter;

parameters! {
    /// Which grams: how many words each has, and the key of their fingerprints.
    pub struct Gramming { k: NonZeroUsize, key: Fingerprinter }
}

row! {
    /// Of a gram: a document that has it, and the code of its servers (see [`servers`](crate::documents::servers)).
    pub struct Posting<'a> { doc: u32, servers: Rest<'a> }
}

row! {
    /// Of a document: how many words and distinct grams it has. Where reworded passages may count in place of grams:
    /// whether they do, so that `grams` are places of grams; and then, whether it is a quilt as published, if that is
    /// known.
    pub struct Size { words: u64, grams: u64, reworded: Option<u64>, published: Option<u64> }
}
