//! Map: the hash of every chunk and of every file, with the document and the site where it stands.

use hashbrown::hash_table::{Entry, HashTable};

use crate::analyses::reuse::chunks::{Chunk, ComparedBy, Cutter, PageRest, Sameness, COMPARED};
use crate::flow::columns::{Binary, Numbers, Strings};
use crate::flow::contract::{Port, Side, WrongParameter};
use crate::flow::fields::Damaged;
use crate::flow::kernel::{Done, Map, Output};
use crate::store::labels::{Hash, Labels, Meaning};
use crate::text::fingerprint::Fingerprinter;
use crate::text::points::spans;
use crate::text::slots::mixed;
use crate::{choice, columns, contract, parameters, row};

choice! {
    /// What counts as one site.
    pub enum Site { Host = "host", Domain = "domain" }
}

parameters! {
    /// How chunks are cut and compared, and which are passed over.
    pub struct Hashing { by: Sameness, min_length: usize, trivial_stop: bool, site: Site, stops: Side }
}

columns! {
    /// Documents with their chunks, and where they are.
    pub struct Chunked<'a> {
        doc: Numbers<'a>,
        text: Option<Strings<'a>>,
        chunks: Binary<'a>,
        trivial_chunks: Binary<'a>,
        chunk_sha1: Option<Binary<'a>>,
        raw_chunk_sha1: Option<Binary<'a>>,
        raw_sha1: Binary<'a>,
        host: Strings<'a>,
        domain: Strings<'a>,
        media: Strings<'a>,
        recursive: Numbers<'a>,
    }
}

row! {
    /// Of the first 8 bytes of a SHA-1: the others; a site that has it; the first document of some that have it there,
    /// where it first begins in that one, and its length; how many documents these are, and how often they have it.
    pub struct ObjectPlace<'a> {
        rest: &'a [u8; 12],
        site: u64,
        doc: u32,
        begin: u32,
        length: u32,
        documents: u32,
        occurrences: u32,
    }
}

impl<'a> ObjectPlace<'a> {
    /// The key and the row of a whole file.
    pub fn file(hash: &'a Hash, site: u64, doc: u32, page: &PageRest) -> (u64, Self) {
        let (key, rest) = split(hash);
        let length = page.length as u32;
        (key, Self { rest, site, doc, begin: 0, length, documents: 1, occurrences: 1 })
    }
}

/// Where the chunks of a batch stand, those of one site with equal hashes counted together. Documents come in ascending
/// order, and each is in one batch, so that the counts of batches add up.
#[derive(Default)]
pub struct PlaceCounts {
    slots: HashTable<u32>,
    gathered: Vec<PlaceCount>,
}

struct PlaceCount {
    hash: Hash,
    site: u64,
    doc: u32,
    last: u32,
    begin: u32,
    length: u32,
    documents: u32,
    occurrences: u32,
}

impl PlaceCounts {
    /// Makes room for so many chunks.
    pub fn reserve(&mut self, number: usize) {
        let Self { slots, gathered } = self;
        slots.reserve(number, |&place| mixed(split(&gathered[place as usize].hash).0));
        gathered.reserve(number);
    }

    #[inline]
    pub fn add(&mut self, chunk: &Chunk, site: u64, doc: u32) {
        let hash = &chunk.hash;
        let Self { slots, gathered } = self;
        let slot = slots.entry(
            mixed(split(hash).0),
            |&place| gathered[place as usize].hash == *hash && gathered[place as usize].site == site,
            |&place| mixed(split(&gathered[place as usize].hash).0),
        );
        match slot {
            Entry::Occupied(place) => {
                let there = &mut gathered[*place.get() as usize];
                there.occurrences += 1;
                there.documents += u32::from(std::mem::replace(&mut there.last, doc) != doc);
            }
            Entry::Vacant(place) => {
                place.insert(gathered.len() as u32);
                gathered.push(PlaceCount {
                    hash: *hash,
                    site,
                    doc,
                    last: doc,
                    begin: chunk.begin as u32,
                    length: chunk.length() as u32,
                    documents: 1,
                    occurrences: 1,
                });
            }
        }
    }

    /// Emits a row for each, at the end of a batch.
    pub fn emit(&mut self, port: &Port<ObjectPlace<'static>>, out: &mut Output) {
        self.slots.clear();
        for PlaceCount { hash, site, doc, begin, length, documents, occurrences, .. } in self.gathered.drain(..) {
            let (key, rest) = split(&hash);
            out.row(port, key, ObjectPlace { rest, site, doc, begin, length, documents, occurrences });
            out.relieve();
        }
    }
}

/// Whether a document of this kind is a page, and not JavaScript, CSS, robots.txt or a file without text. These come
/// behind all pages.
pub fn is_page(media: Option<&[u8]>) -> bool {
    !matches!(media, Some(b"script" | b"style" | b"robots")) && !is_textless(media)
}

/// Whether a document is a file without text, such as an image: it has no chunks, and is compared all the same.
pub fn is_textless(media: Option<&[u8]>) -> bool {
    media == Some(b"file")
}

/// The key of a hash, and the rest of it.
#[inline]
pub fn split(hash: &Hash) -> (u64, &[u8; 12]) {
    const NONE: &[u8; 12] = &[0; 12];
    match hash.split_first_chunk() {
        Some((key, rest)) => (u64::from_be_bytes(*key), rest.first_chunk().unwrap_or(NONE)),
        None => (0, NONE),
    }
}

impl Site {
    /// The site of a document; one without a URL is a site of its own.
    pub fn of(self, host: Option<&[u8]>, domain: Option<&[u8]>, doc: u64) -> u64 {
        let name = if self == Self::Host { host } else { domain.or(host) };
        name.map_or_else(|| Self::alone(doc), |name| Fingerprinter::plain().bytes(name))
    }

    /// The site of a document without a URL.
    pub fn alone(doc: u64) -> u64 {
        let [a, b, c, d, e, f, g, h] = doc.to_be_bytes();
        Fingerprinter::plain().bytes(&[0, a, b, c, d, e, f, g, h])
    }
}

/// A set of labels as a kernel opens it.
pub fn open(labels: Side) -> Result<Labels<Side>, WrongParameter> {
    Labels::new(labels).map_err(|fault| WrongParameter(format!("the set of labels cannot be read: {fault:?}")))
}

/// What is wrong if a label set is damaged.
pub const SPOILED: Damaged = Damaged("a set of labels");
/// What is wrong if chunks are not where the corpus says.
pub const MISPLACED: Damaged = Damaged("documents");

pub struct ObjectPlaces {
    cutter: Cutter,
    trivial_stop: bool,
    site: Site,
    stops: Labels<Side>,
    chunks: PlaceCounts,
}

contract! {
    map ObjectPlaces = "object places";
    new(Hashing { min_length, trivial_stop, site, stops, .. }) = {
        let (cutter, chunks) = (Cutter::new(min_length), PlaceCounts::default());
        Ok(Self { cutter, trivial_stop, site, stops: open(stops)?, chunks })
    };
    reads Chunked<'a>;
    only COMPARED;
    keeps "the hashes of the chunks of a batch";
    const CHUNKS: Port<ObjectPlace<'static>> = Port::hashes(0, "chunks");
    const FILES: Port<ObjectPlace<'static>> = Port::hashes(1, "files");
}

impl Map for ObjectPlaces {
    fn batch<'a>(&mut self, pages: Chunked<'a>, (): (), out: &mut Output) -> Done {
        self.chunks.reserve((0..pages.doc.len()).map(|row| spans(pages.chunks.at(row)).count()).sum());
        for row in 0..pages.doc.len() {
            out.count("pages", u64::from(is_page(pages.media.bytes(row))));
            if pages.recursive.at(row) != 0 {
                out.count("recursive", 1);
                continue;
            }
            let number = pages.doc.at(row);
            let (host, domain) = (pages.host.bytes(row), pages.domain.bytes(row));
            let (doc, site) = (number as u32, self.site.of(host, domain, number));
            out.count("without_url", u64::from(host.is_none()));
            let text = pages.text.map(|text| text.at(row)).unwrap_or_default();
            let compared = ComparedBy::by(pages.chunk_sha1, pages.raw_chunk_sha1, row, &text);
            let (mut stopped, mut spoiled) = (0, false);
            let places = spans(pages.chunks.at(row));
            let trivial = if self.trivial_stop { pages.trivial_chunks.at(row) } else { &[] };
            let rest = self.cutter.cut(places, trivial, compared, |chunk| match self.stops.chunk(&chunk.hash) {
                Ok(Meaning::Stop) => stopped += 1,
                Ok(_) => self.chunks.add(&chunk, site, doc),
                Err(_) => spoiled = true,
            });
            if spoiled {
                return Err(SPOILED.into());
            }
            let page = rest.ok_or(MISPLACED)?;
            out.count("passed_chunks", stopped + page.passed);
            let hash: &Hash = pages.raw_sha1.at(row).try_into().map_err(|_| MISPLACED)?;
            let stop_file = self.stops.file(hash).map_err(|_| SPOILED)?;
            out.count("stop_files", u64::from(stop_file));
            let says = !page.trivial || !self.trivial_stop || is_textless(pages.media.bytes(row));
            if !stop_file && says {
                let (key, row) = ObjectPlace::file(hash, site, doc, &page);
                out.row(&Self::FILES, key, row);
            }
        }
        self.chunks.emit(&Self::CHUNKS, out);
        Ok(())
    }
}
