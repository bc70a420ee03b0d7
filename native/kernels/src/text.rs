//! From text to words, fingerprints and k-grams.

pub mod fingerprint;
pub mod grams;
pub mod points;
pub mod sentences;
pub mod sequences;
pub mod slots;
pub mod unicode;
pub mod words;
