//! The kernels of unquilt: everything that touches each word of a corpus. Knows nothing of Python, starts no thread.
//!
//! [`unicode`], [`words`], [`fingerprint`] and [`grams`] turn text into fingerprints; [`rows`], [`sorter`], [`spill`]
//! and [`kernel`] are the ground that analyses stand on; [`servers`], [`standing`], [`tables`] and [`components`] serve several of them;
//! [`quilts`] with [`cover`] is the first analysis.

pub mod components;
pub mod cover;
pub mod fingerprint;
pub mod grams;
pub mod gzip;
pub mod inflate;
pub mod kernel;
pub mod quilts;
pub mod rows;
pub mod sequences;
pub mod servers;
pub mod shares;
pub mod sorter;
pub mod spill;
pub mod standing;
pub mod tables;
pub mod unicode;
pub mod words;
