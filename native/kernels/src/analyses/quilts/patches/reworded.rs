//! The passages of documents that are judged by reworded passages: which count as patches, and what is sewn in.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::borders::Bond;
use super::seams::{judge_seams, Passage};
use super::Patch;
use crate::analyses::quilts::covers::share;
use crate::analyses::quilts::verdicts::Late;
use crate::analyses::reworded::spanned::SpannedPassage;
use crate::flow::contract::Port;
use crate::flow::kernel::{Done, Group, Output, Rows};
use crate::{contract, parameters, row};

/// Words that the passages of two sources may have in common at a seam: where a reworded passage ends is a guess.
const BLURRED: u32 = 10;

parameters! {
    /// How many words a gram has, how many a passage has at least if it is to count as sewn in, and whether it matters how the
    /// page reads on.
    pub struct Spans { k: u64, min_grams: u64, borders: bool }
}

row! {
    /// Of a document: a source with its rank, and whether the document is looked at more closely.
    pub struct RankedSource { rank: u64, source: u64, is_quilt: u64 }
}

/// Group by document, of its patches, if equal grams decide, and of its sources and its passages: its patches, whatever
/// decides; and of reworded passages how much is sewn in.
pub struct RewordedPatches {
    told: Spans,
    ranks: HashMap<u64, u64>,
    passages: Vec<(u64, SpannedPassage)>,
}

contract! {
    group RewordedPatches = "reworded patches";
    new(told: Spans) = Ok(Self { told, ranks: HashMap::new(), passages: Vec::new() });
    key Doc of [Patch, RankedSource, SpannedPassage];
    keeps "the passages of one document";
    const PATCHES: Port<Patch> = Port::documents(0, "patches");
    const SEWN: Port<Late> = Port::documents(1, "sewn");
}

impl RewordedPatches {
    /// Chooses the passages of sources: around each place of a gram the longest; of equal ones that of the better source, then
    /// the first one there, then the first one here. In the order of the page.
    fn choose(&mut self, places: u64) {
        let k = self.told.k;
        self.passages.sort_unstable_by_key(|(rank, at)| (Reverse(at.end - at.begin), *rank, at.other_begin, at.begin));
        let mut covered = vec![false; places as usize];
        self.passages.retain(|(_, at)| {
            let grams = &mut covered[at.begin as usize..(at.end + 1 - k) as usize];
            let wanted = grams.contains(&false);
            grams.fill(true);
            wanted
        });
        self.passages.sort_unstable_by_key(|(rank, at)| (at.begin, at.end, *rank, at.other_begin));
    }

    fn judge(&self, places: u64) -> Late {
        let passages: Vec<Passage> = self.passages.iter().map(|(_, at)| as_passage(at)).collect();
        let seams = judge_seams(&passages, self.told.k as u32, self.told.min_grams, BLURRED);
        let (mut here, mut there) = (Bond::default(), Bond::default());
        for (_, at) in &self.passages {
            if at.end - at.begin >= self.told.min_grams {
                for (in_page, in_source) in at.here().into_iter().zip(at.there()) {
                    if in_page.words > 0 && in_source.words > 0 {
                        here.add(in_page);
                        there.add(in_source);
                    }
                }
            }
        }
        Late {
            spanned: Some(share(seams.spanned, places)),
            sewn: Some(share(seams.sewn, seams.all)),
            sewn_words: Some(seams.sewn_words),
            sewn_sources: Some(seams.sewn_sources),
            in_order: Some(seams.in_order),
            out_of_order: Some(seams.out_of_order),
            joined_words: Some(seams.joined_words),
            joined_sources: Some(seams.joined_sources),
            reads_on: self.told.borders.then(|| here.share() - there.share()),
            ..Late::UNKNOWN
        }
    }
}

fn as_passage(at: &SpannedPassage) -> Passage {
    Passage {
        source: at.other,
        begin: at.begin as u32,
        end: at.end as u32,
        source_begin: at.other_begin,
        source_end: at.other_end,
        bonds: at.there(),
    }
}

impl Group for RewordedPatches {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.ranks.clear();
        self.passages.clear();
        let mut words = 0;
        while let Some((table, tail)) = rows.next() {
            match table {
                0 => out.row(&Self::PATCHES, key, Patch::take(tail)?),
                1 => {
                    let RankedSource { rank, source, is_quilt } = RankedSource::take(tail)?;
                    if is_quilt > 0 {
                        self.ranks.insert(source, rank);
                    }
                }
                _ => {
                    let passage = SpannedPassage::take(tail)?;
                    words = passage.words;
                    if let Some(&rank) = self.ranks.get(&passage.other) {
                        if passage.end - passage.begin >= self.told.k {
                            self.passages.push((rank, passage));
                        }
                    }
                }
            }
        }
        if self.passages.is_empty() {
            return Ok(());
        }
        let places = (words + 1).saturating_sub(self.told.k);
        self.choose(places);
        for (_, at) in &self.passages {
            let patch = Patch {
                begin: at.from,
                end: at.to,
                source: at.other,
                source_begin: at.other_from,
                source_end: at.other_to,
                words: at.end - at.begin,
                similarity: Some(share(at.shared, at.stems)),
            };
            out.row(&Self::PATCHES, key, patch);
        }
        out.row(&Self::SEWN, key, self.judge(places));
        Ok(())
    }
}
