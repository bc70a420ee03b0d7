//! Which site a document stands on, as the few bytes that travel with it, and what is foreign to it.
//!
//! A *place* is a server (the fingerprint of a host or domain) and, where addresses decide, the addresses pooled for
//! its host. Two places are the same site when both have addresses and these meet, or else when the servers are equal;
//! a place without a server (a document without URL) is the same site as no other.
//!
//! A *code* is the document's own place followed by those of its copies, as far as they matter: a source is foreign to
//! a document if any of its places is another site than the document's own. An empty code is one place without server.
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

/// Whether a source with this code is foreign to a document whose own place this is.
#[inline]
pub fn foreign(own: Place<'_>, source: &[u8]) -> bool {
    source.is_empty() || places(source).any(|place| !own.same_site(place))
}

/// The code of a cluster of copies: the place of the document that is kept, and only those places of its copies that
/// can change an answer.
///
/// Two places without addresses, on different servers, are enough: no document is on the site of both, so the cluster
/// is foreign to all. Of places with addresses, `widest` + 1 are enough if no two of them share an address: a document
/// that has addresses has at most `widest`, so at least one of these places shares none with it. So a million sites
/// come down to a few places. Only where very many places share addresses with each other, and none has all the
/// addresses of another, are as many kept.
pub struct Cluster {
    own: Vec<u8>,
    others: Vec<Vec<u8>>,
    /// Which of the others have addresses, and share none with those that came before.
    disjoint: Vec<usize>,
    nowhere: bool,
    widest: usize,
}

impl Cluster {
    pub fn new(own: &[u8], widest: usize) -> Self {
        let mut this = Self { own: Vec::new(), others: Vec::new(), disjoint: Vec::new(), nowhere: false, widest };
        Place::own(own).append_to(&mut this.own);
        this.add(own);
        this
    }

    /// Adds a copy with this code.
    pub fn add(&mut self, code: &[u8]) {
        if self.nowhere {
            return;
        }
        let place = Place::own(code);
        if place.server == 0 || self.others().any(|other| apart(place, other)) {
            self.nowhere = true;
        } else if !self.adds_nothing(place) {
            if !place.addresses.is_empty() && !self.disjoint.iter().any(|&i| Place::own(&self.others[i]).meets(place)) {
                self.disjoint.push(self.others.len());
            }
            let mut entry = Vec::new();
            place.append_to(&mut entry);
            self.others.push(entry);
        }
    }

    fn others(&self) -> impl Iterator<Item = Place<'_>> {
        self.others.iter().map(|other| Place::own(other))
    }

    /// Whether `place` changes no answer: every document that it is foreign to has another place here that is foreign
    /// to it, too.
    fn adds_nothing(&self, place: Place<'_>) -> bool {
        if place.addresses.is_empty() {
            return self.others().any(|other| other == place);
        }
        // Documents without addresses compare names: two different ones are enough to be foreign to all of those.
        let mut names = self.others().map(|other| other.server);
        let first = names.next();
        let named = first == Some(place.server) || names.any(|name| Some(name) != first || name == place.server);
        let within = |address: &[u8; 8]| place.addresses.as_chunks::<8>().0.contains(address);
        let fewer =
            |other: Place<'_>| !other.addresses.is_empty() && other.addresses.as_chunks::<8>().0.iter().all(within);
        named && (self.disjoint.len() > self.widest || self.others().any(fewer))
    }

    pub fn code(mut self) -> Vec<u8> {
        if self.nowhere {
            Place::NOWHERE.append_to(&mut self.own);
        } else {
            let own = self.own.clone();
            self.others.iter().filter(|&other| *other != own).for_each(|other| self.own.extend_from_slice(other));
        }
        self.own
    }
}

/// Whether no document can be on the site of both, whatever its addresses are.
fn apart(a: Place<'_>, b: Place<'_>) -> bool {
    a.addresses.is_empty() && b.addresses.is_empty() && a.server != b.server
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
        assert!(foreign(Place::own(&code(1, &[])), &[]));
    }

    /// Every small cluster against every small place: the shortened code answers as all members do.
    #[test]
    fn clusters_answer_as_their_members_would() {
        let sets: [&[u64]; 6] = [&[], &[1], &[2], &[3], &[1, 2], &[2, 3]];
        let mut all = vec![Vec::new()];
        for server in 1..4 {
            all.extend(sets.iter().map(|set| code(server, set)));
        }
        let mut seed = 1_u64;
        for _ in 0..20_000 {
            let mut draw = |bound: usize| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (seed >> 33) as usize % bound
            };
            let members: Vec<_> = (0..1 + draw(5)).map(|_| all[draw(all.len())].clone()).collect();
            let mut cluster = Cluster::new(&members[0], 2);
            members.iter().for_each(|member| cluster.add(member));
            let short = cluster.code();
            for document in &all {
                let own = Place::own(document);
                let expected = members.iter().any(|member| foreign(own, member));
                assert_eq!(foreign(own, &short), expected, "{members:?} {document:?} {short:?}");
            }
        }
    }

    #[test]
    fn a_million_sites_are_one_word() {
        let mut by_host = Cluster::new(&code(1, &[]), 0);
        let mut by_address = Cluster::new(&code(1, &[1]), 3);
        let mut hosted_together = Cluster::new(&code(1, &[1]), 3);
        for i in 1..1_000_000 {
            by_host.add(&code(i, &[]));
            by_address.add(&code(i, &[i]));
            hosted_together.add(&code(i, &[1]));
        }
        assert!(by_host.code().len() < 50);
        assert!(by_address.code().len() < 100);
        assert!(hosted_together.code().len() < 100);
    }
}
