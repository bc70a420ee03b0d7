//! Samples of documents, as published: some for each number of popular shingles, or some of all that have enough.

use super::COVERED;
use crate::documents::copies::CopyRow;
use crate::flow::columns::{Along, Numbers, Strings};
use crate::flow::contract::Port;
use crate::flow::kernel::{Done, Group, Map, Output, Rows};
use crate::sketches::rabin::splitmix;
use crate::text::fingerprint::Fingerprinter;
use crate::{choice, columns, contract, parameters, row};

choice! {
    /// How documents are drawn.
    pub enum Draw {
        /// So many for each number of popular shingles.
        Counts = "counts",
        /// So many of all.
        Uniform = "uniform",
    }
}

parameters! {
    /// Which documents can be drawn: those with enough popular shingles, on one site (a host, domain or address) or,
    /// if it is empty, anywhere.
    pub struct Drawing { draw: Draw, least: f64, site: String, seed: u64 }
}

columns! {
    /// Who documents are.
    pub struct Identified<'a> {
        doc: Numbers<'a>, id: Strings<'a>, host: Strings<'a>, domain: Strings<'a>, ip: Strings<'a>,
    }
}

columns! {
    /// How many shingles documents have, and how many popular ones.
    pub struct CountedPhrases<'a> { doc: Numbers<'a>, shingles: Numbers<'a>, popular: Numbers<'a> }
}

row! {
    /// Of a number of popular shingles, or of 0 for all: a document, in an order that its id and the seed decide.
    pub struct Lot { order: u64, doc: u32 }
}

/// Map: a lot for each document that can be drawn.
pub struct Lots {
    parameters: Drawing,
    salt: u64,
}

contract! {
    map Lots = "lots";
    new(parameters: Drawing) = {
        let salt = splitmix(parameters.seed).next().unwrap_or_default();
        Ok(Self { parameters, salt })
    };
    reads Identified<'a>, beside CountedPhrases<'a>;
    const LOTS: Port<Lot> = Port::documents(0, "lots");
}

impl Map for Lots {
    fn batch<'a>(&mut self, pages: Identified<'a>, counted: CountedPhrases<'a>, out: &mut Output) -> Done {
        let print = Fingerprinter::plain();
        let site = Some(self.parameters.site.as_bytes()).filter(|site| !site.is_empty());
        let mut along = Along::new(counted.doc);
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row);
            let Some(at) = along.rows(doc).next() else { continue };
            let names = [pages.host, pages.domain, pages.ip].map(|names| names.bytes(row));
            if site.is_some() && !names.contains(&site) {
                continue;
            }
            let (shingles, popular) = (counted.shingles.at(at), counted.popular.at(at));
            let count = if shingles == 0 { 0.0 } else { (84 * popular) as f64 / shingles as f64 };
            if count >= self.parameters.least {
                let mut seeded = self.salt.to_le_bytes().to_vec();
                seeded.extend_from_slice(pages.id.bytes(row).unwrap_or_default());
                let key = if self.parameters.draw == Draw::Counts { count as u64 } else { 0 };
                out.row(&Self::LOTS, key, Lot { order: print.bytes(&seeded), doc: doc as u32 });
            }
        }
        Ok(())
    }
}

parameters! {
    /// How many documents are drawn of each key.
    pub struct DrawSize { size: u64 }
}

row! {
    /// Of a document: what is wanted of it ([`COVERED`] and so on).
    pub struct MarkRow { mark: u64 }
}

/// Group: the first so many of each key.
pub struct Draws(u64);

contract! {
    group Draws = "draws";
    new(DrawSize { size }) = Ok(Self(size));
    key Doc of [Lot];
    keeps "one row";
    const CHOSEN: Port<MarkRow> = Port::documents(0, "chosen");
}

impl Group for Draws {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut left = self.0;
        while let Some((_, tail)) = rows.next().filter(|_| left > 0) {
            left -= 1;
            out.row(&Self::CHOSEN, u64::from(Lot::take(tail)?.doc), MarkRow { mark: u64::from(COVERED) });
        }
        Ok(())
    }
}

row! {
    /// Of a document: where it stands, and what is wanted of it.
    pub struct DrawnRow<'a> { servers: Option<&'a [u8]>, marks: u64 }
}

parameters! {
    /// What is wanted of every document.
    pub struct Marking { usual: u64 }
}

/// Group by document, of its copies and of tables of marks: the documents that are kept, with all of their marks.
pub struct DrawnDocuments {
    usual: u64,
    servers: Vec<u8>,
}

contract! {
    group DrawnDocuments = "drawn documents";
    new(Marking { usual }) = Ok(Self { usual, servers: Vec::new() });
    key Doc of [CopyRow<'static>, MarkRow] and more;
    keeps "one code";
    const DRAWN: Port<DrawnRow<'static>> = Port::documents(0, "drawn");
}

impl Group for DrawnDocuments {
    fn key(&mut self, doc: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let (mut kept, mut marks) = (false, self.usual);
        self.servers.clear();
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                let copy = CopyRow::take(tail)?;
                kept = copy.kept == doc;
                self.servers.extend_from_slice(copy.servers.unwrap_or_default());
            } else {
                marks |= MarkRow::take(tail)?.mark;
            }
        }
        if kept {
            out.row(&Self::DRAWN, doc, DrawnRow { servers: Some(&self.servers), marks });
        }
        Ok(())
    }
}
