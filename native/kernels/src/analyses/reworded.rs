//! Passages that were reworded, in a corpus: who may have taken from whom, and what (see [`alignment`](crate::alignment)).
//!
//! 1. [`counts`] counts stems: in how many documents each is, and how often.
//! 2. [`boilerplate`] finds what very many documents have, stem for stem; from here on it is left out.
//! 3. [`keys`] makes keys of the rarest stems of windows, and brings the documents together that share some. The other
//!    stems of a window travel with its keys ([`windows`]), so that it is seen there who has enough in common: of
//!    documents that share a key, one pair in fifty.
//! 4. [`candidates`] chooses those that have most.
//! 5. [`aligned`] sends the texts of candidates to each other and aligns them. A text that several documents of a
//!    partition are compared with is in its block once, and is read once ([`meetings`]). [`spanned`] does the same for
//!    `quilts`, which asks what passages span of each document, and how both texts read on around them.
//! 6. [`prose`] tells sentences from menus, tables and code, so that passages of prose come first.
//! 7. [`sharing`] counts the documents that have a passage.

pub mod aligned;
pub mod boilerplate;
pub mod candidates;
pub mod counts;
pub mod keys;
pub mod meetings;
pub mod prose;
pub mod relations;
pub mod sharing;
mod sides;
pub mod spanned;
pub mod windows;
