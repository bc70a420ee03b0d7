//! Repeats: runs of units (words, lines or paragraphs) that stand elsewhere in the corpus, too, and what of each
//! document can go for that.

pub mod anchors;
pub mod copies;
pub mod removals;
pub mod settling;
pub mod units;
pub mod windows;

use crate::row;

row! {
    /// Of a document: units [begin, end) that stand elsewhere too, and the document and the unit where they do.
    pub struct Cut { begin: u64, end: u64, copy: u64, copy_begin: u64 }
}
