//! The first round: which documents come into question, and which are suspects.

use crate::analyses::postings::candidates::Candidates;
use crate::analyses::postings::elements::CoverElement;
use crate::analyses::postings::Size;
use crate::analyses::quilts::covers::document::{Covered, Open, OpenDocument};
use crate::analyses::quilts::covers::suspicions::{Doubt, Suspect};
use crate::analyses::quilts::covers::{share, Documents, Judged, SourceSize};
use crate::flow::contract::Port;
use crate::flow::fields::Rest;
use crate::flow::kernel::{Done, Group, Output, Rows};
use crate::{contract, parameters};

parameters! {
    /// Where a cover ends, which documents may be looked at more closely, and which are suspects: those of which sources
    /// cover at least the share `sigma`. See [`Covering`] for `all_told`.
    pub struct Suspecting {
        c: u64, sigma: f64, look: f64, glance: f64, enough: u64, of_patches: bool, min_share: f64, min_grams: u64,
        all_told: bool,
    }
}

/// What has more than this share of it is another version of a document.
pub const MOST_OF_SUSPECTS: f64 = 0.75;

/// Group by document, of its size and its elements: what is known of those that come not into question; of the others
/// size and elements once more, which other documents they have text of, and which of them are suspects.
pub struct FirstCovers {
    told: Suspecting,
    document: OpenDocument,
}

contract! {
    group FirstCovers = "first covers";
    new(told: Suspecting) = Ok(Self { told, document: OpenDocument::default() });
    key Doc of [Size, CoverElement<'static>];
    keeps "the elements of one document, at most as many as it has patch grams";
    const SETTLED: Port<Judged<'static>> = Port::documents(0, "settled");
    const SIZES: Port<SourceSize> = Port::documents(1, "sizes");
    const DOCUMENTS: Port<Size> = Port::documents(2, "documents");
    const ELEMENTS: Port<CoverElement<'static>> = Port::documents(3, "elements");
    const SUSPECTS: Port<Suspect> = Port::documents(4, "suspects");
    const DOUBTS: Port<Doubt> = Port::documents(5, "doubts");
}

impl Group for FirstCovers {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let Self { told, document } = self;
        document.read(rows)?;
        let found = document.pick(told.min_share, told.min_grams, |_| true)?;
        let sources = found.picks.len() as u64;
        // A second cover may find more sources than the first, and so c itself is asked for then.
        let shown = document.share_of(found.covered, told.of_patches);
        let is_shared = shown >= told.look || (shown >= told.glance && found.covered >= told.enough);
        let has_sources = sources >= told.c.clamp(1, 2);
        let may_settle = !is_shared || !has_sources;
        let published = if may_settle && told.all_told {
            let end = told.min_share <= 0.0 && told.min_grams <= 1;
            Some(document.is_published(told.sigma, told.c, &found, end)?)
        } else {
            None
        };
        let judged = document.judged(&found, published);
        let grams = document.grams();
        if !document.elements.is_empty() {
            out.row(&Self::SIZES, key, SourceSize { grams });
        }
        let is_made_of = |found: &Covered| {
            let several = found.picks.len() > 1 && share(found.largest, found.covered) <= MOST_OF_SUSPECTS;
            several && share(found.covered, grams) >= told.sigma
        };
        let mut suspect = is_made_of(&found);
        let mut is_list = false;
        let mut is_double = false;
        if let Some(first) = found.picks.first().filter(|_| !suspect && share(found.covered, grams) >= told.sigma) {
            // Two pages of a farm may have most of their text in common by chance.
            if document.draws_on_pool(told.min_share, told.min_grams, |_| true)? {
                let others = document.pick(told.min_share, told.min_grams, |other| other != first.source)?;
                suspect = is_made_of(&others);
            }
            if !suspect {
                let versions = document.find_versions()?;
                let others = document.pick(told.min_share, told.min_grams, |other| !versions.contains_key(&other))?;
                is_double = is_made_of(&others);
            }
        }
        let settled = !is_shared || !(has_sources || suspect || is_double);
        if document.has_same_site && share(document.patch_grams(), grams) >= told.sigma {
            is_list = is_made_of(&document.pick_at_home(told.min_share, told.min_grams)?);
        }
        if suspect || is_list || is_double {
            out.row(&Self::SUSPECTS, key, Suspect { sources, is_list, is_double: is_double && !is_list });
        }
        if settled {
            out.row(&Self::SETTLED, key, judged);
            return Ok(());
        }
        if let Some(size) = &document.size {
            out.row(&Self::DOCUMENTS, key, Size { ..*size });
        }
        let mut others = Documents::default();
        for (open, candidates) in document.elements() {
            let Open { df, weight, list, .. } = *open;
            out.row(&Self::ELEMENTS, key, CoverElement { candidates: Rest(candidates), df, weight, list });
            others.extend(Candidates::new(candidates)?.all().map(|(other, _)| other));
        }
        let mut others: Vec<u32> = others.into_iter().collect();
        if suspect || is_double {
            others.push(key as u32);
        }
        others.sort_unstable();
        others.iter().for_each(|&other| out.row(&Self::DOUBTS, other.into(), Doubt { asker: key as u32 }));
        Ok(())
    }
}
