//! How many documents have a passage, so that what two pages alone share comes before what dozens do.

use crate::analyses::passages::borders::PassageRow;
use crate::flow::contract::Port;
use crate::flow::kernel::{Done, Group, Output, Rows};
use crate::{contract, row};

row! {
    /// Of a document: where a passage begins and ends in it; the other document; the first one of the two, the second one,
    /// and where the passage begins in both.
    pub struct PassageSide { begin: u64, end: u64, other: u64, a: u64, b: u64, a_begin: u64, b_begin: u64 }
}

row! {
    /// Of the first document of a pair: the second; where a passage begins in both; how many further documents have half of
    /// its place in one of the two.
    pub struct SharingCount { b: u64, a_begin: u64, b_begin: u64, others: u64 }
}

/// Group by document, of the passages in it: how many other documents have at least half of each.
#[derive(Default)]
pub struct SharingDocuments {
    sides: Vec<PassageSide>,
    active: Vec<usize>,
    others: Vec<u64>,
}

contract! {
    group SharingDocuments = "sharing documents";
    new() = Ok(Self::default());
    key Doc of [PassageSide];
    keeps "56 bytes for each passage of a document";
    const SHARING: Port<SharingCount> = Port::documents(0, "sharing");
}

/// The code points that two intervals have in common.
fn overlap(one: &PassageSide, other: &PassageSide) -> u64 {
    one.end.min(other.end).saturating_sub(one.begin.max(other.begin))
}

impl Group for SharingDocuments {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let Self { sides, active, others } = self;
        sides.clear();
        while let Some((_, tail)) = rows.next() {
            sides.push(PassageSide::take(tail)?);
        }
        // What has half of a passage has its middle. Rows come by where they begin; their middles do not.
        let mut by_middle: Vec<usize> = (0..sides.len()).collect();
        let middle = |side: &PassageSide| side.begin.midpoint(side.end);
        by_middle.sort_by_key(|&at| middle(&sides[at]));
        active.clear();
        let mut next = 0;
        for at in by_middle {
            let side = &sides[at];
            while sides.get(next).is_some_and(|other| other.begin <= middle(side)) {
                active.push(next);
                next += 1;
            }
            active.retain(|&other| sides[other].end >= middle(side));
            others.clear();
            let shares = |other: &PassageSide| 2 * overlap(side, other) >= side.end - side.begin;
            others.extend(active.iter().map(|&at| &sides[at]).filter(|other| shares(other)).map(|other| other.other));
            others.sort_unstable();
            others.dedup();
            let PassageSide { a, b, a_begin, b_begin, .. } = *side;
            let count = others.len().saturating_sub(1) as u64;
            out.row(&Self::SHARING, a, SharingCount { b, a_begin, b_begin, others: count });
        }
        out.relieve();
        Ok(())
    }
}

/// Group by first document: passages with the number of documents that have them. The second table has the two sides of
/// each.
#[derive(Default)]
pub struct SharedPassages {
    passages: Vec<PassageRow>,
    sharing: Vec<SharingCount>,
}

contract! {
    group SharedPassages = "shared passages";
    new() = Ok(Self::default());
    key Doc of [PassageRow, SharingCount];
    keeps "200 bytes for each passage of a document";
    const PASSAGES: Port<PassageRow> = Port::documents(0, "passages");
}

impl Group for SharedPassages {
    fn key(&mut self, a: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let Self { passages, sharing } = self;
        passages.clear();
        sharing.clear();
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                passages.push(PassageRow::take(tail)?);
            } else {
                sharing.push(SharingCount::take(tail)?);
            }
        }
        // Rows come sorted by these three, and of the two sides the one that more documents share comes last.
        let mut at = 0;
        for mut passage in passages.drain(..) {
            let key = (passage.b, passage.a_begin, passage.b_begin);
            while let Some(side) = sharing.get(at).filter(|side| (side.b, side.a_begin, side.b_begin) <= key) {
                if (side.b, side.a_begin, side.b_begin) == key {
                    passage.documents = 2 + side.others;
                }
                at += 1;
            }
            passage.weight /= (passage.documents - 1) as f64;
            out.row(&Self::PASSAGES, a, passage);
        }
        out.relieve();
        Ok(())
    }
}
