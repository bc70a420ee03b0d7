//! Of which sources documents are made.
//!
//! A page that is stitched together itself is a poor source: the pages of a farm have paragraphs of each other's, and one
//! that shares three of them would stand for the three pages that they were taken from. So there are two rounds. The
//! first ([`FirstCovers`]) takes sources as they come, and suspects the documents that several others cover, and lists that
//! several pages of their own site cover: a list of posts has nothing that is not on a page of its own. In the second
//! ([`Covers`]), a suspect is a source only of grams that no other document has, and a list only of grams that no other
//! suspect has. Where no original is in the corpus, the pages of a network have to bear witness against each other: then a
//! suspect with a single piece of the page is taken before one with several ([`Cover::greedy_with_witnesses`]). This is done
//! only if two suspects of the page's own site have some of its text, too, so that the site draws on the pool again and
//! again: notices that each site puts together from the same clauses are no network. As published there is one round.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::BuildHasherDefault;

use crate::analyses::cover::{Cover, Pick, Tier};
use crate::analyses::postings::candidates::Candidates;
use crate::analyses::postings::elements::CoverElement;
use crate::analyses::postings::Size;
use crate::flow::contract::{shape, Key, Port, PortInfo, Shape, WrongParameter};
use crate::flow::fields::{Damaged, Rest};
use crate::flow::kernel::{Done, Group, Output, Rows};
use crate::flow::rows::put_varint;
use crate::text::slots::Multiply;
use crate::{parameters, row};

type Documents = HashSet<u32, BuildHasherDefault<Multiply>>;
type Numbers<V> = HashMap<u32, V, BuildHasherDefault<Multiply>>;

parameters! {
    /// Where a cover ends, and which documents are looked at more closely: those of which sources cover (or patch grams
    /// are, with `of_patches`) at least the share `look`, at least c of them, none with more than the share `max_largest`;
    /// whether patches are asked for; and whether all documents with a gram are told, so that it is known which are quilts
    /// as published: those of whose grams at least the share `sigma` are patch grams.
    pub struct Covering {
        c: u64, sigma: f64, look: f64, of_patches: bool, min_share: f64, min_grams: u64, max_largest: f64, patches: bool,
        all_told: bool,
    }
}

parameters! {
    /// Where a cover ends, which documents may be looked at more closely, and which are suspects: those of which sources
    /// cover at least the share `sigma`. See [`Covering`] for `all_told`.
    pub struct Suspecting {
        c: u64, sigma: f64, look: f64, of_patches: bool, min_share: f64, min_grams: u64, all_told: bool,
    }
}

row! {
    /// Of any document: what was counted; whether it is a quilt as published, if that is known; and if it has no sources,
    /// why.
    pub struct Judged<'a> {
        words: u64, grams: u64, patch_grams: u64, covered: u64, by_suspects: u64, sources: u64, largest: u64,
        published: Option<u64>, why: &'a [u8],
    }
}

row! {
    /// Of a source: a document that draws on it, its rank there, how many patch grams it adds and how many it has, how
    /// many the document has in all, which of the added ones later sources have, too (see [`pack_shared`]), and whether
    /// the document is looked at more closely.
    pub struct DrawnOn<'a> {
        quilt: u64, rank: u64, new_grams: u64, all_grams: u64, patch_grams: u64, shared: &'a [u8], is_quilt: u64,
    }
}

row! {
    /// Of a document that others may draw on: how many distinct grams it has.
    pub struct SourceSize { grams: u64 }
}

row! {
    /// Of a list: a quilt that asks for its grams, on behalf of these sources: their documents and ranks, four bytes
    /// each.
    pub struct Asking<'a> { quilt: u32, sources: Rest<'a> }
}

row! {
    /// Of a document: it seems to be stitched together; by how many sources, and whether of pages of its own site.
    pub struct Suspect { sources: u64, is_list: bool }
}

row! {
    /// Of a document: another one that wants to know whether it is a suspect.
    pub struct Doubt { asker: u32 }
}

row! {
    /// Of a document: another one, with text of it, that is a suspect; whether it is a list of pages of its own site.
    pub struct Suspected { document: u32, is_list: bool }
}

row! {
    /// Of a document: documents of its own site, four bytes each, and how many of the covered grams just these have.
    pub struct OwnSite<'a> { weight: u64, documents: Rest<'a> }
}

/// So many others of a page's own site have some of its text, if the site draws on a pool: one other page with the same
/// clauses may be another version of a notice.
const FROM_ONE_POOL: usize = 2;
/// A suspect has no source with more than this share of what is covered: it would be another version of that source.
const MOST_OF_SUSPECTS: f64 = 0.75;

/// A share of something; none of nothing. Limits are held against quotients, never against products: 7 of 100 is 0.07.
pub fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// The document that is being read: its elements, and a cover of them.
#[derive(Default)]
struct Reading {
    size: Option<Size>,
    /// The candidates of all elements, one after the other, and the elements.
    candidates: Vec<u8>,
    elements: Vec<Open>,
    /// Suspects among the candidates and among those of its own site with the same text, and the tier of each.
    suspects: Numbers<Tier>,
    cover: Cover,
    /// The same by documents of all sites.
    published: Cover,
}

/// An element of the document that is being read.
struct Open {
    /// Where its candidates end; they begin where those before it end.
    end: usize,
    df: u32,
    weight: u64,
    list: u64,
}

/// What a cover comes to.
struct Covered {
    picks: Vec<Pick>,
    covered: u64,
    largest: u64,
}

impl Reading {
    fn read(&mut self, rows: &mut dyn Rows) -> Result<(), Damaged> {
        self.candidates.clear();
        self.elements.clear();
        self.suspects.clear();
        self.size = None;
        while let Some((table, tail)) = rows.next() {
            match table {
                0 => self.size = Some(Size::take(tail)?),
                1 => {
                    let CoverElement { candidates, df, weight, list } = CoverElement::take(tail)?;
                    Candidates::new(candidates.0)?;
                    self.candidates.extend_from_slice(candidates.0);
                    self.elements.push(Open { end: self.candidates.len(), df, weight, list });
                }
                _ => {
                    let Suspected { document, is_list } = Suspected::take(tail)?;
                    self.suspects.insert(document, if is_list { Tier::Third } else { Tier::Second });
                }
            }
        }
        Ok(())
    }

    fn grams(&self) -> u64 {
        self.size.as_ref().map_or(0, |size| size.grams)
    }

    fn patch_grams(&self) -> u64 {
        self.elements.iter().map(|open| open.weight).sum()
    }

    /// The share of its grams that are covered, or that are patch grams.
    fn share_of(&self, covered: u64, of_patches: bool) -> f64 {
        share(if of_patches { self.patch_grams() } else { covered }, self.grams())
    }

    /// Whether another document of its own site has any of its grams.
    fn has_same_site(&self) -> Result<bool, Damaged> {
        for (_, candidates) in self.elements() {
            if Candidates::new(candidates)?.same_site().next().is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The elements with their candidates, as they are packed.
    fn elements(&self) -> impl Iterator<Item = (&Open, &[u8])> {
        let mut begin = 0;
        self.elements.iter().map(move |open| {
            let candidates = &self.candidates[std::mem::replace(&mut begin, open.end)..open.end];
            (open, candidates)
        })
    }

    /// Whether two others of its own site or more have some of the text that it shares with foreign documents.
    fn draws_on_pool(&self, min_share: f64, min_grams: u64, counts: impl Fn(u32) -> bool) -> Result<bool, Damaged> {
        let mut shared: Numbers<u64> = HashMap::default();
        let mut foreign = Vec::new();
        for (open, candidates) in self.elements() {
            let candidates = Candidates::new(candidates)?;
            foreign.clear();
            foreign.extend(candidates.foreign());
            if !foreign.is_empty() {
                // Where sites are parts of domains, others on the domain are foreign, too.
                let is_sibling = |document: &u32| foreign.binary_search(document).is_err() && counts(*document);
                let siblings = candidates.same_site().filter(is_sibling);
                siblings.for_each(|document| *shared.entry(document).or_default() += open.weight);
            }
        }
        let total = self.patch_grams();
        let enough = |grams: &&u64| **grams >= min_grams.max(1) && share(**grams, total) >= min_share;
        Ok(shared.values().filter(enough).count() >= FROM_ONE_POOL)
    }

    /// A cover by foreign documents; but for one, if it is named.
    fn pick(&mut self, min_share: f64, min_grams: u64, but: Option<u32>) -> Result<Covered, Damaged> {
        let mut cover = std::mem::take(&mut self.cover);
        cover.clear();
        let mut add = |sum: u64, candidates: Candidates<'_>| {
            let others = candidates.foreign().filter(|&source| Some(source) != but);
            cover.add(sum, others.map(|source| (source, *self.suspects.get(&source).unwrap_or(&Tier::First))));
        };
        let (mut same, mut sum): (Candidates<'_>, u64) = (Candidates::default(), 0);
        for (open, candidates) in self.elements() {
            // Rows are sorted, so those with the same foreign candidates follow each other: they make one element.
            let candidates = Candidates::new(candidates)?;
            if candidates.foreign_part() != same.foreign_part() {
                add(sum, same);
                (same, sum) = (candidates, 0);
            }
            sum += open.weight;
        }
        add(sum, same);
        let total = self.patch_grams();
        let from_pool = !self.suspects.is_empty()
            && self.draws_on_pool(min_share, min_grams, |document| self.suspects.contains_key(&document))?;
        let picks = if from_pool {
            cover.greedy_with_witnesses(min_share, total, min_grams)
        } else {
            cover.greedy_from(min_share, total, min_grams)
        };
        self.cover = cover;
        Ok(Self::come_to(picks))
    }

    /// A cover by other documents of the own site.
    fn pick_at_home(&mut self, min_share: f64, min_grams: u64) -> Result<Covered, Damaged> {
        let mut cover = std::mem::take(&mut self.cover);
        cover.clear();
        for (open, candidates) in self.elements() {
            cover.add(open.weight, Candidates::new(candidates)?.same_site().map(|other| (other, Tier::First)));
        }
        let picks = cover.greedy_from(min_share, self.patch_grams(), min_grams);
        self.cover = cover;
        Ok(Self::come_to(picks))
    }

    /// Whether it is a quilt as published: at least the share `sigma` of its grams are patch grams, and at least c other
    /// documents, of whatever site, are needed to cover these.
    fn is_published(&mut self, sigma: f64, c: u64) -> Result<bool, Damaged> {
        if share(self.patch_grams(), self.grams()) < sigma {
            return Ok(false);
        }
        let mut cover = std::mem::take(&mut self.published);
        cover.clear();
        let mut candidates: Vec<u32> = Vec::new();
        for (open, packed) in self.elements() {
            candidates.clear();
            candidates.extend(Candidates::new(packed)?.all().map(|(document, _)| document));
            // Where sites are parts of domains, foreign documents on the domain are named twice.
            candidates.sort_unstable();
            candidates.dedup();
            cover.add(open.weight, candidates.iter().map(|&document| (document, Tier::First)));
        }
        let found = cover.takes(usize::try_from(c).unwrap_or(usize::MAX));
        self.published = cover;
        Ok(found)
    }

    fn come_to(picks: Vec<Pick>) -> Covered {
        let covered = picks.iter().map(|pick| pick.new).sum();
        // A suspect that has the rest of a page may have much else of it, too: that is at home elsewhere.
        let holds = |pick: &Pick| if pick.is_first() { pick.all } else { pick.new };
        let largest = picks.iter().map(holds).max().unwrap_or(0);
        Covered { picks, covered, largest }
    }

    /// What is known of the document after the last cover, with a word for why it has no sources.
    fn judged(&self, found: &Covered, published: Option<bool>) -> Judged<'static> {
        let Size { words, grams } = self.size.as_ref().map_or(Size { words: 0, grams: 0 }, |size| Size { ..*size });
        let patch_grams = self.patch_grams();
        let why: &[u8] = match (found.picks.len(), grams, patch_grams, self.cover.most_picks()) {
            (0, 0, ..) => b"short",
            (0, _, 0, _) => b"nothing shared",
            (0, .., 0) => b"own site",
            (0, ..) => b"min_share",
            _ => b"",
        };
        let Covered { picks, covered, largest } = found;
        let by_suspects = picks.iter().filter(|pick| !pick.is_first()).map(|pick| pick.new).sum();
        let (sources, covered, largest) = (picks.len() as u64, *covered, *largest);
        Judged {
            words,
            grams,
            patch_grams,
            covered,
            by_suspects,
            sources,
            largest,
            published: published.map(u64::from),
            why,
        }
    }
}

/// Group by document, of its size and its elements: what is known of those that come not into question; of the others
/// size and elements once more, which other documents they have text of, and which of them are suspects.
pub struct FirstCovers {
    told: Suspecting,
    reading: Reading,
}

impl FirstCovers {
    const SETTLED: Port<Judged<'static>> = Port::documents(0, "settled");
    const SIZES: Port<SourceSize> = Port::documents(1, "sizes");
    const DOCUMENTS: Port<Size> = Port::documents(2, "documents");
    const ELEMENTS: Port<CoverElement<'static>> = Port::documents(3, "elements");
    const SUSPECTS: Port<Suspect> = Port::documents(4, "suspects");
    const DOUBTS: Port<Doubt> = Port::documents(5, "doubts");
}

impl Group for FirstCovers {
    const NAME: &'static str = "first covers";
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = &[shape::<Size>(), shape::<CoverElement<'static>>()];
    const PORTS: &'static [PortInfo] = &[
        Self::SETTLED.info(),
        Self::SIZES.info(),
        Self::DOCUMENTS.info(),
        Self::ELEMENTS.info(),
        Self::SUSPECTS.info(),
        Self::DOUBTS.info(),
    ];
    const KEEPS: &'static str = "the elements of one document, at most as many as it has patch grams";
    type Parameters = Suspecting;

    fn new(told: Suspecting, _: usize) -> Result<Self, WrongParameter> {
        Ok(Self { told, reading: Reading::default() })
    }

    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let Self { told, reading } = self;
        reading.read(rows)?;
        let found = reading.pick(told.min_share, told.min_grams, None)?;
        let judged = reading.judged(&found, None);
        let grams = reading.grams();
        if !reading.elements.is_empty() {
            out.row(&Self::SIZES, key, SourceSize { grams });
        }
        let sources = found.picks.len() as u64;
        let is_made_of = |found: &Covered| {
            let several = found.picks.len() > 1 && share(found.largest, found.covered) <= MOST_OF_SUSPECTS;
            several && share(found.covered, grams) >= told.sigma
        };
        let mut suspect = is_made_of(&found);
        let mut is_list = false;
        // Two pages of a farm may have most of their text in common by chance.
        let first = found.picks.first().filter(|_| !suspect && share(found.covered, grams) >= told.sigma);
        if let Some(first) =
            first.filter(|_| reading.draws_on_pool(told.min_share, told.min_grams, |_| true) == Ok(true))
        {
            suspect = is_made_of(&reading.pick(told.min_share, told.min_grams, Some(first.source))?);
        }
        if reading.has_same_site()? && share(reading.patch_grams(), grams) >= told.sigma {
            is_list = is_made_of(&reading.pick_at_home(told.min_share, told.min_grams)?);
        }
        if suspect || is_list {
            out.row(&Self::SUSPECTS, key, Suspect { sources, is_list });
        }
        // A second cover may find more sources than the first, and so c itself is asked for then.
        if sources < told.c.clamp(1, 2) || reading.share_of(found.covered, told.of_patches) < told.look {
            let published = if told.all_told { Some(reading.is_published(told.sigma, told.c)?) } else { None };
            out.row(&Self::SETTLED, key, Judged { published: published.map(u64::from), ..judged });
            return Ok(());
        }
        if let Some(size) = &reading.size {
            out.row(&Self::DOCUMENTS, key, Size { ..*size });
        }
        let mut others = Documents::default();
        for (open, candidates) in reading.elements() {
            let Open { df, weight, list, .. } = *open;
            out.row(&Self::ELEMENTS, key, CoverElement { candidates: Rest(candidates), df, weight, list });
            others.extend(Candidates::new(candidates)?.all().map(|(other, _)| other));
        }
        let mut others: Vec<u32> = others.into_iter().collect();
        others.sort_unstable();
        others.iter().for_each(|&other| out.row(&Self::DOUBTS, other.into(), Doubt { asker: key as u32 }));
        Ok(())
    }
}

/// Group by document, of whether it is a suspect, and of those who doubt it: to each of these, that it is one.
pub struct Suspicions;

impl Suspicions {
    const SUSPECTED: Port<Suspected> = Port::documents(0, "suspected");
}

impl Group for Suspicions {
    const NAME: &'static str = "suspicions";
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = &[shape::<Suspect>(), shape::<Doubt>()];
    const PORTS: &'static [PortInfo] = &[Self::SUSPECTED.info()];
    const KEEPS: &'static str = "nothing";
    type Parameters = ();

    fn new((): (), _: usize) -> Result<Self, WrongParameter> {
        Ok(Self)
    }

    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut suspect = None;
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                suspect = Some(Suspect::take(tail)?);
            } else if let Some(Suspect { is_list, .. }) = suspect {
                let suspected = Suspected { document: key as u32, is_list };
                out.row(&Self::SUSPECTED, Doubt::take(tail)?.asker.into(), suspected);
            }
        }
        Ok(())
    }
}

/// Group by document, of its size and its elements, and in a second round of the suspects among its candidates: what its
/// sources cover, and its sources; of a document that is looked at more closely the documents of its own site with the
/// same text, each of which is asked whether it is stitched together itself; and if patches are asked for, each of its
/// lists with the sources picked from it.
pub struct Covers<const AGAIN: bool> {
    told: Covering,
    reading: Reading,
}

impl<const AGAIN: bool> Covers<AGAIN> {
    const JUDGED: Port<Judged<'static>> = Port::documents(0, "judged");
    const SOURCES: Port<DrawnOn<'static>> = Port::documents(1, "sources");
    const OWN: Port<OwnSite<'static>> = Port::documents(2, "own");
    const DOUBTS: Port<Doubt> = Port::documents(3, "doubts");
    /// In the only round: documents without sources, and the sizes of all.
    const SETTLED: Port<Judged<'static>> = Port::documents(4, "settled");
    const SIZES: Port<SourceSize> = Port::documents(5, "sizes");
    const ASKING: Port<Asking<'static>> = Port::hashes(if AGAIN { 4 } else { 6 }, "asking").when("patches", "true");

    /// Sends the documents of its own site that have what these sources cover.
    fn send_own(&self, doc: u64, picks: &[Pick], out: &mut Output) -> Result<(), Damaged> {
        let picked: Documents = picks.iter().map(|pick| pick.source).collect();
        let mut sets: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
        let mut set = Vec::new();
        for (open, candidates) in self.reading.elements() {
            let candidates = Candidates::new(candidates)?;
            set.clear();
            set.extend(candidates.same_site());
            if set.is_empty() || !candidates.foreign().any(|source| picked.contains(&source)) {
                continue;
            }
            match sets.get_mut(&set) {
                Some(sum) => *sum += open.weight,
                None => _ = sets.insert(set.clone(), open.weight),
            }
        }
        let mut siblings: Vec<u32> = sets.keys().flatten().copied().collect();
        siblings.sort_unstable();
        siblings.dedup();
        siblings.iter().for_each(|&other| out.row(&Self::DOUBTS, other.into(), Doubt { asker: doc as u32 }));
        for (set, weight) in sets {
            let documents: Vec<u8> = set.iter().flat_map(|document| document.to_be_bytes()).collect();
            out.row(&Self::OWN, doc, OwnSite { weight, documents: Rest(&documents) });
        }
        Ok(())
    }

    /// Looks at each element of a quilt once more: asks its list for its grams on behalf of the sources picked from it.
    fn ask(&self, quilt: u32, picks: &[Pick], out: &mut Output) -> Result<(), Damaged> {
        let ranks: HashMap<u32, u32, BuildHasherDefault<Multiply>> =
            picks.iter().map(|pick| pick.source).zip(1..).collect();
        let mut sources = Vec::new();
        for (open, candidates) in self.reading.elements() {
            sources.clear();
            for source in Candidates::new(candidates)?.foreign() {
                if let Some(&rank) = ranks.get(&source) {
                    sources.extend_from_slice(&source.to_be_bytes());
                    sources.extend_from_slice(&rank.to_be_bytes());
                }
            }
            if !sources.is_empty() {
                out.row(&Self::ASKING, open.list, Asking { quilt, sources: Rest(&sources) });
            }
        }
        Ok(())
    }
}

/// Says which of the grams that the source of this rank is the first to cover later sources have, too: for each set of
/// later sources the number of grams, the number of sources, and their ranks.
fn pack_shared(rank: u32, sets: &BTreeMap<Vec<u32>, u64>) -> Vec<u8> {
    let mut packed = Vec::new();
    for (set, &weight) in sets.range(vec![rank]..vec![rank + 1]) {
        put_varint(&mut packed, weight);
        put_varint(&mut packed, set.len() as u64 - 1);
        set[1..].iter().for_each(|&later| put_varint(&mut packed, u64::from(later)));
    }
    packed
}

impl<const AGAIN: bool> Group for Covers<AGAIN> {
    const NAME: &'static str = if AGAIN { "covers again" } else { "covers" };
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = if AGAIN {
        &[shape::<Size>(), shape::<CoverElement<'static>>(), shape::<Suspected>()]
    } else {
        &[shape::<Size>(), shape::<CoverElement<'static>>()]
    };
    const PORTS: &'static [PortInfo] = if AGAIN {
        &[Self::JUDGED.info(), Self::SOURCES.info(), Self::OWN.info(), Self::DOUBTS.info(), Self::ASKING.info()]
    } else {
        &[
            Self::JUDGED.info(),
            Self::SOURCES.info(),
            Self::OWN.info(),
            Self::DOUBTS.info(),
            Self::SETTLED.info(),
            Self::SIZES.info(),
            Self::ASKING.info(),
        ]
    };
    const KEEPS: &'static str = "the elements of one document, at most as many as it has patch grams";
    type Parameters = Covering;

    fn new(told: Covering, _: usize) -> Result<Self, WrongParameter> {
        Ok(Self { told, reading: Reading::default() })
    }

    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.reading.read(rows)?;
        if self.reading.size.is_none() {
            return Ok(()); // a suspicion about a document that does not come into question
        }
        let found = self.reading.pick(self.told.min_share, self.told.min_grams, None)?;
        let grams = self.reading.grams();
        let settled = !AGAIN && found.picks.is_empty();
        let published =
            if self.told.all_told { Some(self.reading.is_published(self.told.sigma, self.told.c)?) } else { None };
        out.row(if settled { &Self::SETTLED } else { &Self::JUDGED }, key, self.reading.judged(&found, published));
        if !AGAIN && !self.reading.elements.is_empty() {
            out.row(&Self::SIZES, key, SourceSize { grams });
        }
        let Covered { picks, covered, largest } = &found;
        let looked_at = !picks.is_empty()
            && self.reading.share_of(*covered, self.told.of_patches) >= self.told.look
            && picks.len() as u64 >= self.told.c
            && share(*largest, *covered) <= self.told.max_largest;
        if looked_at {
            self.send_own(key, picks, out)?;
            if self.told.patches {
                self.ask(key as u32, picks, out)?;
            }
            out.count("covered_grams", *covered);
        }
        let patch_grams = self.reading.patch_grams();
        let sets = self.reading.cover.shared(picks);
        for (rank, pick) in (1..).zip(picks) {
            let row = DrawnOn {
                quilt: key,
                rank: u64::from(rank),
                new_grams: pick.new,
                all_grams: pick.all,
                patch_grams,
                shared: &pack_shared(rank, &sets),
                is_quilt: looked_at.into(),
            };
            out.row(&Self::SOURCES, u64::from(pick.source), row);
        }
        Ok(())
    }
}
