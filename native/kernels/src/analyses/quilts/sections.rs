//! Whether a page is a long one whose sections are pages of another site: a print view, a chapter, a whole manual.
//!
//! Of what a quilt is stitched from, little is in it: a paragraph of a page here, three sentences there. Of the pages
//! that are the sections of a long one, all is, but for the menu of their site. So a *section* of a page is a source of
//! which at least a third is in the page. Short pages of many sites in one are no such page, but a collection: only
//! sections of the same site count together, two at least: what a single source holds is another
//! limit.
//!
//! The contents of a manual, the home page of a code of law and other pages that lead to the rest of their site repeat
//! headings and first lines of it. Where the own site counts at all, such pages look like quilts, too. So a source on the
//! page's own domain that the page links to is a section, as well, however little of it is in the page.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use crate::text::fingerprint::Fingerprinter;
use crate::text::slots::Multiply;

/// A source of which at least one part in this many is in the page is a section of it: sections on real sites come with
/// menus, and of true sources of judged pages hardly one in ten gives so much (see docs/quilts.md).
const PART: u64 = 3;

/// What the sections of a page add.
#[derive(Default)]
pub struct SectionTally {
    /// By site: the first section there, until a second one is found.
    by_site: HashMap<u64, Option<usize>, BuildHasherDefault<Multiply>>,
    /// What each section adds; 0 once it has been counted.
    uncounted: Vec<u64>,
    sum: u64,
}

impl SectionTally {
    pub fn clear(&mut self) {
        self.by_site.clear();
        self.uncounted.clear();
        self.sum = 0;
    }

    /// Takes a source that adds `new` grams to the cover. Its copies are on sites of these fingerprints; if there are
    /// none, it is a site of its own. Returns how many grams sections have added by now, of sites that have two or more.
    pub fn add(&mut self, source: u64, new: u64, is_section: bool, sites: impl Iterator<Item = u64>) -> u64 {
        if is_section {
            let mut sites: Vec<u64> = sites.collect();
            if sites.is_empty() {
                sites.push(Fingerprinter::plain().bytes(&source.to_le_bytes()));
            }
            sites.sort_unstable();
            sites.dedup();
            let section = self.uncounted.len();
            self.uncounted.push(new);
            for site in sites {
                match self.by_site.insert(site, None) {
                    None => _ = self.by_site.insert(site, Some(section)),
                    Some(first) => {
                        first.into_iter().chain([section]).for_each(|which| {
                            self.sum += std::mem::take(&mut self.uncounted[which]);
                        });
                    }
                }
            }
        }
        self.sum
    }
}

/// Whether so much of a source is in a page that it is a section of it: `all` of the page's patch grams, of `grams`.
pub fn is_within(all: u64, grams: u64) -> bool {
    all * PART >= grams
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_of_one_site_add_up() {
        let mut sections = SectionTally::default();
        let mut add = |source, new, within, sites: &[u64]| sections.add(source, new, within, sites.iter().copied());
        assert_eq!(add(1, 50, is_within(60, 181), &[7]), 0, "less than a third of it is in the page");
        assert_eq!(add(2, 50, is_within(60, 180), &[7, 7]), 0, "one alone are no sections");
        assert_eq!(add(3, 40, true, &[8]), 0);
        assert_eq!(add(4, 20, true, &[8, 9]), 60);
        assert_eq!(add(5, 15, true, &[7]), 125, "two sites, and each section once");
        assert_eq!(add(6, 15, true, &[]), 125, "without a URL, a site of its own");
        assert_eq!(add(7, 60, true, &[]), 125);
    }
}
