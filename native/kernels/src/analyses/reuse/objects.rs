//! Group: chunks and files that occur often enough, and how often; with a limit, the best of them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::analyses::reuse::chunks::log2_256;
use crate::analyses::reuse::histograms::Tally;
use crate::analyses::reuse::places::{ObjectPlace, Site};
use crate::flow::contract::Port;
use crate::flow::kernel::{Done, Group, Output, Rows};
use crate::store::labels::Hash;
use crate::{choice, contract, parameters, row};

/// The tables of [`Objects`], and how people call what is in them.
pub const CHUNK: u8 = 0;
pub const FILE: u8 = 1;
const KINDS: [&[u8]; 2] = [b"chunks", b"files"];
/// What one of each is called.
pub const KIND_NAMES: [&[u8]; 2] = [b"chunk", b"file"];

choice! {
    /// What makes one object better than another.
    pub enum Rank { Weight = "weight", Occurrences = "occurrences" }
}

parameters! {
    /// Which objects there are: those that occur more often than this, on at least so many sites; with `ranked`, only
    /// the best of them, `top` in all. `auto_stop` is how many characters a chunk needs for each doubling of the
    /// documents that have it, or it is a stop chunk; 0 for none. The first `pages` documents are pages: what occurs in
    /// others only ranks behind all that occurs in one. With `with_sites`, it is also said on which sites each stands.
    pub struct Wanted {
        chunk_threshold: u64,
        file_threshold: u64,
        min_sites: u64,
        auto_stop: u64,
        rank: Rank,
        ranked: bool,
        top: u64,
        pages: u64,
        with_sites: bool,
    }
}

row! {
    /// Of the first document that has it: where it begins there, the object, and what was counted.
    pub struct Found<'a> {
        begin: u64,
        kind: u8,
        sha1: &'a [u8; 20],
        occurrences: u64,
        documents: u64,
        sites: u64,
        length: u64,
        weight: u64,
        stop: bool,
    }
}

row! {
    /// Of the first document of a site that has an object: where it stands there; the object; the site, unless it is
    /// that document alone; in how many documents of the site it is, and how often.
    pub struct ObjectSite<'a> {
        begin: u64,
        kind: &'a [u8],
        end: u64,
        sha1: &'a [u8; 20],
        site: Option<&'a [u8]>,
        documents: u64,
        occurrences: u64,
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
        begin: u64,
    }
}

/// How much an object matters: its length, times the number of times that its sites doubled, and a sixteenth of the
/// number of times that its documents did. A file without text is as long as one character.
pub fn weigh(length: u64, sites: u64, documents: u64) -> u64 {
    let doublings = 16 * u128::from(log2_256(sites)) + u128::from(log2_256(documents));
    u64::try_from(u128::from(length.max(1)) * doublings / (16 * 256)).unwrap_or(u64::MAX)
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
    /// Where it first stands.
    first: Spot,
    occurrences: u64,
    documents: u64,
    sites: u64,
    here: Place,
}

/// A place in a document: the document, where it begins there, and how long it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Spot {
    doc: u32,
    begin: u32,
    length: u32,
}

/// What is counted of them on one site. Of its rows, that of its first document comes first.
#[derive(Clone, Copy)]
struct Place {
    site: u64,
    first: Spot,
    occurrences: u64,
    documents: u64,
}

impl Place {
    fn new(row: &ObjectPlace<'_>) -> Self {
        let ObjectPlace { site, doc, begin, length, occurrences, documents, .. } = *row;
        let first = Spot { doc, begin, length };
        Self { site, first, occurrences: occurrences.into(), documents: documents.into() }
    }
}

impl Count {
    fn new(kind: u8, row: &ObjectPlace<'_>) -> Self {
        let here = Place::new(row);
        let Place { first, occurrences, documents, .. } = here;
        Self { kind, rest: *row.rest, first, occurrences, documents, sites: 1, here }
    }

    /// Adds a row; returns what was counted of the site before, if this is another.
    fn add(&mut self, row: &ObjectPlace<'_>) -> Option<Place> {
        let more = Place::new(row);
        self.occurrences += more.occurrences;
        self.documents += more.documents;
        self.first = self.first.min(more.first);
        if more.site == self.here.site {
            self.here.occurrences += more.occurrences;
            self.here.documents += more.documents;
            return None;
        }
        self.sites += 1;
        Some(std::mem::replace(&mut self.here, more))
    }

    fn sha1(&self, key: u64) -> Hash {
        let mut sha1 = [0; 20];
        sha1[..8].copy_from_slice(&key.to_be_bytes());
        sha1[8..].copy_from_slice(&self.rest);
        sha1
    }
}

/// An object that may be among the best.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// The better, the greater; then the lower the hash.
    score: u64,
    sha1: Reverse<Hash>,
    kind: u8,
    first: Spot,
    counts: [u64; 3],
}

pub struct Objects {
    wanted: Wanted,
    best: BinaryHeap<Reverse<Candidate>>,
    frequencies: BTreeMap<(u64, u8), u64>,
}

contract! {
    group Objects = "objects";
    new(wanted: Wanted) = Ok(Self { wanted, best: BinaryHeap::new(), frequencies: BTreeMap::new() });
    key Hash of [ObjectPlace<'static>, ObjectPlace<'static>];
    keeps "one row; the best objects, if only some are wanted; how many occur how often";
    const OBJECTS: Port<Found<'static>> = Port::documents(0, "objects").when_not("ranked", "true");
    const BEST: Port<Ranked<'static>> = Port::hashes(0, "best").when("ranked", "true");
    const FREQUENCIES: Port<Tally<'static>> = Port::hashes(1, "frequencies");
    const SITES: Port<ObjectSite<'static>> = Port::documents(2, "sites").when("with_sites", "true");
}

impl Objects {
    /// Says where an object stands, if that is asked for.
    fn place(&self, key: u64, count: &Count, place: &Place, out: &mut Output) {
        if !self.wanted.with_sites {
            return;
        }
        let Place { site, first: Spot { doc, begin, length }, occurrences, documents } = *place;
        let (begin, end) = (begin.into(), u64::from(begin) + u64::from(length));
        let named = site.to_be_bytes();
        // A document that is a site of its own would be another one under another number.
        let site = (site != Site::alone(doc.into())).then_some(&named[..]);
        let (sha1, kind) = (&count.sha1(key), KIND_NAMES[usize::from(count.kind.min(1))]);
        out.row(&Self::SITES, doc.into(), ObjectSite { begin, kind, end, sha1, site, documents, occurrences });
    }

    fn close(&mut self, key: u64, count: &Count, out: &mut Output) {
        self.place(key, count, &count.here, out);
        let Count { kind, first, occurrences, documents, sites, .. } = *count;
        *self.frequencies.entry((occurrences, kind)).or_default() += 1;
        let Wanted { chunk_threshold, file_threshold, min_sites, auto_stop, rank, ranked, top, pages, .. } =
            self.wanted;
        let least = if kind == FILE { file_threshold } else { chunk_threshold };
        if occurrences <= least || sites < min_sites {
            return;
        }
        let length = u64::from(first.length);
        let stop = kind == CHUNK && is_template(length, documents, auto_stop);
        out.count("objects", u64::from(!stop));
        out.count("auto_stop_chunks", u64::from(stop));
        let sha1 = count.sha1(key);
        let weight = weigh(length, sites, documents);
        if ranked && !stop {
            let points = if rank == Rank::Weight { weight } else { occurrences };
            let score = score(u64::from(first.doc) < pages, points);
            let counts = [occurrences, documents, sites];
            self.best.push(Reverse(Candidate { score, sha1: Reverse(sha1), kind, first, counts }));
            if self.best.len() as u64 > top {
                self.best.pop();
            }
        } else if !ranked {
            let (sha1, begin) = (&sha1, first.begin.into());
            let row = Found { begin, kind, sha1, occurrences, documents, sites, length, weight, stop };
            out.row(&Self::OBJECTS, first.doc.into(), row);
        }
    }
}

impl Group for Objects {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        // A file and a chunk may have the same hash, and yet are two objects.
        let mut open: Option<Count> = None;
        while let Some((kind, tail)) = rows.next() {
            let row = ObjectPlace::take(tail)?;
            if let Some(done) = open.take_if(|count| (count.kind, &count.rest) != (kind, row.rest)) {
                self.close(key, &done, out);
            }
            let Some(count) = &mut open else {
                open = Some(Count::new(kind, &row));
                continue;
            };
            if let Some(place) = count.add(&row) {
                self.place(key, count, &place, out);
            }
        }
        if let Some(done) = open {
            self.close(key, &done, out);
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        for Reverse(Candidate { score, sha1: Reverse(sha1), kind, first, counts }) in self.best.drain() {
            let [occurrences, documents, sites] = counts;
            let (doc, begin, length) = (first.doc.into(), first.begin.into(), first.length.into());
            let weight = weigh(length, sites, documents);
            let (order, sha1, stop) = (u64::MAX - score, &sha1, false);
            let row = Ranked { order, sha1, kind, occurrences, documents, sites, length, weight, stop, doc, begin };
            out.row(&Self::BEST, 0, row);
        }
        for ((occurrences, kind), count) in std::mem::take(&mut self.frequencies) {
            let what = KINDS[usize::from(kind.min(1))];
            out.row(&Self::FREQUENCIES, occurrences, Tally { what, count });
        }
    }
}

parameters! {
    pub struct Limit { top: u64 }
}

/// Group, all rows under one key: the first of them.
pub struct Best {
    top: u64,
}

contract! {
    group Best = "best";
    new(Limit { top }) = Ok(Self { top });
    key Hash of [Ranked<'static>];
    const OBJECTS: Port<Found<'static>> = Port::documents(0, "objects");
}

impl Group for Best {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        for _ in 0..self.top {
            let Some((_, tail)) = rows.next() else { break };
            let Ranked { sha1, kind, occurrences, documents, sites, length, weight, stop, doc, begin, .. } =
                Ranked::take(tail)?;
            let row = Found { begin, kind, sha1, occurrences, documents, sites, length, weight, stop };
            out.row(&Self::OBJECTS, doc, row);
        }
        Ok(())
    }
}
