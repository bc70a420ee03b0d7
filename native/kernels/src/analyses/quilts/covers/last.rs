//! The last round, or the only one: the sources of documents, and what is asked of whom about those that are looked at more
//! closely.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasherDefault;

use crate::analyses::cover::Pick;
use crate::analyses::postings::candidates::Candidates;
use crate::analyses::postings::elements::CoverElement;
use crate::analyses::postings::Size;
use crate::analyses::quilts::covers::document::{Covered, OpenDocument};
use crate::analyses::quilts::covers::suspicions::{Doubt, Suspected};
use crate::analyses::quilts::covers::{share, Documents, DrawnOn, Judged, OwnSite, SourceSize};
use crate::flow::contract::{shape, Key, Port, PortInfo, Shape, WrongParameter};
use crate::flow::fields::{Damaged, Rest};
use crate::flow::kernel::{Done, Group, GroupContract, Output, Rows};
use crate::flow::rows::put_varint;
use crate::text::slots::Multiply;
use crate::{parameters, row};

parameters! {
    /// Where a cover ends, and which documents are looked at more closely: those of which sources cover (or patch grams
    /// are, with `of_patches`) at least the share `look`, at least c of them, none with more than the share `at_most`; or at
    /// least the share `glance` and `enough` grams, none with more than the share `max_largest`; whether patches are asked
    /// for; and whether all documents with a gram are told, so that it is known which are quilts as published: those of
    /// whose grams at least the share `sigma` are patch grams.
    pub struct Covering {
        c: u64, sigma: f64, look: f64, glance: f64, enough: u64, of_patches: bool, min_share: f64, min_grams: u64,
        max_largest: f64, at_most: f64, patches: bool, all_told: bool,
    }
}

row! {
    /// Of a list: a quilt that asks for its grams, on behalf of these sources: their documents and ranks, four bytes
    /// each.
    pub struct Asking<'a> { quilt: u32, sources: Rest<'a> }
}

/// Group by document, of its size and its elements, and in a second round of the suspects among its candidates: what its
/// sources cover, and its sources; of a document that is looked at more closely the documents of its own site with the
/// same text, each of which is asked whether it is stitched together itself; and if patches are asked for, each of its
/// lists with the sources picked from it.
pub struct Covers<const AGAIN: bool> {
    told: Covering,
    document: OpenDocument,
}

impl<const AGAIN: bool> Covers<AGAIN> {
    const JUDGED: Port<Judged<'static>> = Port::documents(0, "judged");
    const SOURCES: Port<DrawnOn<'static>> = Port::documents(1, "sources");
    const OWN: Port<OwnSite<'static>> = Port::documents(2, "own");
    const DOUBTS: Port<Doubt> = Port::documents(3, "doubts");
    /// In the only round: documents without sources, and the sizes of all.
    const SETTLED: Port<Judged<'static>> = Port::documents(4, "settled");
    const SIZES: Port<SourceSize> = Port::documents(5, "sizes");
    const ASKING: Port<Asking<'static>> = Port::hashes(if AGAIN { 4 } else { 6 }, "asking").when("patches", "true");

    /// Sends the documents of its own site that have what these sources cover.
    fn send_own(&self, doc: u64, picks: &[Pick], out: &mut Output) -> Result<(), Damaged> {
        let picked: Documents = picks.iter().map(|pick| pick.source).collect();
        let mut sets: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
        let mut set = Vec::new();
        for (open, candidates) in self.document.elements() {
            let candidates = Candidates::new(candidates)?;
            set.clear();
            set.extend(candidates.same_site());
            if set.is_empty() || !candidates.foreign().any(|source| picked.contains(&source)) {
                continue;
            }
            match sets.get_mut(&set) {
                Some(sum) => *sum += open.weight,
                None => _ = sets.insert(set.clone(), open.weight),
            }
        }
        let mut siblings: Vec<u32> = sets.keys().flatten().copied().collect();
        siblings.sort_unstable();
        siblings.dedup();
        siblings.iter().for_each(|&other| out.row(&Self::DOUBTS, other.into(), Doubt { asker: doc as u32 }));
        for (set, weight) in sets {
            let documents: Vec<u8> = set.iter().flat_map(|document| document.to_be_bytes()).collect();
            out.row(&Self::OWN, doc, OwnSite { weight, documents: Rest(&documents) });
        }
        Ok(())
    }

    /// Looks at each element of a quilt once more: asks its list for its grams on behalf of the sources picked from it.
    fn ask(&self, quilt: u32, picks: &[Pick], out: &mut Output) -> Result<(), Damaged> {
        let ranks: HashMap<u32, u32, BuildHasherDefault<Multiply>> =
            picks.iter().map(|pick| pick.source).zip(1..).collect();
        let mut sources = Vec::new();
        for (open, candidates) in self.document.elements() {
            sources.clear();
            for source in Candidates::new(candidates)?.foreign() {
                if let Some(&rank) = ranks.get(&source) {
                    sources.extend_from_slice(&source.to_be_bytes());
                    sources.extend_from_slice(&rank.to_be_bytes());
                }
            }
            if !sources.is_empty() {
                out.row(&Self::ASKING, open.list, Asking { quilt, sources: Rest(&sources) });
            }
        }
        Ok(())
    }
}

/// Says which of the grams that the source of this rank is the first to cover later sources have, too: for each set of
/// later sources the number of grams, the number of sources, and their ranks.
fn pack_shared(rank: u32, sets: &BTreeMap<Vec<u32>, u64>) -> Vec<u8> {
    let mut packed = Vec::new();
    for (set, &weight) in sets.range(vec![rank]..vec![rank + 1]) {
        put_varint(&mut packed, weight);
        put_varint(&mut packed, set.len() as u64 - 1);
        set[1..].iter().for_each(|&later| put_varint(&mut packed, u64::from(later)));
    }
    packed
}

impl<const AGAIN: bool> GroupContract for Covers<AGAIN> {
    const NAME: &'static str = if AGAIN { "covers again" } else { "covers" };
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = if AGAIN {
        &[shape::<Size>(), shape::<CoverElement<'static>>(), shape::<Suspected>()]
    } else {
        &[shape::<Size>(), shape::<CoverElement<'static>>()]
    };
    const PORTS: &'static [PortInfo] = if AGAIN {
        &[Self::JUDGED.info(), Self::SOURCES.info(), Self::OWN.info(), Self::DOUBTS.info(), Self::ASKING.info()]
    } else {
        &[
            Self::JUDGED.info(),
            Self::SOURCES.info(),
            Self::OWN.info(),
            Self::DOUBTS.info(),
            Self::SETTLED.info(),
            Self::SIZES.info(),
            Self::ASKING.info(),
        ]
    };
    const KEEPS: &'static str = "the elements of one document, at most as many as it has patch grams";
    type Parameters = Covering;

    fn new(told: Covering, _: usize) -> Result<Self, WrongParameter> {
        Ok(Self { told, document: OpenDocument::default() })
    }
}

impl<const AGAIN: bool> Group for Covers<AGAIN> {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.document.read(rows)?;
        if self.document.size.is_none() {
            return Ok(()); // a suspicion about a document that does not come into question
        }
        self.document.set_doubles_aside(key)?;
        let found = self.document.pick(self.told.min_share, self.told.min_grams, |_| true)?;
        let grams = self.document.grams();
        let settled = !AGAIN && found.picks.is_empty();
        let end = self.told.min_share <= 0.0 && self.told.min_grams <= 1;
        let published = if self.told.all_told {
            Some(self.document.is_published(self.told.sigma, self.told.c, &found, end)?)
        } else {
            None
        };
        out.row(if settled { &Self::SETTLED } else { &Self::JUDGED }, key, self.document.judged(&found, published));
        if !AGAIN && !self.document.elements.is_empty() {
            out.row(&Self::SIZES, key, SourceSize { grams });
        }
        let Covered { picks, covered, largest, .. } = &found;
        let shown = self.document.share_of(*covered, self.told.of_patches);
        let most = share(*largest, *covered);
        let looked_at = !picks.is_empty()
            && picks.len() as u64 >= self.told.c
            && if shown >= self.told.look {
                most <= self.told.at_most
            } else {
                shown >= self.told.glance && *covered >= self.told.enough && most <= self.told.max_largest
            };
        if looked_at {
            self.send_own(key, picks, out)?;
            if !self.document.is_reworded() {
                if self.told.patches {
                    self.ask(key as u32, picks, out)?;
                }
                out.count("covered_grams", *covered);
            }
        }
        let patch_grams = self.document.patch_grams();
        let sets = self.document.cover.shared(picks);
        for (rank, pick) in (1..).zip(picks) {
            let row = DrawnOn {
                quilt: key,
                rank: u64::from(rank),
                new_grams: pick.new,
                all_grams: pick.all,
                patch_grams,
                shared: &pack_shared(rank, &sets),
                is_quilt: looked_at.into(),
            };
            out.row(&Self::SOURCES, u64::from(pick.source), row);
        }
        Ok(())
    }
}
