//! Whether quilts name their sources: which of these they link to, and what share of their patch grams that accounts
//! for.
//!
//! [`Names`] says under which URLs and domains each document is known, [`Named`] brings these to the quilts that draw
//! on it, and [`Linked`] compares them with the links of the quilt. Only fingerprints of URLs travel, and links stay
//! where they are.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;

use crate::analyses::quilts::covers::{DrawnOn, SourceSize};
use crate::analyses::quilts::sections::{is_within, SectionTally};
use crate::analyses::quilts::sites::SiteName;
use crate::analyses::quilts::verdicts::Late;
use crate::documents::copies::{CopyColumns, CopyReader};
use crate::flow::columns::{Along, Binary, Lines, Numbers, Strings};
use crate::flow::contract::Port;
use crate::flow::kernel::{Done, Group, Map, Output, Rows};
use crate::flow::rows::take_varint;
use crate::reading::urls::LinkTarget;
use crate::text::fingerprint::Fingerprinter;
use crate::text::slots::Multiply;
use crate::{columns, contract, parameters, row};

/// How many copies of a source are named at most: else a page with a million mirrors would send a million names to each
/// quilt.
const MOST_COPIES: usize = 100;

columns! {
    /// Where documents live.
    pub struct Addresses<'a> { doc: Numbers<'a>, url: Strings<'a>, domain: Strings<'a> }
}

row! {
    /// Of a document that is kept: one of its copies, and the fingerprints of the URL and of the domain of that copy.
    pub struct Name { copy: u32, page: u64, domain: u64 }
}

/// Map, beside the table of copies: the names of each document to the one that is kept for it.
pub struct Names;

contract! {
    map Names = "names";
    new() = Ok(Self);
    reads Addresses<'a>, beside Option<CopyColumns<'a>>;
    const NAMES: Port<Name> = Port::documents(0, "names");
}

impl Map for Names {
    fn batch<'a>(&mut self, pages: Addresses<'a>, beside: Option<CopyColumns<'a>>, out: &mut Output) -> Done {
        let mut copies = CopyReader::new(beside);
        let print = Fingerprinter::plain();
        for row in 0..pages.doc.len() {
            let copy = pages.doc.at(row) as u32;
            let kept = copies.kept(copy);
            let (Some(url), Some(domain)) = (LinkTarget::parse(&pages.url.at(row)), pages.domain.bytes(row)) else {
                continue;
            };
            let (page, domain) = (print.bytes(url.page().as_bytes()), print.bytes(domain));
            out.row(&Self::NAMES, u64::from(kept), Name { copy, page, domain });
        }
        Ok(())
    }
}

row! {
    /// Of a quilt: a source with its rank, how many patch grams it adds and how many it has, how many the quilt has in
    /// all, which of the added ones later sources have, too; whether it fails no limit so far; how many grams the source
    /// has in all, and its names.
    pub struct NamedSource<'a> {
        rank: u64, source: u64, new_grams: u64, all_grams: u64, patch_grams: u64, shared: &'a [u8], is_quilt: u64,
        source_grams: u64, names: &'a [u8],
    }
}

/// Group by source, of its names, its size and the quilts that draw on it: to each quilt its source with the names.
#[derive(Default)]
pub struct Named {
    names: Vec<u8>,
}

contract! {
    group Named = "named";
    new() = Ok(Self::default());
    key Doc of [Name, SourceSize, DrawnOn<'static>];
    keeps "the names of a hundred copies of one source";
    const SOURCES: Port<NamedSource<'static>> = Port::documents(0, "sources");
}

impl Group for Named {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.names.clear();
        let mut source_grams = 0;
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                let Name { page, domain, .. } = Name::take(tail)?;
                if self.names.len() < MOST_COPIES * 16 {
                    [page, domain].iter().for_each(|print| self.names.extend_from_slice(&print.to_be_bytes()));
                }
            } else if table == 1 {
                source_grams = SourceSize::take(tail)?.grams;
            } else {
                let DrawnOn { quilt, rank, new_grams, all_grams, patch_grams, shared, is_quilt } = DrawnOn::take(tail)?;
                let (source, names) = (key, &self.names[..]);
                let row = NamedSource {
                    rank,
                    source,
                    new_grams,
                    all_grams,
                    patch_grams,
                    shared,
                    is_quilt,
                    source_grams,
                    names,
                };
                out.row(&Self::SOURCES, quilt, row);
            }
        }
        Ok(())
    }
}

columns! {
    /// Documents, where they stand, and what they link to.
    pub struct Linking<'a> { doc: Numbers<'a>, host: Strings<'a>, domain: Strings<'a>, links: Lines<'a> }
}

columns! {
    /// The sources of documents, by rank.
    pub struct NamedSources<'a> {
        quilt: Numbers<'a>,
        rank: Numbers<'a>,
        source: Numbers<'a>,
        new_grams: Numbers<'a>,
        all_grams: Numbers<'a>,
        patch_grams: Numbers<'a>,
        shared: Binary<'a>,
        is_quilt: Numbers<'a>,
        source_grams: Numbers<'a>,
        names: Binary<'a>,
    }
}

parameters! {
    /// What a document's own site is: a link that leads there names nothing but the page it leads to.
    pub struct Attributing { own: SiteName }
}

row! {
    /// Of a quilt: a source, what the quilt links to (the page, its domain, or neither), and how many of its patch
    /// grams, by the sources up to this one, the linked ones cover and the sections of sites add.
    pub struct LinkedSource<'a> {
        rank: u64, source: u64, new_grams: u64, all_grams: u64, linked: Option<&'a [u8]>, linked_grams: u64,
        section_grams: u64,
    }
}

/// Map, beside the sources of documents: the shares that sections add and that linked sources cover; of those that are
/// looked at more closely, each source with what the document links to.
pub struct Linked(Attributing);

contract! {
    map Linked = "linked";
    new(parameters: Attributing) = Ok(Self(parameters));
    reads Linking<'a>, beside NamedSources<'a>;
    keeps "the links of one document, and what 65,536 different ones lead to";
    const SOURCES: Port<LinkedSource<'static>> = Port::documents(0, "sources");
    const ATTRIBUTED: Port<Late> = Port::documents(1, "attributed");
}

impl Map for Linked {
    fn batch<'a>(&mut self, pages: Linking<'a>, sources: NamedSources<'a>, out: &mut Output) -> Done {
        let mut along = Along::new(sources.quilt);
        let mut targets = Targets::default();
        let mut sections = SectionTally::default();
        let (mut kinds, mut linked_grams, mut section_grams) = (Vec::new(), Vec::new(), Vec::new());
        for row in 0..pages.doc.len() {
            let quilt = pages.doc.at(row);
            let drawn_on = along.rows(quilt);
            if drawn_on.is_empty() {
                continue;
            }
            let own = match self.0.own {
                SiteName::Host => pages.host.at(row),
                SiteName::Domain => pages.domain.at(row),
            };
            targets.read(&pages.links.at(row), self.0.own, &own);
            kinds.clear();
            kinds.extend(drawn_on.clone().map(|row| targets.linked(sources.names.at(row))));
            linked_grams.clear();
            linked_grams.resize(kinds.len(), 0);
            for (place, row) in drawn_on.clone().enumerate() {
                match kinds[place] {
                    Some(_) => linked_grams[place] += sources.new_grams.at(row),
                    None => add_shared_with_linked(sources.shared.at(row), &kinds, &mut linked_grams),
                }
            }
            // What becomes linked with each source, added up over those before it.
            (1..linked_grams.len()).for_each(|place| linked_grams[place] += linked_grams[place - 1]);
            let all_linked = linked_grams.last().copied().unwrap_or(0);
            let attributed = all_linked as f64 / sources.patch_grams.at(drawn_on.start) as f64;
            sections.clear();
            section_grams.clear();
            let own_domain = pages.domain.bytes(row).map(|domain| Fingerprinter::plain().bytes(domain));
            section_grams.extend(drawn_on.clone().zip(&kinds).map(|(row, &kind)| {
                let names = sources.names.at(row);
                let leads_there = kind == Some("page") && unpack(names).any(|[_, domain]| Some(domain) == own_domain);
                let within = is_within(sources.all_grams.at(row), sources.source_grams.at(row));
                let sites = unpack(names).map(|[_, domain]| domain);
                sections.add(sources.source.at(row), sources.new_grams.at(row), within || leads_there, sites)
            }));
            let covered: u64 = drawn_on.clone().map(|row| sources.new_grams.at(row)).sum();
            let in_sections = section_grams.last().copied().unwrap_or(0) as f64 / covered as f64;
            let late = Late { sections: Some(in_sections), attributed: Some(attributed), ..Late::UNKNOWN };
            out.row(&Self::ATTRIBUTED, quilt, late);
            if sources.is_quilt.at(drawn_on.start) == 0 {
                continue;
            }
            for (place, row) in drawn_on.enumerate() {
                let source = LinkedSource {
                    rank: sources.rank.at(row),
                    source: sources.source.at(row),
                    new_grams: sources.new_grams.at(row),
                    all_grams: sources.all_grams.at(row),
                    linked: kinds[place].map(str::as_bytes),
                    linked_grams: linked_grams[place],
                    section_grams: section_grams[place],
                };
                out.row(&Self::SOURCES, quilt, source);
            }
        }
        Ok(())
    }
}

/// Of the grams that a source that is not linked is the first to cover: those that a later source that is linked has,
/// too, are added at the place of the first such source.
fn add_shared_with_linked(mut shared: &[u8], kinds: &[Option<&str>], linked_grams: &mut [u64]) {
    while let (Some(weight), Some(sources)) = (take_varint(&mut shared), take_varint(&mut shared)) {
        let places = (0..sources).filter_map(|_| take_varint(&mut shared).map(|rank| rank as usize - 1));
        // All have to be taken, also behind the first that is linked: ranks ascend, so it is the least.
        let linked = places.filter(|&place| kinds.get(place).is_some_and(Option::is_some)).min();
        if let Some(place) = linked {
            linked_grams[place] += weight;
        }
    }
}

/// The fingerprints of page and domain of each copy of a source, as [`Named`] packs them.
fn unpack(names: &[u8]) -> impl Iterator<Item = [u64; 2]> + '_ {
    let (prints, _) = names.as_chunks::<8>();
    prints.as_chunks::<2>().0.iter().map(|name| name.map(u64::from_be_bytes))
}

/// What a page links to: fingerprints of pages, and of hosts and the domains they lie under.
#[derive(Default)]
struct Targets {
    pages: HashSet<u64, BuildHasherDefault<Multiply>>,
    domains: HashSet<u64, BuildHasherDefault<Multiply>>,
    known: KnownLinks,
}

/// What links lead to, by their fingerprints: the fingerprint of the page and the number of the host, if it is a URL.
/// The pages of a site have the same menus, and to parse a URL takes long.
#[derive(Default)]
struct KnownLinks {
    links: HashMap<u64, Option<(u64, usize)>, BuildHasherDefault<Multiply>>,
    /// Each host, and the domains that it lies under.
    hosts: Vec<Vec<String>>,
    numbers: HashMap<String, usize>,
}

impl KnownLinks {
    /// How many are known at most.
    const MOST: usize = 1 << 16;

    fn forget(&mut self) {
        if self.links.len() >= Self::MOST {
            *self = Self::default();
        }
    }

    fn look_up(&mut self, link: &str) -> Option<(u64, usize)> {
        let print = Fingerprinter::plain();
        *self.links.entry(print.bytes(link.as_bytes())).or_insert_with(|| {
            let target = LinkTarget::parse(link)?;
            let number = match self.numbers.get(target.host()) {
                Some(&number) => number,
                None => {
                    self.hosts.push(target.hosts());
                    self.numbers.insert(target.host().to_owned(), self.hosts.len() - 1);
                    self.hosts.len() - 1
                }
            };
            Some((print.bytes(target.page().as_bytes()), number))
        })
    }
}

impl Targets {
    /// Of links, one a line; those to hosts on the page's own site lead to pages only.
    fn read(&mut self, links: &str, by: SiteName, own: &str) {
        (self.pages, self.domains) = Default::default();
        self.known.forget();
        let print = Fingerprinter::plain();
        let mut last = usize::MAX;
        for link in links.lines() {
            let Some((page, host)) = self.known.look_up(link) else { continue };
            self.pages.insert(page);
            if std::mem::replace(&mut last, host) == host {
                continue; // most pages link to few hosts, many times each
            }
            let hosts = &self.known.hosts[host];
            let sites = if by == SiteName::Host { &hosts[..hosts.len().min(1)] } else { &hosts[..] };
            if own.is_empty() || !sites.iter().any(|site| site == own) {
                self.domains.extend(hosts.iter().map(|host| print.bytes(host.as_bytes())));
            }
        }
    }

    /// Whether a page of these names is linked to, or at least its domain.
    fn linked(&self, names: &[u8]) -> Option<&'static str> {
        if unpack(names).any(|[page, ..]| self.pages.contains(&page)) {
            Some("page")
        } else {
            unpack(names).any(|[_, domain]| self.domains.contains(&domain)).then_some("domain")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(url: &str, domain: &str) -> Vec<u8> {
        let print = Fingerprinter::plain();
        let page = LinkTarget::parse(url).map(|url| url.page()).unwrap_or_default();
        [page, domain.to_owned()].iter().flat_map(|name| print.bytes(name.as_bytes()).to_be_bytes()).collect()
    }

    #[test]
    fn pages_before_domains() {
        let mut targets = Targets::default();
        targets.read("http://a.example.org/x\nhttps://other.net/y/?z#w", SiteName::Domain, "");
        let (near, exact) = (name("http://www.example.org/", "example.org"), name("http://other.net/y?z", "other.net"));
        assert_eq!(targets.linked(&exact), Some("page"));
        assert_eq!(targets.linked(&near), Some("domain"));
        assert_eq!(targets.linked(&[near, exact].concat()), Some("page"));
        assert_eq!(targets.linked(&name("http://ample.org/", "ample.org")), None);
        assert_eq!(targets.linked(&name("http://a.a.example.org/", "a.a.example.org")), None);
        targets.read("", SiteName::Domain, "");
        assert_eq!(targets.linked(&name("http://a.example.org/x", "example.org")), None);
        targets.read("http://a.example.org/x", SiteName::Host, "example.org");
        assert_eq!(targets.linked(&name("http://a.example.org/y", "example.org")), Some("domain"));
        targets.read("http://a.example.org/x", SiteName::Domain, "example.org");
        assert_eq!(targets.linked(&name("http://a.example.org/x", "example.org")), Some("page"));
        assert_eq!(targets.linked(&name("http://a.example.org/y", "example.org")), None);
    }
}
