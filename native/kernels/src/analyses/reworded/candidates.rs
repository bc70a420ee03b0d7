//! Which documents are to be aligned: those that share keys, and more rare stems around them.

use crate::analyses::reworded::keys::SharedKey;
use crate::flow::contract::Port;
use crate::flow::kernel::{Done, Group, Output, Rows};
use crate::{contract, parameters, row};

parameters! {
    /// The most documents that one is aligned with.
    pub struct Choosing { most: usize }
}

row! {
    /// Of a document: one that its text is sent to (itself, if others are sent there), and what the stems weigh, in units of
    /// 2^-16 nats, that the two windows share which share most.
    pub struct RewordedCandidate { other: u64, shared: u64 }
}

/// Group by first document, of the keys that it shares with others: the documents that share enough, those first that
/// share most.
#[derive(Default)]
pub struct RewordedCandidates {
    most: usize,
    /// Of each other document, what the stems weigh around the key around which most are shared.
    found: Vec<(u64, u32)>,
}

contract! {
    group RewordedCandidates = "reworded candidates";
    new(Choosing { most }) = Ok(Self { most, ..Self::default() });
    key Doc of [SharedKey];
    keeps "16 bytes for each other document";
    const CANDIDATES: Port<RewordedCandidate> = Port::documents(0, "candidates");
}

impl Group for RewordedCandidates {
    fn key(&mut self, a: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.found.clear();
        while let Some((_, tail)) = rows.next() {
            let SharedKey { other, shared } = SharedKey::take(tail)?;
            match self.found.last_mut().filter(|last| last.1 == other) {
                Some(last) => last.0 = shared, // no less: rows are in order
                None => self.found.push((shared, other)),
            }
        }
        self.found.sort_unstable_by_key(|&(shared, doc)| (u64::MAX - shared, doc));
        out.greatest("most_candidates", self.found.len() as u64);
        out.count("candidates_left_out", self.found.len().saturating_sub(self.most) as u64);
        self.found.truncate(self.most);
        out.count("candidates", self.found.len() as u64);
        out.count("documents_with_candidates", 1);
        out.row(&Self::CANDIDATES, a, RewordedCandidate { other: a, shared: 0 });
        for &(shared, b) in &self.found {
            out.row(&Self::CANDIDATES, b.into(), RewordedCandidate { other: a, shared });
        }
        Ok(())
    }
}
