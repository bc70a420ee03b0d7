//! On which servers each document is, and whether a copy of it is kept instead.
//!
//! [`Places`] reads documents' servers and word sequences from the corpus, [`Shared`] and [`Pool`] gather the addresses
//! of a host, [`Copies`] makes one document of those with the same word sequence, or of those of a cluster. The result
//! says for each document which one is kept for it, and the code of its servers (see
//! [`servers`](crate::documents::servers)); the map that scans texts reads it beside the corpus.

use crate::documents::servers::{host_of, Cluster, Place};
use crate::flow::columns::{Along, Binary, Numbers, Strings};
use crate::flow::contract::Port;
use crate::flow::fields::{Damaged, Rest};
use crate::flow::kernel::{Beginning, Done, Group, Map, Output, Rows, Stretches};
use crate::text::fingerprint::Fingerprinter;
use crate::{choice, columns, contract, parameters, row};

choice! {
    /// What counts as a server. If each page is one of its own, all are foreign to each other, as if nothing counted, but
    /// it is known which are on one domain.
    pub enum By { Nothing = "none", Page = "page", Host = "host", Domain = "domain", Address = "ip" }
}

parameters! {
    pub struct ServerKind { by: By }
}

columns! {
    /// Where documents live, and what words they have.
    pub struct Located<'a> {
        doc: Numbers<'a>,
        sequence: Binary<'a>,
        words: Numbers<'a>,
        host: Strings<'a>,
        domain: Strings<'a>,
        ip: Strings<'a>,
    }
}

columns! {
    /// Documents of clusters, and the one that is kept for each.
    pub struct KeptFor<'a> { doc: Numbers<'a>, other: Numbers<'a> }
}

row! {
    /// Of a word sequence, or of a cluster: the rest of its digest, a document, and the code of its server.
    pub struct Placed<'a> { rest: &'a [u8; 8], doc: u32, code: Rest<'a> }
}

row! {
    /// Of a host: a document there, its domain, and the digest of its word sequence.
    pub struct AtHost<'a> { doc: u32, server: u64, sequence: &'a [u8; 16] }
}

row! {
    /// Of an address: a host that was seen there. Of a host: an address.
    pub struct Seen { other: u64 }
}

/// Map: a row for each document, keyed by its word sequence; or, where the addresses of its host have to be gathered
/// first, one keyed by host, and one keyed by address. If clusters are given beside it, the documents of a cluster
/// count as copies of each other, and no others do, whatever their word sequences.
pub struct Places {
    by: By,
}

contract! {
    map Places = "places";
    new(ServerKind { by }) = Ok(Self { by });
    reads Located<'a>, beside Option<KeptFor<'a>>;
    const DOCUMENTS: Port<Placed<'static>> = Port::hashes(0, "documents").when_not("by", "ip");
    const AT_HOSTS: Port<AtHost<'static>> = Port::hashes(0, "at_hosts").when("by", "ip");
    const ADDRESSES: Port<Seen> = Port::hashes(1, "addresses").when("by", "ip");
}

impl Map for Places {
    fn batch<'a>(&mut self, pages: Located<'a>, clusters: Option<KeptFor<'a>>, out: &mut Output) -> Done {
        let print = Fingerprinter::plain();
        let mut along = clusters.map(|clusters| (Along::new(clusters.doc), clusters.other));
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row) as u32;
            let kept = match &mut along {
                Some((along, others)) => Some(along.rows(u64::from(doc)).next().map_or(doc, |at| others.at(at) as u32)),
                None if pages.words.at(row) == 0 => Some(doc), // documents without words are copies of nothing
                None => None,
            };
            let own;
            let sequence: &[u8; 16] = match kept {
                None => pages.sequence.at(row).try_into().map_err(|_| Damaged("documents"))?,
                Some(kept) => {
                    own = sequence_of_one(&print, kept);
                    &own
                }
            };
            let number = doc.to_le_bytes();
            let server = match self.by {
                By::Nothing => 0,
                By::Page | By::Host => pages.host.bytes(row).map_or(0, |host| {
                    let domain = print.bytes(pages.domain.bytes(row).unwrap_or(host));
                    host_of(domain, print.bytes(if self.by == By::Host { host } else { &number }))
                }),
                By::Domain | By::Address => pages.domain.bytes(row).map_or(0, |name| print.bytes(name).max(1)),
            };
            if self.by == By::Address {
                // A document without a URL counts as a host of its own, whatever its address.
                let host = pages.host.bytes(row).map(|host| print.bytes(host));
                if let (Some(host), Some(address)) = (host, pages.ip.bytes(row)) {
                    out.row(&Self::ADDRESSES, print.bytes(address), Seen { other: host });
                }
                let host = host.unwrap_or_else(|| print.bytes(&number));
                out.row(&Self::AT_HOSTS, host, AtHost { doc, server, sequence });
            } else {
                place(&Self::DOCUMENTS, sequence, doc, Place { server, addresses: &[] }, out);
            }
        }
        Ok(())
    }
}

/// Takes the place of a word sequence where copies do not go by words: it is the same for all documents for which
/// `kept` is kept, and for no others.
fn sequence_of_one(print: &Fingerprinter, kept: u32) -> [u8; 16] {
    let mut sequence = [0; 16];
    sequence[..8].copy_from_slice(&print.bytes(&kept.to_le_bytes()).to_be_bytes());
    sequence[8..].copy_from_slice(&(u64::MAX - u64::from(kept)).to_be_bytes());
    sequence
}

/// Sends a document to where its copies meet.
fn place(port: &Port<Placed<'static>>, sequence: &[u8; 16], doc: u32, place: Place<'_>, out: &mut Output) {
    let mut code = Vec::new();
    if place.server != 0 {
        place.append_to(&mut code);
    }
    let (Some(key), Some(rest)) = (sequence.first_chunk(), sequence.last_chunk()) else { return };
    out.row(port, u64::from_be_bytes(*key), Placed { rest, doc, code: Rest(&code) });
}

/// Group by address: the hosts that were seen there, each once. An address at which only one host was seen says no more
/// than the name of the host, and is replaced by it; so a host that answers from thousands of addresses of its own has
/// one.
pub struct Shared;

contract! {
    group Shared = "shared";
    new() = Ok(Self);
    key Hash of [Seen];
    keeps "one host";
    const ADDRESSES: Port<Seen> = Port::hashes(0, "addresses");
}

impl Group for Shared {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let (mut only, mut hosts) = (None, 0_u64);
        let mut distinct = Stretches::new(rows, Beginning::AllBut(0));
        while distinct.begin() {
            let Seen { other: host } = Seen::take(distinct.beginning())?;
            if let (Some(first), 1) = (only, hosts) {
                out.row(&Self::ADDRESSES, first, Seen { other: key });
            }
            if hosts > 0 {
                out.row(&Self::ADDRESSES, host, Seen { other: key });
            }
            (only, hosts) = (only.or(Some(host)), hosts + 1);
        }
        if let (Some(only), 1) = (only, hosts) {
            out.row(&Self::ADDRESSES, only, Seen { other: only });
        }
        Ok(())
    }
}

/// Group by host, of its addresses and its documents: every document gets all the addresses.
#[derive(Default)]
pub struct Pool {
    addresses: Vec<u8>,
    fallen_back: u64,
}

contract! {
    group Pool = "pool";
    new() = Ok(Self::default());
    key Hash of [Seen, AtHost<'static>];
    keeps "the distinct addresses that the host shares with others";
    const DOCUMENTS: Port<Placed<'static>> = Port::hashes(0, "documents");
}

impl Group for Pool {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.addresses.clear();
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                Seen::take(tail)?;
                if !self.addresses.ends_with(tail) {
                    self.addresses.extend_from_slice(tail);
                }
                continue;
            }
            let AtHost { doc, server, sequence } = AtHost::take(tail)?;
            self.fallen_back += u64::from(self.addresses.is_empty() && server != 0);
            place(&Self::DOCUMENTS, sequence, doc, Place { server, addresses: &self.addresses }, out);
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("without_address", self.fallen_back);
    }
}

parameters! {
    pub struct Collapsing {
        /// Whether copies become one document; if not, each document is kept.
        collapse: bool,
    }
}

row! {
    /// Of a document: the one that is kept in its stead, and on which servers that stands.
    pub struct CopyRow<'a> { kept: u64, servers: Option<&'a [u8]> }
}

row! {
    /// Of a document: its cluster, and whether it is the one that is kept.
    pub struct ClusterRow { cluster: u64, keep: bool }
}

/// Group by word sequence: for each document, which one is kept in its stead and on which servers that stands; and the
/// clusters of copies.
pub struct Copies(Collapsing);

contract! {
    group Copies = "copies";
    new(parameters: Collapsing) = Ok(Self(parameters));
    key Hash of [Placed<'static>];
    keeps "the kept document and a bounded code";
    const KEPT: Port<CopyRow<'static>> = Port::documents(0, "kept");
    const CLUSTERS: Port<ClusterRow> = Port::documents(1, "clusters");
}

impl Copies {
    fn close(open: Option<Open>, out: &mut Output) {
        if let Some(Open { kept, copies, code }) = open {
            let (doc, code) = (u64::from(kept), code.code());
            out.row(&Self::KEPT, doc, CopyRow { kept: doc, servers: Some(&code) });
            if copies > 0 {
                out.row(&Self::CLUSTERS, doc, ClusterRow { cluster: doc, keep: true });
                out.count("copies", copies);
            }
        }
    }
}

/// The document that is kept while its copies pass by.
struct Open {
    kept: u32,
    copies: u64,
    code: Cluster,
}

impl Group for Copies {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut sequences = Stretches::new(rows, Beginning::First(8));
        while sequences.begin() {
            let mut open: Option<Open> = None;
            while let Some(tail) = sequences.tail() {
                let Placed { doc, code: Rest(code), .. } = Placed::take(tail)?;
                out.count("without_server", u64::from(code.is_empty()));
                match &mut open {
                    Some(cluster) if self.0.collapse => {
                        cluster.copies += 1;
                        cluster.code.add(code);
                        let (doc, kept) = (u64::from(doc), u64::from(cluster.kept));
                        out.row(&Self::KEPT, doc, CopyRow { kept, servers: Some(&[]) });
                        out.row(&Self::CLUSTERS, doc, ClusterRow { cluster: kept, keep: false });
                    }
                    _ => {
                        let next = Open { kept: doc, copies: 0, code: Cluster::new(code) };
                        Self::close(open.replace(next), out);
                    }
                }
            }
            Self::close(open, out);
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("copies", 0); // so that the counter is there even without copies
    }
}

columns! {
    /// The table of copies, as it is read beside the corpus.
    pub struct CopyColumns<'a> { doc: Numbers<'a>, kept: Numbers<'a>, servers: Binary<'a> }
}

/// Which documents are kept, and their servers, read along with a batch in the order of documents.
pub struct CopyReader<'a> {
    columns: Option<(CopyColumns<'a>, Along<'a>)>,
}

impl<'a> CopyReader<'a> {
    /// Without the table, every document is kept, and its server is not known.
    pub fn new(columns: Option<CopyColumns<'a>>) -> Self {
        Self { columns: columns.map(|columns| (columns, Along::new(columns.doc))) }
    }

    /// The code of the servers of `doc`; none if a copy of it is kept instead. Ask in ascending order, once for each
    /// document.
    pub fn code(&mut self, doc: u32) -> Option<&'a [u8]> {
        match self.of(doc) {
            Some((kept, code)) => (kept == doc).then_some(code),
            None => Some(&[]),
        }
    }

    /// The document that is kept for `doc`. Ask in ascending order, once for each document.
    pub fn kept(&mut self, doc: u32) -> u32 {
        self.of(doc).map_or(doc, |(kept, _)| kept)
    }

    fn of(&mut self, doc: u32) -> Option<(u32, &'a [u8])> {
        let (columns, along) = self.columns.as_mut()?;
        let row = along.rows(u64::from(doc)).next()?;
        Some((columns.kept.at(row) as u32, columns.servers.at(row)))
    }
}
