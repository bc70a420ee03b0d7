//! Where each document stands before an analysis begins: on which servers, and whether a copy of it is kept instead.
//!
//! [`Places`] reads documents' servers and word sequences from the corpus, [`Shared`] and [`Pool`] gather the addresses
//! of a host, [`Copies`] makes documents of equal word sequences, or of a cluster, one. What comes out, a kept document and a code (see
//! [`servers`](crate::documents::servers)) for each document, is read beside the corpus by the map that scans texts.

use crate::documents::servers::{Cluster, Place};
use crate::flow::kernel::{Along, Column, GroupKernel, MapKernel, Output, Rows};
use crate::flow::rows::{take_bytes, take_doc, take_u64};
use crate::flow::tables::{put_bytes, put_number};
use crate::text::fingerprint::Fingerprinter;

/// What counts as a server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum By {
    Nothing,
    Name,
    Address,
}

/// Map (doc, sequence, words, name[, host, ip]): a row for each document, keyed by its word sequence; or, where the
/// addresses of its host have to be gathered first, one keyed by host, and one keyed by address on a second port.
/// Beside clusters (doc, kept), whatever their word sequences, documents of a cluster count as equal, all others not.
pub struct Places {
    pub by: By,
}

impl Places {
    pub const DOCUMENTS: usize = 0;
    pub const ADDRESSES: usize = 1;
}

impl MapKernel for Places {
    fn batch(&mut self, columns: &[Column<'_>], beside: &[Column<'_>], out: &mut Output) {
        let [documents, sequences, words, names, places @ ..] = columns else { return };
        let print = Fingerprinter::plain();
        let mut clusters = beside.first().copied().map(Along::new);
        let mut tail = Vec::new();
        for row in 0..documents.len() {
            let doc = documents.number(row) as u32;
            let kept = match &mut clusters {
                Some(clusters) => {
                    Some(clusters.rows(u64::from(doc)).next().map_or(doc, |at| beside[1].number(at) as u32))
                }
                None if words.number(row) == 0 => Some(doc), // documents without words are copies of nothing
                None => None,
            };
            let own;
            let sequence = match (kept, sequences.bytes(row)) {
                (None, Some(sequence)) if sequence.len() == 16 => sequence,
                _ => {
                    let kept = kept.unwrap_or(doc);
                    own = [print.bytes(&kept.to_le_bytes()), u64::MAX - u64::from(kept)].map(u64::to_be_bytes).concat();
                    &own
                }
            };
            let server = names.bytes(row).map_or(0, |name| print.bytes(name).max(1));
            tail.clear();
            match (self.by, places) {
                (By::Address, [hosts, addresses]) => {
                    // Without a URL it stands alone, whatever its address.
                    let host = hosts.bytes(row).map(|host| print.bytes(host));
                    if let (Some(host), Some(address)) = (host, addresses.bytes(row)) {
                        out.ports[Self::ADDRESSES].row(print.bytes(address), &host.to_be_bytes());
                    }
                    let host = host.unwrap_or_else(|| print.bytes(&doc.to_le_bytes()));
                    tail.extend_from_slice(&doc.to_be_bytes());
                    tail.extend_from_slice(&server.to_be_bytes());
                    tail.extend_from_slice(sequence);
                    out.ports[Self::DOCUMENTS].row(host, &tail);
                }
                _ => {
                    let server = if self.by == By::Nothing { 0 } else { server };
                    put_place(&mut tail, sequence, doc, Place { server, addresses: &[] });
                    out.ports[Self::DOCUMENTS].row(leading(sequence), &tail);
                }
            }
        }
    }
}

fn leading(sequence: &[u8]) -> u64 {
    sequence.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

/// The rest of the sequence, the document, its code.
fn put_place(tail: &mut Vec<u8>, sequence: &[u8], doc: u32, place: Place<'_>) {
    tail.extend_from_slice(&sequence[8..]);
    tail.extend_from_slice(&doc.to_be_bytes());
    if place.server != 0 {
        place.append_to(tail);
    }
}

/// Group by address: the hosts that were seen there, each once. An address of one host alone tells it from no other
/// and is replaced by the host itself, so that a network that answers from thousands of addresses has one. Keeps one
/// host.
pub struct Shared;

impl GroupKernel for Shared {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) {
        let (mut last, mut hosts) = (None, 0_u64);
        while let Some((_, mut tail)) = rows.next() {
            let host = take_u64(&mut tail);
            if let (Some(host), true) = (host, host != last) {
                if let (Some(first), 1) = (last, hosts) {
                    out.ports[0].row(first, &key.to_be_bytes());
                }
                if hosts > 0 {
                    out.ports[0].row(host, &key.to_be_bytes());
                }
                (last, hosts) = (Some(host), hosts + 1);
            }
        }
        if let (Some(only), 1) = (last, hosts) {
            out.ports[0].row(only, &only.to_be_bytes());
        }
    }
}

/// Group by host, of its addresses (first table) and its documents (second): these get all of those. Keeps the distinct
/// addresses that the host shares with others.
#[derive(Default)]
pub struct Pool {
    addresses: Vec<u8>,
    tail: Vec<u8>,
    widest: u64,
    fallen_back: u64,
}

impl GroupKernel for Pool {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) {
        self.addresses.clear();
        while let Some((table, mut tail)) = rows.next() {
            if table == 0 {
                if !self.addresses.ends_with(tail) {
                    self.addresses.extend_from_slice(tail);
                }
                continue;
            }
            let (Some(doc), Some(server)) = (take_doc(&mut tail), take_u64(&mut tail)) else { continue };
            self.fallen_back += u64::from(self.addresses.is_empty() && server != 0);
            self.tail.clear();
            put_place(&mut self.tail, tail, doc, Place { server, addresses: &self.addresses });
            out.ports[0].row(leading(tail), &self.tail);
        }
        self.widest = self.widest.max(self.addresses.len() as u64 / 8);
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("without_address", self.fallen_back);
        out.greatest("widest_host", self.widest);
    }
}

/// Group by word sequence: for each document, which one is kept in its stead and on which servers that stands; and the
/// clusters of copies. Keeps the kept document and a bounded code.
pub struct Copies {
    /// Whether copies become one; each document stands for itself if not.
    pub collapse: bool,
    /// The most addresses any host has.
    pub widest: usize,
}

impl Copies {
    pub const STANDING: usize = 0;
    pub const CLUSTERS: usize = 1;

    fn close(open: &mut Option<Open>, out: &mut Output) {
        if let Some(Open { kept, copies, code, .. }) = open.take() {
            out.ports[Self::STANDING].row(u64::from(kept), &standing_row(kept, &code.code()));
            if copies > 0 {
                out.ports[Self::CLUSTERS].row(u64::from(kept), &cluster_row(kept, kept));
                out.count("copies", copies);
            }
        }
    }
}

/// The word sequence whose documents are passing by.
struct Open {
    sequence: [u8; 8],
    kept: u32,
    copies: u64,
    code: Cluster,
}

fn standing_row(kept: u32, code: &[u8]) -> Vec<u8> {
    let mut tail = Vec::new();
    put_number(&mut tail, u64::from(kept));
    put_bytes(&mut tail, Some(code));
    tail
}

fn cluster_row(cluster: u32, doc: u32) -> Vec<u8> {
    let mut tail = Vec::new();
    put_number(&mut tail, u64::from(cluster));
    put_number(&mut tail, u64::from(cluster == doc));
    tail
}

impl GroupKernel for Copies {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) {
        let mut open: Option<Open> = None;
        while let Some((_, mut tail)) = rows.next() {
            let sequence = take_bytes(&mut tail, 8).and_then(|bytes| bytes.first_chunk()).copied().unwrap_or_default();
            let Some(doc) = take_doc(&mut tail) else { continue };
            out.count("without_server", u64::from(tail.is_empty()));
            match &mut open {
                Some(cluster) if self.collapse && cluster.sequence == sequence => {
                    cluster.copies += 1;
                    cluster.code.add(tail);
                    out.ports[Self::STANDING].row(u64::from(doc), &standing_row(cluster.kept, &[]));
                    out.ports[Self::CLUSTERS].row(u64::from(doc), &cluster_row(cluster.kept, doc));
                }
                _ => {
                    Self::close(&mut open, out);
                    open = Some(Open { sequence, kept: doc, copies: 0, code: Cluster::new(tail, self.widest) });
                }
            }
        }
        Self::close(&mut open, out);
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("copies", 0); // said even if there are none
    }
}

/// The standing of documents, read along with a batch in the order of documents.
pub struct Standing<'a> {
    columns: Option<(Column<'a>, Column<'a>, Column<'a>)>,
    at: usize,
}

impl<'a> Standing<'a> {
    /// Of the columns (doc, kept, servers); without them every document stands, on no server.
    pub fn new(columns: &[Column<'a>]) -> Self {
        let columns = if let [doc, kept, servers] = columns { Some((*doc, *kept, *servers)) } else { None };
        Self { columns, at: 0 }
    }

    /// The code of `doc`, none if a copy of it is kept instead. Ask in ascending order.
    pub fn code(&mut self, doc: u32) -> Option<&'a [u8]> {
        match self.of(doc) {
            Some((kept, code)) => (kept == doc).then_some(code),
            None => Some(&[]),
        }
    }

    /// The document that is kept for `doc`. Ask in ascending order.
    pub fn kept(&mut self, doc: u32) -> u32 {
        self.of(doc).map_or(doc, |(kept, _)| kept)
    }

    fn of(&mut self, doc: u32) -> Option<(u32, &'a [u8])> {
        let (documents, kept, servers) = self.columns?;
        while self.at < documents.len() && documents.number(self.at) < u64::from(doc) {
            self.at += 1;
        }
        let there = self.at < documents.len() && documents.number(self.at) == u64::from(doc);
        there.then(|| (kept.number(self.at) as u32, servers.bytes(self.at).unwrap_or_default()))
    }
}
