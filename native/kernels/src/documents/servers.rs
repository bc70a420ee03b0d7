//! Which site a document stands on, as the few bytes that travel with it, and what is foreign to it.
//!
//! A *place* is a server (the fingerprint of a host or domain) and, where addresses decide, the addresses pooled for
//! its host. Two places are the same site when both have addresses and these meet, or else when the servers are equal;
//! a place without a server (a document without URL) is the same site as no other.
//!
//! A *code* is the document's own place followed by the different ones of its copies, [`MOST`] in all. A source is
//! foreign to a document if any of its places is another site than *all* of the document's. For where a site has a
//! mirror, a successor or a second name, each of its pages has a copy there: held against the document's own place
//! alone, that copy would make every other page of its own site foreign to it. An empty code is one place without server.
//!
//! ```text
//! code = { count(addresses) server address × count }*      count as one LEB128, the rest as 8 big-endian bytes each
//! ```

use crate::flow::rows::{put_varint, take_bytes, take_u64, take_varint};

/// One place of a code, addresses as sorted 8-byte words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place<'a> {
    pub server: u64,
    pub addresses: &'a [u8],
}

impl<'a> Place<'a> {
    /// The place that is no site: foreign to all.
    pub const NOWHERE: Self = Place { server: 0, addresses: &[] };

    /// The document's own place: the first of its code.
    #[inline]
    pub fn own(code: &'a [u8]) -> Self {
        places(code).next().unwrap_or(Self::NOWHERE)
    }

    #[inline]
    pub fn same_site(self, other: Self) -> bool {
        if self.server == 0 || other.server == 0 {
            false
        } else if self.addresses.is_empty() || other.addresses.is_empty() {
            self.server == other.server
        } else {
            self.meets(other)
        }
    }

    fn meets(self, other: Self) -> bool {
        let (a, b) = (self.addresses.as_chunks::<8>().0, other.addresses.as_chunks::<8>().0);
        a.iter().any(|address| b.binary_search(address).is_ok())
    }

    pub fn append_to(self, code: &mut Vec<u8>) {
        put_varint(code, (self.addresses.len() / 8) as u64);
        code.extend_from_slice(&self.server.to_be_bytes());
        code.extend_from_slice(self.addresses);
    }
}

/// The places of a code.
#[inline]
pub fn places(mut code: &[u8]) -> impl Iterator<Item = Place<'_>> {
    std::iter::from_fn(move || {
        let count = take_varint(&mut code)?;
        let server = take_u64(&mut code)?;
        Some(Place { server, addresses: take_bytes(&mut code, count as usize * 8)? })
    })
}

/// Bits of a host's fingerprint that are those of its domain.
const DOMAIN_BITS: u32 = 24;

/// The server of a host, or of a page that counts as one: it still says which of them are on one domain.
pub fn host_of(domain: u64, host: u64) -> u64 {
    let low = u64::BITS - DOMAIN_BITS;
    (domain >> low << low | host & !(u64::MAX << low)).max(1)
}

/// Whether two codes of hosts have places on one domain.
pub fn on_one_domain(one: &[u8], other: &[u8]) -> bool {
    let domain = |place: Place<'_>| place.server >> (u64::BITS - DOMAIN_BITS);
    places(one).any(|a| places(other).any(|b| a.server != 0 && b.server != 0 && domain(a) == domain(b)))
}

/// Whether a source with one code is foreign to a document with the other.
#[inline]
pub fn foreign(document: &[u8], source: &[u8]) -> bool {
    source.is_empty() || places(source).any(|place| !places(document).any(|own| own.same_site(place)))
}

/// The most places that count of a document and its copies, in the order of documents: a page that a million sites have
/// would else carry a million places wherever it goes.
pub const MOST: usize = 16;

/// The code of a cluster of copies: the place of the document that is kept, then the different ones of its copies.
pub struct Cluster(Vec<Vec<u8>>);

impl Cluster {
    pub fn new(own: &[u8]) -> Self {
        let mut this = Self(Vec::new());
        this.add(own);
        this
    }

    /// Adds a copy with this code.
    pub fn add(&mut self, code: &[u8]) {
        if self.0.len() < MOST {
            let mut place = Vec::new();
            Place::own(code).append_to(&mut place);
            if !self.0.contains(&place) {
                self.0.push(place);
            }
        }
    }

    pub fn code(self) -> Vec<u8> {
        self.0.concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(server: u64, addresses: &[u64]) -> Vec<u8> {
        let bytes: Vec<u8> = addresses.iter().flat_map(|address| address.to_be_bytes()).collect();
        let mut code = Vec::new();
        Place { server, addresses: &bytes }.append_to(&mut code);
        code
    }

    #[test]
    fn sites() {
        let same = |a: &[u8], b: &[u8]| Place::own(a).same_site(Place::own(b));
        assert!(same(&code(1, &[]), &code(1, &[])));
        assert!(!same(&code(1, &[]), &code(2, &[])));
        assert!(same(&code(1, &[7, 8]), &code(2, &[8])));
        assert!(!same(&code(1, &[7]), &code(1, &[8])));
        assert!(same(&code(1, &[7]), &code(1, &[])));
        assert!(!same(&[], &[]));
        assert!(foreign(&code(1, &[]), &[]));
    }

    #[test]
    fn copies_elsewhere_make_no_sibling_foreign() {
        let cluster = |codes: &[Vec<u8>]| {
            let mut cluster = Cluster::new(&codes[0]);
            codes.iter().for_each(|code| cluster.add(code));
            cluster.code()
        };
        let (here, mirror, elsewhere) = (code(1, &[]), code(2, &[]), code(3, &[]));
        let page = cluster(&[here.clone(), mirror.clone()]);
        assert!(!foreign(&page, &cluster(&[here.clone(), mirror.clone()])));
        assert!(!foreign(&page, &mirror));
        assert!(foreign(&page, &cluster(&[here.clone(), elsewhere])));
        assert!(foreign(&here, &cluster(&[here.clone(), mirror])), "the page itself is not on the mirror");
        assert!(foreign(&page, &cluster(&[here, Vec::new()])), "a copy without a server is foreign to all");
    }

    #[test]
    fn hosts_of_one_domain() {
        let host = |domain: u64, host: u64| code(host_of(domain << 40, host), &[]);
        assert!(on_one_domain(&host(7, 1), &host(7, 2)) && foreign(&host(7, 1), &host(7, 2)));
        assert!(!on_one_domain(&host(7, 1), &host(8, 1)) && foreign(&host(7, 1), &host(8, 1)));
        assert!(!on_one_domain(&[], &host(7, 1)) && !on_one_domain(&[], &[]));
        assert_ne!(host_of(0, 0), 0, "no site");
    }

    #[test]
    fn a_million_sites_are_sixteen() {
        let mut cluster = Cluster::new(&code(1, &[]));
        (1..1_000_000).for_each(|i| cluster.add(&code(i, &[])));
        assert_eq!(places(&cluster.code()).map(|place| place.server).collect::<Vec<_>>(), (1..=16).collect::<Vec<_>>());
    }
}
