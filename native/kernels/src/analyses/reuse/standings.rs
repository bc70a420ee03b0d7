//! Map: the hash of every chunk and of every file, with the document and the site where it stands.

use crate::analyses::reuse::chunks::{is_trivial, Cutter, Sameness};
use crate::flow::columns::{Binary, Numbers, Strings};
use crate::flow::contract::{Port, PortInfo, Side, WrongParameter};
use crate::flow::fields::Damaged;
use crate::flow::kernel::{Done, Map, Output};
use crate::store::labels::{Hash, Labels, Meaning};
use crate::text::fingerprint::Fingerprinter;
use crate::text::points::spans;
use crate::{choice, columns, row, told};

choice! {
    /// What counts as one site.
    pub enum Site { Host = "host", Domain = "domain" }
}

told! {
    /// How chunks are cut and compared, and which are passed over.
    pub struct Hashing { by: Sameness, min_length: usize, site: Site, stops: Side }
}

columns! {
    /// Documents with their chunks, and where they are.
    pub struct Chunked<'a> {
        doc: Numbers<'a>,
        text: Strings<'a>,
        chunks: Binary<'a>,
        chunk_sha1: Binary<'a>,
        raw_chunk_sha1: Binary<'a>,
        raw_sha1: Binary<'a>,
        host: Strings<'a>,
        domain: Strings<'a>,
        media: Strings<'a>,
        recursive: Numbers<'a>,
    }
}

row! {
    /// Of the first 8 bytes of a SHA-1: the others, and the site, the document and the length of one of those that have
    /// it.
    pub struct Stands<'a> { rest: &'a [u8; 12], site: u64, doc: u32, length: u32 }
}

/// Whether a document of this kind is a page, and not JavaScript, CSS or robots.txt. These come behind all pages.
pub fn is_page(media: Option<&[u8]>) -> bool {
    !matches!(media, Some(b"script" | b"style" | b"robots"))
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
        let print = Fingerprinter::plain();
        let name = if self == Self::Host { host } else { domain.or(host) };
        name.map_or_else(|| print.bytes(&[&[0], &doc.to_be_bytes()[..]].concat()), |name| print.bytes(name))
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

pub struct Standings {
    cutter: Cutter,
    site: Site,
    stops: Labels<Side>,
}

impl Standings {
    const CHUNKS: Port<Stands<'static>> = Port::hashes(0, "chunks");
    const FILES: Port<Stands<'static>> = Port::hashes(1, "files");
}

impl Map for Standings {
    const NAME: &'static str = "standings";
    const PORTS: &'static [PortInfo] = &[Self::CHUNKS.info(), Self::FILES.info()];
    const KEEPS: &'static str = "one chunk";
    type Told = Hashing;
    type Reads<'a> = Chunked<'a>;
    type Beside<'a> = ();

    fn new(Hashing { by, min_length, site, stops }: Hashing) -> Result<Self, WrongParameter> {
        Ok(Self { cutter: Cutter::new(by, min_length), site, stops: open(stops)? })
    }

    fn batch<'a>(&mut self, pages: Chunked<'a>, (): (), out: &mut Output) -> Done {
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
            let text = pages.text.at(row);
            let (texts, raws) = (pages.chunk_sha1.at(row), pages.raw_chunk_sha1.at(row));
            let (mut stopped, mut spoiled) = (0, false);
            let passed = self.cutter.cut(&text, spans(pages.chunks.at(row)), texts, raws, |chunk| {
                match self.stops.chunk(&chunk.hash) {
                    Ok(Meaning::Stop) => stopped += 1,
                    Ok(_) => {
                        let (key, rest) = split(&chunk.hash);
                        out.row(&Self::CHUNKS, key, Stands { rest, site, doc, length: chunk.length() as u32 });
                    }
                    Err(_) => spoiled = true,
                }
            });
            if spoiled {
                return Err(SPOILED.into());
            }
            out.count("passed_chunks", stopped + passed.ok_or(MISPLACED)?);
            let hash: &Hash = pages.raw_sha1.at(row).try_into().map_err(|_| MISPLACED)?;
            let length = text.chars().count();
            if !is_trivial(&text) {
                let (key, rest) = split(hash);
                out.row(&Self::FILES, key, Stands { rest, site, doc, length: length as u32 });
            }
            out.relieve();
        }
        Ok(())
    }
}
