//! Of which sources documents are made, and which of the limits of a quilt they fail.

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
use crate::{row, told};

told! {
    /// What makes a quilt, and whether its patches will be asked for.
    pub struct Limits {
        c: u64, sigma: f64, min_share: f64, min_grams: u64, max_largest: f64, max_own: f64, patches: bool,
    }
}

row! {
    /// Of any document: what was counted, and which limits it fails (see [`Limits::failed`]).
    pub struct Judged<'a> {
        words: u64, grams: u64, patch_grams: u64, patchfrac: f64, covered: f64, sources: u64, largest: f64,
        own: f64, failed: &'a [u8],
    }
}

row! {
    /// Of a source: a document that draws on it, its rank there, how many patch grams it adds and how many it has, how
    /// many the document has in all, which of the added ones later sources have, too (see [`pack_shared`]), and whether
    /// the document fails no limit.
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

/// What is known of a document when its cover was made.
struct Counted {
    grams: u64,
    patch_grams: u64,
    /// How many grams sources cover, and how many of them the source with the most has.
    covered: u64,
    largest: u64,
    /// How many of those that sources cover other documents on its own server have, too.
    own: u64,
    sources: u64,
    /// Whether any document on another server has some of its patch grams.
    has_candidates: bool,
}

/// A share of something; none of nothing. Limits are held against quotients, never against products: 7 of 100 is 0.07.
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

impl Limits {
    /// The limits that a document fails, in words for programs; none for a quilt, as far as sections and links do not
    /// matter.
    ///
    /// Without sources it can be none, and one word says why it has none; else all limits that it fails are named.
    fn failed(&self, counted: &Counted) -> Vec<&'static str> {
        let Counted { grams, patch_grams, covered, largest, own, sources, has_candidates } = *counted;
        if sources == 0 {
            let why = match (grams, patch_grams, has_candidates) {
                (0, ..) => "short",
                (_, 0, _) => "nothing shared",
                (.., false) => "own site",
                (.., true) => "min_share",
            };
            return vec![why];
        }
        let mut failed = Vec::new();
        failed.extend((share(covered, grams) < self.sigma).then_some("sigma"));
        failed.extend((share(largest, covered) > self.max_largest).then_some("max_largest"));
        failed.extend((sources < self.c).then_some("c"));
        failed.extend((share(own, covered) > self.max_own).then_some("max_own"));
        failed
    }
}

/// Group by document, of its size and its elements: what its sources cover and which limits it fails, and its sources;
/// and if patches are asked for, each list of a quilt with the sources picked from it.
pub struct Covers {
    told: Limits,
    cover: Cover,
    /// The candidates of all elements of the document, one after the other, and its elements.
    candidates: Vec<u8>,
    elements: Vec<Open>,
}

/// An element of the document that is being read.
struct Open {
    /// Where its candidates end; they begin where those before it end.
    end: usize,
    own: bool,
    weight: u64,
    list: u64,
}

impl Covers {
    const JUDGED: Port<Judged<'static>> = Port::documents(0, "judged");
    const SOURCES: Port<DrawnOn<'static>> = Port::documents(1, "sources");
    const SIZES: Port<SourceSize> = Port::documents(2, "sizes");
    const ASKING: Port<Asking<'static>> = Port::hashes(3, "asking").when("patches", "true");

    /// Reads the document; returns its size.
    fn read(&mut self, rows: &mut dyn Rows) -> Result<Size, Damaged> {
        self.candidates.clear();
        self.elements.clear();
        let mut size = Size { words: 0, grams: 0 };
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                size = Size::take(tail)?;
            } else {
                let CoverElement { candidates, own, weight, list, .. } = CoverElement::take(tail)?;
                Candidates::new(candidates.0)?;
                self.candidates.extend_from_slice(candidates.0);
                self.elements.push(Open { end: self.candidates.len(), own, weight, list });
            }
        }
        Ok(size)
    }

    /// The elements with their candidates, as they are packed.
    fn elements(&self) -> impl Iterator<Item = (&Open, &[u8])> {
        let mut begin = 0;
        self.elements.iter().map(move |open| {
            let candidates = &self.candidates[std::mem::replace(&mut begin, open.end)..open.end];
            (open, candidates)
        })
    }

    fn pick(&mut self, patch_grams: u64) -> Result<Vec<Pick>, Damaged> {
        let mut cover = std::mem::take(&mut self.cover);
        cover.clear();
        let (mut same, mut sum): (&[u8], u64) = (&[0], 0);
        for (open, candidates) in self.elements() {
            // Rows are sorted, so those with the same candidates follow each other: they make one element.
            if candidates != same {
                cover.add(sum, Candidates::new(same)?.all());
                (same, sum) = (candidates, 0);
            }
            sum += open.weight;
        }
        cover.add(sum, Candidates::new(same)?.all());
        let mut picks = cover.greedy(self.told.min_share, patch_grams);
        // What sources newly cover never rises: those that cover too little are the last.
        picks.truncate(picks.partition_point(|pick| pick.new >= self.told.min_grams));
        self.cover = cover;
        Ok(picks)
    }

    /// How many of the grams that these sources cover are also in other documents on the document's own server.
    fn own(&self, picks: &[Pick]) -> Result<u64, Damaged> {
        let picked: HashSet<u32, BuildHasherDefault<Multiply>> = picks.iter().map(|pick| pick.source).collect();
        let mut sum = 0;
        for (open, candidates) in self.elements().filter(|(open, _)| open.own) {
            if Candidates::new(candidates)?.foreign().any(|source| picked.contains(&source)) {
                sum += open.weight;
            }
        }
        Ok(sum)
    }

    /// Looks at each element of a quilt once more: asks its list for its grams on behalf of the sources picked from it.
    fn ask(&self, quilt: u32, picks: &[Pick], out: &mut Output) -> Result<(), Damaged> {
        let ranks: HashMap<u32, u32, BuildHasherDefault<Multiply>> =
            picks.iter().map(|pick| pick.source).zip(1..).collect();
        let mut sources = Vec::new();
        for (open, candidates) in self.elements() {
            sources.clear();
            for (source, _) in Candidates::new(candidates)?.all() {
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

impl Group for Covers {
    const NAME: &'static str = "covers";
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = &[shape::<Size>(), shape::<CoverElement<'static>>()];
    const PORTS: &'static [PortInfo] =
        &[Self::JUDGED.info(), Self::SOURCES.info(), Self::SIZES.info(), Self::ASKING.info()];
    const KEEPS: &'static str = "the elements of one document, at most as many as it has patch grams";
    type Told = Limits;

    fn new(told: Limits, _: usize) -> Result<Self, WrongParameter> {
        Ok(Self { told, cover: Cover::default(), candidates: Vec::new(), elements: Vec::new() })
    }

    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let Size { words, grams } = self.read(rows)?;
        let patch_grams: u64 = self.elements.iter().map(|open| open.weight).sum();
        let picks = self.pick(patch_grams)?;
        let counted = Counted {
            grams,
            patch_grams,
            covered: picks.iter().map(|pick| pick.new).sum(),
            largest: picks.iter().map(|pick| pick.all).max().unwrap_or(0),
            own: if picks.is_empty() { 0 } else { self.own(&picks)? },
            sources: picks.len() as u64,
            has_candidates: self.cover.most_picks() > 0,
        };
        let failed = self.told.failed(&counted).join(", ");
        let judged = Judged {
            words,
            grams,
            patch_grams,
            patchfrac: share(patch_grams, grams),
            covered: share(counted.covered, grams),
            sources: counted.sources,
            largest: share(counted.largest, counted.covered),
            own: share(counted.own, counted.covered),
            failed: failed.as_bytes(),
        };
        out.row(&Self::JUDGED, key, judged);
        if patch_grams > 0 {
            out.row(&Self::SIZES, key, SourceSize { grams });
        }
        let is_quilt = failed.is_empty();
        if is_quilt && self.told.patches {
            self.ask(key as u32, &picks, out)?;
        }
        let sets = self.cover.shared(&picks);
        for (rank, pick) in (1..).zip(&picks) {
            let row = DrawnOn {
                quilt: key,
                rank: u64::from(rank),
                new_grams: pick.new,
                all_grams: pick.all,
                patch_grams,
                shared: &pack_shared(rank, &sets),
                is_quilt: is_quilt.into(),
            };
            out.row(&Self::SOURCES, u64::from(pick.source), row);
        }
        if is_quilt {
            out.count("covered_grams", counted.covered);
        }
        Ok(())
    }
}
