//! Which documents are quilts, and of which sources.

use std::collections::{BTreeMap, HashMap};
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
    pub struct Verdict { c: u64, sigma: f64, min_share: f64, patches: bool }
}

row! {
    /// Of a quilt: what was counted.
    pub struct Quilt { words: u64, grams: u64, patch_grams: u64, patchfrac: f64, sources: u64 }
}

row! {
    /// Of a source: a quilt that draws on it, its rank there, how many patch grams it adds and how many it has, how
    /// many the quilt has in all, and which of the added ones later sources have, too (see [`pack_shared`]).
    pub struct DrawnOn<'a> {
        quilt: u64, rank: u64, new_grams: u64, all_grams: u64, patch_grams: u64, shared: &'a [u8],
    }
}

row! {
    /// Of a list: a quilt that asks for its grams, on behalf of these sources: their documents and ranks, four bytes
    /// each.
    pub struct Asking<'a> { quilt: u32, sources: Rest<'a> }
}

/// Group by document, of its size and its elements: whether it is a quilt, and its sources; and if patches are asked
/// for, each list of a quilt with the sources picked from it.
pub struct Covers {
    told: Verdict,
    cover: Cover,
    /// The candidates of all elements of the document, one after the other, and its elements.
    candidates: Vec<u8>,
    elements: Vec<Open>,
}

/// An element of the document that is being read.
struct Open {
    /// Where its candidates end; they begin where those before it end.
    end: usize,
    weight: u64,
    list: u64,
}

impl Covers {
    const QUILTS: Port<Quilt> = Port::documents(0, "quilts");
    const SOURCES: Port<DrawnOn<'static>> = Port::documents(1, "sources");
    const ASKING: Port<Asking<'static>> = Port::hashes(2, "asking").when("patches", "true");

    /// Reads the document; returns its size.
    fn read(&mut self, rows: &mut dyn Rows) -> Result<Size, Damaged> {
        self.candidates.clear();
        self.elements.clear();
        let mut size = Size { words: 0, grams: 0 };
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                size = Size::take(tail)?;
            } else {
                let CoverElement { candidates, weight, list, .. } = CoverElement::take(tail)?;
                Candidates::new(candidates.0)?;
                self.candidates.extend_from_slice(candidates.0);
                self.elements.push(Open { end: self.candidates.len(), weight, list });
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
        let picks = cover.greedy(self.told.min_share, patch_grams);
        self.cover = cover;
        Ok(picks)
    }

    /// Looks at each element of a quilt once more: asks its list for its grams on behalf of the sources picked from it,
    /// and returns how many grams each set of sources, by rank, has in common.
    fn place(&self, quilt: u32, picks: &[Pick], out: &mut Output) -> Result<BTreeMap<Vec<u32>, u64>, Damaged> {
        let ranks: HashMap<u32, u32, BuildHasherDefault<Multiply>> =
            picks.iter().map(|pick| pick.source).zip(1..).collect();
        let mut sets = BTreeMap::new();
        let (mut sources, mut set) = (Vec::new(), Vec::new());
        for (open, candidates) in self.elements() {
            sources.clear();
            set.clear();
            for (source, _) in Candidates::new(candidates)?.all() {
                if let Some(&rank) = ranks.get(&source) {
                    sources.extend_from_slice(&source.to_be_bytes());
                    sources.extend_from_slice(&rank.to_be_bytes());
                    set.push(rank);
                }
            }
            if self.told.patches && !set.is_empty() {
                out.row(&Self::ASKING, open.list, Asking { quilt, sources: Rest(&sources) });
            }
            if set.len() > 1 {
                set.sort_unstable();
                match sets.get_mut(&set) {
                    Some(sum) => *sum += open.weight,
                    None => _ = sets.insert(set.clone(), open.weight),
                }
            }
        }
        Ok(sets)
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
    const PORTS: &'static [PortInfo] = &[Self::QUILTS.info(), Self::SOURCES.info(), Self::ASKING.info()];
    const KEEPS: &'static str = "the elements of one document, at most as many as it has patch grams";
    type Told = Verdict;

    fn new(told: Verdict, _: usize) -> Result<Self, WrongParameter> {
        Ok(Self { told, cover: Cover::default(), candidates: Vec::new(), elements: Vec::new() })
    }

    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let Size { words, grams } = self.read(rows)?;
        let patch_grams: u64 = self.elements.iter().map(|open| open.weight).sum();
        let patchfrac = if grams == 0 { 0.0 } else { patch_grams as f64 / grams as f64 };
        if patchfrac < self.told.sigma {
            return Ok(());
        }
        let picks = self.pick(patch_grams)?;
        let sources = picks.len() as u64;
        if sources < self.told.c {
            return Ok(());
        }
        out.row(&Self::QUILTS, key, Quilt { words, grams, patch_grams, patchfrac, sources });
        let sets = self.place(key as u32, &picks, out)?;
        for (rank, pick) in (1..).zip(&picks) {
            let row = DrawnOn {
                quilt: key,
                rank: u64::from(rank),
                new_grams: pick.new,
                all_grams: pick.all,
                patch_grams,
                shared: &pack_shared(rank, &sets),
            };
            out.row(&Self::SOURCES, u64::from(pick.source), row);
        }
        out.count("covered_grams", picks.iter().map(|pick| pick.new).sum());
        Ok(())
    }
}
