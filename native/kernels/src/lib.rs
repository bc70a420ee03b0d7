//! The kernels of unquilt: everything that touches each word of a corpus. Knows nothing of Python, starts no thread.
//!
//! | room | what is in it |
//! | --- | --- |
//! | [`flow`] | what a kernel is, rows and blocks, sorting, spilling |
//! | [`text`] | words, fingerprints, k-grams |
//! | [`reading`] | compressed files, charsets, HTML, URLs |
//! | [`documents`] | servers, copies, connected components, similarity |
//! | [`sketches`] | shingles and I-Match signatures |
//! | [`store`] | files that are mapped and asked where they lie |
//! | [`alignment`] | finds what one text took from another, reworded or not |
//! | [`analyses`] | the kernels of each analysis |
//!
//! [`registry`] lists all kernels.

pub mod alignment;
pub mod analyses;
pub mod documents;
pub mod flow;
pub mod reading;
pub mod registry;
pub mod sketches;
pub mod store;
pub mod text;
