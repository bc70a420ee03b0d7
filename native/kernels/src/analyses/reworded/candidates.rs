//! Which documents are to be aligned: those that share keys, and more rare stems around them.

use crate::analyses::reworded::keys::SharedKey;
use crate::analyses::reworded::relations::SiteRelation;
use crate::flow::contract::Port;
use crate::flow::kernel::{Done, Group, Output, Rows};
use crate::{contract, parameters, row};

parameters! {
    /// The most documents that one is aligned with.
    pub struct Choosing { most: usize }
}

row! {
    /// Of a document: one that its text is sent to (itself, if others are sent there), and what the stems weigh, in units of
    /// 2^-16 nats, that the two windows share which share most; what it is to the other (see [`SiteRelation`]).
    pub struct RewordedCandidate { other: u64, shared: u64, sites: u64 }
}

row! {
    /// Of a document: one of its own site that it may be aligned with, whether it is itself the first of the two, and the
    /// rest of what a candidate is.
    pub struct OwnCandidate { other: u32, is_first: bool, shared: u64, sites: u8 }
}

row! {
    /// Of a document: it comes into question, so that documents of its own site matter.
    pub struct InQuestion {}
}

/// Group by first document, of the keys that it shares with others: the documents that share enough, those first that
/// share most. Documents of its own site, if they are compared, count and leave apart: to both.
#[derive(Default)]
pub struct RewordedCandidates {
    most: usize,
    /// Of each other document, what the stems weigh around the key around which most are shared, and what it is to the
    /// first.
    found: Vec<(u64, u32, SiteRelation)>,
}

contract! {
    group RewordedCandidates = "reworded candidates";
    new(Choosing { most }) = Ok(Self { most, ..Self::default() });
    key Doc of [SharedKey];
    keeps "16 bytes for each other document";
    const CANDIDATES: Port<RewordedCandidate> = Port::documents(0, "candidates");
    const OWN_SITE: Port<OwnCandidate> = Port::documents(1, "own_site");
}

impl Group for RewordedCandidates {
    fn key(&mut self, a: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.found.clear();
        while let Some((_, tail)) = rows.next() {
            let SharedKey { other, shared, sites } = SharedKey::take(tail)?;
            match self.found.last_mut().filter(|last| last.1 == other) {
                Some(last) => last.0 = shared, // no less: rows are in order
                None => self.found.push((shared, other, SiteRelation(sites))),
            }
        }
        self.found.sort_unstable_by_key(|&(shared, doc, _)| (u64::MAX - shared, doc));
        out.greatest("most_candidates", self.found.len() as u64);
        let (mut left, all) = ([self.most; 2], self.found.len());
        self.found.retain(|(.., sites)| {
            let left = &mut left[usize::from(sites.is_foreign())];
            let wanted = *left > 0;
            *left -= usize::from(wanted);
            wanted
        });
        out.count("candidates_left_out", (all - self.found.len()) as u64);
        out.count("candidates", self.found.len() as u64);
        out.count("documents_with_candidates", 1);
        if self.found.iter().any(|(.., sites)| sites.is_foreign()) {
            out.row(&Self::CANDIDATES, a, RewordedCandidate::itself(a));
        }
        for &(shared, b, sites) in &self.found {
            if sites.is_foreign() {
                out.row(&Self::CANDIDATES, b.into(), RewordedCandidate { other: a, shared, sites: sites.0.into() });
            } else {
                let sites = sites.0;
                out.row(&Self::OWN_SITE, a, OwnCandidate { other: b, is_first: true, shared, sites });
                out.row(&Self::OWN_SITE, b.into(), OwnCandidate { other: a as u32, is_first: false, shared, sites });
            }
        }
        Ok(())
    }
}

impl RewordedCandidate {
    /// What a document is to itself, if others are sent there.
    fn itself(doc: u64) -> Self {
        Self { other: doc, shared: 0, sites: 0 }
    }
}

/// Group by document, of whether it comes into question, and of those of its own site that it may be aligned with: these as
/// candidates, if it does. A pair that both of come into question leaves twice.
pub struct OwnCandidates;

contract! {
    group OwnCandidates = "own candidates";
    new() = Ok(Self);
    key Doc of [InQuestion, OwnCandidate];
    const CANDIDATES: Port<RewordedCandidate> = Port::documents(0, "candidates");
}

impl Group for OwnCandidates {
    fn key(&mut self, doc: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut asked = false;
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                asked = true;
            } else if asked {
                let OwnCandidate { other, is_first, shared, sites } = OwnCandidate::take(tail)?;
                let (a, b) = if is_first { (doc, other.into()) } else { (other.into(), doc) };
                out.row(&Self::CANDIDATES, a, RewordedCandidate::itself(a));
                out.row(&Self::CANDIDATES, b, RewordedCandidate { other: a, shared, sites: sites.into() });
            }
        }
        Ok(())
    }
}
