//! HTML to text, chunks and links, in one pass.

pub mod css;
pub mod elements;
pub mod lanes;
pub mod markup;
pub mod page;
pub mod references;
pub mod sources;
