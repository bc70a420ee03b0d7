//! How much of whole sites is popular: mean and deviation over their pages.

use crate::flow::contract::{shape, Port, Shape};
use crate::flow::fields::Damaged;
use crate::flow::kernel::{Beginning, Done, Group, Output, Rows, Stretches};
use crate::sketches::minwise::SHINGLES;
use crate::text::fingerprint::Fingerprinter;
use crate::{contract, parameters, row};

row! {
    /// Of a document: the site it is on.
    pub struct OnHost<'a> { site: Option<&'a [u8]> }
}

row! {
    /// Of a document: its shingles, and how many of them are popular.
    pub struct PagePhrases { shingles: u64, popular: u64 }
}

row! {
    /// Of a document that was covered: how many shingles its sources cover, and how many of these a source with no
    /// common address has.
    pub struct PageCover { covered: u64, foreign_contribution: u64 }
}

row! {
    /// Of a site: its name, and of a document there the number of its popular shingles of 84, in units of [`UNIT`], and
    /// what [`PageCover`] says, zeros if it was not covered.
    pub struct SitePage<'a> { site: &'a [u8], doc: u64, count: u64, covered: u64, foreign_contribution: u64 }
}

/// Counts are added up in these units, as whole numbers, so that sums are the same in any order.
pub const UNIT: u64 = 1 << 20;

/// Group by document, of its site, its popular shingles and its covering set: one row keyed by site. Documents without
/// a site are counted.
#[derive(Default)]
pub struct PhrasePages {
    site: Vec<u8>,
}

contract! {
    group PhrasePages = "phrase pages";
    new() = Ok(Self::default());
    key Doc of shapes [Shape::Any, shape::<PagePhrases>(), shape::<PageCover>()];
    keeps "one name";
    const PAGES: Port<SitePage<'static>> = Port::hashes(0, "pages");
}

impl Group for PhrasePages {
    fn key(&mut self, doc: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.site.clear();
        let (mut phrases, mut cover) = (None, PageCover { covered: 0, foreign_contribution: 0 });
        while let Some((table, tail)) = rows.next() {
            match table {
                0 => self.site.extend_from_slice(tail),
                1 => phrases = Some(PagePhrases::take(tail)?),
                _ => cover = PageCover::take(tail)?,
            }
        }
        let Some(PagePhrases { shingles, popular }) = phrases else { return Ok(()) }; // a copy that was left out
        let Some(site) = OnHost::take(&self.site)?.site else {
            out.count("pages_without_site", 1);
            return Ok(());
        };
        let count = (u128::from(popular) * (SHINGLES as u64 * UNIT) as u128 / u128::from(shingles.max(1))) as u64;
        let PageCover { covered, foreign_contribution } = cover;
        let page = SitePage { site, doc, count, covered, foreign_contribution };
        out.row(&Self::PAGES, Fingerprinter::plain().bytes(site), page);
        Ok(())
    }
}

parameters! {
    /// Which sites are listed, and what makes a candidate of one.
    pub struct Suspicion { min_pages: u64, min_mean: f64, max_deviation: f64 }
}

row! {
    /// Of the lowest document of a site: its name, its pages, mean and standard deviation of their popular shingles,
    /// the share of the shingles that were covered that sources with no common address have, and whether it is a
    /// candidate.
    pub struct SitePhrases<'a> {
        site: &'a [u8], pages: u64, mean: f64, deviation: f64, foreign_contribution: f64, candidate: bool,
    }
}

/// Group by site: what its pages are like. Sites with too few of them are counted.
pub struct PhraseHosts(Suspicion);

contract! {
    group PhraseHosts = "phrase hosts";
    new(parameters: Suspicion) = Ok(Self(parameters));
    key Hash of [SitePage<'static>];
    keeps "the sums of one site";
    const SITES: Port<SitePhrases<'static>> = Port::documents(0, "sites");
}

impl PhraseHosts {
    /// The bytes of a row behind the name.
    const PAGE: usize = 4 * 8;
}

#[derive(Default)]
struct PhraseSums {
    first: Option<u64>,
    pages: u64,
    counts: u128,
    squares: u128,
    covered: u64,
    foreign: u64,
}

impl PhraseSums {
    fn add(&mut self, page: &SitePage<'_>) {
        self.first.get_or_insert(page.doc);
        self.pages += 1;
        self.counts += u128::from(page.count);
        self.squares += u128::from(page.count) * u128::from(page.count);
        self.covered += page.covered;
        self.foreign += page.foreign_contribution;
    }

    /// Mean and population standard deviation.
    fn spread(&self) -> (f64, f64) {
        let (pages, unit) = (u128::from(self.pages), UNIT as f64);
        let variance = pages * self.squares - self.counts * self.counts;
        (self.counts as f64 / pages as f64 / unit, (variance as f64).sqrt() / pages as f64 / unit)
    }
}

impl Group for PhraseHosts {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        // Two sites may have the same fingerprint.
        let mut sites = Stretches::new(rows, Beginning::AllBut(Self::PAGE));
        while sites.begin() {
            let mut sums = PhraseSums::default();
            while let Some(tail) = sites.tail() {
                sums.add(&SitePage::take(tail)?);
            }
            let PhraseSums { first, pages, covered, foreign, .. } = sums;
            if pages < self.0.min_pages {
                out.count("small_sites", 1);
                continue;
            }
            let (mean, deviation) = sums.spread();
            let site = sites.beginning().get(4..).ok_or(Damaged("SitePage"))?;
            let row = SitePhrases {
                site,
                pages,
                mean,
                deviation,
                foreign_contribution: if covered == 0 { 0.0 } else { foreign as f64 / covered as f64 },
                candidate: mean >= self.0.min_mean && deviation < self.0.max_deviation,
            };
            out.row(&Self::SITES, first.unwrap_or_default(), row);
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("small_sites", 0); // so that the counter is there even if there are none
    }
}
