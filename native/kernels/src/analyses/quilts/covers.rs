//! Of which sources documents are made.
//!
//! A page that is stitched together itself is a poor source: the pages of a farm have paragraphs of each other's, and one
//! that shares three of them would stand for the three pages that they were taken from. So there are two rounds. The
//! first ([`FirstCovers`]) takes sources as they come, and suspects the documents that several others cover. In the
//! second ([`Covers`]), a suspect is a source only of grams that no other document has. As published there is one round.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::BuildHasherDefault;

use crate::analyses::cover::{Cover, Pick};
use crate::analyses::postings::candidates::Candidates;
use crate::analyses::postings::elements::CoverElement;
use crate::analyses::postings::Size;
use crate::flow::contract::{shape, Key, Port, PortInfo, Shape, WrongParameter};
use crate::flow::fields::{Damaged, Rest};
use crate::flow::kernel::{Done, Group, Output, Rows};
use crate::flow::rows::put_varint;
use crate::text::slots::Multiply;
use crate::{parameters, row};

type Documents = HashSet<u32, BuildHasherDefault<Multiply>>;

parameters! {
    /// Where a cover ends, and which documents are looked at more closely: those of which sources cover (or patch grams
    /// are, with `of_patches`) at least the share `look`, at least c of them, none with more than the share `max_largest`; and whether patches are asked for.
    pub struct Covering { c: u64, look: f64, of_patches: bool, min_share: f64, min_grams: u64, max_largest: f64, patches: bool }
}

parameters! {
    /// Where a cover ends, which documents may be looked at more closely, and which are suspects: those of which sources
    /// cover at least the share `sigma`.
    pub struct Suspecting { c: u64, sigma: f64, look: f64, of_patches: bool, min_share: f64, min_grams: u64 }
}

row! {
    /// Of any document: what was counted; and if it has no sources, why.
    pub struct Judged<'a> {
        words: u64, grams: u64, patch_grams: u64, covered: u64, sources: u64, largest: u64, why: &'a [u8],
    }
}

row! {
    /// Of a source: a document that draws on it, its rank there, how many patch grams it adds and how many it has, how
    /// many the document has in all, which of the added ones later sources have, too (see [`pack_shared`]), and whether
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
    /// Of a list: a quilt that asks for its grams, on behalf of these sources: their documents and ranks, four bytes
    /// each.
    pub struct Asking<'a> { quilt: u32, sources: Rest<'a> }
}

row! {
    /// Of a document: it seems to be stitched together; by how many sources.
    pub struct Suspect { sources: u64 }
}

row! {
    /// Of a document: another one that wants to know whether it is a suspect.
    pub struct Doubt { asker: u32 }
}

row! {
    /// Of a document: another one, with text of it, that is a suspect.
    pub struct Suspected { document: u32 }
}

row! {
    /// Of a document: documents of its own site, four bytes each, and how many of the covered grams just these have.
    pub struct OwnSite<'a> { weight: u64, documents: Rest<'a> }
}

/// A suspect has no source with more than this share of what is covered: it would be another version of that source.
const MOST_OF_SUSPECTS: f64 = 0.75;

/// A share of something; none of nothing. Limits are held against quotients, never against products: 7 of 100 is 0.07.
pub fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// The document that is being read: its elements, and a cover of them.
#[derive(Default)]
struct Reading {
    size: Option<Size>,
    /// The candidates of all elements, one after the other, and the elements.
    candidates: Vec<u8>,
    elements: Vec<Open>,
    /// Suspects among the candidates.
    suspects: Documents,
    cover: Cover,
}

/// An element of the document that is being read.
struct Open {
    /// Where its candidates end; they begin where those before it end.
    end: usize,
    df: u32,
    weight: u64,
    list: u64,
}

/// What a cover comes to.
struct Covered {
    picks: Vec<Pick>,
    covered: u64,
    largest: u64,
}

impl Reading {
    fn read(&mut self, rows: &mut dyn Rows) -> Result<(), Damaged> {
        self.candidates.clear();
        self.elements.clear();
        self.suspects.clear();
        self.size = None;
        while let Some((table, tail)) = rows.next() {
            match table {
                0 => self.size = Some(Size::take(tail)?),
                1 => {
                    let CoverElement { candidates, df, weight, list } = CoverElement::take(tail)?;
                    Candidates::new(candidates.0)?;
                    self.candidates.extend_from_slice(candidates.0);
                    self.elements.push(Open { end: self.candidates.len(), df, weight, list });
                }
                _ => _ = self.suspects.insert(Suspected::take(tail)?.document),
            }
        }
        Ok(())
    }

    fn grams(&self) -> u64 {
        self.size.as_ref().map_or(0, |size| size.grams)
    }

    fn patch_grams(&self) -> u64 {
        self.elements.iter().map(|open| open.weight).sum()
    }

    /// The share of its grams that are covered, or that are patch grams.
    fn share_of(&self, covered: u64, of_patches: bool) -> f64 {
        share(if of_patches { self.patch_grams() } else { covered }, self.grams())
    }

    /// The elements with their candidates, as they are packed.
    fn elements(&self) -> impl Iterator<Item = (&Open, &[u8])> {
        let mut begin = 0;
        self.elements.iter().map(move |open| {
            let candidates = &self.candidates[std::mem::replace(&mut begin, open.end)..open.end];
            (open, candidates)
        })
    }

    fn pick(&mut self, min_share: f64, min_grams: u64) -> Result<Covered, Damaged> {
        let mut cover = std::mem::take(&mut self.cover);
        cover.clear();
        let mut add = |sum: u64, candidates: &[u8]| -> Result<(), Damaged> {
            let foreign = Candidates::new(candidates)?.foreign();
            cover.add(sum, foreign.map(|source| (source, !self.suspects.contains(&source))));
            Ok(())
        };
        let (mut same, mut sum): (&[u8], u64) = (&[0], 0);
        for (open, candidates) in self.elements() {
            // Rows are sorted, so those with the same candidates follow each other: they make one element.
            if candidates != same {
                add(sum, same)?;
                (same, sum) = (candidates, 0);
            }
            sum += open.weight;
        }
        add(sum, same)?;
        let picks = cover.greedy_from(min_share, self.patch_grams(), min_grams);
        self.cover = cover;
        let covered = picks.iter().map(|pick| pick.new).sum();
        // A suspect that has the rest of a page may have much else of it, too: that is at home elsewhere.
        let holds = |pick: &Pick| if pick.foreign { pick.all } else { pick.new };
        let largest = picks.iter().map(holds).max().unwrap_or(0);
        Ok(Covered { picks, covered, largest })
    }

    /// What is known of the document, with a word for why it has no sources.
    fn judged(&self, found: &Covered) -> Judged<'static> {
        let Size { words, grams } = self.size.as_ref().map_or(Size { words: 0, grams: 0 }, |size| Size { ..*size });
        let patch_grams = self.patch_grams();
        let why: &[u8] = match (found.picks.len(), grams, patch_grams, self.cover.most_picks()) {
            (0, 0, ..) => b"short",
            (0, _, 0, _) => b"nothing shared",
            (0, .., 0) => b"own site",
            (0, ..) => b"min_share",
            _ => b"",
        };
        let Covered { picks, covered, largest } = found;
        Judged { words, grams, patch_grams, covered: *covered, sources: picks.len() as u64, largest: *largest, why }
    }
}

/// Group by document, of its size and its elements: what is known of those that come not into question; of the others
/// size and elements once more, which other documents they have text of, and which of them are suspects.
pub struct FirstCovers {
    told: Suspecting,
    reading: Reading,
}

impl FirstCovers {
    const SETTLED: Port<Judged<'static>> = Port::documents(0, "settled");
    const SIZES: Port<SourceSize> = Port::documents(1, "sizes");
    const DOCUMENTS: Port<Size> = Port::documents(2, "documents");
    const ELEMENTS: Port<CoverElement<'static>> = Port::documents(3, "elements");
    const SUSPECTS: Port<Suspect> = Port::documents(4, "suspects");
    const DOUBTS: Port<Doubt> = Port::documents(5, "doubts");
}

impl Group for FirstCovers {
    const NAME: &'static str = "first covers";
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = &[shape::<Size>(), shape::<CoverElement<'static>>()];
    const PORTS: &'static [PortInfo] = &[
        Self::SETTLED.info(),
        Self::SIZES.info(),
        Self::DOCUMENTS.info(),
        Self::ELEMENTS.info(),
        Self::SUSPECTS.info(),
        Self::DOUBTS.info(),
    ];
    const KEEPS: &'static str = "the elements of one document, at most as many as it has patch grams";
    type Parameters = Suspecting;

    fn new(told: Suspecting, _: usize) -> Result<Self, WrongParameter> {
        Ok(Self { told, reading: Reading::default() })
    }

    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let Self { told, reading } = self;
        reading.read(rows)?;
        let found = reading.pick(told.min_share, told.min_grams)?;
        let grams = reading.grams();
        if !reading.elements.is_empty() {
            out.row(&Self::SIZES, key, SourceSize { grams });
        }
        let sources = found.picks.len() as u64;
        let several = sources > 1 && share(found.largest, found.covered) <= MOST_OF_SUSPECTS;
        if several && share(found.covered, grams) >= told.sigma {
            out.row(&Self::SUSPECTS, key, Suspect { sources });
        }
        // A second cover may find more sources than the first, and so c itself is asked for then.
        if sources < told.c.clamp(1, 2) || reading.share_of(found.covered, told.of_patches) < told.look {
            out.row(&Self::SETTLED, key, reading.judged(&found));
            return Ok(());
        }
        if let Some(size) = &reading.size {
            out.row(&Self::DOCUMENTS, key, Size { ..*size });
        }
        let mut others = Documents::default();
        for (open, candidates) in reading.elements() {
            let Open { df, weight, list, .. } = *open;
            out.row(&Self::ELEMENTS, key, CoverElement { candidates: Rest(candidates), df, weight, list });
            others.extend(Candidates::new(candidates)?.foreign());
        }
        let mut others: Vec<u32> = others.into_iter().collect();
        others.sort_unstable();
        others.iter().for_each(|&other| out.row(&Self::DOUBTS, other.into(), Doubt { asker: key as u32 }));
        Ok(())
    }
}

/// Group by document, of whether it is a suspect, and of those who doubt it: to each of these, that it is one.
pub struct Suspicions;

impl Suspicions {
    const SUSPECTED: Port<Suspected> = Port::documents(0, "suspected");
}

impl Group for Suspicions {
    const NAME: &'static str = "suspicions";
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = &[shape::<Suspect>(), shape::<Doubt>()];
    const PORTS: &'static [PortInfo] = &[Self::SUSPECTED.info()];
    const KEEPS: &'static str = "nothing";
    type Parameters = ();

    fn new((): (), _: usize) -> Result<Self, WrongParameter> {
        Ok(Self)
    }

    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut suspect = false;
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                suspect = true;
            } else if suspect {
                out.row(&Self::SUSPECTED, Doubt::take(tail)?.asker.into(), Suspected { document: key as u32 });
            }
        }
        Ok(())
    }
}

/// Group by document, of its size and its elements, and in a second round of the suspects among its candidates: what its
/// sources cover, and its sources; of a document that is looked at more closely the documents of its own site with the
/// same text, each of which is asked whether it is stitched together itself; and if patches are asked for, each of its
/// lists with the sources picked from it.
pub struct Covers<const AGAIN: bool> {
    told: Covering,
    reading: Reading,
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
        for (open, candidates) in self.reading.elements() {
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
        for (open, candidates) in self.reading.elements() {
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

impl<const AGAIN: bool> Group for Covers<AGAIN> {
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
        Ok(Self { told, reading: Reading::default() })
    }

    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.reading.read(rows)?;
        if self.reading.size.is_none() {
            return Ok(()); // a suspicion about a document that does not come into question
        }
        let found = self.reading.pick(self.told.min_share, self.told.min_grams)?;
        let grams = self.reading.grams();
        let settled = !AGAIN && found.picks.is_empty();
        out.row(if settled { &Self::SETTLED } else { &Self::JUDGED }, key, self.reading.judged(&found));
        if !AGAIN && !self.reading.elements.is_empty() {
            out.row(&Self::SIZES, key, SourceSize { grams });
        }
        let Covered { picks, covered, largest } = &found;
        let looked_at = !picks.is_empty()
            && self.reading.share_of(*covered, self.told.of_patches) >= self.told.look
            && picks.len() as u64 >= self.told.c
            && share(*largest, *covered) <= self.told.max_largest;
        if looked_at {
            self.send_own(key, picks, out)?;
            if self.told.patches {
                self.ask(key as u32, picks, out)?;
            }
            out.count("covered_grams", *covered);
        }
        let patch_grams = self.reading.patch_grams();
        let sets = self.reading.cover.shared(picks);
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
