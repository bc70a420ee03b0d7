//! Candidates for containment: documents most of whose grams another one has, however long that is.
//!
//! Sketches of two documents of different lengths do not agree, so banding finds no page that is part of a long one.
//! Instead, [`ContainedGrams`] puts each document under all its grams, and lets it ask for the others under a few of
//! them, those with the least fingerprints. [`GramVotes`] answers with preferred documents that have the gram: the first
//! and the latest. [`VotedCandidates`] counts the answers. A document that has a share C of the grams of another answers
//! each time with probability C, as long as no more documents have the gram than may answer. So grams that more have
//! count only if all grams of a document are such.

use std::num::NonZeroUsize;

use crate::analyses::neardups::banding::{choose, Candidate};
use crate::analyses::neardups::buckets::Pages;
use crate::documents::components::Edge;
use crate::documents::keeping::{Preferred, Ranks};
use crate::flow::contract::Port;
use crate::flow::kernel::{Beginning, Done, Group, Map, Output, Rows, Stretches};
use crate::text::fingerprint::Fingerprinter;
use crate::text::grams::Grams;
use crate::{contract, parameters, row};

/// Grams that a document asks for.
const ASKED: usize = 48;
/// Documents that answer for a gram: so many of the first …
const FIRST: usize = 12;
/// … and of the latest.
const LATEST: usize = 4;

parameters! {
    /// Which grams; documents of fewer words have none.
    pub struct ContainedGramming { k: NonZeroUsize, key: Fingerprinter, min_words: u64 }
}

row! {
    /// Of a gram: a document that has it, by its rank, and whether it asks for others.
    pub struct HasGram { rank: u64, within: u64, doc: u32, asks: u8 }
}

/// Map, beside the ranks of documents: each document under its grams.
pub struct ContainedGrams(ContainedGramming);

contract! {
    map ContainedGrams = "contained grams";
    new(told: ContainedGramming) = Ok(Self(told));
    reads Pages<'a>, beside Option<Preferred<'a>>;
    keeps "the grams of one document";
    const GRAMS: Port<HasGram> = Port::hashes(0, "grams");
}

impl Map for ContainedGrams {
    fn batch<'a>(&mut self, pages: Pages<'a>, preferred: Option<Preferred<'a>>, out: &mut Output) -> Done {
        let mut ranks = Ranks::new(preferred);
        let mut grams = Grams::new(&self.0.key, self.0.k.get());
        let mut sorted = Vec::new();
        for row in 0..pages.doc.len() {
            if !pages.is_long(row, self.0.min_words, out) {
                continue;
            }
            let doc = pages.doc.at(row);
            let (rank, within) = ranks.of(doc);
            sorted.clear();
            sorted.extend_from_slice(grams.circular(&pages.text.at(row)).1);
            sorted.sort_unstable();
            out.count("without_words", u64::from(sorted.is_empty()));
            for (place, &gram) in sorted.iter().enumerate() {
                let asks = u8::from(place < ASKED);
                out.row(&Self::GRAMS, gram, HasGram { rank, within, doc: doc as u32, asks });
            }
        }
        Ok(())
    }
}

row! {
    /// Of a document: a preferred one that has one of the grams it asked for, and whether more have the gram than may
    /// answer. It answers itself, too, so that it is known how many grams of either kind it asked for.
    pub struct Vote { rank: u64, within: u64, other: u32, crowded: u8 }
}

/// Group by gram, in the order of preference: to each document that asks for it, some of those before it that have it.
#[derive(Default)]
pub struct GramVotes {
    first: Vec<HasGram>,
    latest: Vec<HasGram>,
}

contract! {
    group GramVotes = "gram votes";
    new() = Ok(Self::default());
    key Hash of [HasGram];
    keeps "sixteen rows";
    const VOTES: Port<Vote> = Port::documents(0, "votes");
}

impl Group for GramVotes {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let Self { first, latest } = self;
        first.clear();
        latest.clear();
        let mut before = 0;
        while let Some((_, tail)) = rows.next() {
            let row = HasGram::take(tail)?;
            if row.asks > 0 {
                let crowded = u8::from(before > FIRST + LATEST);
                for &HasGram { rank, within, doc: other, .. } in first.iter().chain(&*latest).chain([&row]) {
                    out.row(&Self::VOTES, row.doc.into(), Vote { rank, within, other, crowded });
                }
            }
            before += 1;
            if first.len() < FIRST {
                first.push(row);
            } else {
                latest.truncate(LATEST - 1);
                latest.insert(0, row);
            }
        }
        Ok(())
    }
}

parameters! {
    pub struct ContainedShare { threshold: f64 }
}

/// Group by document, of the answers it got: its candidates, as those of banding are chosen.
pub struct VotedCandidates {
    told: ContainedShare,
    votes: Vec<(Vote, [u8; 2])>,
    found: Vec<Candidate>,
}

contract! {
    group VotedCandidates = "voted candidates";
    new(told: ContainedShare) = Ok(Self { told, votes: Vec::new(), found: Vec::new() });
    key Doc of [Vote];
    keeps "the candidates of one document, at most sixteen for each gram it asks for";
    const BEST: Port<Edge> = Port::documents(0, "best");
    const FURTHER: Port<Edge> = Port::documents(1, "further");
}

impl Group for VotedCandidates {
    fn key(&mut self, doc: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let Self { told: ContainedShare { threshold }, votes, found } = self;
        votes.clear();
        let mut asked = [0_u8; 2];
        let mut alike = Stretches::new(rows, Beginning::AllBut(0));
        while alike.begin() {
            let vote = Vote::take(alike.beginning())?;
            let mut count = 0_u8;
            while alike.tail().is_some() {
                count = count.saturating_add(1);
            }
            let kind = usize::from(vote.crowded.min(1));
            if u64::from(vote.other) == doc {
                asked[kind] = count;
                continue;
            }
            match votes.last_mut() {
                Some((last, counts)) if last.other == vote.other => counts[kind] = count,
                _ => {
                    votes.push((vote, [0; 2]));
                    votes.last_mut().into_iter().for_each(|(_, counts)| counts[kind] = count);
                }
            }
        }
        let kind = usize::from(asked[0] == 0);
        let mean = f64::from(asked[kind]) * *threshold;
        // Three standard deviations below what a document at the threshold gets: one in seven hundred is lost.
        let least = mean - 3.0 * (mean * (1.0 - *threshold)).sqrt();
        found.clear();
        found.extend(votes.iter().filter_map(|&(Vote { rank, within, other, .. }, counts)| {
            let (answers, distance) = (f64::from(counts[kind]), asked[kind].saturating_sub(counts[kind]));
            let unlikely = u8::from(answers < mean);
            (answers >= least).then_some(Candidate { unlikely, rank, within, other, distance })
        }));
        choose(found, |best, other| out.row(if best { &Self::BEST } else { &Self::FURTHER }, doc, Edge { other }));
        Ok(())
    }
}
