//! Group: chunks and files that occur often enough, and how often; with a limit, the best of them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::analyses::reuse::chunks::log2_256;
use crate::analyses::reuse::histograms::Tally;
use crate::analyses::reuse::standings::Stands;
use crate::flow::contract::{shape, Key, Port, PortInfo, Shape, WrongParameter};
use crate::flow::kernel::{Done, Group, Output, Rows};
use crate::store::labels::Hash;
use crate::{choice, row, told};

/// The tables of [`Objects`], and how people call what is in them.
pub const CHUNK: u8 = 0;
pub const FILE: u8 = 1;
const KINDS: [&[u8]; 2] = [b"chunks", b"files"];

choice! {
    /// What makes one object better than another.
    pub enum Rank { Weight = "weight", Occurrences = "occurrences" }
}

told! {
    /// Which objects there are: those that occur more often than this, on at least so many sites; with `ranked`, only
    /// the best of them, `top` in all. `auto_stop` is how many characters a chunk needs for each doubling of the
    /// documents that have it, or it is a stop chunk; 0 for none. The first `pages` documents are pages: what occurs in
    /// others only ranks behind all that occurs in one.
    pub struct Wanted {
        chunk_threshold: u64,
        file_threshold: u64,
        min_sites: u64,
        auto_stop: u64,
        rank: Rank,
        ranked: bool,
        top: u64,
        pages: u64,
    }
}

row! {
    /// Of the first document that has it: an object, and what was counted.
    pub struct Found<'a> {
        sha1: &'a [u8; 20],
        kind: u8,
        occurrences: u64,
        documents: u64,
        sites: u64,
        length: u64,
        weight: u64,
        stop: bool,
    }
}

row! {
    /// Of nothing: an object and its first document, in the order of rank.
    pub struct Ranked<'a> {
        order: u64,
        sha1: &'a [u8; 20],
        kind: u8,
        occurrences: u64,
        documents: u64,
        sites: u64,
        length: u64,
        weight: u64,
        stop: bool,
        doc: u64,
    }
}

/// How much an object matters: its length, times the number of times that its sites doubled, and a sixteenth of the
/// number of times that its documents did.
pub fn weigh(length: u64, sites: u64, documents: u64) -> u64 {
    let doublings = 16 * u128::from(log2_256(sites)) + u128::from(log2_256(documents));
    u64::try_from(u128::from(length) * doublings / (16 * 256)).unwrap_or(u64::MAX)
}

/// The place of an object among others: the greater, the better.
fn score(page: bool, points: u64) -> u64 {
    (u64::from(page) << 63) | points.min(u64::MAX >> 1)
}

/// Whether so short a text in so many documents carries no signal.
pub fn is_template(length: u64, documents: u64, characters: u64) -> bool {
    u128::from(length) * 256 < u128::from(characters) * u128::from(log2_256(documents))
}

/// The rows of one hash, as they are counted: in the order of sites. No document is counted in two of them.
#[derive(Clone, Copy)]
struct Count {
    kind: u8,
    rest: [u8; 12],
    first: u32,
    length: u32,
    occurrences: u64,
    documents: u64,
    sites: u64,
    last: Option<u64>,
}

impl Count {
    fn new(kind: u8, row: &Stands<'_>) -> Self {
        let (first, length) = (row.doc, row.length);
        Self { kind, rest: *row.rest, first, length, occurrences: 0, documents: 0, sites: 0, last: None }
    }

    fn add(&mut self, row: &Stands<'_>) {
        self.occurrences += u64::from(row.occurrences);
        self.documents += u64::from(row.documents);
        self.sites += u64::from(self.last.replace(row.site) != Some(row.site));
        if row.doc < self.first {
            (self.first, self.length) = (row.doc, row.length);
        }
    }
}

/// An object that may be among the best.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// The better, the greater; then the lower the hash.
    score: u64,
    sha1: Reverse<Hash>,
    kind: u8,
    first: u32,
    counts: [u64; 4],
}

pub struct Objects {
    wanted: Wanted,
    best: BinaryHeap<Reverse<Candidate>>,
    frequencies: BTreeMap<(u64, u8), u64>,
}

impl Objects {
    const OBJECTS: Port<Found<'static>> = Port::documents(0, "objects").when_not("ranked", "true");
    const BEST: Port<Ranked<'static>> = Port::hashes(0, "best").when("ranked", "true");
    const FREQUENCIES: Port<Tally<'static>> = Port::hashes(1, "frequencies");

    fn close(&mut self, key: u64, count: &Count, out: &mut Output) {
        let Count { kind, rest, first, length, occurrences, documents, sites, .. } = *count;
        *self.frequencies.entry((occurrences, kind)).or_default() += 1;
        let Wanted { chunk_threshold, file_threshold, min_sites, auto_stop, rank, ranked, top, pages } = self.wanted;
        let least = if kind == FILE { file_threshold } else { chunk_threshold };
        if occurrences <= least || sites < min_sites {
            return;
        }
        let length = u64::from(length);
        let stop = kind == CHUNK && is_template(length, documents, auto_stop);
        out.count("objects", u64::from(!stop));
        out.count("auto_stop_chunks", u64::from(stop));
        let mut sha1 = [0; 20];
        sha1[..8].copy_from_slice(&key.to_be_bytes());
        sha1[8..].copy_from_slice(&rest);
        let weight = weigh(length, sites, documents);
        if ranked && !stop {
            let points = if rank == Rank::Weight { weight } else { occurrences };
            let score = score(u64::from(first) < pages, points);
            let counts = [occurrences, documents, sites, length];
            self.best.push(Reverse(Candidate { score, sha1: Reverse(sha1), kind, first, counts }));
            if self.best.len() as u64 > top {
                self.best.pop();
            }
        } else if !ranked {
            let sha1 = &sha1;
            let row = Found { sha1, kind, occurrences, documents, sites, length, weight, stop };
            out.row(&Self::OBJECTS, first.into(), row);
        }
    }
}

impl Group for Objects {
    const NAME: &'static str = "objects";
    const KEY: Key = Key::Hash;
    const TABLES: &'static [Shape] = &[shape::<Stands<'static>>(), shape::<Stands<'static>>()];
    const PORTS: &'static [PortInfo] = &[Self::OBJECTS.info(), Self::BEST.info(), Self::FREQUENCIES.info()];
    const KEEPS: &'static str = "one row; the best objects, if only some are wanted; how many occur how often";
    type Told = Wanted;

    fn new(wanted: Wanted, _: usize) -> Result<Self, WrongParameter> {
        Ok(Self { wanted, best: BinaryHeap::new(), frequencies: BTreeMap::new() })
    }

    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        // A file and a chunk may have the same hash, and yet are two objects.
        let mut open: Option<Count> = None;
        while let Some((kind, tail)) = rows.next() {
            let row = Stands::take(tail)?;
            if let Some(done) = open.take_if(|count| (count.kind, &count.rest) != (kind, row.rest)) {
                self.close(key, &done, out);
            }
            open.get_or_insert_with(|| Count::new(kind, &row)).add(&row);
        }
        if let Some(done) = open {
            self.close(key, &done, out);
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        for Reverse(Candidate { score, sha1: Reverse(sha1), kind, first, counts }) in self.best.drain() {
            let ([occurrences, documents, sites, length], doc) = (counts, first.into());
            let weight = weigh(length, sites, documents);
            let (order, sha1, stop) = (u64::MAX - score, &sha1, false);
            let row = Ranked { order, sha1, kind, occurrences, documents, sites, length, weight, stop, doc };
            out.row(&Self::BEST, 0, row);
        }
        for ((occurrences, kind), count) in std::mem::take(&mut self.frequencies) {
            let what = KINDS[usize::from(kind.min(1))];
            out.row(&Self::FREQUENCIES, occurrences, Tally { what, count });
        }
    }
}

told! {
    pub struct Limit { top: u64 }
}

/// Group, all rows under one key: the first of them.
pub struct Best {
    top: u64,
}

impl Best {
    const OBJECTS: Port<Found<'static>> = Port::documents(0, "objects");
}

impl Group for Best {
    const NAME: &'static str = "best";
    const KEY: Key = Key::Hash;
    const TABLES: &'static [Shape] = &[shape::<Ranked<'static>>()];
    const PORTS: &'static [PortInfo] = &[Self::OBJECTS.info()];
    const KEEPS: &'static str = "nothing";
    type Told = Limit;

    fn new(Limit { top }: Limit, _: usize) -> Result<Self, WrongParameter> {
        Ok(Self { top })
    }

    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        for _ in 0..self.top {
            let Some((_, tail)) = rows.next() else { break };
            let Ranked { sha1, kind, occurrences, documents, sites, length, weight, stop, doc, .. } =
                Ranked::take(tail)?;
            let row = Found { sha1, kind, occurrences, documents, sites, length, weight, stop };
            out.row(&Self::OBJECTS, doc, row);
        }
        Ok(())
    }
}
