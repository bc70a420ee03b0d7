//! Files that are mapped into memory and asked where they lie.
//!
//! [`checksums`] tells which blocks of a file are what was written; [`sections`] is a file of several parts with such
//! checksums; [`sorted_map`] finds keys in one part. Sets of prototypes, lexicons and [`labels`] are made
//! of these. [`gathering`] makes sets of more labels than memory holds.

pub mod checksums;
pub mod gathering;
pub mod labels;
pub mod mapped;
pub mod origins;
pub mod prototypes;
pub mod sections;
pub mod sorted_map;
