//! Reuse (Ardi and Heidemann, 2014): paragraphs and files that occur again and again, and where known ones occur.
//!
//! [`chunks`] says what is compared. [`places`] sends the hashes of all chunks and files to where equal ones meet,
//! [`objects`] counts them, [`examples`] looks up what they say. [`contents`] looks at each document for labelled
//! chunks, unless its site is [`excluded`]; [`origins`] says which pages of ours these are from. [`neighbourhoods`] adds
//! up what is found by URL prefix. [`histograms`] adds up numbers of anything.

pub mod chunks;
pub mod contents;
pub mod examples;
pub mod excluded;
pub mod histograms;
pub mod neighbourhoods;
pub mod objects;
pub mod origins;
pub mod places;
