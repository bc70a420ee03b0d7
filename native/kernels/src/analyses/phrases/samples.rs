//! From texts to shingles.

use std::num::NonZeroUsize;

use super::{Sampled, Sketched, COVERED, FUNCTIONS, SOURCE};
use crate::documents::copies::{CopyColumns, CopyReader};
use crate::documents::servers::Place;
use crate::flow::columns::{Along, Binary, Numbers, Texts};
use crate::flow::contract::{Port, PortInfo, WrongParameter};
use crate::flow::fields::Rest;
use crate::flow::kernel::{Done, Map, MapContract, Output};
use crate::sketches::minwise::{Family, Sampler, SHINGLES};
use crate::text::fingerprint::Fingerprinter;
use crate::text::grams::Grams;
use crate::{columns, parameters};

parameters! {
    /// Which grams, and whether all of them are taken or those that the functions of a seed put first.
    pub struct Sampling { k: NonZeroUsize, key: Fingerprinter, family: Family, seed: u64, exact: bool }
}

const GRAMS: Port<Sampled<'static>> = Port::hashes(0, "grams");
const DOCUMENTS: Port<Sketched> = Port::documents(1, "documents");
const PORTS: &[PortInfo] = &[GRAMS.info(), DOCUMENTS.info()];

/// Takes the shingles of texts.
struct Taker<'a> {
    exact: bool,
    sampler: Sampler,
    grams: Grams<'a>,
}

impl<'a> Taker<'a> {
    fn new(parameters: &'a Sampling) -> Self {
        let k = parameters.k.get();
        Self {
            exact: parameters.exact,
            sampler: Sampler::new(parameters.family, parameters.seed, k, parameters.key.clone()),
            grams: Grams::new(&parameters.key, k),
        }
    }

    /// Sends the shingles of a document, and their number.
    fn take(&mut self, doc: u32, text: &str, code: &[u8], marks: u8, out: &mut Output) {
        let mut place = Vec::new();
        Place::own(code).append_to(&mut place);
        let place = Rest(&place);
        let (words, shingles) = if self.exact {
            let (words, grams) = self.grams.circular(text);
            let mut first = [0; FUNCTIONS];
            first[0] = 1;
            out.run(&GRAMS, grams, Sampled { doc, functions: &first, marks, place });
            (words, grams.len())
        } else {
            let (words, sample) = self.sampler.sample(text);
            let mut by_gram: Vec<(u64, usize)> = sample.iter().flatten().copied().zip(0..).collect();
            by_gram.sort_unstable();
            for same in by_gram.chunk_by(|a, b| a.0 == b.0) {
                let mut functions = [0; FUNCTIONS];
                same.iter().for_each(|&(_, function)| functions[function / 8] |= 1 << (function % 8));
                out.row(&GRAMS, same[0].0, Sampled { doc, functions: &functions, marks, place });
            }
            (words, sample.map_or(0, |_| SHINGLES))
        };
        out.row(&DOCUMENTS, u64::from(doc), Sketched { words, shingles: shingles as u64 });
        out.relieve();
    }
}

/// Map: the shingles of each document that is kept, keyed by gram; and how many it has.
pub struct Samples(Sampling);

impl MapContract for Samples {
    const NAME: &'static str = "samples";
    const PORTS: &'static [PortInfo] = PORTS;
    const KEEPS: &'static str = "the grams of one document";
    type Parameters = Sampling;
    type Reads<'a> = Texts<'a>;
    type Beside<'a> = CopyColumns<'a>;

    fn new(parameters: Sampling) -> Result<Self, WrongParameter> {
        Ok(Self(parameters))
    }
}

impl Map for Samples {
    fn batch<'a>(&mut self, pages: Texts<'a>, beside: CopyColumns<'a>, out: &mut Output) -> Done {
        let mut copies = CopyReader::new(Some(beside));
        let mut taker = Taker::new(&self.0);
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row) as u32;
            if let Some(code) = copies.code(doc) {
                taker.take(doc, &pages.text.at(row), code, COVERED | SOURCE, out);
            }
        }
        Ok(())
    }
}

columns! {
    /// Documents that are kept, where they stand, and what is wanted of them (see [`draws`](super::draws)).
    pub struct Drawn<'a> { doc: Numbers<'a>, servers: Binary<'a>, marks: Numbers<'a> }
}

/// Map: the same where only some documents are to be covered, or are sources.
pub struct ChosenSamples(Sampling);

impl MapContract for ChosenSamples {
    const NAME: &'static str = "samples to cover";
    const PORTS: &'static [PortInfo] = PORTS;
    const KEEPS: &'static str = "the grams of one document";
    type Parameters = Sampling;
    type Reads<'a> = Texts<'a>;
    type Beside<'a> = Drawn<'a>;

    fn new(parameters: Sampling) -> Result<Self, WrongParameter> {
        Ok(Self(parameters))
    }
}

impl Map for ChosenSamples {
    fn batch<'a>(&mut self, pages: Texts<'a>, beside: Drawn<'a>, out: &mut Output) -> Done {
        let mut along = Along::new(beside.doc);
        let mut taker = Taker::new(&self.0);
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row);
            if let Some(at) = along.rows(doc).next() {
                let marks = beside.marks.at(at) as u8;
                taker.take(doc as u32, &pages.text.at(row), beside.servers.at(at), marks, out);
            }
        }
        Ok(())
    }
}
