//! Near-duplicates by a threshold of the Jaccard coefficient: candidates by banding, each held against the exact value.
//!
//! A sketch is a number of minima over the circular k-grams of a document; two documents agree in each with probability
//! J. Cut into bands of several rows, two documents meet in the bucket of a band if they agree in all of its rows.
//! [`Bands`] puts each document into its buckets, and its whole sketch with it, a byte for each minimum: so a bucket can
//! tell what is worth a comparison. [`BucketCandidates`] goes through a bucket in the order of preference, and notes for
//! each document some of the preferred ones whose sketches agree with its own in at least so many places: the nearest,
//! since these tie clusters together, and the earliest, since these are kept. [`BestCandidates`] takes the best of both
//! over all buckets, and puts the likeliest first.
//!
//! At first only that one is looked at. Where all of a million pages are alike, each is dropped by that, and they hang
//! together: of the other candidates, only those that would tie together what does not yet hang together ([`Unsettled`],
//! [`Apart`]), and those on which it depends what is kept ([`deletion`](crate::documents::deletion)), are looked at, too.
//!
//! In a large bucket no document is compared with all others. Documents that surely belong to an earlier one are
//! remembered for a while only ([`FOLLOWERS`]), the others for longer, the first of them for good ([`FIRST`], [`LATEST`]);
//! and whoever has found enough candidates looks no further. So buckets of up to so many documents are gone through
//! completely, and larger ones in linear time.

use std::num::NonZeroUsize;

use crate::analyses::neardups::buckets::Pages;
use crate::documents::components::Edge;
use crate::documents::copies::KeptFor;
use crate::documents::keeping::{Preferred, Ranks};
use crate::flow::columns::Along;
use crate::flow::contract::{Port, Side, WrongParameter};
use crate::flow::fields::Rest;
use crate::flow::kernel::{Beginning, Done, Group, Map, Output, Rows, Stretches};
use crate::sketches::minwise::Minima;
use crate::sketches::spots::{Primary, Spots};
use crate::text::fingerprint::Fingerprinter;
use crate::{contract, parameters, row};

/// Documents of a bucket that are remembered and have nobody that they surely belong to: the first of them …
const FIRST: usize = 256;
/// … and the latest.
const LATEST: usize = 256;
/// Documents of a bucket that are remembered though they surely belong to one of these.
const FOLLOWERS: usize = 128;
/// Candidates of a document that are looked at in a bucket: among the pages of one template, all would be. So many of
/// the first …
const FIRST_HITS: usize = 32;
/// … and of the latest, and of the followers.
const LATEST_HITS: usize = 16;
/// Candidates of a document that are noted in each bucket, and of these again: so many of the nearest, of the earliest
/// that are near more often than not, and of the earliest.
const NOTED: usize = 4;
/// Sketches are filled up with zeros to a multiple of this, so that they are compared quickly.
const LANES: usize = 8;

parameters! {
    /// Which min-wise functions, over which grams, in how many bands of how many rows; documents of fewer words have no
    /// buckets.
    pub struct Banding {
        seed: u64,
        k: NonZeroUsize,
        key: Fingerprinter,
        min_words: u64,
        bands: NonZeroUsize,
        rows: NonZeroUsize,
    }
}

row! {
    /// Of a bucket: a document, by its rank, and a byte of each of its minima, filled up with zeros.
    pub struct InBand<'a> { rank: u64, within: u64, doc: u32, sketch: Rest<'a> }
}

/// Map, beside the ranks of documents if the first are not the preferred ones: each document with words in the bucket of
/// each of its bands.
pub struct Bands {
    minima: Minima,
    rows: usize,
    min_words: u64,
}

contract! {
    map Bands = "bands";
    new(told: Banding) = {
        let Banding { seed, k, key, min_words, bands, rows } = told;
        let functions = bands.get().saturating_mul(rows.get());
        Ok(Self { minima: Minima::new(seed, k.get(), key, functions), rows: rows.get(), min_words })
    };
    reads Pages<'a>, beside Option<Preferred<'a>>;
    keeps "one sketch";
    const BUCKETS: Port<InBand<'static>> = Port::hashes(0, "buckets");
}

impl Map for Bands {
    fn batch<'a>(&mut self, pages: Pages<'a>, preferred: Option<Preferred<'a>>, out: &mut Output) -> Done {
        let (mut ranks, mut buckets) = (Ranks::new(preferred), BandBuckets::default());
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row);
            if !pages.is_long(row, self.min_words, out) {
                continue;
            }
            match self.minima.of(&pages.text.at(row)) {
                Some(minima) => buckets.put(&Self::BUCKETS, minima, self.rows, doc, ranks.of(doc), out),
                None => out.count("without_words", 1),
            }
        }
        Ok(())
    }
}

/// Puts documents into the buckets of their bands; keeps its buffers.
#[derive(Default)]
struct BandBuckets {
    sketch: Vec<u8>,
    bytes: Vec<u8>,
}

impl BandBuckets {
    fn put(
        &mut self,
        port: &Port<InBand<'static>>,
        minima: &[u32],
        rows: usize,
        doc: u64,
        (rank, within): (u64, u64),
        out: &mut Output,
    ) {
        let (Self { sketch, bytes }, print, doc) = (self, Fingerprinter::plain(), doc as u32);
        sketch.clear();
        sketch.extend(minima.iter().map(|&least| least as u8));
        sketch.resize(sketch.len().next_multiple_of(LANES), 0);
        for (number, band) in minima.chunks(rows).enumerate() {
            bytes.clear();
            bytes.extend_from_slice(&(number as u64).to_le_bytes());
            band.iter().for_each(|least| bytes.extend_from_slice(&least.to_le_bytes()));
            out.row(port, print.bytes(bytes), InBand { rank, within, doc, sketch: Rest(sketch) });
        }
    }
}

parameters! {
    /// Which min-wise functions in how many bands, over which spot signatures: their antecedents are the primary words of
    /// the lexicon, and chains of `chain` words at steps of `distance` have none of its words.
    pub struct SpotBanding {
        seed: u64,
        min_words: u64,
        bands: NonZeroUsize,
        rows: NonZeroUsize,
        lexicon: Side,
        chain: NonZeroUsize,
        distance: NonZeroUsize,
    }
}

/// The same as [`Bands`], of spot signatures in place of grams.
pub struct SpotBands {
    minima: Minima,
    rows: usize,
    min_words: u64,
    spots: Spots<Side>,
}

contract! {
    map SpotBands = "spot bands";
    new(told: SpotBanding) = {
        let SpotBanding { seed, min_words, bands, rows, lexicon, chain, distance } = told;
        let spots = Spots::new(lexicon, Primary::Antecedents, chain, distance);
        let spots = spots.map_err(|fault| WrongParameter(fault.to_string()))?;
        let functions = bands.get().saturating_mul(rows.get());
        Ok(Self { minima: Minima::new(seed, 1, Fingerprinter::plain(), functions), rows: rows.get(), min_words, spots })
    };
    reads Pages<'a>, beside Option<Preferred<'a>>;
    keeps "one sketch";
    const BUCKETS: Port<InBand<'static>> = Port::hashes(0, "buckets");
}

impl Map for SpotBands {
    fn batch<'a>(&mut self, pages: Pages<'a>, preferred: Option<Preferred<'a>>, out: &mut Output) -> Done {
        let (mut ranks, mut buckets) = (Ranks::new(preferred), BandBuckets::default());
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row);
            if !pages.is_long(row, self.min_words, out) {
                continue;
            }
            match self.minima.of_elements(self.spots.counted(&pages.text.at(row))) {
                Some(minima) => buckets.put(&Self::BUCKETS, minima, self.rows, doc, ranks.of(doc), out),
                None => out.count("without_signature", 1),
            }
        }
        Ok(())
    }
}

parameters! {
    /// In how many of `functions` places two sketches agree at least: of candidates, of those that are near more often
    /// than not, and of those that surely belong together.
    pub struct Agreement { functions: u64, least: u64, likely: u64, sure: u64 }
}

row! {
    /// Of a document: a preferred one that may be near to it, whether that is unlikely, its rank, and in how many places
    /// their sketches differ.
    pub struct Candidate { unlikely: u8, rank: u64, within: u64, other: u32, distance: u8 }
}

impl Candidate {
    /// By this, the nearest come first.
    fn by_distance(&self) -> (u8, u64, u64, u32) {
        (self.distance, self.rank, self.within, self.other)
    }

    /// By this, the earliest of those that are near more often than not.
    fn by_likelihood(&self) -> (u8, u64, u64, u32) {
        (self.unlikely, self.rank, self.within, self.other)
    }

    /// By this, the earliest of all.
    fn by_preference(&self) -> (u64, u64, u32) {
        (self.rank, self.within, self.other)
    }
}

/// Group by bucket, in the order of preference: for each document some of those before it that agree with it well enough.
pub struct BucketCandidates {
    told: Agreement,
    first: Remembered,
    latest: Remembered,
    followers: Remembered,
    found: Vec<Candidate>,
}

contract! {
    group BucketCandidates = "candidates";
    new(told: Agreement) = {
        let (first, latest, followers) = (Remembered::new(FIRST), Remembered::new(LATEST), Remembered::new(FOLLOWERS));
        Ok(Self { told, first, latest, followers, found: Vec::new() })
    };
    key Hash of [InBand<'static>];
    keeps "640 sketches of a bucket";
    const CANDIDATES: Port<Candidate> = Port::documents(0, "candidates");
}

impl Group for BucketCandidates {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let Self { told, first, latest, followers, found } = self;
        [&mut *first, latest, followers].into_iter().for_each(Remembered::clear);
        while let Some((_, tail)) = rows.next() {
            let InBand { rank, within, doc, sketch: Rest(sketch) } = InBand::take(tail)?;
            found.clear();
            told.look(sketch, first.earliest(sketch.len()), FIRST_HITS, found);
            told.look(sketch, latest.latest(sketch.len()), LATEST_HITS, found);
            let leaders = found.len();
            told.look(sketch, followers.latest(sketch.len()), LATEST_HITS, found);
            let least = |found: &[Candidate]| found.iter().map(|candidate| candidate.distance).min();
            let (nearest, leader) = (least(found), least(&found[..leaders]));
            note(found, |candidate| out.row(&Self::CANDIDATES, doc.into(), candidate));
            match (nearest, leader) {
                (Some(0), _) => {} // whoever agrees with it agrees with the other just as well
                (_, Some(distance)) if told.agreeing(distance) >= told.sure => followers.add(rank, within, doc, sketch),
                _ if first.is_full() => latest.add(rank, within, doc, sketch),
                _ => first.add(rank, within, doc, sketch),
            }
        }
        Ok(())
    }
}

impl Agreement {
    /// Adds those of the others that agree with a sketch well enough, at most so many.
    fn look<'a>(
        &self,
        sketch: &[u8],
        others: impl Iterator<Item = (Remember, &'a [u8])>,
        most: usize,
        found: &mut Vec<Candidate>,
    ) {
        let filling = (sketch.len() as u64).saturating_sub(self.functions);
        let alike = others.filter_map(|(Remember { rank, within, doc }, known)| {
            let agreeing = agree(sketch, known).saturating_sub(filling);
            let distance = u8::try_from(self.functions.saturating_sub(agreeing)).unwrap_or(u8::MAX);
            let unlikely = u8::from(agreeing < self.likely);
            (agreeing >= self.least).then_some(Candidate { unlikely, rank, within, other: doc, distance })
        });
        found.extend(alike.take(most));
    }

    fn agreeing(&self, distance: u8) -> u64 {
        self.functions.saturating_sub(u64::from(distance))
    }
}

/// The nearest of the candidates, the earliest likely ones of the others, and the earliest of the rest.
fn note(found: &mut [Candidate], mut with: impl FnMut(Candidate)) {
    found.sort_unstable_by_key(Candidate::by_distance);
    let (nearest, others) = found.split_at_mut(NOTED.min(found.len()));
    others.sort_unstable_by_key(Candidate::by_likelihood);
    let (likely, others) = others.split_at_mut(NOTED.min(others.len()));
    others.sort_unstable_by_key(Candidate::by_preference);
    nearest.iter().chain(&*likely).chain(others.iter().take(NOTED)).for_each(|&candidate| with(candidate));
}

/// Calls `with` for the best candidate, which is the earliest that is likely, since it is probably kept, or else the
/// nearest; and for some others.
pub fn choose(found: &mut [Candidate], mut with: impl FnMut(bool, u64)) {
    let likely = found.iter().filter(|candidate| candidate.unlikely == 0);
    let best = likely.min_by_key(|candidate| candidate.by_preference());
    let best = best.or_else(|| found.iter().min_by_key(|candidate| candidate.by_distance())).map(|best| best.other);
    best.into_iter().for_each(|other| with(true, other.into()));
    note(found, |Candidate { other, .. }| {
        if Some(other) != best {
            with(false, other.into());
        }
    });
}

/// In how many places two sketches agree; their length is a multiple of `LANES`.
#[inline]
fn agree(a: &[u8], b: &[u8]) -> u64 {
    const LOW: u64 = u64::from_ne_bytes([0x7f; 8]);
    const ONE: u64 = u64::from_ne_bytes([1; 8]);
    let (a, b) = (a.as_chunks::<8>().0, b.as_chunks::<8>().0);
    let mut sum = 0;
    // Eight counts in one number; those of 31 numbers add up to less than 256.
    for (a, b) in a.chunks(31).zip(b.chunks(31)) {
        let mut counts = 0_u64;
        for (a, b) in a.iter().zip(b) {
            let differing = u64::from_ne_bytes(*a) ^ u64::from_ne_bytes(*b);
            counts += !(((differing & LOW) + LOW) | differing) >> 7 & ONE;
        }
        sum += counts.wrapping_mul(ONE) >> 56;
    }
    sum
}

/// A document that is remembered, by its rank.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Remember {
    rank: u64,
    within: u64,
    doc: u32,
}

/// The last so many documents of a bucket, with their sketches.
struct Remembered {
    most: usize,
    docs: Vec<Remember>,
    sketches: Vec<u8>,
    next: usize,
}

impl Remembered {
    fn new(most: usize) -> Self {
        Self { most, docs: Vec::new(), sketches: Vec::new(), next: 0 }
    }

    fn clear(&mut self) {
        self.docs.clear();
        self.sketches.clear();
        self.next = 0;
    }

    fn is_full(&self) -> bool {
        self.docs.len() == self.most
    }

    fn add(&mut self, rank: u64, within: u64, doc: u32, sketch: &[u8]) {
        let one = Remember { rank, within, doc };
        if self.docs.len() < self.most {
            self.docs.push(one);
            self.sketches.extend_from_slice(sketch);
        } else {
            let begin = self.next * sketch.len();
            self.docs[self.next] = one;
            self.sketches[begin..begin + sketch.len()].copy_from_slice(sketch);
        }
        self.next = (self.next + 1) % self.most;
    }

    fn at(&self, place: usize, length: usize) -> (Remember, &[u8]) {
        (self.docs[place], &self.sketches[place * length..(place + 1) * length])
    }

    /// The documents and their sketches, of this length, the latest first.
    fn latest(&self, length: usize) -> impl Iterator<Item = (Remember, &[u8])> {
        let (count, next) = (self.docs.len(), self.next);
        (0..next).rev().chain((next..count).rev()).map(move |place| self.at(place, length))
    }

    /// The same, the earliest first, as long as none was forgotten.
    fn earliest(&self, length: usize) -> impl Iterator<Item = (Remember, &[u8])> {
        (0..self.docs.len()).map(move |place| self.at(place, length))
    }
}

/// Group by document: of its candidates in all buckets the likeliest to be kept and near, and a few others.
#[derive(Default)]
pub struct BestCandidates {
    found: Vec<Candidate>,
}

contract! {
    group BestCandidates = "best candidates";
    new() = Ok(Self::default());
    key Doc of [Candidate];
    keeps "the candidates of one document, at most twelve a bucket";
    const BEST: Port<Edge> = Port::documents(0, "best");
    const FURTHER: Port<Edge> = Port::documents(1, "further");
}

impl Group for BestCandidates {
    fn key(&mut self, doc: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let found = &mut self.found;
        found.clear();
        let mut distinct = Stretches::new(rows, Beginning::AllBut(0));
        while distinct.begin() {
            found.push(Candidate::take(distinct.beginning())?);
        }
        choose(found, |best, other| out.row(if best { &Self::BEST } else { &Self::FURTHER }, doc, Edge { other }));
        Ok(())
    }
}

row! {
    /// Of a candidate: the document it may be near to, and the component of that one.
    pub struct Waiting { doc: u64, component: u64 }
}

/// Map of further candidates, beside the components so far: each to the other document, with the component.
pub struct Unsettled;

contract! {
    map Unsettled = "unsettled";
    new() = Ok(Self);
    reads KeptFor<'a>, beside Option<KeptFor<'a>>;
    const WAITING: Port<Waiting> = Port::documents(0, "waiting");
}

impl Map for Unsettled {
    fn batch<'a>(&mut self, pairs: KeptFor<'a>, components: Option<KeptFor<'a>>, out: &mut Output) -> Done {
        let mut along = components.map(|components| (Along::new(components.doc), components.other));
        for (doc, rows) in pairs.doc.runs() {
            let found = along.as_mut().and_then(|(along, others)| along.rows(doc).next().map(|at| others.at(at)));
            let component = found.unwrap_or(doc);
            for row in rows {
                out.row(&Self::WAITING, pairs.other.at(row), Waiting { doc, component });
            }
        }
        Ok(())
    }
}

/// Group by document, of its component, unless it is the least of that itself, and the candidates that wait: those of
/// other components.
pub struct Apart;

contract! {
    group Apart = "apart";
    new() = Ok(Self);
    key Doc of [Edge, Waiting];
    keeps "one row";
    const PAIRS: Port<Edge> = Port::documents(0, "pairs");
}

impl Group for Apart {
    fn key(&mut self, other: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut own = other;
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                own = Edge::take(tail)?.other;
                continue;
            }
            let Waiting { doc, component } = Waiting::take(tail)?;
            if component != own {
                out.row(&Self::PAIRS, doc, Edge { other });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_is_counted_in_all_places() {
        for length in [0_usize, 16, 112, 128, 16 * 255, 16 * 256] {
            let a: Vec<u8> = (0..length).map(|i| (i % 251) as u8).collect();
            assert_eq!(agree(&a, &a), length as u64);
            let b: Vec<u8> = a.iter().zip(0..).map(|(x, i)| x.wrapping_add(u8::from(i % 3 == 0))).collect();
            assert_eq!(agree(&a, &b), (length - length.div_ceil(3)) as u64, "{length}");
        }
    }

    #[test]
    fn the_latest_are_remembered() {
        let mut remembered = Remembered::new(3);
        let latest = |remembered: &Remembered| {
            remembered.latest(2).map(|(one, sketch)| (one.doc, sketch[0])).collect::<Vec<_>>()
        };
        for (doc, expected) in (0..5).zip([
            vec![(0, 0)],
            vec![(1, 1), (0, 0)],
            vec![(2, 2), (1, 1), (0, 0)],
            vec![(3, 3), (2, 2), (1, 1)],
            vec![(4, 4), (3, 3), (2, 2)],
        ]) {
            remembered.add(0, 0, doc, &[doc as u8, 9]);
            assert_eq!(latest(&remembered), expected);
        }
        remembered.clear();
        assert_eq!(latest(&remembered), []);
    }

    #[test]
    fn the_nearest_and_the_earliest_are_noted() {
        let unlikely = |other: u32| u8::from(other < 9);
        let candidate = |other: u32| Candidate {
            unlikely: unlikely(other),
            rank: 0,
            within: 0,
            other,
            distance: (40 - other) as u8,
        };
        let mut noted = Vec::new();
        note(&mut (0..40).map(candidate).collect::<Vec<_>>(), |one| noted.push(one.other));
        assert_eq!(noted, [39, 38, 37, 36, 9, 10, 11, 12, 0, 1, 2, 3]);
    }
}
