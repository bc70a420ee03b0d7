//! Aligns two texts of which one may have reworded, shuffled, translated back and forth or summarised parts of the other.
//!
//! No model and no dictionary: two passages belong together if they share more words than chance would have it, given
//! how often each word stands in the two texts elsewhere, and in a collection.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`stems`] | words by their first letters |
//! | [`tally`] | how often stems stand in documents |
//! | [`rates`] | how often a stem stands in a collection |
//! | [`languages`] | rates for texts without a collection |
//! | [`boilerplate`] | what very many documents have, stem for stem: it is left out |
//! | [`texts`] | a text: its words, where they stand, and where sentences end |
//! | [`pair`] | two texts, their stems numbered, how often each has which |
//! | [`seeds`] | windows of both texts that share rare stems: where to look |
//! | [`fit`] | from a seed to the two intervals that explain each other best |
//! | [`scores`] | what a word says that is found, or is not |
//! | [`sequences`] | neighbouring words that two intervals share |
//! | [`align`] | from fits to passages: joined, their ends at those of sentences |
//! | [`logarithms`] | arithmetic that is the same on every machine |
//!
//! Scores are whole numbers, in units of 2^-16 nats, so that no order of additions changes a result.

pub mod align;
pub mod boilerplate;
pub mod fit;
pub mod languages;
pub mod logarithms;
pub mod pair;
pub mod rates;
pub mod rules;
pub mod scores;
pub mod seeds;
pub mod sequences;
pub mod stems;
pub mod tally;
pub mod texts;
