//! Runs of n words by anchors: few rows for many runs.
//!
//! A run of n words holds w = n - k + 1 grams of k words. The one with the least fingerprint, the first of equal ones, is
//! the **anchor** of the run (winnowing: Schleimer, Wilkerson and Aiken, SIGMOD 2003). It depends on the words of the run
//! alone, so equal runs have equal anchors, at the same place within the run: whoever brings together all places of an
//! anchor has all places of each run that it is the anchor of. Runs one behind the other mostly share their anchor, and
//! travel in one row: some 2 / (w + 1) rows a word in place of one. An anchor that stands in one place needs no second
//! look, and all that a few places have in common behind and before their anchor becomes one row again.

use std::collections::{HashSet, VecDeque};
use std::num::NonZeroUsize;

use super::copies::{Repeated, Repeating};
use super::windows::{Details, Ordering, RunPlace, SitedTexts};
use crate::analyses::reuse::places::Site;
use crate::documents::keeping::Preferred;
use crate::flow::contract::Port;
use crate::flow::fields::{Damaged, FieldCodec, Rest, Row};
use crate::flow::kernel::{Done, Group, Map, Output, Rows};
use crate::text::fingerprint::{Fingerprinter, Slide};
use crate::text::words::words;
use crate::{contract, parameters, row};

/// Most runs that a row has.
const MOST_RUNS: usize = 64;

/// How many words an anchor of a run of so many words has: half of them, or more.
fn anchor_words(n: usize) -> usize {
    n + 1 - (n / 2 + 1).min(MOST_RUNS)
}

parameters! {
    /// Runs of `n` words. `details`: with the site.
    pub struct Anchoring { n: NonZeroUsize, site: Site, details: bool, key: Fingerprinter }
}

row! {
    /// Of an anchor: the rank of a document that has it, if there are ranks; the document, where the anchor begins there,
    /// its site if somebody needs it, how many words before the anchor the first of the runs begins, and the
    /// fingerprints of these. Rows sort in the order of preference.
    pub struct Anchored<'a> { rank: &'a [u8], doc: u32, at: u32, site: &'a [u8], before: u32, runs: Rest<'a> }
}

/// Map: the runs of n words of a document, by their anchors.
pub struct Anchors(Anchoring);

contract! {
    map Anchors = "repeat anchors";
    new(parameters: Anchoring) = Ok(Self(parameters));
    reads SitedTexts<'a>, beside Option<Preferred<'a>>;
    keeps "one run of words";
    const ANCHORS: Port<Anchored<'static>> = Port::hashes(0, "anchors");
}

/// Runs that share an anchor: its fingerprint and place, the place of the first of them, and their fingerprints.
#[derive(Default)]
struct Open {
    anchor: u64,
    at: u32,
    first: u32,
    runs: Vec<u8>,
}

impl Map for Anchors {
    fn batch<'a>(&mut self, pages: SitedTexts<'a>, preferred: Option<Preferred<'a>>, out: &mut Output) -> Done {
        let Anchoring { n, site, details, key } = &self.0;
        let (n, k) = (n.get(), anchor_words(n.get()));
        let mut order = Ordering::new(preferred);
        let (mut runs, mut grams) = (Slide::new(key, n), Slide::new(key, k));
        let mut least: VecDeque<(u64, u32)> = VecDeque::new();
        let (mut open, mut told) = (Open::default(), Vec::new());
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row);
            let rank = order.of(doc);
            told.clear();
            if *details {
                site.of(pages.host.bytes(row), pages.domain.bytes(row), doc).put(&mut told);
            }
            runs.clear();
            grams.clear();
            least.clear();
            let send = |open: &mut Open, out: &mut Output| {
                if !open.runs.is_empty() {
                    let Open { anchor, at, first, .. } = *open;
                    let (doc, before, runs) = (doc as u32, at - first, Rest(&open.runs));
                    // Anchors are small numbers, since they are the least of many: only their last bits are even.
                    let anchored = Anchored { rank, doc, at, site: &told, before, runs };
                    out.row(&Self::ANCHORS, anchor.reverse_bits(), anchored);
                    open.runs.clear();
                }
            };
            let mut count = 0_u32;
            words(&pages.text.at(row), key, |_, _, word| {
                count += 1;
                if let Some(gram) = grams.push(word) {
                    while least.back().is_some_and(|&(other, _)| other > gram) {
                        least.pop_back();
                    }
                    least.push_back((gram, count - k as u32));
                }
                let Some(run) = runs.push(word) else { return };
                let first = count - n as u32;
                while least.front().is_some_and(|&(_, at)| at < first) {
                    least.pop_front();
                }
                let Some(&(anchor, at)) = least.front() else { return };
                if open.runs.is_empty() || open.at != at {
                    send(&mut open, out);
                    (open.anchor, open.at, open.first) = (anchor, at, first);
                    if first.is_multiple_of(1 << 10) {
                        out.relieve();
                    }
                }
                open.runs.extend_from_slice(&run.to_be_bytes());
            });
            send(&mut open, out);
            out.relieve();
        }
        Ok(())
    }
}

parameters! {
    /// As [`Repeating`]. Of an anchor in more than `most` places, each run goes its own way.
    pub struct AnchoredRepeating { keep_one: bool, min_sites: usize, min_times: usize, most: NonZeroUsize }
}

/// A place of an anchor: where that and the first of its runs begin in the document, and which of all runs are its own.
struct Place {
    doc: u32,
    at: u32,
    first: u32,
    site: u64,
    begin: usize,
}

/// A run: its fingerprint, its place, and its number among all runs of all places.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RunAt {
    print: u64,
    place: u32,
    number: u32,
}

/// Group by anchor: the places of each of its runs but the first, with the first. If there are too many places to be held
/// in memory, the runs themselves.
pub struct AnchoredCopies {
    wanted: Repeating,
    most: usize,
    tails: Vec<u8>,
    ends: Vec<usize>,
    places: Vec<Place>,
    runs: Vec<RunAt>,
    /// The place where each run stands, too; its own if nowhere.
    copies: Vec<u32>,
    sites: HashSet<u64>,
}

contract! {
    group AnchoredCopies = "anchored copies";
    new(told: AnchoredRepeating) = Ok(Self::begin(&told));
    key Hash of [Anchored<'static>];
    keeps "the runs of an anchor in `most` places, 28 bytes each";
    const COPIES: Port<Repeated> = Port::documents(0, "copies");
    const RUNS: Port<RunPlace<'static>> = Port::hashes(1, "runs");
}

impl AnchoredCopies {
    fn begin(told: &AnchoredRepeating) -> Self {
        let AnchoredRepeating { keep_one, min_sites, min_times, most } = *told;
        let wanted = Repeating { keep_one, min_sites, min_times, menus: 0 };
        let (tails, ends, places, runs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { wanted, most: most.get(), tails, ends, places, runs, copies: Vec::new(), sites: HashSet::new() }
    }

    /// Holds the tails of at most so many rows.
    fn hold(&mut self, rows: &mut dyn Rows) {
        self.tails.clear();
        self.ends.clear();
        while self.ends.len() < self.most {
            let Some((_, tail)) = rows.next() else { return };
            self.tails.extend_from_slice(tail);
            self.ends.push(self.tails.len());
        }
    }

    fn tails(&self) -> impl Iterator<Item = &[u8]> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        begins.zip(&self.ends).map(|(begin, &end)| &self.tails[begin..end])
    }

    fn read_places(&mut self) -> Result<(), Damaged> {
        let (mut places, mut runs) = (std::mem::take(&mut self.places), std::mem::take(&mut self.runs));
        places.clear();
        runs.clear();
        for (place, tail) in (0..).zip(self.tails()) {
            let (anchored, prints) = Anchored::prints(tail)?;
            let Anchored { doc, at, before, .. } = anchored;
            let begin = runs.len();
            places.push(Place { doc, at, first: at - before, site: anchored.site()?.unwrap_or_default(), begin });
            runs.extend(prints.zip(begin as u32..).map(|(print, number)| RunAt { print, place, number }));
        }
        (self.places, self.runs) = (places, runs);
        Ok(())
    }

    /// Notes the copy of each run.
    fn find_copies(&mut self) {
        let Repeating { keep_one, min_sites, min_times, .. } = self.wanted;
        let Self { places, runs, copies, sites, .. } = self;
        copies.clear();
        copies.extend(runs.iter().map(|run| run.place));
        runs.sort_unstable();
        for same in runs.chunk_by(|a, b| a.print == b.print) {
            if same.len() < min_times.max(2) {
                continue;
            }
            if min_sites > 1 {
                sites.clear();
                let mut of_places = same.iter().map(|run| places[run.place as usize].site);
                if !of_places.any(|site| sites.insert(site) && sites.len() >= min_sites) {
                    continue;
                }
            }
            let first = if keep_one { same[0] } else { same[1] };
            copies[same[0].number as usize] = first.place;
            same[1..].iter().for_each(|run| copies[run.number as usize] = same[0].place);
        }
    }

    /// Sends runs one behind the other whose copies stand in one place as one row. Equal runs are at one distance from
    /// their anchors, so these copies are one behind the other, too.
    fn send_copies(&self, out: &mut Output) {
        for (number, place) in (0..).zip(&self.places) {
            let end = self.places.get(number as usize + 1).map_or(self.copies.len(), |next| next.begin);
            let mut at = place.first;
            for same in self.copies[place.begin..end].chunk_by(|a, b| a == b) {
                let runs = same.len() as u32;
                if same[0] != number {
                    let copy = &self.places[same[0] as usize];
                    let copy_at = (copy.at + at).wrapping_sub(place.at);
                    out.row(&Self::COPIES, place.doc.into(), Repeated { at, runs, copy: copy.doc, copy_at });
                }
                at += runs;
            }
        }
    }

    fn send_runs(tail: &[u8], out: &mut Output) -> Result<(), Damaged> {
        let (anchored, prints) = Anchored::prints(tail)?;
        let Anchored { rank, doc, at, before, .. } = anchored;
        let mut told = Vec::new();
        anchored.site()?.into_iter().for_each(|site| Details { site, length: 0 }.put(&mut told));
        for (print, at) in prints.zip(at - before..) {
            out.row(&Self::RUNS, print, RunPlace { rank, doc, at, details: Rest(&told) });
        }
        out.relieve();
        Ok(())
    }
}

impl<'a> Anchored<'a> {
    /// The row, and the fingerprints of its runs.
    fn prints(tail: &'a [u8]) -> Result<(Self, impl Iterator<Item = u64> + 'a), Damaged> {
        let this = Self::take(tail)?;
        match this.runs.0.as_chunks() {
            (prints, []) if this.before <= this.at => Ok((this, prints.iter().map(|print| u64::from_be_bytes(*print)))),
            _ => Err(Damaged("Anchored")),
        }
    }

    fn site(&self) -> Result<Option<u64>, Damaged> {
        match self.site {
            [] => Ok(None),
            site => site.try_into().map(|site| Some(u64::from_be_bytes(site))).map_err(|_| Damaged("Anchored")),
        }
    }
}

impl Group for AnchoredCopies {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        if rows.left() == Some(1) {
            return Ok(());
        }
        self.hold(rows);
        if rows.peek().is_none() {
            if self.ends.len() > 1 {
                self.read_places()?;
                self.find_copies();
                self.send_copies(out);
            }
            return Ok(());
        }
        for tail in self.tails() {
            Self::send_runs(tail, out)?;
        }
        while let Some((_, tail)) = rows.next() {
            Self::send_runs(tail, out)?;
        }
        Ok(())
    }
}
