//! How much of a document is popular, and which other documents cover that.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;

use super::donors::Donors;
use super::{Sketched, Weight};
use crate::analyses::cover::{Cover, Pick, Tier};
use crate::analyses::postings::candidates::Candidates;
use crate::flow::contract::Port;
use crate::flow::fields::Damaged;
use crate::flow::kernel::{Done, Group, Output, Rows};
use crate::flow::rows::take_varint;
use crate::sketches::minwise::SHINGLES;
use crate::text::slots::Multiply;
use crate::{contract, parameters, row};

row! {
    /// Of a document: its words, its shingles, how many of them are popular, and how many of 84 that makes.
    pub struct PhraseCount { words: u64, shingles: u64, popular: u64, of_84: f64 }
}

impl PhraseCount {
    fn new(Sketched { words, shingles }: Sketched, popular: u64) -> Self {
        let of_84 = if shingles == 0 { 0.0 } else { (SHINGLES as u64 * popular) as f64 / shingles as f64 };
        Self { words, shingles, popular, of_84 }
    }
}

/// Group by document, of its size and its popular shingles: their number.
pub struct PhraseCounts;

contract! {
    group PhraseCounts = "phrase counts";
    new() = Ok(Self);
    key Doc of [Sketched, Weight];
    keeps "two numbers";
    const COUNTS: Port<PhraseCount> = Port::documents(0, "counts");
}

impl Group for PhraseCounts {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let (mut size, mut popular) = (Sketched { words: 0, shingles: 0 }, 0);
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                size = Sketched::take(tail)?;
            } else {
                popular += Weight::take(tail)?.shingles;
            }
        }
        out.row(&Self::COUNTS, key, PhraseCount::new(size, popular));
        Ok(())
    }
}

parameters! {
    /// Whether sources are left out that later ones made redundant.
    pub struct Pruning { prune: bool }
}

row! {
    /// Of a document: its popular shingles, how many of these are in too many documents, how many sources cover, by how
    /// many sources, and how many of them sources with no common address have.
    pub struct CoveringSet { popular: u64, common: u64, covered: u64, sources: u64, foreign_contribution: u64 }
}

row! {
    /// Of a document: a source of its covering set; how many popular shingles it is the first to cover, how many it
    /// has, and whether it is on another domain and shares no address.
    pub struct CoverSource { rank: u64, source: u64, new_shingles: u64, all_shingles: u64, foreign: bool }
}

/// Group by document, of its size, of its popular shingles that make no list, and of those who can cover the others:
/// how many are popular, and its covering set, if any are.
pub struct PhraseCovers {
    prune: bool,
    cover: Cover,
    /// The candidates of all elements, one after the other; where each element's end, and how many shingles it is.
    candidates: Vec<u8>,
    elements: Vec<(usize, u64)>,
    /// Candidates of this domain that share no address.
    elsewhere: Documents,
    /// Candidates that are preferred.
    preferred: Documents,
}

type Documents = HashSet<u32, BuildHasherDefault<Multiply>>;

/// Adds documents that are stored as differences.
fn add_all(documents: &mut Documents, mut differences: &[u8]) {
    let mut last = 0;
    while let Some(difference) = take_varint(&mut differences) {
        last += difference as u32;
        documents.insert(last);
    }
}

contract! {
    group PhraseCovers = "covering sets";
    new(Pruning { prune }) = {
        let (cover, candidates, elements) = (Cover::default(), Vec::new(), Vec::new());
        Ok(Self { prune, cover, candidates, elements, elsewhere: HashSet::default(), preferred: HashSet::default() })
    };
    key Doc of [Sketched, Weight, Donors<'static>];
    keeps "the elements of one document, at most as many as it has popular shingles";
    const COUNTS: Port<PhraseCount> = Port::documents(0, "counts");
    const COVERS: Port<CoveringSet> = Port::documents(1, "covers");
    const SOURCES: Port<CoverSource> = Port::documents(2, "sources");
}

impl PhraseCovers {
    /// Reads the document; returns its size and the number of its popular shingles that make no list.
    fn read(&mut self, rows: &mut dyn Rows) -> Result<(Sketched, u64), Damaged> {
        self.candidates.clear();
        self.elements.clear();
        self.elsewhere = HashSet::default();
        self.preferred = HashSet::default();
        let (mut size, mut common) = (Sketched { words: 0, shingles: 0 }, 0);
        while let Some((table, tail)) = rows.next() {
            match table {
                0 => size = Sketched::take(tail)?,
                1 => common += Weight::take(tail)?.shingles,
                _ => {
                    let Donors { elsewhere, preferred, candidates, shingles } = Donors::take(tail)?;
                    Candidates::new(candidates.0)?;
                    add_all(&mut self.elsewhere, elsewhere);
                    add_all(&mut self.preferred, preferred);
                    // Rows are sorted: those with the same candidates follow each other, and make one element.
                    let begin = self.elements.len().checked_sub(2).map_or(0, |before| self.elements[before].0);
                    let last = &self.candidates[begin.min(self.candidates.len())..];
                    match self.elements.last_mut() {
                        Some((_, sum)) if last == candidates.0 => *sum += shingles,
                        _ => {
                            self.candidates.extend_from_slice(candidates.0);
                            self.elements.push((self.candidates.len(), shingles));
                        }
                    }
                }
            }
        }
        Ok((size, common))
    }

    /// The elements: their candidates, and how many shingles each is.
    fn elements(&self) -> impl Iterator<Item = (Candidates<'_>, u64)> {
        let mut begin = 0;
        self.elements.iter().filter_map(move |&(end, shingles)| {
            let candidates = &self.candidates[std::mem::replace(&mut begin, end)..end];
            Some((Candidates::new(candidates).ok()?, shingles))
        })
    }

    fn pick(&mut self) -> Vec<(u64, Pick)> {
        let mut cover = std::mem::take(&mut self.cover);
        cover.clear();
        // Foreign documents come first in any case; among them, and among the others, those that are preferred.
        let tier = |(source, foreign): (u32, bool)| match (
            foreign,
            self.preferred.is_empty() || self.preferred.contains(&source),
        ) {
            (true, true) => (source, Tier::First),
            (true, false) => (source, Tier::Second),
            (false, true) => (source, Tier::Third),
            (false, false) => (source, Tier::Fourth),
        };
        self.elements().for_each(|(candidates, shingles)| cover.add(shingles, candidates.all().map(&tier)));
        let picks = (1..).zip(cover.greedy(0.0, 1)).collect();
        self.cover = cover;
        if self.prune {
            self.leave_out_redundant(picks)
        } else {
            picks
        }
    }

    /// In the order in which they were picked: those all of whose shingles others, that are still there, have too.
    fn leave_out_redundant(&self, picks: Vec<(u64, Pick)>) -> Vec<(u64, Pick)> {
        let places: Places = picks.iter().map(|(_, pick)| pick.source).zip(0..).collect();
        let mut covers = vec![Vec::new(); picks.len()];
        let mut times = Vec::new();
        for (element, (candidates, _)) in self.elements().enumerate() {
            times.push(0);
            for (source, _) in candidates.all() {
                if let Some(&place) = places.get(&source) {
                    covers[place].push(element);
                    times[element] += 1;
                }
            }
        }
        let redundant = |elements: &Vec<usize>, times: &mut [i32]| {
            let all = elements.iter().all(|&element| times[element] > 1);
            elements.iter().for_each(|&element| times[element] -= i32::from(all));
            all
        };
        picks
            .into_iter()
            .zip(&covers)
            .filter(|(_, elements)| !redundant(elements, &mut times))
            .map(|(pick, _)| pick)
            .collect()
    }

    /// How many shingles any source covers, and how many a source with no common address does.
    fn contributions(&self, picks: &[(u64, Pick)]) -> (u64, u64) {
        let places: Places = picks.iter().map(|(_, pick)| pick.source).zip(0..).collect();
        let (mut covered, mut foreign) = (0, 0);
        for (candidates, shingles) in self.elements() {
            let mut sources = candidates.all().filter(|(source, _)| places.contains_key(source)).peekable();
            covered += if sources.peek().is_some() { shingles } else { 0 };
            let far = sources.any(|(source, foreign)| foreign || self.elsewhere.contains(&source));
            foreign += if far { shingles } else { 0 };
        }
        (covered, foreign)
    }
}

/// Where picked sources stand among the picks.
type Places = HashMap<u32, usize, BuildHasherDefault<Multiply>>;

impl Group for PhraseCovers {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let (size, common) = self.read(rows)?;
        let popular = common + self.elements.iter().map(|(_, shingles)| shingles).sum::<u64>();
        out.row(&Self::COUNTS, key, PhraseCount::new(size, popular));
        if popular == 0 {
            return Ok(());
        }
        let picks = self.pick();
        let (covered, foreign_contribution) = self.contributions(&picks);
        let sources = picks.len() as u64;
        out.row(&Self::COVERS, key, CoveringSet { popular, common, covered, sources, foreign_contribution });
        for (rank, Pick { source, new, all, tier }) in picks {
            let foreign = tier <= Tier::Second;
            let row = CoverSource { rank, source: u64::from(source), new_shingles: new, all_shingles: all, foreign };
            out.row(&Self::SOURCES, key, row);
        }
        Ok(())
    }
}
