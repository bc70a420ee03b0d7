//! Connected components by alternating stars (Kiveris et al., 2014): the kernels of one round.
//!
//! Edges are rows keyed by one end, the other end in the tail. Rows of a key come sorted, so the least neighbour is the
//! first and nothing has to be kept. [`LargeStar`] hooks the greater neighbours of a node onto the least of all,
//! [`SmallStar`] the lesser ones and itself. When neither changes an edge, each node hangs on the least of its
//! component; that takes a number of rounds logarithmic in the size of the component.

use crate::flow::kernel::{Column, GroupKernel, MapKernel, Output, Rows};

/// Map (doc, other): the edge as seen from both ends.
pub struct Ends;

impl MapKernel for Ends {
    fn batch(&mut self, columns: &[Column<'_>], _: &[Column<'_>], out: &mut Output) {
        let [from, to] = columns else { return };
        for row in 0..from.len() {
            let (a, b) = (from.number(row), to.number(row));
            out.ports[0].row(a, &b.to_be_bytes());
            out.ports[0].row(b, &a.to_be_bytes());
        }
    }
}

/// Group: each row once. Keeps one tail.
#[derive(Default)]
pub struct Distinct {
    last: Vec<u8>,
}

impl GroupKernel for Distinct {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) {
        let mut first = true;
        while let Some((_, tail)) = rows.next() {
            if std::mem::take(&mut first) || tail != self.last {
                self.last.clear();
                self.last.extend_from_slice(tail);
                out.ports[0].row(key, tail);
            }
        }
    }
}

/// Map (doc, least of its component): both as members, with their cluster and whether it is kept; the least once for each
/// of the others.
pub struct Members;

impl MapKernel for Members {
    fn batch(&mut self, columns: &[Column<'_>], _: &[Column<'_>], out: &mut Output) {
        let [documents, clusters] = columns else { return };
        for row in 0..documents.len() {
            let (doc, cluster) = (documents.number(row), clusters.number(row));
            for member in [doc, cluster] {
                out.ports[0].row(member, &[cluster, u64::from(member == cluster)].map(u64::to_be_bytes).concat());
            }
        }
    }
}

/// Calls `with` for each distinct neighbour of a node but itself, in ascending order.
fn neighbours(node: u64, rows: &mut dyn Rows, mut with: impl FnMut(u64)) {
    let mut last = None;
    while let Some((_, tail)) = rows.next() {
        let other = tail.first_chunk().map_or(node, |bytes| u64::from_be_bytes(*bytes));
        if other != node && last != Some(other) {
            with(other);
            last = Some(other);
        }
    }
}

/// Group by node, all neighbours: every greater one gets an edge to the least of all, the node included. Keeps nothing.
#[derive(Default)]
pub struct LargeStar {
    changed: u64,
}

impl GroupKernel for LargeStar {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) {
        let mut least = None;
        neighbours(key, rows, |other| {
            let least = *least.get_or_insert(key.min(other));
            if other > key {
                out.ports[0].row(other, &least.to_be_bytes());
                self.changed += u64::from(least != key);
            }
        });
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("changed", self.changed);
    }
}

/// Group by node, lesser neighbours: they and the node get an edge to the least of them. Keeps nothing.
#[derive(Default)]
pub struct SmallStar {
    changed: u64,
}

impl GroupKernel for SmallStar {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) {
        let mut least = None;
        neighbours(key, rows, |other| match least {
            None => {
                least = Some(other);
                out.ports[0].row(key, &other.to_be_bytes());
            }
            Some(least) => {
                out.ports[0].row(other, &u64::to_be_bytes(least));
                self.changed += 1;
            }
        });
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("changed", self.changed);
    }
}
