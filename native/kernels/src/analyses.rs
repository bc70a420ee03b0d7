//! The kernels of each analysis, and what they share.

pub mod cover;
pub mod neardups;
pub mod passages;
pub mod phrases;
pub mod postings;
pub mod quilts;
pub mod repeats;
pub mod reuse;
pub mod reworded;
pub mod shares;
