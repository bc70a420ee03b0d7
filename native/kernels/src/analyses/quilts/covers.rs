//! Of which sources documents are made.
//!
//! A page that is stitched together itself is a poor source: the pages of a farm have paragraphs of each other's, and one
//! that shares three of them would stand for the three pages that they were taken from. So there are two rounds. The
//! first ([`first`]) takes sources as they come, and suspects the documents that several others cover, and lists that
//! several pages of their own site cover: a list of posts has nothing that is not on a page of its own. In the second
//! ([`last`]), a suspect is a source only of grams that no other document has, and a list only of grams that no other
//! suspect has. Where no original is in the corpus, the pages of a network have to bear witness against each other: then a
//! suspect with a single piece of the page is taken before one with several ([`greedy_with_witnesses`](crate::analyses::cover::Cover::greedy_with_witnesses)). This is done
//! only if two suspects of the page's own site have some of its text, too, so that the site draws on the pool again and
//! again: notices that each site puts together from the same clauses are no network. As published there is one round.

pub mod document;
pub mod first;
pub mod last;
pub mod reworded;
pub mod suspicions;

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;

use crate::flow::fields::Rest;
use crate::row;
use crate::text::slots::Multiply;

type Documents = HashSet<u32, BuildHasherDefault<Multiply>>;
type Numbers<V> = HashMap<u32, V, BuildHasherDefault<Multiply>>;

row! {
    /// Of any document: what was counted; whether its site draws on a pool, as suspects do; how
    /// much a version of it has that is stitched together as it is; whether reworded passages were
    /// counted in place of grams, if that may be; whether it is a quilt as published, if that is known; and if it has no
    /// sources, why.
    pub struct Judged<'a> {
        words: u64, grams: u64, patch_grams: u64, covered: u64, by_suspects: u64, from_pool: bool, sources: u64,
        largest: u64, doubled: u64, reworded: Option<u64>, published: Option<u64>, why: &'a [u8],
    }
}

row! {
    /// Of a source: a document that draws on it, its rank there, how many patch grams it adds and how many it has, how
    /// many the document has in all, which of the added ones later sources have, too (packed in [`last`]), and whether
    /// the document is looked at more closely.
    pub struct DrawnOn<'a> {
        quilt: u64, rank: u64, new_grams: u64, all_grams: u64, patch_grams: u64, shared: &'a [u8], is_quilt: u64,
    }
}

row! {
    /// Of a document that others may draw on: how many distinct grams it has.
    pub struct SourceSize { grams: u64 }
}

row! {
    /// Of a document: documents of its own site, four bytes each, and how many of the covered grams just these have.
    pub struct OwnSite<'a> { weight: u64, documents: Rest<'a> }
}

/// A share of something; none of nothing. Limits are held against quotients, never against products: 7 of 100 is 0.07.
pub fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}
