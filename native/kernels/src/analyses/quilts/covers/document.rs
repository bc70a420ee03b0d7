//! The document that is being read, with its elements, and the covers of it: by documents of other sites, by those of its
//! own, and by all, as published.

use std::collections::HashMap;

use crate::analyses::cover::{Cover, Pick, Tier};
use crate::analyses::postings::candidates::Candidates;
use crate::analyses::postings::elements::CoverElement;
use crate::analyses::postings::Size;
use crate::analyses::quilts::covers::first::MOST_OF_SUSPECTS;
use crate::analyses::quilts::covers::suspicions::Suspected;
use crate::analyses::quilts::covers::{share, Documents, Judged, Numbers};
use crate::flow::fields::Damaged;
use crate::flow::kernel::Rows;

/// So many others of a page's own site have some of its text, if the site draws on a pool: one other page with the same
/// clauses may be another version of a notice.
const FROM_ONE_POOL: usize = 2;

const NO_SIZE: Size = Size { words: 0, grams: 0, reworded: None, published: None };

/// The document that is being read: its elements, and a cover of them.
#[derive(Default)]
pub(super) struct OpenDocument {
    pub(super) size: Option<Size>,
    /// The candidates of all elements, one after the other, and the elements.
    candidates: Vec<u8>,
    pub(super) elements: Vec<Open>,
    /// Whether other documents of its own site have any of its grams; known after [`pick`](Self::pick).
    pub(super) has_same_site: bool,
    /// Suspects among the candidates and among those of its own site with the same text, and the tier of each.
    suspects: Numbers<Tier>,
    /// Candidates that seem to be stitched together but for their versions; once they are set aside, its versions among them.
    doubles: Documents,
    /// How much of it the double has that has the most, once they are set aside.
    doubled: u64,
    pub(super) cover: Cover,
    /// The same by documents of all sites.
    published: Cover,
}

/// An element of the document that is being read.
pub(super) struct Open {
    /// Where its candidates end; they begin where those before it end.
    end: usize,
    pub(super) df: u32,
    pub(super) weight: u64,
    pub(super) list: u64,
}

/// What a cover comes to.
pub(super) struct Covered {
    pub(super) picks: Vec<Pick>,
    pub(super) covered: u64,
    pub(super) largest: u64,
    /// Whether suspects bore witness, because the own site draws on their pool.
    from_pool: bool,
}

impl OpenDocument {
    pub(super) fn read(&mut self, rows: &mut dyn Rows) -> Result<(), Damaged> {
        self.read_with(rows, |document, tail| {
            let Suspected { document: other, is_list, is_double } = Suspected::take(tail)?;
            if is_double {
                document.doubles.insert(other);
            } else {
                document.suspects.insert(other, if is_list { Tier::Third } else { Tier::Second });
            }
            Ok(())
        })
    }

    /// Reads its size and its elements; `others` are given the rows of the table behind these.
    pub(super) fn read_with(
        &mut self,
        rows: &mut dyn Rows,
        mut others: impl FnMut(&mut Self, &[u8]) -> Result<(), Damaged>,
    ) -> Result<(), Damaged> {
        self.candidates.clear();
        self.elements.clear();
        self.suspects.clear();
        self.doubles.clear();
        self.doubled = 0;
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
                _ => others(self, tail)?,
            }
        }
        Ok(())
    }

    pub(super) fn grams(&self) -> u64 {
        self.size.as_ref().map_or(0, |size| size.grams)
    }

    /// Whether reworded passages count in place of grams: then no list has its grams, and it is known already whether it is
    /// a quilt as published.
    pub(super) fn is_reworded(&self) -> bool {
        self.size.is_some_and(|size| size.reworded == Some(1))
    }

    pub(super) fn patch_grams(&self) -> u64 {
        self.elements.iter().map(|open| open.weight).sum()
    }

    /// The share of its grams that are covered, or that are patch grams.
    pub(super) fn share_of(&self, covered: u64, of_patches: bool) -> f64 {
        share(if of_patches { self.patch_grams() } else { covered }, self.grams())
    }

    /// The elements with their candidates, as they are packed.
    pub(super) fn elements(&self) -> impl Iterator<Item = (&Open, &[u8])> {
        let mut begin = 0;
        self.elements.iter().map(move |open| {
            let candidates = &self.candidates[std::mem::replace(&mut begin, open.end)..open.end];
            (open, candidates)
        })
    }

    /// Whether two others of its own site or more have some of the text that it shares with foreign documents.
    pub(super) fn draws_on_pool(
        &self,
        min_share: f64,
        min_grams: u64,
        counts: impl Fn(u32) -> bool,
    ) -> Result<bool, Damaged> {
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

    /// Its versions, and how much of it they have: the foreign documents that have more than three quarters of what all
    /// of them have.
    pub(super) fn find_versions(&self) -> Result<Numbers<u64>, Damaged> {
        let mut held: Numbers<u64> = HashMap::default();
        let mut shared = 0;
        for (open, candidates) in self.elements() {
            let mut foreign = Candidates::new(candidates)?.foreign().peekable();
            shared += if foreign.peek().is_some() { open.weight } else { 0 };
            foreign.for_each(|source| *held.entry(source).or_default() += open.weight);
        }
        held.retain(|_, grams| share(*grams, shared) > MOST_OF_SUSPECTS);
        Ok(held)
    }

    /// If it seems to be stitched together itself, leaves its versions that do, too, only to `doubled`: each would stand for
    /// all that both were made of.
    pub(super) fn set_doubles_aside(&mut self, doc: u64) -> Result<(), Damaged> {
        let stitched = self.suspects.iter().filter(|(_, &tier)| tier == Tier::Second).map(|(&other, _)| other);
        self.doubles.extend(stitched);
        if !self.doubles.contains(&(doc as u32)) {
            self.doubles.clear();
            return Ok(());
        }
        let versions = self.find_versions()?;
        self.doubles.retain(|double| versions.contains_key(double));
        self.suspects.retain(|suspect, _| !self.doubles.contains(suspect));
        self.doubled = self.doubles.iter().map(|double| versions[double]).max().unwrap_or(0);
        Ok(())
    }

    /// A cover by those foreign documents that count.
    pub(super) fn pick(
        &mut self,
        min_share: f64,
        min_grams: u64,
        counts: impl Fn(u32) -> bool,
    ) -> Result<Covered, Damaged> {
        let mut cover = std::mem::take(&mut self.cover);
        cover.clear();
        let mut add = |sum: u64, candidates: Candidates<'_>| {
            let others = candidates.foreign().filter(|&source| counts(source) && !self.doubles.contains(&source));
            cover.add(sum, others.map(|source| (source, *self.suspects.get(&source).unwrap_or(&Tier::First))));
        };
        let (mut same, mut sum): (Candidates<'_>, u64) = (Candidates::default(), 0);
        let (mut has_same_site, mut same_foreign): (bool, &[u8]) = (false, &[]);
        for (open, candidates) in self.elements() {
            // Rows are sorted, so those with the same foreign candidates follow each other: they make one element.
            let candidates = Candidates::new(candidates)?;
            let (foreign, own) = candidates.parts();
            has_same_site |= !own.is_empty();
            if foreign != same_foreign {
                add(sum, same);
                (same, same_foreign, sum) = (candidates, foreign, 0);
            }
            sum += open.weight;
        }
        add(sum, same);
        self.has_same_site = has_same_site;
        let total = self.patch_grams();
        let from_pool = !self.suspects.is_empty()
            && self.draws_on_pool(min_share, min_grams, |document| self.suspects.contains_key(&document))?;
        let picks = if from_pool {
            cover.greedy_with_witnesses(min_share, total, min_grams)
        } else {
            cover.greedy_from(min_share, total, min_grams)
        };
        self.cover = cover;
        Ok(Covered { from_pool, ..Self::come_to(picks) })
    }

    /// A cover by other documents of the own site.
    pub(super) fn pick_at_home(&mut self, min_share: f64, min_grams: u64) -> Result<Covered, Damaged> {
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
    /// documents, of whatever site, are needed to cover these. To be asked right after [`pick`](Self::pick) with no
    /// suspects, or with those that came with the document, and of what that found: where no document of its own site has
    /// its grams, the cover that was made then has all candidates; and without suspects its picks are the published ones,
    /// all of them if it went on to the `end`.
    pub(super) fn is_published(&mut self, sigma: f64, c: u64, found: &Covered, end: bool) -> Result<bool, Damaged> {
        if self.is_reworded() || share(self.patch_grams(), self.grams()) < sigma || (self.elements.len() as u64) < c {
            return Ok(false);
        }
        let enough = found.picks.len() as u64 >= c;
        let c = usize::try_from(c).unwrap_or(usize::MAX);
        if self.doubles.is_empty() && !self.has_same_site {
            let known = self.suspects.is_empty() && (enough || end);
            return Ok(if known { enough } else { self.cover.takes(c) });
        }
        let mut cover = std::mem::take(&mut self.published);
        cover.clear();
        let mut candidates: Vec<u32> = Vec::new();
        for (open, packed) in self.elements() {
            let packed = Candidates::new(packed)?;
            candidates.clear();
            candidates.extend(packed.all().map(|(document, _)| document));
            // Where sites are parts of domains, foreign documents on the domain are named twice.
            if !packed.parts().0.is_empty() {
                candidates.sort_unstable();
                candidates.dedup();
            }
            cover.add(open.weight, candidates.iter().map(|&document| (document, Tier::First)));
        }
        let found = cover.takes(c);
        self.published = cover;
        Ok(found)
    }

    fn come_to(picks: Vec<Pick>) -> Covered {
        let covered = picks.iter().map(|pick| pick.new).sum();
        // A suspect that has the rest of a page may have much else of it, too: that is at home elsewhere.
        let holds = |pick: &Pick| if pick.is_first() { pick.all } else { pick.new };
        let largest = picks.iter().map(holds).max().unwrap_or(0);
        Covered { picks, covered, largest, from_pool: false }
    }

    /// What is known of the document after the last cover, with a word for why it has no sources.
    pub(super) fn judged(&self, found: &Covered, published: Option<bool>) -> Judged<'static> {
        let Size { words, grams, reworded, published: known } = self.size.unwrap_or(NO_SIZE);
        let published = if reworded == Some(1) { known } else { published.map(u64::from) };
        let patch_grams = self.patch_grams();
        let why: &[u8] = match (found.picks.len(), grams, patch_grams, self.cover.most_picks()) {
            (0, 0, ..) => b"short",
            (0, _, 0, _) => b"nothing shared",
            (0, .., 0) => b"own site",
            (0, ..) => b"min_share",
            _ => b"",
        };
        let Covered { picks, covered, largest, from_pool } = found;
        let by_suspects = picks.iter().filter(|pick| !pick.is_first()).map(|pick| pick.new).sum();
        let (sources, covered, from_pool, largest) = (picks.len() as u64, *covered, *from_pool, *largest);
        Judged {
            words,
            grams,
            patch_grams,
            covered,
            by_suspects,
            from_pool,
            sources,
            largest,
            doubled: self.doubled,
            reworded,
            published,
            why,
        }
    }
}
