//! Whether the grams of a document say where it is from, or reworded passages do.
//!
//! Where words were changed, equal grams say little, and passages that were aligned span much more. Of such a document, the
//! places of its grams are covered in place of its grams: each place by the documents with a passage that spans it. So
//! whatever becomes of elements is the same for both. As long as grams say about as much, they decide: they end where
//! somebody cut, to the word.

use std::collections::BTreeMap;

use crate::analyses::postings::candidates::{CandidateList, Candidates};
use crate::analyses::postings::elements::CoverElement;
use crate::analyses::postings::Size;
use crate::analyses::quilts::covers::document::OpenDocument;
use crate::analyses::quilts::covers::share;
use crate::analyses::reworded::candidates::InQuestion;
use crate::analyses::reworded::relations::SiteRelation;
use crate::analyses::reworded::spanned::SpannedPassage;
use crate::flow::contract::Port;
use crate::flow::fields::{Damaged, Rest};
use crate::flow::kernel::{Done, Group, Output, Rows};
use crate::{contract, parameters};

/// Passages count if they span more than so many times the share of a document that grams say is elsewhere, too; where
/// grams say that it has sources enough, none of which explains it, more than so many times.
const MORE: f64 = 1.5;
const MUCH_MORE: f64 = 3.0;

parameters! {
    /// How many words a gram has, in how many documents it is at most, the least share that passages span where they count;
    /// whether the documents of a document's own site matter, and whether sites are parts of domains; and what a quilt is as
    /// published, if all documents are told.
    pub struct GramsAgainstPassages {
        k: u64, m: u64, look: f64, own: bool, in_domains: bool, c: u64, sigma: f64, max_largest: f64, min_share: f64,
        min_grams: u64, all_told: bool,
    }
}

/// What makes elements of passages.
struct Spanned {
    k: u64,
    m: u64,
    own: bool,
    in_domains: bool,
}

impl GramsAgainstPassages {
    fn spanned(&self) -> Spanned {
        let &Self { k, m, own, in_domains, .. } = self;
        Spanned { k, m, own, in_domains }
    }
}

parameters! {
    /// How many words a gram has, in how many documents it is at most, the least share that passages span where they count.
    pub struct Questioning { k: u64, m: u64, look: f64 }
}

/// Group by document, of its passages with documents of other sites: whether it may be judged by them, so that documents of
/// its own site matter. With these, no more places are spanned by fewer than m documents.
pub struct Questioned {
    told: Questioning,
    passages: Vec<SpannedPassage>,
    candidates: CandidateList,
}

contract! {
    group Questioned = "questioned";
    new(told: Questioning) = Ok({
        let (passages, candidates) = Default::default();
        Self { told, passages, candidates }
    });
    key Doc of [SpannedPassage];
    keeps "the passages of one document";
    const IN_QUESTION: Port<InQuestion> = Port::documents(0, "in_question");
}

impl Group for Questioned {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.passages.clear();
        while let Some((_, tail)) = rows.next() {
            self.passages.push(SpannedPassage::take(tail)?);
        }
        let &Questioning { k, m, look } = &self.told;
        let told = Spanned { k, m, own: false, in_domains: false };
        let spanned = count_foreign(&find_elements(&told, &self.passages, &mut self.candidates))?;
        let places = self.passages.first().map_or(0, |passage| (passage.words + 1).saturating_sub(k));
        if spanned > 0 && share(spanned, places) >= look {
            out.row(&Self::IN_QUESTION, key, InQuestion {});
        }
        Ok(())
    }
}

/// Group by document, of its size, its elements and its passages: the same elements, or those that passages make, and then
/// the passages, too.
pub struct GramsOrPassages {
    told: GramsAgainstPassages,
    document: OpenDocument,
    passages: Vec<SpannedPassage>,
    candidates: CandidateList,
}

contract! {
    group GramsOrPassages = "grams or passages";
    new(told: GramsAgainstPassages) = Ok({
        let (document, passages, candidates) = Default::default();
        Self { told, document, passages, candidates }
    });
    key Doc of [Size, CoverElement<'static>, SpannedPassage] and more;
    keeps "the elements of one document, and its passages";
    const DOCUMENTS: Port<Size> = Port::documents(0, "documents");
    const ELEMENTS: Port<CoverElement<'static>> = Port::documents(1, "elements");
    const PASSAGES: Port<SpannedPassage> = Port::documents(2, "passages");
}

impl GramsOrPassages {
    /// Whether passages count: how many places of grams it has, and how many of these foreign documents span, is known.
    fn counts_passages(&mut self, places: u64, spanned: u64) -> Result<bool, Damaged> {
        let mut foreign = 0;
        for (open, candidates) in self.document.elements() {
            if Candidates::new(candidates)?.foreign().next().is_some() {
                foreign += open.weight;
            }
        }
        let (spans, in_grams) = (share(spanned, places), share(foreign, self.document.grams()));
        if spanned == 0 || spans < self.told.look || spans <= MORE * in_grams {
            return Ok(false);
        }
        if spans > MUCH_MORE * in_grams {
            return Ok(true);
        }
        let by_grams = self.document.pick(self.told.min_share, self.told.min_grams, |_| true)?;
        let enough = by_grams.picks.len() as u64 >= self.told.c;
        Ok(!enough || share(by_grams.largest, by_grams.covered) > self.told.max_largest)
    }
}

/// The places of grams that the same documents span: their candidates, packed, how many documents have them, and how many
/// places they are.
fn find_elements(
    told: &Spanned,
    passages: &[SpannedPassage],
    candidates: &mut CandidateList,
) -> BTreeMap<Vec<u8>, (u32, u64)> {
    let mut changes: Vec<(u64, bool, u32, SiteRelation)> = Vec::new();
    for SpannedPassage { other, sites, begin, end, .. } in passages.iter() {
        let (end, sites) = ((end + 1).saturating_sub(told.k), SiteRelation(*sites as u8));
        if end > *begin {
            changes.push((*begin, true, *other as u32, sites));
            changes.push((end, false, *other as u32, sites));
        }
    }
    changes.sort_unstable_by_key(|&(at, begins, other, _)| (at, begins, other));
    let mut elements = BTreeMap::new();
    // Those that span a place, with the number of their passages that do.
    let mut active: BTreeMap<u32, (SiteRelation, u64)> = BTreeMap::new();
    let mut reached = 0;
    for (at, begins, other, sites) in changes {
        if at > reached && !active.is_empty() && (active.len() as u64) < told.m {
            pack_candidates(told, &active, candidates);
            let df = active.len() as u32 + 1;
            elements.entry(candidates.pack().to_vec()).or_insert((df, 0)).1 += at - reached;
        }
        reached = at;
        let here = active.entry(other).or_insert((sites, 0));
        if begins {
            here.1 += 1;
        } else if here.1 == 1 {
            active.remove(&other);
        } else {
            here.1 -= 1;
        }
    }
    elements
}

/// How many places foreign documents span.
fn count_foreign(elements: &BTreeMap<Vec<u8>, (u32, u64)>) -> Result<u64, Damaged> {
    let mut spanned = 0;
    for (candidates, (_, weight)) in elements {
        if Candidates::new(candidates)?.foreign().next().is_some() {
            spanned += weight;
        }
    }
    Ok(spanned)
}

/// Of the documents that span a place, those that are foreign and those of the own site.
fn pack_candidates(told: &Spanned, active: &BTreeMap<u32, (SiteRelation, u64)>, candidates: &mut CandidateList) {
    candidates.clear();
    let shares_domain = |sites: SiteRelation| told.in_domains && sites.is_second_foreign() && sites.is_on_one_domain();
    let on_domain = active.values().filter(|(sites, _)| shares_domain(*sites)).count();
    for (&other, &(sites, _)) in active {
        if sites.is_second_foreign() {
            candidates.push(other, true);
        }
        if told.own && (!sites.is_second_foreign() || (shares_domain(sites) && on_domain > 1)) {
            candidates.push(other, false);
        }
    }
}

impl Group for GramsOrPassages {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut passages = std::mem::take(&mut self.passages);
        passages.clear();
        self.document.read_with(rows, |_, tail| {
            passages.push(SpannedPassage::take(tail)?);
            Ok(())
        })?;
        self.passages = passages;
        let Some(size) = self.document.size else { return Ok(()) };
        let elements = find_elements(&self.told.spanned(), &self.passages, &mut self.candidates);
        let places = (size.words + 1).saturating_sub(self.told.k);
        if !self.counts_passages(places, count_foreign(&elements)?)? {
            out.row(&Self::DOCUMENTS, key, Size { reworded: Some(0), ..size });
            for (open, candidates) in self.document.elements() {
                let (df, weight, list) = (open.df, open.weight, open.list);
                out.row(&Self::ELEMENTS, key, CoverElement { candidates: Rest(candidates), df, weight, list });
            }
            return Ok(());
        }
        let published = if self.told.all_told {
            let found = self.document.pick(self.told.min_share, self.told.min_grams, |_| true)?;
            let end = self.told.min_share <= 0.0 && self.told.min_grams <= 1;
            Some(self.document.is_published(self.told.sigma, self.told.c, &found, end)?.into())
        } else {
            None
        };
        out.row(&Self::DOCUMENTS, key, Size { grams: places, reworded: Some(1), published, ..size });
        for (candidates, (df, weight)) in &elements {
            let element = CoverElement { candidates: Rest(candidates), df: *df, weight: *weight, list: 0 };
            out.row(&Self::ELEMENTS, key, element);
        }
        self.passages.iter().for_each(|&passage| out.row(&Self::PASSAGES, key, passage));
        out.count("judged_by_passages", 1);
        Ok(())
    }
}
