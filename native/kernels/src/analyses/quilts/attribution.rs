//! Whether quilts name their sources: which of these they link to, and what share of their patch grams that accounts for.
//!
//! [`Names`] says under which URLs and domains each document is known, [`Named`] brings these to the quilts that draw on
//! it, and [`Linked`] holds them against the links of the quilt. Only fingerprints of URLs travel, and links stay where
//! they are.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;

use crate::analyses::cover::Multiply;
use crate::documents::standing::Standing;
use crate::flow::kernel::{Along, Column, GroupKernel, MapKernel, Output, Rows};
use crate::flow::rows::{take_u64, take_varint};
use crate::flow::tables::{put_bytes, put_number, put_real};
use crate::reading::urls::{hosts, page};
use crate::text::fingerprint::Fingerprinter;

/// Copies of a source whose URLs count: a page of a million mirrors would send all of their names to each quilt.
const MOST_COPIES: usize = 100;

/// Map (doc, url, domain), beside the standing of documents: to the document that is kept, what one of its copies is
/// called: the copy, the fingerprints of its page and of its domain.
pub struct Names;

impl MapKernel for Names {
    fn batch(&mut self, columns: &[Column<'_>], beside: &[Column<'_>], out: &mut Output) {
        let [documents, urls, domains] = columns else { return };
        let mut standing = Standing::new(beside);
        let print = Fingerprinter::plain();
        let mut tail = Vec::new();
        for row in 0..documents.len() {
            let doc = documents.number(row) as u32;
            let kept = standing.kept(doc);
            let (Some(page), Some(domain)) = (page(&urls.text(row)), domains.bytes(row)) else { continue };
            tail.clear();
            tail.extend_from_slice(&doc.to_be_bytes());
            put_number(&mut tail, print.bytes(page.as_bytes()));
            put_number(&mut tail, print.bytes(domain));
            out.ports[0].row(u64::from(kept), &tail);
        }
    }
}

/// Group by source, of its names (first table) and the quilts that draw on it (second: quilt, rank, new grams, all grams,
/// patch grams of the quilt, what is shared with other sources): to each quilt its source with all this and the names.
/// Keeps the names of one source, those of the first [`MOST_COPIES`].
#[derive(Default)]
pub struct Named {
    names: Vec<u8>,
    tail: Vec<u8>,
}

impl GroupKernel for Named {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) {
        self.names.clear();
        while let Some((table, mut tail)) = rows.next() {
            if table == 0 {
                if self.names.len() < MOST_COPIES * 16 {
                    self.names.extend_from_slice(&tail[4..]);
                }
                continue;
            }
            let (Some(quilt), Some(rank)) = (take_u64(&mut tail), take_u64(&mut tail)) else { continue };
            self.tail.clear();
            put_number(&mut self.tail, rank);
            put_number(&mut self.tail, key);
            self.tail.extend_from_slice(tail);
            put_bytes(&mut self.tail, Some(&self.names));
            out.ports[0].row(quilt, &self.tail);
        }
    }
}

/// Map (doc, links), beside the sources of documents (quilt, rank, source, new grams, all grams, patch grams, shared,
/// names): each source with what the quilt links to, and of each quilt the share of its patch grams that linked sources
/// cover. Quilts of which it is more than `most` are left out.
pub struct Linked {
    pub most: f64,
}

impl Linked {
    pub const SOURCES: usize = 0;
    pub const QUILTS: usize = 1;
}

impl MapKernel for Linked {
    fn batch(&mut self, columns: &[Column<'_>], beside: &[Column<'_>], out: &mut Output) {
        let ([documents, links], [quilts, ranks, sources, new, all, patch, shared, names]) = (columns, beside) else {
            return;
        };
        let mut along = Along::new(*quilts);
        let mut targets = Targets::default();
        let (mut kinds, mut tail) = (Vec::new(), Vec::new());
        for row in 0..documents.len() {
            let drawn_on = along.rows(documents.number(row));
            if drawn_on.is_empty() {
                continue;
            }
            targets.read(&links.text(row));
            kinds.clear();
            kinds.extend(drawn_on.clone().map(|row| targets.linked(names.bytes(row).unwrap_or_default())));
            let attributed = drawn_on.clone().zip(&kinds).map(|(row, kind)| match kind {
                Some(_) => new.number(row),
                None => shared_with_linked(shared.bytes(row).unwrap_or_default(), &kinds),
            });
            let attributed: u64 = attributed.sum();
            let attributed = attributed as f64 / patch.number(drawn_on.start) as f64;
            if attributed > self.most {
                out.count("too_attributed", 1);
                continue;
            }
            for (row, kind) in drawn_on.zip(&kinds) {
                tail.clear();
                for column in [ranks, sources, new, all] {
                    put_number(&mut tail, column.number(row));
                }
                put_bytes(&mut tail, kind.map(str::as_bytes));
                out.ports[Self::SOURCES].row(quilts.number(row), &tail);
            }
            tail.clear();
            put_real(&mut tail, attributed);
            out.ports[Self::QUILTS].row(documents.number(row), &tail);
        }
    }
}

/// How many of the grams that a source shares with others, some of these others cover: those that are linked.
fn shared_with_linked(mut shared: &[u8], kinds: &[Option<&str>]) -> u64 {
    let mut sum = 0;
    while let (Some(weight), Some(sources)) = (take_varint(&mut shared), take_varint(&mut shared)) {
        let ranks = (0..sources).filter_map(|_| take_varint(&mut shared));
        let linked = ranks.filter(|&rank| kinds.get(rank as usize - 1).is_some_and(Option::is_some)).count();
        sum += if linked > 0 { weight } else { 0 };
    }
    sum
}

/// What a page links to: fingerprints of pages, and of hosts and the domains they lie under.
#[derive(Default)]
struct Targets {
    pages: HashSet<u64, BuildHasherDefault<Multiply>>,
    domains: HashSet<u64, BuildHasherDefault<Multiply>>,
}

impl Targets {
    /// Of links, one a line.
    fn read(&mut self, links: &str) {
        (self.pages, self.domains) = Default::default();
        let print = Fingerprinter::plain();
        for link in links.lines() {
            self.pages.extend(page(link).map(|page| print.bytes(page.as_bytes())));
            self.domains.extend(hosts(link).iter().map(|host| print.bytes(host.as_bytes())));
        }
    }

    /// Whether a page of these names is linked to, or at least its domain.
    fn linked(&self, names: &[u8]) -> Option<&'static str> {
        let number =
            |bytes: &[u8; 16], begin: usize| bytes[begin..].first_chunk().map(|half| u64::from_be_bytes(*half));
        let there = |found: &HashSet<u64, _>, begin: usize| {
            names.as_chunks().0.iter().any(|name| number(name, begin).is_some_and(|name| found.contains(&name)))
        };
        if there(&self.pages, 0) {
            Some("page")
        } else {
            there(&self.domains, 8).then_some("domain")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(url: &str, domain: &str) -> Vec<u8> {
        let print = Fingerprinter::plain();
        let page = page(url).unwrap_or_default();
        [page, domain.to_owned()].iter().flat_map(|name| print.bytes(name.as_bytes()).to_be_bytes()).collect()
    }

    #[test]
    fn pages_before_domains() {
        let mut targets = Targets::default();
        targets.read("http://a.example.org/x\nhttps://other.net/y/?z#w");
        let (near, exact) = (name("http://www.example.org/", "example.org"), name("http://other.net/y?z", "other.net"));
        assert_eq!(targets.linked(&exact), Some("page"));
        assert_eq!(targets.linked(&near), Some("domain"));
        assert_eq!(targets.linked(&[near, exact].concat()), Some("page"));
        assert_eq!(targets.linked(&name("http://ample.org/", "ample.org")), None);
        assert_eq!(targets.linked(&name("http://a.a.example.org/", "a.a.example.org")), None);
        targets.read("");
        assert_eq!(targets.linked(&name("http://a.example.org/x", "example.org")), None);
    }
}
