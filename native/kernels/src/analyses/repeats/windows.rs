//! Map: every run of n units of a document, with the place where it stands.

use std::num::NonZeroUsize;

use super::units::{units, RepeatUnit};
use crate::analyses::reuse::places::Site;
use crate::documents::keeping::{Preferred, Ranks};
use crate::flow::columns::{Binary, Numbers, Strings};
use crate::flow::contract::Port;
use crate::flow::fields::{Damaged, Rest, Row};
use crate::flow::kernel::{Done, Map, Output};
use crate::text::fingerprint::{Fingerprinter, Slide};
use crate::text::points::count_points;
use crate::{columns, contract, parameters, row};

parameters! {
    /// Runs of `n` units; a unit of fewer than `min_words` words is never part of one. `details`: with site and length.
    pub struct RunTaking {
        unit: RepeatUnit,
        n: NonZeroUsize,
        min_words: usize,
        site: Site,
        details: bool,
        key: Fingerprinter,
    }
}

columns! {
    pub struct SitedTexts<'a> {
        doc: Numbers<'a>,
        text: Strings<'a>,
        chunks: Binary<'a>,
        host: Strings<'a>,
        domain: Strings<'a>,
    }
}

row! {
    /// Of a run of units: the rank of a document that has it, if there are ranks; the document, the first of the units
    /// there, and [`Details`] if somebody needs them. Rows sort in the order of preference.
    pub struct RunPlace<'a> { rank: &'a [u8], doc: u32, at: u32, details: Rest<'a> }
}

row! {
    /// Of a run of units in a document: the site, and the length of the first unit in code points.
    pub struct Details { site: u64, length: u32 }
}

/// Ranks of documents as they stand at the front of rows; nothing if the first documents are preferred.
pub struct Ordering<'a> {
    ranks: Option<Ranks<'a>>,
    bytes: [u8; 16],
}

impl<'a> Ordering<'a> {
    pub fn new(preferred: Option<Preferred<'a>>) -> Self {
        Self { ranks: preferred.is_some().then(|| Ranks::new(preferred)), bytes: [0; 16] }
    }

    pub fn of(&mut self, doc: u64) -> &[u8] {
        let Some(ranks) = &mut self.ranks else { return &[] };
        let (rank, within) = ranks.of(doc);
        self.bytes = (u128::from(rank) << 64 | u128::from(within)).to_be_bytes();
        &self.bytes
    }
}

pub struct Windows(RunTaking);

contract! {
    map Windows = "repeat windows";
    new(parameters: RunTaking) = Ok(Self(parameters));
    reads SitedTexts<'a>, beside Option<Preferred<'a>>;
    keeps "one run of units";
    const RUNS: Port<RunPlace<'static>> = Port::hashes(0, "runs");
}

impl Map for Windows {
    fn batch<'a>(&mut self, pages: SitedTexts<'a>, preferred: Option<Preferred<'a>>, out: &mut Output) -> Done {
        let RunTaking { unit, n, min_words, site, details, key } = &self.0;
        let mut order = Ordering::new(preferred);
        let mut slide = Slide::new(key, n.get());
        let mut told = Vec::new();
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row);
            let rank = order.of(doc);
            let site = site.of(pages.host.bytes(row), pages.domain.bytes(row), doc);
            let (text, mut at) = (pages.text.at(row), 0_u32);
            slide.clear();
            let inside = units(&text, pages.chunks.at(row), *unit, key, |place| {
                at += 1;
                if place.words < (*min_words).max(1) {
                    slide.clear();
                    return;
                }
                let Some(run) = slide.push(place.print) else { return };
                if *details {
                    told.clear();
                    let length = count_points(&text.as_bytes()[place.begin..place.end]) as u32;
                    Details { site, length }.put(&mut told);
                }
                let at = at - n.get() as u32;
                out.row(&Self::RUNS, run, RunPlace { rank, doc: doc as u32, at, details: Rest(&told) });
                if at.is_multiple_of(1 << 16) {
                    out.relieve();
                }
            });
            if !inside {
                return Err(Damaged("chunks").into());
            }
            out.relieve();
        }
        Ok(())
    }
}
