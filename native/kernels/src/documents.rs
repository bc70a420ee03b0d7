//! What several analyses need to know of documents: on which servers they stand, which are copies, which hang together,
//! and how alike two of them are.

pub mod components;
pub mod copies;
pub mod deletion;
pub mod keeping;
pub mod servers;
pub mod similarity;
