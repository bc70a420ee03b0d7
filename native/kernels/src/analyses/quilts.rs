//! The kernels of `quilts`, which begin where the posting lists end, in [`postings`](crate::analyses::postings):
//! [`covers`] picks the sources of documents and holds what they cover against the limits of a quilt, [`attribution`]
//! says which of these they link to and which are [`sections`] of them, [`verdicts`] decides, [`patches`] (with [`matches`]) finds the copied passages,
//! [`sites`] counts by site; [`sweep`] counts what other parameters would find.

pub mod attribution;
pub mod covers;
pub mod matches;
pub mod patches;
pub mod sections;
pub mod sites;
pub mod sweep;
pub mod verdicts;
