//! From the seeds of a pair of documents to diagonals, and from diagonals to chains.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use super::seeds::WindowSeed;
use crate::flow::contract::Port;
use crate::flow::kernel::{Beginning, Done, Group, KernelFault, Output, Rows, Stretches};
use crate::{contract, parameters, row};

/// Units of two documents that match one by one: how many, from which of each on; and how many documents share some of
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diagonal {
    pub i: u32,
    pub j: u32,
    pub units: u32,
    pub documents: u32,
}

impl Diagonal {
    fn offset(&self) -> i64 {
        i64::from(self.j) - i64::from(self.i)
    }
}

/// Joins diagonals that overlap or follow each other at once.
pub fn merge(diagonals: &mut Vec<Diagonal>) {
    diagonals.sort_unstable_by_key(|diagonal| (diagonal.offset(), diagonal.i, diagonal.units));
    diagonals.dedup_by(|next, last| {
        let joined = next.offset() == last.offset() && next.i <= last.i + last.units;
        if joined {
            last.units = last.units.max(next.i + next.units - last.i);
            last.documents = last.documents.min(next.documents);
        }
        joined
    });
}

/// Diagonals one behind the other: what they span in both documents, and how many units match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain {
    pub a: (u32, u32),
    pub b: (u32, u32),
    pub matched: u32,
    pub documents: u32,
    last: (u32, u32),
}

impl Chain {
    fn new(of: &Diagonal) -> Self {
        let Diagonal { i, j, units, documents } = *of;
        Self { a: (i, i + units), b: (j, j + units), matched: units, documents, last: (i, j) }
    }

    /// How far the ends of the chain and the beginning of a diagonal lie apart; none if that is more than `gap` units in
    /// either document, or if the diagonal does not begin behind the last one in both.
    fn distance(&self, to: &Diagonal, gap: u32) -> Option<u32> {
        let (apart_a, apart_b) = (self.a.1.abs_diff(to.i), self.b.1.abs_diff(to.j));
        let follows = to.i > self.last.0 && to.j > self.last.1 && apart_a <= gap && apart_b <= gap;
        follows.then_some(apart_a + apart_b)
    }

    /// Each of its units by itself; all of them match, unless it has gaps.
    pub fn units(&self) -> impl Iterator<Item = Self> + '_ {
        let one = |from: u32, at| (from + at, from + at + 1);
        (0..self.matched).map(move |at| Self { a: one(self.a.0, at), b: one(self.b.0, at), matched: 1, ..*self })
    }

    fn add(&mut self, next: &Diagonal) {
        let both = self.a.1.saturating_sub(next.i).max(self.b.1.saturating_sub(next.j));
        self.matched += next.units.saturating_sub(both);
        self.a.1 = self.a.1.max(next.i + next.units);
        self.b.1 = self.b.1.max(next.j + next.units);
        self.documents = self.documents.min(next.documents);
        self.last = (next.i, next.j);
    }
}

/// Chains of diagonals: in the order in which they begin, each is added to the nearest chain that ends at most `gap`
/// units from it in both documents (of equally near ones to that which ends first in b), or else begins one.
pub fn chain(diagonals: &mut [Diagonal], gap: u32) -> Vec<Chain> {
    diagonals.sort_unstable_by_key(|diagonal| (diagonal.i, diagonal.j));
    let mut chains: Vec<Chain> = Vec::new();
    let mut ends: BTreeMap<u32, usize> = BTreeMap::new(); // where in b the last chain ends that ends there
    for diagonal in diagonals.iter() {
        let near = diagonal.j.saturating_sub(gap)..=diagonal.j.saturating_add(gap);
        let best = ends
            .range(near)
            .filter_map(|(_, &number)| chains[number].distance(diagonal, gap).map(|distance| (distance, number)))
            .min_by_key(|&(distance, number)| (distance, chains[number].b.1));
        let number = match best {
            Some((_, number)) => {
                if ends.get(&chains[number].b.1) == Some(&number) {
                    ends.remove(&chains[number].b.1);
                }
                chains[number].add(diagonal);
                number
            }
            None => {
                chains.push(Chain::new(diagonal));
                chains.len() - 1
            }
        };
        ends.insert(chains[number].b.1, number);
    }
    chains
}

parameters! {
    pub struct Widths { window: NonZeroUsize }
}

row! {
    /// Of the first document of a pair: the second, and a diagonal.
    pub struct Run { b: u32, i: u32, j: u32, units: u32, documents: u32 }
}

/// Calls `each` with the documents of each pair and their diagonals.
fn read(
    rows: &mut dyn Rows,
    window: usize,
    mut each: impl FnMut(u32, u32, &mut Vec<Diagonal>),
) -> Result<(), KernelFault> {
    let mut pairs = Stretches::new(rows, Beginning::First(8));
    let mut diagonals = Vec::new();
    while pairs.begin() {
        diagonals.clear();
        let mut documents = (0, 0);
        while let Some(tail) = pairs.tail() {
            let seed = WindowSeed::take(tail)?;
            documents = (seed.a, seed.b);
            let units = seed.windows + window as u32 - 1;
            diagonals.push(Diagonal { i: seed.i, j: seed.j, units, documents: seed.documents });
        }
        merge(&mut diagonals);
        each(documents.0, documents.1, &mut diagonals);
    }
    Ok(())
}

/// Group by pair: its diagonals.
pub struct Diagonals(usize);

contract! {
    group Diagonals = "diagonals";
    new(Widths { window }) = Ok(Self(window.get()));
    key Hash of [WindowSeed] and more;
    keeps "the seeds of one pair";
    const RUNS: Port<Run> = Port::documents(0, "runs");
}

impl Group for Diagonals {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        read(rows, self.0, |a, b, diagonals| {
            for &Diagonal { i, j, units, documents } in diagonals.iter() {
                out.row(&Self::RUNS, u64::from(a), Run { b, i, j, units, documents });
            }
        })
    }
}

parameters! {
    pub struct Chaining { window: NonZeroUsize, gap: u64, gamma: u64 }
}

row! {
    /// Of either document of a pair: whether it is the second; what a chain spans in it; the other one, and what the chain
    /// spans there; how many units match, and how many documents share some of these.
    pub struct FoundRun {
        second: u8, from: u32, to: u32, other: u32, other_from: u32, other_to: u32, matched: u32, documents: u32,
    }
}

impl FoundRun {
    /// A chain as both documents are told of it.
    pub fn of(a: u32, b: u32, chain: &Chain) -> [(u64, Self); 2] {
        let Chain { a: in_a, b: in_b, matched, documents, .. } = *chain;
        let parameters = |second: bool, other, own: (u32, u32), others: (u32, u32)| Self {
            second: second.into(),
            from: own.0,
            to: own.1,
            other,
            other_from: others.0,
            other_to: others.1,
            matched,
            documents,
        };
        [(a.into(), parameters(false, b, in_a, in_b)), (b.into(), parameters(true, a, in_b, in_a))]
    }
}

/// Group by pair: chains of its diagonals, of at least so many units.
pub struct Chains {
    window: usize,
    gap: u32,
    gamma: u64,
}

contract! {
    group Chains = "chains";
    new(Chaining { window, gap, gamma }) = Ok(Self {
        window: window.get(), gap: u32::try_from(gap).unwrap_or(u32::MAX), gamma,
    });
    key Hash of [WindowSeed];
    keeps "the seeds of one pair";
    const FOUND: Port<FoundRun> = Port::documents(0, "found");
}

impl Group for Chains {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let (gap, gamma) = (self.gap, self.gamma);
        read(rows, self.window, |a, b, diagonals| {
            for found in chain(diagonals, gap).iter().filter(|chain| u64::from(chain.matched) >= gamma) {
                FoundRun::of(a, b, found).into_iter().for_each(|(doc, run)| out.row(&Self::FOUND, doc, run));
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagonal(i: u32, j: u32, units: u32) -> Diagonal {
        Diagonal { i, j, units, documents: 2 }
    }

    #[test]
    fn diagonals_that_touch_are_one() {
        let mut found =
            vec![diagonal(5, 6, 3), diagonal(0, 1, 3), diagonal(3, 4, 2), diagonal(9, 10, 1), diagonal(9, 9, 1)];
        merge(&mut found);
        assert_eq!(found, [diagonal(9, 9, 1), diagonal(0, 1, 8), diagonal(9, 10, 1)]);
    }

    #[test]
    fn chains_bridge_gaps() {
        let spans = |diagonals: &[Diagonal], gap| -> Vec<_> {
            chain(&mut diagonals.to_vec(), gap).iter().map(|chain| (chain.a, chain.b, chain.matched)).collect()
        };
        let two = [diagonal(0, 10, 3), diagonal(5, 14, 2)];
        assert_eq!(spans(&two, 1), [((0, 3), (10, 13), 3), ((5, 7), (14, 16), 2)]);
        assert_eq!(spans(&two, 2), [((0, 7), (10, 16), 5)]);
        let crossed = [diagonal(0, 10, 3), diagonal(4, 5, 2), diagonal(7, 8, 1)];
        assert_eq!(spans(&crossed, 3), [((0, 3), (10, 13), 3), ((4, 8), (5, 9), 3)]);
        assert_eq!(spans(&[diagonal(0, 0, 5), diagonal(4, 5, 3)], 1), [((0, 7), (0, 8), 7)]);
    }
}
