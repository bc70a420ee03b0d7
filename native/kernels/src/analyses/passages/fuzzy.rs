//! Passages that were reworded, in a corpus: who may have taken from whom, and what (see [`alignment`](crate::alignment)).
//!
//! 1. [`counts`] counts stems: in how many documents each is, and how often.
//! 2. [`keys`] makes keys of the rarest stems of windows, and brings the documents together that share some.
//! 3. [`windows`] sends the stems around shared keys to each other, and [`candidates`] chooses the documents that have
//!    enough in common there. Of documents that share a key, one pair in fifty does.
//! 4. [`aligned`] sends the texts of candidates to each other and aligns them. A text that several documents of a
//!    partition are compared with is in its block once, and is read once.

pub mod aligned;
pub mod candidates;
pub mod counts;
pub mod keys;
pub mod windows;
