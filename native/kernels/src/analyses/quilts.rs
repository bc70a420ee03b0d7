//! The kernels of `quilts`, which begin where the posting lists end, in [`postings`](crate::analyses::postings):
//! [`covers`] decides which documents are quilts and picks their sources, [`attribution`] says which of these they link
//! to, [`patches`] (with [`matches`]) finds the copied passages, [`domains`] counts by site; [`sweep`] counts what
//! other parameters would find.

pub mod attribution;
pub mod covers;
pub mod domains;
pub mod matches;
pub mod patches;
pub mod sweep;
