//! The kernels of a sweep: how many quilts there are, for many (m, c, σ) at once. Where other limits than those of the paper
//! count, [`VerdictCounts`] counts the verdicts of one combination instead.
//!
//! Grams and lists are made once, for the largest m: an element says the df of its grams, so those of a smaller m are a
//! subset. What is left for each document and m is a cover, and [`Sweep`] makes only those that can matter: where the
//! patch fraction reaches the least σ, where there is enough to cover for the least c, and where m has elements that
//! the next smaller one has not. For c and σ, the cover is then only compared with their values.

use crate::analyses::cover::Cover;
use crate::analyses::postings::candidates::Candidates;
use crate::analyses::postings::elements::CoverElement;
use crate::analyses::postings::Size;
use crate::analyses::quilts::verdicts::Verdict;
use crate::flow::columns::Numbers;
use crate::flow::contract::{shape, Key, Port, PortInfo, Shape, WrongParameter};
use crate::flow::fields::Damaged;
use crate::flow::kernel::{Beginning, Done, Group, GroupContract, Map, Output, Rows, Stretches};
use crate::{columns, contract, parameters, row};

parameters! {
    /// The values to combine: one k, and some of each of the others, ascending.
    pub struct Grid { k: u64, m: Vec<u64>, c: Vec<u64>, sigma: Vec<f64>, min_share: f64, max_largest: f64 }
}

row! {
    /// Of a k: a combination (σ as its place among the values given), and the numbers of quilts, of all their sources,
    /// and of documents.
    pub struct Combination { m: u64, c: u64, sigma: u64, quilts: u64, sources: u64, documents: u64 }
}

/// Group by document, of its size and its elements: for each combination, the number of quilts and of all their
/// sources, and the number of documents, in this partition. Rows are keyed by k.
pub struct Sweep {
    grid: Grid,
    documents: u64,
    /// Quilts and their sources by combination: σ changes fastest, m slowest.
    counts: Vec<[u64; 2]>,
    cover: Cover,
    /// The candidates of all elements of the document, one after the other, and the elements.
    candidates: Vec<u8>,
    elements: Vec<Weighted>,
}

/// An element of the document that is being read.
struct Weighted {
    df: u32,
    weight: u64,
    /// Where its candidates begin and end.
    candidates: (usize, usize),
}

/// Of a cover: how many sources it has, how many grams they cover, and how many the one with the most has.
#[derive(Clone, Copy, Default)]
struct Found {
    sources: u64,
    covered: u64,
    largest: u64,
}

contract! {
    group Sweep = "sweep";
    new(grid: Grid) = {
        let counts = vec![[0; 2]; grid.m.len() * grid.c.len() * grid.sigma.len()];
        let (cover, candidates, elements) = (Cover::default(), Vec::new(), Vec::new());
        Ok(Self { grid, documents: 0, counts, cover, candidates, elements })
    };
    key Doc of [Size, CoverElement<'static>];
    keeps "the elements of one document, and two numbers for each combination";
    const COUNTS: Port<Combination> = Port::documents(0, "counts");
}

impl Sweep {
    /// Reads the document's elements; returns the number of its grams.
    fn read(&mut self, rows: &mut dyn Rows) -> Result<u64, Damaged> {
        self.candidates.clear();
        self.elements.clear();
        let mut grams = 0;
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                grams = Size::take(tail)?.grams;
            } else {
                let CoverElement { candidates, df, weight, .. } = CoverElement::take(tail)?;
                let begin = self.candidates.len();
                self.candidates.extend_from_slice(candidates.0);
                self.elements.push(Weighted { df, weight, candidates: (begin, self.candidates.len()) });
            }
        }
        Ok(grams)
    }

    /// Counts the document where it is a quilt. The patch fraction grows with m, and so does what is to be covered;
    /// sources cannot cover more, so a patch fraction below the least σ needs no cover.
    fn count(&mut self, grams: u64) -> Result<(), Damaged> {
        let (Some(&least_sources), Some(&least_share)) = (self.grid.c.first(), self.grid.sigma.first()) else {
            return Ok(());
        };
        let share = |patch_grams: u64| patch_grams as f64 / grams as f64;
        if grams == 0 || share(self.elements.iter().map(|element| element.weight).sum()) < least_share {
            return Ok(());
        }
        self.elements.sort_unstable_by_key(|element| element.df);
        self.cover.clear();
        let (mut added, mut patch_grams, mut found) = (0, 0, Some(Found::default()));
        for (place, &m) in self.grid.m.iter().enumerate() {
            for element in self.elements[added..].iter().take_while(|element| u64::from(element.df) <= m) {
                let candidates = &self.candidates[element.candidates.0..element.candidates.1];
                self.cover.add(element.weight, Candidates::new(candidates)?.all());
                patch_grams += element.weight;
                added += 1;
                found = None;
            }
            if share(patch_grams) < least_share {
                continue;
            }
            let &mut Found { sources, covered, largest } = found.get_or_insert_with(|| {
                let can_matter = self.cover.most_picks() as u64 >= least_sources;
                let picks = if can_matter { self.cover.greedy(self.grid.min_share, patch_grams) } else { Vec::new() };
                Found {
                    sources: picks.len() as u64,
                    covered: picks.iter().map(|pick| pick.new).sum(),
                    largest: picks.iter().map(|pick| pick.all).max().unwrap_or(0),
                }
            });
            if largest as f64 / covered.max(1) as f64 > self.grid.max_largest {
                continue;
            }
            let combinations = self.grid.c.len() * self.grid.sigma.len();
            let rows = self.counts[place * combinations..][..combinations].chunks_mut(self.grid.sigma.len());
            for (_, row) in self.grid.c.iter().zip(rows).take_while(|(&c, _)| sources >= c) {
                for (_, cell) in self.grid.sigma.iter().zip(row).take_while(|(&sigma, _)| share(covered) >= sigma) {
                    cell[0] += 1;
                    cell[1] += sources;
                }
            }
        }
        Ok(())
    }
}

impl Group for Sweep {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, _: &mut Output) -> Done {
        let grams = self.read(rows)?;
        self.documents += 1;
        Ok(self.count(grams)?)
    }

    fn finish(&mut self, out: &mut Output) {
        let documents = self.documents;
        if documents == 0 {
            return; // an engine may skip partitions without rows, so one that it runs must add nothing
        }
        let mut counts = self.counts.iter();
        for &m in &self.grid.m {
            for &c in &self.grid.c {
                for (sigma, &[quilts, sources]) in (0..).zip(counts.by_ref().take(self.grid.sigma.len())) {
                    let row = Combination { m, c, sigma, quilts, sources, documents };
                    out.row(&Self::COUNTS, self.grid.k, row);
                }
            }
        }
    }
}

parameters! {
    /// The combination that verdicts are of; σ by its place among the values given.
    pub struct CombinationOfVerdicts { k: u64, m: u64, c: u64, sigma: u64 }
}

/// Group by document, of its verdict: the number of quilts and of all their sources, and the number of documents, in this
/// partition. Rows are keyed by k.
pub struct VerdictCounts {
    told: CombinationOfVerdicts,
    quilts: u64,
    sources: u64,
    documents: u64,
}

impl GroupContract for VerdictCounts {
    const NAME: &'static str = "verdict counts";
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = &[shape::<Verdict<'static>>()];
    const PORTS: &'static [PortInfo] = &[Sweep::COUNTS.info()];
    const KEEPS: &'static str = "three numbers";
    type Parameters = CombinationOfVerdicts;

    fn new(told: CombinationOfVerdicts, _: usize) -> Result<Self, WrongParameter> {
        Ok(Self { told, quilts: 0, sources: 0, documents: 0 })
    }
}

impl Group for VerdictCounts {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, _: &mut Output) -> Done {
        while let Some((_, tail)) = rows.next() {
            let Verdict { quilt, sources, .. } = Verdict::take(tail)?;
            self.documents += 1;
            if quilt {
                self.quilts += 1;
                self.sources += sources;
            }
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        let Self { told: CombinationOfVerdicts { k, m, c, sigma }, quilts, sources, documents } = *self;
        if documents > 0 {
            out.row(&Sweep::COUNTS, k, Combination { m, c, sigma, quilts, sources, documents });
        }
    }
}

/// Group by k: the counts of all partitions, added up for each combination.
pub struct Sums;

contract! {
    group Sums = "sums";
    new() = Ok(Self);
    key Doc of [Combination];
    keeps "one combination";
    const SUMS: Port<Combination> = Port::documents(0, "sums");
}

impl Sums {
    /// Bytes of m, c and σ.
    const COMBINATION: usize = 3 * 8;
}

impl Group for Sums {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut combinations = Stretches::new(rows, Beginning::First(Self::COMBINATION));
        while combinations.begin() {
            let mut sum: Option<Combination> = None;
            while let Some(tail) = combinations.tail() {
                let part = Combination::take(tail)?;
                sum = Some(sum.map_or(part, |sum| Combination {
                    quilts: sum.quilts + part.quilts,
                    sources: sum.sources + part.sources,
                    documents: sum.documents + part.documents,
                    ..sum
                }));
            }
            if let Some(sum) = sum {
                out.row(&Self::SUMS, key, sum);
            }
        }
        Ok(())
    }
}

columns! {
    /// What was counted for one combination of one k.
    pub struct Counts<'a> {
        k: Numbers<'a>,
        m: Numbers<'a>,
        c: Numbers<'a>,
        sigma: Numbers<'a>,
        quilts: Numbers<'a>,
        sources: Numbers<'a>,
        documents: Numbers<'a>,
    }
}

parameters! {
    /// The values of σ, which the counts name by place.
    pub struct Sigmas { sigma: Vec<f64> }
}

row! {
    /// Of a k: a combination, the quilts, their share of all documents, and the mean number of their sources.
    pub struct Rate { m: u64, c: u64, sigma: f64, quilts: u64, share: f64, mean_sources: f64 }
}

/// Map: the share of documents that are quilts and the mean number of their sources, 0 where there is no quilt.
pub struct Rates {
    sigma: Vec<f64>,
}

contract! {
    map Rates = "rates";
    new(Sigmas { sigma }) = Ok(Self { sigma });
    reads Counts<'a>;
    const RATES: Port<Rate> = Port::documents(0, "rates");
}

impl Map for Rates {
    fn batch<'a>(&mut self, counts: Counts<'a>, (): (), out: &mut Output) -> Done {
        let rate = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        for row in 0..counts.k.len() {
            let sigma = self.sigma.get(counts.sigma.at(row) as usize).copied().ok_or(Damaged("Counts"))?;
            let quilts = counts.quilts.at(row);
            let rates = Rate {
                m: counts.m.at(row),
                c: counts.c.at(row),
                sigma,
                quilts,
                share: rate(quilts, counts.documents.at(row)),
                mean_sources: rate(counts.sources.at(row), quilts),
            };
            out.row(&Self::RATES, counts.k.at(row), rates);
        }
        Ok(())
    }
}
