//! Where each document stands before an analysis begins: on which servers, and whether a copy of it is kept instead.
//!
//! [`Places`] reads documents' servers and word sequences from the corpus, [`Pool`] gathers the addresses of a host,
//! [`Copies`] finds documents of equal word sequences. What comes out, a kept document and a code (see
//! [`servers`](crate::servers)) for each document, is read beside the corpus by the map that scans texts.

use crate::fingerprint::Fingerprinter;
use crate::kernel::{Column, GroupKernel, MapKernel, Output, Rows};
use crate::rows::{take_bytes, take_doc, take_u64};
use crate::servers::{Cluster, Place};
use crate::tables::{put_bytes, put_number};

/// What counts as a server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum By {
    Nothing,
    Name,
    Address,
}

/// Map (doc, sequence, words, name[, host, ip]): a row for each document, keyed by its word sequence, or by its host
/// where the addresses of the host have to be gathered first (then with a row for the address itself, too).
pub struct Places {
    pub by: By,
}

impl MapKernel for Places {
    fn batch(&mut self, columns: &[Column<'_>], _: &[Column<'_>], out: &mut Output) {
        let [documents, sequences, words, names, places @ ..] = columns else { return };
        let print = Fingerprinter::plain();
        let mut tail = Vec::new();
        for row in 0..documents.len() {
            let doc = documents.number(row) as u32;
            // Documents without words are copies of nothing.
            let own;
            let sequence = match sequences.bytes(row) {
                Some(sequence) if sequence.len() == 16 && words.number(row) > 0 => sequence,
                _ => {
                    own = [print.bytes(&doc.to_le_bytes()), u64::MAX].map(u64::to_be_bytes).concat();
                    &own
                }
            };
            let server = names.bytes(row).map_or(0, |name| print.bytes(name).max(1));
            tail.clear();
            match (self.by, places) {
                (By::Address, [hosts, addresses]) => {
                    let host = match hosts.bytes(row) {
                        Some(host) => print.bytes(host),
                        None => print.bytes(&doc.to_le_bytes()),
                    };
                    if let Some(address) = addresses.bytes(row) {
                        tail.push(Pool::ADDRESS);
                        tail.extend_from_slice(&print.bytes(address).to_be_bytes());
                        out.ports[0].row(host, &tail);
                        tail.clear();
                    }
                    tail.push(Pool::DOCUMENT);
                    tail.extend_from_slice(&doc.to_be_bytes());
                    tail.extend_from_slice(&server.to_be_bytes());
                    tail.extend_from_slice(sequence);
                    out.ports[0].row(host, &tail);
                }
                _ => {
                    let server = if self.by == By::Nothing { 0 } else { server };
                    put_place(&mut tail, sequence, doc, Place { server, addresses: &[] });
                    out.ports[0].row(leading(sequence), &tail);
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

/// Group by host: all its documents get all its addresses. Keeps a host's distinct addresses.
#[derive(Default)]
pub struct Pool {
    addresses: Vec<u8>,
    tail: Vec<u8>,
    widest: u64,
    fallen_back: u64,
}

impl Pool {
    const ADDRESS: u8 = 0;
    const DOCUMENT: u8 = 1;
}

impl GroupKernel for Pool {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) {
        self.addresses.clear();
        while let Some((_, tail)) = rows.next() {
            let Some((&tag, mut rest)) = tail.split_first() else { continue };
            if tag == Self::ADDRESS {
                if !self.addresses.ends_with(rest) {
                    self.addresses.extend_from_slice(rest);
                }
                continue;
            }
            let (Some(doc), Some(server)) = (take_doc(&mut rest), take_u64(&mut rest)) else { continue };
            self.fallen_back += u64::from(self.addresses.is_empty());
            self.tail.clear();
            put_place(&mut self.tail, rest, doc, Place { server, addresses: &self.addresses });
            out.ports[0].row(leading(rest), &self.tail);
        }
        self.widest = self.widest.max(self.addresses.len() as u64 / 8);
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("without address", self.fallen_back);
        out.greatest("addresses of a host", self.widest);
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
        let Some((documents, kept, servers)) = self.columns else { return Some(&[]) };
        while self.at < documents.len() && documents.number(self.at) < u64::from(doc) {
            self.at += 1;
        }
        if self.at < documents.len() && documents.number(self.at) == u64::from(doc) {
            (kept.number(self.at) == u64::from(doc)).then(|| servers.bytes(self.at).unwrap_or_default())
        } else {
            Some(&[])
        }
    }
}
