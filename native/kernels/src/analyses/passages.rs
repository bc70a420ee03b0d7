//! Passages: runs of sentences (or of words) that two documents share (Zhang et al., SIGIR 2010).
//!
//! A document is a sequence of *units*, sentences or words; a *window* is a few units in a row, told by a fingerprint of
//! their tokens. A token is what must be equal for two sentences to match.
//!
//! 1. [`signatures`] cuts texts into sentences and makes tokens of them, or grams of all texts.
//! 2. [`pages`] counts in how many documents each token is; of each document, its sequence of tokens and its windows.
//! 3. [`seeds`] brings the documents together that share a window. Windows one behind the other that the same documents
//!    have at the same distances are counted, not listed: a paragraph that a thousand documents share is sent to each
//!    pair of them once, however long it is.
//!    [`alike`] finds sentences that match though their tokens differ.
//! 4. [`diagonals`] puts the seeds of a pair together: runs of units that match one by one, and chains of these.
//! 5. [`reaches`] extends runs over tokens that are no seeds, since they are in too many documents or repeat themselves.
//! 6. [`slices`] and [`borders`] look at the texts: where passages begin and end, word by word, and how similar they are.
//! 7. [`pairs`] sums up what two documents share; [`stops`] names runs that very many documents share.

pub mod alike;
pub mod borders;
pub mod diagonals;
pub mod pages;
pub mod pairs;
pub mod reaches;
pub mod seeds;
pub mod signatures;
pub mod slices;
pub mod stops;

use crate::flow::fields::Rest;
use crate::{choice, row};

choice! {
    /// What documents are sequences of.
    pub enum Unit { Sentences = "sentences", Words = "words" }
}

row! {
    /// Of a window: a document that has it, the number of its first unit there, the collections that the document
    /// belongs to, and the code of its servers.
    pub struct WindowPlace<'a> { doc: u32, unit: u32, side: u8, servers: Rest<'a> }
}

/// Bits that say to which of two collections a document belongs.
pub const IN_A: u8 = 1;
pub const IN_B: u8 = 2;
