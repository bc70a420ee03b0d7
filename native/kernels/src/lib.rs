//! The kernels of unquilt: everything that touches each word of a corpus. Knows nothing of Python, starts no thread.
//!
//! [`unicode`], [`words`], [`fingerprint`] and [`grams`] turn text into fingerprints; [`rows`], [`sorter`], [`spill`]
//! and [`kernel`] are the ground that analyses stand on; [`servers`], [`standing`], [`tables`] and [`components`] serve several of them;
//! [`quilts`] with [`cover`], [`patches`], [`matches`], [`attribution`] and [`domains`] is the first analysis, [`sweep`] counts what it would
//! find with other parameters. Of near-duplicates, [`lexicon`] counts words and [`imatch`] makes signatures of them.
//!
//! [`minwise`] sketches documents for comparison, with [`rabin`] where the published functions are wanted.
//!
//! Reading has kernels too: [`charset`] makes text of bytes, [`page`] (with [`markup`], [`references`], [`elements`]
//! and [`lanes`]) makes text and links of HTML, [`paragraphs`] finds the chunks of plain text, [`urls`] takes URLs apart;
//! [`members`] reads what is left of compressed files, with [`gzip`] (and [`inflate`]) and [`zstd`]; [`transfer`] joins
//! the chunks of HTTP bodies.

pub mod attribution;
pub mod charset;
pub mod checksums;
pub mod components;
pub mod cover;
pub mod domains;
pub mod elements;
pub mod fingerprint;
pub mod grams;
pub mod gzip;
pub mod imatch;
pub mod inflate;
pub mod kernel;
pub mod lanes;
pub mod lexicon;
pub mod markup;
pub mod matches;
pub mod members;
pub mod minwise;
pub mod page;
pub mod paragraphs;
pub mod patches;
pub mod prototypes;
pub mod quilts;
pub mod rabin;
pub mod references;
pub mod rows;
pub mod sequences;
pub mod servers;
pub mod shares;
pub mod shingles;
pub mod signer;
pub mod similarity;
pub mod slots;
pub mod sorter;
pub mod spill;
pub mod standing;
pub mod sweep;
pub mod tables;
pub mod transfer;
pub mod unicode;
pub mod urls;
pub mod words;
pub mod zstd;
