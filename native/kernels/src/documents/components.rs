//! Connected components by alternating stars (Kiveris et al., 2014): the kernels of one round.
//!
//! Edges are rows keyed by one end, the other end in the tail. Rows of a key come sorted, so the least neighbour is the
//! first and nothing has to be kept. [`LargeStar`] ties the greater neighbours of a node to the least of node and
//! neighbours, [`SmallStar`] ties the lesser neighbours and the node to the least of them. When neither changes an
//! edge, each node hangs on the least of its component; that takes a number of rounds logarithmic in the size of the
//! component.

use crate::documents::copies::KeptFor;
use crate::flow::contract::{Port, Shape};
use crate::flow::fields::{Damaged, Raw};
use crate::flow::kernel::{Beginning, Done, Group, Map, Output, Rows, Stretches};
use crate::{contract, row};

row! {
    /// Of a document: another that an edge ties it to.
    pub struct Edge { other: u64 }
}

/// Map: the edge as seen from both ends.
pub struct Ends;

contract! {
    map Ends = "ends";
    new() = Ok(Self);
    reads KeptFor<'a>;
    const EDGES: Port<Edge> = Port::documents(0, "edges");
}

impl Map for Ends {
    fn batch<'a>(&mut self, edges: KeptFor<'a>, (): (), out: &mut Output) -> Done {
        for row in 0..edges.doc.len() {
            let (a, b) = (edges.doc.at(row), edges.other.at(row));
            out.row(&Self::EDGES, a, Edge { other: b });
            out.row(&Self::EDGES, b, Edge { other: a });
        }
        Ok(())
    }
}

/// Group: each row of a table once; of several tables, one after the other.
pub struct DistinctRows;

contract! {
    group DistinctRows = "distinct";
    new() = Ok(Self);
    key Doc of shapes [Shape::Any] and more;
    keeps "one row";
    const ROWS: Port<Raw<'static>> = Port::documents(0, "rows").shaped(Shape::OfTables(&[0]));
}

impl Group for DistinctRows {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut distinct = Stretches::new(rows, Beginning::AllBut(0));
        while distinct.begin() {
            out.row(&Self::ROWS, key, Raw(distinct.beginning()));
        }
        Ok(())
    }
}

/// Calls `with` for each distinct neighbour of a node but itself, in ascending order.
fn neighbours(node: u64, rows: &mut dyn Rows, mut with: impl FnMut(u64)) -> Result<(), Damaged> {
    let mut last = None;
    while let Some((_, tail)) = rows.next() {
        let Edge { other } = Edge::take(tail)?;
        if other != node && last != Some(other) {
            with(other);
            last = Some(other);
        }
    }
    Ok(())
}

/// Group by node, all neighbours: every greater one gets an edge to the least of all, the node included.
#[derive(Default)]
pub struct LargeStar {
    changed: u64,
}

contract! {
    group LargeStar = "large star";
    new() = Ok(Self::default());
    key Doc of [Edge];
    const EDGES: Port<Edge> = Port::documents(0, "edges");
}

impl Group for LargeStar {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut least = None;
        Ok(neighbours(key, rows, |other| {
            let least = *least.get_or_insert(key.min(other));
            if other > key {
                out.row(&Self::EDGES, other, Edge { other: least });
                self.changed += u64::from(least != key);
            }
        })?)
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("changed", self.changed);
    }
}

/// Group by node, lesser neighbours: they and the node get an edge to the least of them.
#[derive(Default)]
pub struct SmallStar {
    changed: u64,
}

contract! {
    group SmallStar = "small star";
    new() = Ok(Self::default());
    key Doc of [Edge];
    const EDGES: Port<Edge> = Port::documents(0, "edges");
}

impl Group for SmallStar {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut least = None;
        Ok(neighbours(key, rows, |other| match least {
            None => {
                least = Some(other);
                out.row(&Self::EDGES, key, Edge { other });
            }
            Some(least) => {
                out.row(&Self::EDGES, other, Edge { other: least });
                self.changed += 1;
            }
        })?)
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("changed", self.changed);
    }
}
