//! Which documents are dropped: only such as a document that is kept is near to.
//!
//! The rule is sequential. Documents are gone through in the order of preference; each is kept unless it is near to one
//! that is kept already. Pairs of near documents lie within one component of the graph of candidates, so components are
//! gone through one by one, each in the order of preference ([`Gathered`], [`Dropped`]).
//!
//! Not every candidate has to be compared. [`Dropped`] takes pairs that are near, that are not, and that are still open.
//! Where a document is surely dropped, or the other one is, it does not matter whether they are near; all other open
//! pairs are asked for. When these have been compared, too, nothing is left open: two rounds are always enough.

use std::collections::HashMap;

use crate::documents::components::Edge;
use crate::documents::copies::KeptFor;
use crate::documents::keeping::{Preferred, Ranks, Similar};
use crate::documents::similarity::{Overlap, Overlaps, Pair};
use crate::flow::contract::Port;
use crate::flow::kernel::{Done, Group, Map, Output, Rows};
use crate::{choice, contract, parameters, row};

choice! {
    /// How similar a document is to a preferred one: by the grams that either has, or by its own.
    pub enum Measure { Jaccard = "jaccard", Containment = "containment" }
}

parameters! {
    pub struct Nearness { threshold: f64, measure: Measure }
}

impl Nearness {
    fn similarity(&self, overlap: &Overlap) -> f64 {
        match self.measure {
            Measure::Jaccard => overlap.jaccard(),
            Measure::Containment => overlap.containment(),
        }
    }

    fn is_near(&self, overlap: &Overlap) -> bool {
        self.similarity(overlap) >= self.threshold
    }
}

/// Map of compared pairs: an edge for each that is near, and the pair. Counts both kinds.
pub struct NearPairs(Nearness);

contract! {
    map NearPairs = "near pairs";
    new(told: Nearness) = Ok(Self(told));
    reads Overlaps<'a>;
    const EDGES: Port<Edge> = Port::documents(0, "edges");
    const PAIRS: Port<Pair> = Port::documents(1, "pairs");
}

impl Map for NearPairs {
    fn batch<'a>(&mut self, overlaps: Overlaps<'a>, (): (), out: &mut Output) -> Done {
        for row in 0..overlaps.doc.len() {
            let (doc, overlap) = (overlaps.doc.at(row), overlaps.at(row));
            let near = self.0.is_near(&overlap);
            out.count("compared", 1);
            out.count("verified", u64::from(near));
            if near {
                let other = overlap.other;
                out.row(&Self::EDGES, doc, Edge { other });
                out.row(&Self::PAIRS, doc, Pair { other, jaccard: overlap.jaccard(), cosine: None });
            }
        }
        Ok(())
    }
}

/// What is known of a pair of documents.
const FAR: u8 = 0;
const NEAR: u8 = 1;
const OPEN: u8 = 2;

row! {
    /// Of a document: its rank, a preferred one that it may be near to, and what is known of the two.
    pub struct RankedPair { rank: u64, within: u64, other: u64, known: u8, similarity: f64 }
}

/// Map of compared pairs, beside the ranks of documents: the same with the rank of the document.
pub struct JudgedPairs(Nearness);

contract! {
    map JudgedPairs = "judged pairs";
    new(told: Nearness) = Ok(Self(told));
    reads Overlaps<'a>, beside Option<Preferred<'a>>;
    const PAIRS: Port<RankedPair> = Port::documents(0, "pairs");
}

impl Map for JudgedPairs {
    fn batch<'a>(&mut self, overlaps: Overlaps<'a>, preferred: Option<Preferred<'a>>, out: &mut Output) -> Done {
        let mut ranks = Ranks::new(preferred);
        for (doc, rows) in overlaps.doc.runs() {
            let (rank, within) = ranks.of(doc);
            for overlap in rows.map(|row| overlaps.at(row)) {
                let (other, similarity) = (overlap.other, self.0.similarity(&overlap));
                let known = if self.0.is_near(&overlap) { NEAR } else { FAR };
                out.row(&Self::PAIRS, doc, RankedPair { rank, within, other, known, similarity });
            }
        }
        Ok(())
    }
}

/// Map of candidates that were not compared, beside the ranks of documents: the same for them.
pub struct OpenPairs;

contract! {
    map OpenPairs = "open pairs";
    new() = Ok(Self);
    reads KeptFor<'a>, beside Option<Preferred<'a>>;
    const PAIRS: Port<RankedPair> = Port::documents(0, "pairs");
}

impl Map for OpenPairs {
    fn batch<'a>(&mut self, pairs: KeptFor<'a>, preferred: Option<Preferred<'a>>, out: &mut Output) -> Done {
        let mut ranks = Ranks::new(preferred);
        for (doc, rows) in pairs.doc.runs() {
            let (rank, within) = ranks.of(doc);
            for other in rows.map(|row| pairs.other.at(row)) {
                out.row(&Self::PAIRS, doc, RankedPair { rank, within, other, known: OPEN, similarity: 0.0 });
            }
        }
        Ok(())
    }
}

row! {
    /// Of a component: a pair of its documents, in the order of preference.
    pub struct HeldPair { rank: u64, within: u64, doc: u64, other: u64, known: u8, similarity: f64 }
}

/// Group by document, of the least one of its component, unless it is that itself, and its pairs: each to its component.
pub struct Gathered;

contract! {
    group Gathered = "gathered pairs";
    new() = Ok(Self);
    key Doc of [Edge, RankedPair] and more;
    keeps "one row";
    const PAIRS: Port<HeldPair> = Port::documents(0, "pairs");
}

impl Group for Gathered {
    fn key(&mut self, doc: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut component = doc;
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                component = Edge::take(tail)?.other;
                continue;
            }
            let RankedPair { rank, within, other, known, similarity } = RankedPair::take(tail)?;
            out.row(&Self::PAIRS, component, HeldPair { rank, within, doc, other, known, similarity });
        }
        Ok(())
    }
}

row! {
    /// Of a document that is dropped: the one that is kept instead.
    pub struct DroppedRow { kept: u64 }
}

parameters! {
    /// Whether documents that are not surely dropped are to be compared with what is kept in place of their candidates.
    pub struct Deciding { instead: bool }
}

/// Group by component, of its pairs in the order of preference: the documents that are dropped, each with the most
/// similar one that is kept; and the pairs on which it depends whether others are.
pub struct Dropped {
    ask_instead: bool,
    /// Documents of a component that are not surely kept: those that are surely dropped with the one that is kept instead.
    others: HashMap<u64, Option<u64>>,
    /// Of a document: those with which it was compared, those with which it can be, and those that are kept in place of any
    /// of these.
    compared: Vec<u64>,
    open: Vec<u64>,
    instead: Vec<u64>,
    favoured: Favoured,
}

/// So many of the documents in whose favour others are dropped are compared with all that are not surely dropped.
const FAVOURED: usize = 4;

/// In favour of which documents of a component most others are dropped, so far: the pages of one template are near to these
/// more often than to any others.
#[derive(Default)]
struct Favoured {
    counts: HashMap<u64, u64>,
    /// The most favoured of all; of equal ones, those that were the first to have so many.
    most: Vec<(u64, u64)>,
}

impl Favoured {
    fn clear(&mut self) {
        self.counts.clear();
        self.most.clear();
    }

    fn add(&mut self, kept: u64) {
        let count = self.counts.entry(kept).or_default();
        *count += 1;
        let count = *count;
        let place = self.most.iter().position(|&(_, one)| one == kept);
        let least = (0..self.most.len()).min_by_key(|&place| self.most[place].0).unwrap_or_default();
        match place {
            Some(place) => self.most[place].0 = count,
            None if self.most.len() < FAVOURED => self.most.push((count, kept)),
            None if self.most[least].0 < count => self.most[least] = (count, kept),
            None => {}
        }
    }
}

contract! {
    group Dropped = "dropped";
    new(told: Deciding) = Ok(Self::begin(&told));
    key Doc of [HeldPair];
    keeps "some 30 bytes a document of one component that is not kept";
    const DROPPED: Port<DroppedRow> = Port::documents(0, "dropped");
    const SIMILAR: Port<Similar> = Port::documents(1, "similar");
    const ASKED: Port<Edge> = Port::documents(2, "asked");
}

impl Dropped {
    fn begin(told: &Deciding) -> Self {
        let [compared, open, instead] = [const { Vec::new() }; 3];
        let (ask_instead, others, favoured) = (told.instead, HashMap::new(), Favoured::default());
        Self { ask_instead, others, compared, open, instead, favoured }
    }

    /// What the pairs of a document say of it, when all of them were seen.
    fn decide(&mut self, doc: u64, seen: &Seen, out: &mut Output) {
        if let Some((jaccard, kept)) = seen.kept {
            out.row(&Self::DROPPED, doc, DroppedRow { kept });
            out.row(&Self::SIMILAR, doc, Similar { jaccard });
            self.others.insert(doc, Some(kept));
            self.favoured.add(kept);
        } else {
            self.open_instead();
            if seen.unsure || !self.open.is_empty() {
                self.open.iter().for_each(|&other| out.row(&Self::ASKED, doc, Edge { other }));
                self.others.insert(doc, None);
            }
        }
        [&mut self.compared, &mut self.open, &mut self.instead].into_iter().for_each(Vec::clear);
    }

    /// Adds to the open pairs of a document those with what is kept in place of its candidates, and with what is favoured
    /// most: what is near to a candidate is often near to it, too, but was not among its own candidates.
    fn open_instead(&mut self) {
        let Self { compared, open, instead, favoured, .. } = self;
        if instead.is_empty() {
            return;
        }
        instead.extend(favoured.most.iter().map(|&(_, kept)| kept));
        instead.sort_unstable();
        instead.dedup();
        let known = open.len();
        for &other in &*instead {
            if !compared.contains(&other) && !open[..known].contains(&other) {
                open.push(other);
            }
        }
    }
}

/// What the pairs of a document say of it, so far.
#[derive(Default)]
struct Seen {
    /// The most similar document that is near to it and surely kept; of equal ones the lowest.
    kept: Option<(f64, u64)>,
    /// Whether one is near to it that may be kept.
    unsure: bool,
}

impl Group for Dropped {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.others.clear();
        self.favoured.clear();
        let (mut last, mut seen) = (None, Seen::default());
        while let Some((_, tail)) = rows.next() {
            let HeldPair { doc, other, known, similarity, .. } = HeldPair::take(tail)?;
            if let Some(before) = last.replace(doc).filter(|&before| before != doc) {
                self.decide(before, &seen, out);
                seen = Seen::default();
            }
            if known != OPEN {
                self.compared.push(other);
            }
            match (self.others.get(&other), known) {
                (Some(&Some(kept)), _) if self.ask_instead => self.instead.push(kept),
                (Some(Some(_)), _) | (_, FAR) => {}
                (None, NEAR) if seen.kept.is_none_or(|(most, _)| similarity > most) => {
                    seen.kept = Some((similarity, other));
                }
                (None, NEAR) => {}
                (Some(None), NEAR) => seen.unsure = true,
                _ => self.open.push(other),
            }
        }
        if let Some(doc) = last {
            self.decide(doc, &seen, out);
        }
        Ok(())
    }
}
