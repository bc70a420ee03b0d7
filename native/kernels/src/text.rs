//! From text to words, fingerprints and k-grams.

pub mod fingerprint;
pub mod grams;
pub mod look_alikes;
pub mod points;
pub mod seen;
pub mod sentences;
pub mod sequences;
pub mod slots;
pub mod unicode;
pub mod words;
