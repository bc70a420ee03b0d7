//! The kernels of `neardups`: documents meet in [`buckets`] by what [`shingles`](crate::sketches::shingles) or
//! [`signatures`](crate::sketches::imatch) say of them; [`words`] counts what a lexicon is made of.

pub mod buckets;
pub mod words;
