//! On which domains quilts stand, and which domains feed them.
//!
//! [`Visits`] brings what is known of a document (it is there, it is a quilt, a quilt draws on it) to its domain, and
//! [`Domains`] counts. Documents without a domain are counted together, under none.

use crate::flow::contract::{shape, Key, Port, PortInfo, Shape, WrongParameter};
use crate::flow::kernel::{Beginning, Done, Group, Output, Rows, Stretches};
use crate::row;
use crate::text::fingerprint::Fingerprinter;

/// What a row says of a document: the numbers of the tables of [`Visits`], and the order in which [`Domains`] sees the
/// rows.
const THERE: u8 = 0;
const QUILT: u8 = 1;

row! {
    /// Of a document: the domain it is on.
    pub struct OnDomain<'a> { domain: Option<&'a [u8]> }
}

row! {
    /// Of a document: it is a quilt.
    pub struct IsQuilt {}
}

row! {
    /// Of a document: a quilt draws on it, for so many grams.
    pub struct FeedsQuilt { quilt: u64, new_grams: u64 }
}

row! {
    /// Of a domain: its name, what the row says (a document is there, it is a quilt, or a quilt draws on it), that
    /// document or quilt, and the number of grams that are drawn.
    pub struct Visit<'a> { domain: Option<&'a [u8]>, said: u8, doc: u64, new_grams: u64 }
}

/// Group by document, of its domain, the quilt it may be and the quilts that draw on it: each as a row keyed by domain.
#[derive(Default)]
pub struct Visits {
    domain: Vec<u8>,
}

impl Visits {
    const VISITS: Port<Visit<'static>> = Port::hashes(0, "visits");
}

impl Group for Visits {
    const NAME: &'static str = "visits";
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = &[shape::<OnDomain<'static>>(), shape::<IsQuilt>(), shape::<FeedsQuilt>()];
    const PORTS: &'static [PortInfo] = &[Self::VISITS.info()];
    const KEEPS: &'static str = "one domain";
    type Told = ();

    fn new((): (), _: usize) -> Result<Self, WrongParameter> {
        Ok(Self::default())
    }

    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut hash = None;
        self.domain.clear();
        while let Some((said, tail)) = rows.next() {
            if said == THERE {
                self.domain.clear();
                self.domain.extend_from_slice(tail);
                hash = Some(Fingerprinter::plain().bytes(tail));
            }
            let Some(hash) = hash else { continue };
            let (doc, new_grams) = match said {
                THERE | QUILT => (key, 0),
                _ => FeedsQuilt::take(tail).map(|fed| (fed.quilt, fed.new_grams))?,
            };
            let OnDomain { domain } = OnDomain::take(&self.domain)?;
            out.row(&Self::VISITS, hash, Visit { domain, said, doc, new_grams });
        }
        Ok(())
    }
}

row! {
    /// Of the lowest document of a domain: the domain, its documents and quilts, and the share of these.
    pub struct QuiltingDomain<'a> { domain: Option<&'a [u8]>, documents: u64, quilts: u64, share: f64 }
}

row! {
    /// Of the lowest document of a domain: the domain, the quilts that draw on it, how often, and for how many grams.
    pub struct SourceDomain<'a> { domain: Option<&'a [u8]>, quilts: u64, sources: u64, new_grams: u64 }
}

/// Group by domain: what was counted, keyed by the lowest document of the domain; on one port if there are quilts, on
/// the other if quilts draw on it.
pub struct Domains;

impl Domains {
    const QUILTING: Port<QuiltingDomain<'static>> = Port::documents(0, "quilting");
    const FEEDING: Port<SourceDomain<'static>> = Port::documents(1, "feeding");
    /// The bytes of a visit behind the domain.
    const VISIT: usize = 17;
}

#[derive(Default)]
struct Counts {
    /// The lowest document: its visit comes first.
    first: Option<u64>,
    documents: u64,
    quilts: u64,
    /// Quilts that draw on the domain, and the last of them; they come in order.
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

impl Group for Domains {
    const NAME: &'static str = "domains";
    const KEY: Key = Key::Hash;
    const TABLES: &'static [Shape] = &[shape::<Visit<'static>>()];
    const PORTS: &'static [PortInfo] = &[Self::QUILTING.info(), Self::FEEDING.info()];
    const KEEPS: &'static str = "one domain";
    type Told = ();

    fn new((): (), _: usize) -> Result<Self, WrongParameter> {
        Ok(Self)
    }

    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        // Two domains may have the same fingerprint.
        let mut domains = Stretches::new(rows, Beginning::AllBut(Self::VISIT));
        while domains.begin() {
            let mut counts = Counts::default();
            while let Some(tail) = domains.tail() {
                counts.add(&Visit::take(tail)?);
            }
            let OnDomain { domain } = OnDomain::take(domains.beginning())?;
            let Counts { first, documents, quilts, fed, sources, new_grams, .. } = counts;
            let first = first.unwrap_or_default();
            if quilts > 0 {
                let share = quilts as f64 / documents as f64;
                out.row(&Self::QUILTING, first, QuiltingDomain { domain, documents, quilts, share });
            }
            if sources > 0 {
                out.row(&Self::FEEDING, first, SourceDomain { domain, quilts: fed, sources, new_grams });
            }
        }
        Ok(())
    }
}
