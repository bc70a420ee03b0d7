//! Near-duplicates by a threshold of the Jaccard coefficient: candidates by banding, each held against the exact value.
//!
//! A sketch is a number of minima over the circular k-grams of a document; two documents agree in each with probability
//! J. Cut into bands of several rows, two documents meet in the bucket of a band if they agree in all of its rows.
//! [`Bands`] puts each document into its buckets, and its whole sketch with it, a byte for each minimum: so a bucket can
//! tell what is worth a comparison. [`BucketCandidates`] notes, for each document of a bucket, the lower ones whose
//! sketches agree with its own in at least so many places, the best few; [`BestCandidates`] takes the best few over all
//! buckets.
//!
//! [`Verified`] keeps the candidates whose exact coefficient, found elsewhere, reaches the threshold. First only the best
//! candidate of each document is looked at. Where all of a million pages are alike, each is tied to a lower one by that,
//! and they hang together: of the other candidates, only those that would tie together what does not yet hang together
//! ([`Unsettled`], [`Apart`]) are looked at, too.
//!
//! In a large bucket no document is compared with all others. Sketches that agree with one that is there already in so
//! many places that they surely belong together are remembered for a while only ([`FOLLOWERS`]), the others for longer
//! ([`LEADERS`]); and whoever has found enough candidates ([`HITS`]), the latest first, looks no further. So buckets of up
//! to so many documents are gone through completely, and larger ones in linear time.

use std::num::NonZeroUsize;

use crate::analyses::neardups::buckets::Pages;
use crate::documents::components::Edge;
use crate::documents::similarity::Pair;
use crate::documents::standing::KeptFor;
use crate::flow::columns::Along;
use crate::flow::contract::{shape, Key, Port, PortInfo, Shape, WrongParameter};
use crate::flow::fields::Rest;
use crate::flow::kernel::{Beginning, Done, Group, Map, Output, Rows, Stretches};
use crate::sketches::minwise::Minima;
use crate::text::fingerprint::Fingerprinter;
use crate::{row, told};

/// Documents of a bucket that are remembered and have nobody that they surely belong to.
const LEADERS: usize = 512;
/// Documents of a bucket that are remembered though they surely belong to one that is.
const FOLLOWERS: usize = 128;
/// Candidates of a document that are looked at in a bucket: among the pages of one template, all would be.
const HITS: usize = 64;
/// Candidates of a document that are noted: the best in each bucket, and of these the best.
const BEST: usize = 8;
/// Sketches are filled up with zeros to a multiple of this, so that they are compared quickly.
const LANES: usize = 8;

told! {
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
    /// Of a bucket: a document, and a byte of each of its minima, filled up with zeros.
    pub struct InBand<'a> { doc: u32, sketch: Rest<'a> }
}

/// Map: each document with words in the bucket of each of its bands.
pub struct Bands {
    minima: Minima,
    rows: usize,
    min_words: u64,
}

impl Bands {
    const BUCKETS: Port<InBand<'static>> = Port::hashes(0, "buckets");
}

impl Map for Bands {
    const NAME: &'static str = "bands";
    const PORTS: &'static [PortInfo] = &[Self::BUCKETS.info()];
    const KEEPS: &'static str = "one sketch";
    type Told = Banding;
    type Reads<'a> = Pages<'a>;
    type Beside<'a> = ();

    fn new(told: Banding) -> Result<Self, WrongParameter> {
        let Banding { seed, k, key, min_words, bands, rows } = told;
        let functions = bands.get().saturating_mul(rows.get());
        Ok(Self { minima: Minima::new(seed, k.get(), key, functions), rows: rows.get(), min_words })
    }

    fn batch<'a>(&mut self, pages: Pages<'a>, (): (), out: &mut Output) -> Done {
        let print = Fingerprinter::plain();
        let (mut sketch, mut bytes) = (Vec::new(), Vec::new());
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row) as u32;
            if !pages.is_long(row, self.min_words, out) {
                continue;
            }
            let Some(minima) = self.minima.of(&pages.text.at(row)) else {
                out.count("without_words", 1);
                continue;
            };
            sketch.clear();
            sketch.extend(minima.iter().map(|&least| least as u8));
            sketch.resize(sketch.len().next_multiple_of(LANES), 0);
            for (number, band) in minima.chunks(self.rows).enumerate() {
                bytes.clear();
                bytes.extend_from_slice(&(number as u64).to_le_bytes());
                band.iter().for_each(|least| bytes.extend_from_slice(&least.to_le_bytes()));
                out.row(&Self::BUCKETS, print.bytes(&bytes), InBand { doc, sketch: Rest(&sketch) });
            }
        }
        Ok(())
    }
}

told! {
    /// In how many of `functions` places two sketches agree at least: of candidates, and of those that surely belong
    /// together.
    pub struct Agreement { functions: u64, least: u64, sure: u64 }
}

row! {
    /// Of a document: a lower one that may be near to it, and in how many places their sketches differ.
    pub struct Candidate { distance: u64, other: u64 }
}

/// Group by bucket: for each document the lower ones that agree with it best, if they agree well enough.
pub struct BucketCandidates {
    told: Agreement,
    leaders: Remembered,
    followers: Remembered,
    found: Vec<Candidate>,
}

impl BucketCandidates {
    const CANDIDATES: Port<Candidate> = Port::documents(0, "candidates");
}

impl Group for BucketCandidates {
    const NAME: &'static str = "candidates";
    const KEY: Key = Key::Hash;
    const TABLES: &'static [Shape] = &[shape::<InBand<'static>>()];
    const PORTS: &'static [PortInfo] = &[Self::CANDIDATES.info()];
    const KEEPS: &'static str = "640 sketches of a bucket";
    type Told = Agreement;

    fn new(told: Agreement, _: usize) -> Result<Self, WrongParameter> {
        let (leaders, followers) = (Remembered::new(LEADERS), Remembered::new(FOLLOWERS));
        Ok(Self { told, leaders, followers, found: Vec::new() })
    }

    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let Self { told, leaders, followers, found } = self;
        leaders.clear();
        followers.clear();
        while let Some((_, tail)) = rows.next() {
            let InBand { doc, sketch: Rest(sketch) } = InBand::take(tail)?;
            found.clear();
            let filling = (sketch.len() as u64).saturating_sub(told.functions);
            for (other, known) in leaders.latest(sketch.len()).chain(followers.latest(sketch.len())) {
                let agreeing = agree(sketch, known).saturating_sub(filling);
                if agreeing >= told.least {
                    let distance = told.functions.saturating_sub(agreeing);
                    found.push(Candidate { distance, other: u64::from(other) });
                    if found.len() == HITS {
                        break;
                    }
                }
            }
            found.sort_unstable_by_key(|candidate| (candidate.distance, candidate.other));
            found.truncate(BEST);
            found.iter().for_each(|&candidate| out.row(&Self::CANDIDATES, doc.into(), candidate));
            match found.first().map(|best| best.distance) {
                Some(0) => {} // whoever agrees with it agrees with the other just as well
                Some(distance) if told.functions - distance >= told.sure => followers.add(doc, sketch),
                _ => leaders.add(doc, sketch),
            }
        }
        Ok(())
    }
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

/// The last so many documents of a bucket, with their sketches.
struct Remembered {
    most: usize,
    docs: Vec<u32>,
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

    fn add(&mut self, doc: u32, sketch: &[u8]) {
        if self.docs.len() < self.most {
            self.docs.push(doc);
            self.sketches.extend_from_slice(sketch);
        } else {
            let begin = self.next * sketch.len();
            self.docs[self.next] = doc;
            self.sketches[begin..begin + sketch.len()].copy_from_slice(sketch);
        }
        self.next = (self.next + 1) % self.most;
    }

    /// The documents and their sketches, of this length, the latest first.
    fn latest(&self, length: usize) -> impl Iterator<Item = (u32, &[u8])> {
        let (count, next) = (self.docs.len(), self.next);
        let places = (0..next).rev().chain((next..count).rev());
        places.map(move |place| (self.docs[place], &self.sketches[place * length..(place + 1) * length]))
    }
}

/// Group by document: of its candidates in all buckets the best, and a few others.
pub struct BestCandidates;

impl BestCandidates {
    const BEST: Port<Edge> = Port::documents(0, "best");
    const FURTHER: Port<Edge> = Port::documents(1, "further");
}

impl Group for BestCandidates {
    const NAME: &'static str = "best candidates";
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = &[shape::<Candidate>()];
    const PORTS: &'static [PortInfo] = &[Self::BEST.info(), Self::FURTHER.info()];
    const KEEPS: &'static str = "one row";
    type Told = ();

    fn new((): (), _: usize) -> Result<Self, WrongParameter> {
        Ok(Self)
    }

    fn key(&mut self, doc: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut distinct = Stretches::new(rows, Beginning::AllBut(0));
        let mut rank = 0;
        while rank < BEST && distinct.begin() {
            let Candidate { other, .. } = Candidate::take(distinct.beginning())?;
            out.row(if rank == 0 { &Self::BEST } else { &Self::FURTHER }, doc, Edge { other });
            rank += 1;
        }
        while distinct.begin() {} // the rows of a key are all taken
        Ok(())
    }
}

told! {
    pub struct Threshold { threshold: f64 }
}

/// Group of pairs with their exact coefficients: an edge for each that reaches the threshold. Counts both kinds.
pub struct Verified(Threshold);

impl Verified {
    const EDGES: Port<Edge> = Port::documents(0, "edges");
}

impl Group for Verified {
    const NAME: &'static str = "verified";
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = &[shape::<Pair>()];
    const PORTS: &'static [PortInfo] = &[Self::EDGES.info()];
    const KEEPS: &'static str = "nothing";
    type Told = Threshold;

    fn new(told: Threshold, _: usize) -> Result<Self, WrongParameter> {
        Ok(Self(told))
    }

    fn key(&mut self, doc: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        while let Some((_, tail)) = rows.next() {
            let Pair { other, jaccard, .. } = Pair::take(tail)?;
            let near = jaccard >= self.0.threshold;
            out.count("compared", 1);
            out.count("verified", u64::from(near));
            if near {
                out.row(&Self::EDGES, doc, Edge { other });
            }
        }
        Ok(())
    }
}

row! {
    /// Of a candidate: the document it may be near to, and the component of that one.
    pub struct Waiting { doc: u64, component: u64 }
}

/// Map of further candidates, beside the components so far: each to the other document, with the component.
pub struct Unsettled;

impl Unsettled {
    const WAITING: Port<Waiting> = Port::documents(0, "waiting");
}

impl Map for Unsettled {
    const NAME: &'static str = "unsettled";
    const PORTS: &'static [PortInfo] = &[Self::WAITING.info()];
    const KEEPS: &'static str = "nothing";
    type Told = ();
    type Reads<'a> = KeptFor<'a>;
    type Beside<'a> = Option<KeptFor<'a>>;

    fn new((): ()) -> Result<Self, WrongParameter> {
        Ok(Self)
    }

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

impl Apart {
    const PAIRS: Port<Edge> = Port::documents(0, "pairs");
}

impl Group for Apart {
    const NAME: &'static str = "apart";
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = &[shape::<Edge>(), shape::<Waiting>()];
    const PORTS: &'static [PortInfo] = &[Self::PAIRS.info()];
    const KEEPS: &'static str = "one row";
    type Told = ();

    fn new((): (), _: usize) -> Result<Self, WrongParameter> {
        Ok(Self)
    }

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
        let latest =
            |remembered: &Remembered| remembered.latest(2).map(|(doc, sketch)| (doc, sketch[0])).collect::<Vec<_>>();
        for (doc, expected) in (0..5).zip([
            vec![(0, 0)],
            vec![(1, 1), (0, 0)],
            vec![(2, 2), (1, 1), (0, 0)],
            vec![(3, 3), (2, 2), (1, 1)],
            vec![(4, 4), (3, 3), (2, 2)],
        ]) {
            remembered.add(doc, &[doc as u8, 9]);
            assert_eq!(latest(&remembered), expected);
        }
        remembered.clear();
        assert_eq!(latest(&remembered), []);
    }
}
