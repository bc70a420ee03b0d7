//! Passages that were reworded, in a corpus: who may have taken from whom, and what (see [`alignment`](crate::alignment)).
//!
//! 1. [`counts`] counts stems: in how many documents each is, and how often.
//! 2. [`candidates`] makes keys of the rarest stems of windows, and brings the documents together that share some.
//! 3. [`aligned`] sends the texts of candidates to each other and aligns them. A text that several documents of a
//!    partition are compared with is in its block once.

pub mod aligned;
pub mod candidates;
pub mod counts;
