//! Files that are mapped into memory and asked where they lie.

pub mod checksums;
pub mod mapped;
pub mod prototypes;
