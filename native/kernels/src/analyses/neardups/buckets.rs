//! Where near-duplicates meet: each document of a bucket gets an edge to the lowest one there.
//!
//! So there are at most as many edges as documents have buckets, however many share a template, and closing them
//! transitively (see [`components`](crate::documents::components)) gives the same clusters as all pairs would.

use std::num::NonZeroUsize;

use crate::documents::components::Edge;
use crate::flow::columns::{Numbers, Strings};
use crate::flow::contract::{Port, Shape, Side, WrongParameter};
use crate::flow::fields::{Damaged, Field, Kind};
use crate::flow::kernel::{Beginning, Done, Group, Map, Output, Rows, Stretches};
use crate::flow::rows::take_doc;
use crate::sketches::imatch::{self, Coordinates, Signatures};
use crate::sketches::minwise::{Family, Sketcher};
use crate::sketches::signer::Supers;
use crate::text::fingerprint::Fingerprinter;
use crate::{choice, columns, contract, parameters, row};

parameters! {
    /// Which min-wise functions and how many, over which grams; how many super-fingerprints, and how many of them
    /// near-duplicates share.
    pub struct Sketching {
        family: Family,
        seed: u64,
        k: NonZeroUsize,
        key: Fingerprinter,
        functions: usize,
        supers: usize,
        agree: usize,
    }
}

parameters! {
    /// The same; documents of fewer words have no buckets.
    pub struct LongSketching {
        family: Family,
        seed: u64,
        k: NonZeroUsize,
        key: Fingerprinter,
        functions: usize,
        supers: usize,
        agree: usize,
        min_words: u64,
    }
}

columns! {
    /// Documents, their texts and how long they are.
    pub struct Pages<'a> { doc: Numbers<'a>, text: Strings<'a>, words: Numbers<'a> }
}

impl Pages<'_> {
    /// Whether a document has enough words to be compared with others; those that do not are counted.
    pub fn is_long(&self, row: usize, min_words: u64, out: &mut Output) -> bool {
        let short = self.words.at(row) < min_words;
        out.count("below_min_words", u64::from(short));
        !short
    }
}

impl Sketching {
    pub fn sketcher(self) -> Supers {
        let Self { family, seed, k, key, functions, supers, agree } = self;
        Supers { sketcher: Sketcher::new(family, seed, k.get(), key, functions), supers, agree }
    }
}

row! {
    /// Of a bucket: a document.
    pub struct InBucket { doc: u32 }
}

/// Map: each document with words in the bucket of each combination (usually each pair) of its super-fingerprints.
pub struct Shingles {
    sketcher: Supers,
    min_words: u64,
}

contract! {
    map Shingles = "shingles";
    new(parameters: LongSketching) = {
        let LongSketching { family, seed, k, key, functions, supers, agree, min_words } = parameters;
        let sketching = Sketching { family, seed, k, key, functions, supers, agree };
        Ok(Self { sketcher: sketching.sketcher(), min_words })
    };
    reads Pages<'a>;
    keeps "one sketch";
    const BUCKETS: Port<InBucket> = Port::hashes(0, "buckets");
}

impl Map for Shingles {
    fn batch<'a>(&mut self, pages: Pages<'a>, (): (), out: &mut Output) -> Done {
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row) as u32;
            if !pages.is_long(row, self.min_words, out) {
                continue;
            }
            let each = |bucket| out.row(&Self::BUCKETS, bucket, InBucket { doc });
            if !self.sketcher.buckets(&pages.text.at(row), each) {
                out.count("without_words", 1);
            }
        }
        Ok(())
    }
}

choice! {
    /// Which lexicons lack words in each of the randomised ones.
    pub enum Randomise { Primary = "primary", Both = "both" }
}

parameters! {
    /// How I-Match signs, and with which lexicon; documents of fewer words have no signature.
    pub struct Signing {
        lexicons: u8,
        drop: f64,
        seed: u64,
        randomise: Randomise,
        min_terms: usize,
        min_share: f64,
        lexicon: Side,
        min_words: u64,
    }
}

row! {
    /// Of the first bytes of a signature: its other bytes, with the number of the lexicon it was made with, and a
    /// document.
    pub struct InSignature<'a> { rest: &'a [u8; 13], doc: u32 }
}

/// Map: each document in the bucket of each of its signatures. Counts documents without any, and those whose signature
/// by the whole lexicon was filled up.
pub struct Marks {
    signatures: Signatures<Side>,
    min_words: u64,
}

contract! {
    map Marks = "signatures";
    new(parameters: Signing) = {
        let Signing { lexicons, drop, seed, randomise, min_terms, min_share, lexicon, min_words } = parameters;
        let both = randomise == Randomise::Both;
        let coordinates = Coordinates { lexicons, drop, seed, both, min_terms, min_share };
        coordinates.check().map_err(|fault| WrongParameter(fault.to_owned()))?;
        let signatures = Signatures::new(lexicon, coordinates).map_err(|fault| WrongParameter(fault.to_string()))?;
        Ok(Self { signatures, min_words })
    };
    reads Pages<'a>;
    keeps "the words of one document";
    const BUCKETS: Port<InSignature<'static>> = Port::hashes(0, "buckets");
}

impl Map for Marks {
    fn batch<'a>(&mut self, pages: Pages<'a>, (): (), out: &mut Output) -> Done {
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row) as u32;
            if !pages.is_long(row, self.min_words, out) {
                continue;
            }
            let mut none = true;
            self.signatures.of(&pages.text.at(row), |coordinate, signature| {
                none = false;
                let rest = &imatch::remainder(coordinate, &signature);
                out.row(&Self::BUCKETS, imatch::key(coordinate, &signature), InSignature { rest, doc });
            });
            out.count("without_signature", u64::from(none));
            out.count("filled", u64::from(self.signatures.is_filled()));
        }
        Ok(())
    }
}

/// Group by bucket: an edge from each of its documents but the lowest to the lowest. Rows that have the same key but
/// differ in what comes before the document (the rest of a signature) are of different buckets.
pub struct Buckets;

contract! {
    group Buckets = "buckets";
    new() = Ok(Self);
    key Hash of shapes [Shape::EndingIn(&[Self::DOCUMENT])];
    keeps "one row";
    const EDGES: Port<Edge> = Port::documents(0, "edges");
}

impl Buckets {
    const DOCUMENT: Field = Field { name: "doc", kind: Kind::Doc };
}

impl Group for Buckets {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut buckets = Stretches::new(rows, Beginning::AllBut(4));
        while buckets.begin() {
            let mut lowest = None;
            while let Some(tail) = buckets.tail() {
                let mut document = &tail[tail.len().saturating_sub(4)..];
                let doc = take_doc(&mut document).map(u64::from).ok_or(Damaged("a bucket"))?;
                match lowest {
                    Some(other) => out.row(&Self::EDGES, doc, Edge { other }),
                    None => lowest = Some(doc),
                }
            }
        }
        Ok(())
    }
}
