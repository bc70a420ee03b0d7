//! Group: how often each number came up, of each kind of thing that was counted.

use std::collections::BTreeMap;

use crate::flow::contract::Port;
use crate::flow::kernel::{Done, Group, Output, Rows};
use crate::{contract, row};

row! {
    /// Of a number: what had it, and how often.
    pub struct Tally<'a> { what: &'a [u8], count: u64 }
}

pub struct Histograms;

contract! {
    group Histograms = "histograms";
    new() = Ok(Self);
    key Hash of [Tally<'static>] and more;
    keeps "the kinds of things that have one number";
    const COUNTS: Port<Tally<'static>> = Port::hashes(0, "counts");
}

impl Group for Histograms {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut counts: BTreeMap<Box<[u8]>, u64> = BTreeMap::new(); // rows of several tables come one after the other
        while let Some((_, tail)) = rows.next() {
            let Tally { what, count } = Tally::take(tail)?;
            *counts.entry(what.into()).or_default() += count;
        }
        for (what, &count) in &counts {
            out.row(&Self::COUNTS, key, Tally { what, count });
        }
        Ok(())
    }
}
