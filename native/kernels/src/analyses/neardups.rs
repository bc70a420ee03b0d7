//! The kernels of `neardups`: documents meet in [`buckets`] that come from their
//! [`shingles`](crate::sketches::shingles) or [`signatures`](crate::sketches::imatch); [`words`] counts what a lexicon
//! is made of.

pub mod banding;
pub mod buckets;
pub mod contained;
pub mod words;
