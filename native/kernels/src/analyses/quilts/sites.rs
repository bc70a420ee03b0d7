//! On which sites (domains or hosts) quilts stand, and which sites feed them.
//!
//! [`Visits`] brings what is known of a document (it is there, it is a quilt, a quilt draws on it) to its site, and
//! [`SiteCounts`] counts. Documents without a site are counted together, under none.

use crate::flow::contract::{shape, Port, Shape};
use crate::flow::kernel::{Beginning, Done, Group, Output, Rows, Stretches};

use crate::text::fingerprint::Fingerprinter;
use crate::{choice, contract, parameters, row};

/// What a row says of a document: the numbers of the tables of [`Visits`], and the order in which [`Domains`] sees the
/// rows.
const THERE: u8 = 0;
const QUILT: u8 = 1;

row! {
    /// Of a document: the site it is on. The column that it comes from may be the domain or the host.
    pub struct OnSite<'a> { site: Option<&'a [u8]> }
}

row! {
    /// Of a document: it is a quilt.
    pub struct IsQuilt {}
}

row! {
    /// Of a document that may be a quilt: a source, and how many grams it adds.
    pub struct SourceGrams { source: u64, new_grams: u64 }
}

/// Group by document, of the quilt it may be and its sources: if it is one, to each source the grams it adds.
pub struct QuiltSources;

contract! {
    group QuiltSources = "drawn";
    new() = Ok(Self);
    key Doc of [IsQuilt, SourceGrams];
    keeps "nothing";
    const FED: Port<FeedsQuilt> = Port::documents(0, "fed");
}

impl Group for QuiltSources {
    fn key(&mut self, quilt: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut is_quilt = false;
        while let Some((table, tail)) = rows.next() {
            is_quilt |= table == 0;
            if table > 0 && is_quilt {
                let SourceGrams { source, new_grams } = SourceGrams::take(tail)?;
                out.row(&Self::FED, source, FeedsQuilt { quilt, new_grams });
            }
        }
        Ok(())
    }
}

row! {
    /// Of a document: a quilt draws on it, for so many grams.
    pub struct FeedsQuilt { quilt: u64, new_grams: u64 }
}

row! {
    /// Of a site: its name, what the row says (a document is there, it is a quilt, or a quilt draws on it), that
    /// document or quilt, and the number of grams that are drawn.
    pub struct Visit<'a> { site: Option<&'a [u8]>, said: u8, doc: u64, new_grams: u64 }
}

/// Group by document, of its site, the quilt it may be and the quilts that draw on it: each as a row keyed by site.
#[derive(Default)]
pub struct Visits {
    site: Vec<u8>,
}

contract! {
    group Visits = "visits";
    new() = Ok(Self::default());
    key Doc of shapes [Shape::Any, shape::<IsQuilt>(), shape::<FeedsQuilt>()];
    keeps "one site";
    const VISITS: Port<Visit<'static>> = Port::hashes(0, "visits");
}

impl Group for Visits {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut hash = None;
        self.site.clear();
        while let Some((said, tail)) = rows.next() {
            if said == THERE {
                self.site.clear();
                self.site.extend_from_slice(tail);
                hash = Some(Fingerprinter::plain().bytes(tail));
            }
            let Some(hash) = hash else { continue };
            let (doc, new_grams) = match said {
                THERE | QUILT => (key, 0),
                _ => FeedsQuilt::take(tail).map(|fed| (fed.quilt, fed.new_grams))?,
            };
            let OnSite { site } = OnSite::take(&self.site)?;
            out.row(&Self::VISITS, hash, Visit { site, said, doc, new_grams });
        }
        Ok(())
    }
}

row! {
    /// Of the lowest document of a domain: the domain, its documents and quilts, and the share of these.
    pub struct QuiltingDomain<'a> { domain: Option<&'a [u8]>, documents: u64, quilts: u64, share: f64 }
}

row! {
    /// The same of a host.
    pub struct QuiltingHost<'a> { host: Option<&'a [u8]>, documents: u64, quilts: u64, share: f64 }
}

row! {
    /// Of the lowest document of a domain: the domain, the quilts that draw on it, how often, and for how many grams.
    pub struct SourceDomain<'a> { domain: Option<&'a [u8]>, quilts: u64, sources: u64, new_grams: u64 }
}

row! {
    /// The same of a host.
    pub struct SourceHost<'a> { host: Option<&'a [u8]>, quilts: u64, sources: u64, new_grams: u64 }
}

choice! {
    /// What sites are told apart by, which is what their column is called.
    pub enum SiteName { Domain = "domain", Host = "host" }
}

parameters! {
    /// What sites are.
    pub struct SiteKind { by: SiteName }
}

/// Group by site: what was counted, keyed by the lowest document of the site; on one port if there are quilts, on
/// the other if quilts draw on it.
pub struct SiteCounts(SiteName);

contract! {
    group SiteCounts = "sites";
    new(SiteKind { by }) = Ok(Self(by));
    key Hash of [Visit<'static>];
    keeps "one site";
    const QUILTING_DOMAINS: Port<QuiltingDomain<'static>> = Port::documents(0, "quilting").when("by", "domain");
    const FEEDING_DOMAINS: Port<SourceDomain<'static>> = Port::documents(1, "feeding").when("by", "domain");
    const QUILTING_HOSTS: Port<QuiltingHost<'static>> = Port::documents(0, "quilting").when_not("by", "domain");
    const FEEDING_HOSTS: Port<SourceHost<'static>> = Port::documents(1, "feeding").when_not("by", "domain");
}

impl SiteCounts {
    /// The bytes of a visit behind the site.
    const VISIT: usize = 17;
}

#[derive(Default)]
struct Counts {
    /// The lowest document: its visit comes first.
    first: Option<u64>,
    documents: u64,
    quilts: u64,
    /// Quilts that draw on the site, and the last of them; they come in order.
    fed: u64,
    last_fed: Option<u64>,
    sources: u64,
    new_grams: u64,
}

impl Counts {
    fn add(&mut self, visit: &Visit<'_>) {
        self.first.get_or_insert(visit.doc);
        match visit.said {
            THERE => self.documents += 1,
            QUILT => self.quilts += 1,
            _ => {
                self.fed += u64::from(self.last_fed.replace(visit.doc) != Some(visit.doc));
                self.sources += 1;
                self.new_grams += visit.new_grams;
            }
        }
    }
}

impl Group for SiteCounts {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        // Two sites may have the same fingerprint.
        let mut sites = Stretches::new(rows, Beginning::AllBut(Self::VISIT));
        while sites.begin() {
            let mut counts = Counts::default();
            while let Some(tail) = sites.tail() {
                counts.add(&Visit::take(tail)?);
            }
            let OnSite { site } = OnSite::take(sites.beginning())?;
            let Counts { first, documents, quilts, fed, sources, new_grams, .. } = counts;
            let first = first.unwrap_or_default();
            let share = quilts as f64 / documents as f64;
            match self.0 {
                SiteName::Domain => {
                    let domain = site;
                    if quilts > 0 {
                        let row = QuiltingDomain { domain, documents, quilts, share };
                        out.row(&Self::QUILTING_DOMAINS, first, row);
                    }
                    if sources > 0 {
                        let row = SourceDomain { domain, quilts: fed, sources, new_grams };
                        out.row(&Self::FEEDING_DOMAINS, first, row);
                    }
                }
                SiteName::Host => {
                    let host = site;
                    if quilts > 0 {
                        out.row(&Self::QUILTING_HOSTS, first, QuiltingHost { host, documents, quilts, share });
                    }
                    if sources > 0 {
                        out.row(&Self::FEEDING_HOSTS, first, SourceHost { host, quilts: fed, sources, new_grams });
                    }
                }
            }
        }
        Ok(())
    }
}
