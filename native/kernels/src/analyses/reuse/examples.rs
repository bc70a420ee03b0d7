//! Map: what objects say, looked up in the first document that has them.

use std::collections::HashMap;

use crate::analyses::reuse::chunks::{Cutter, Sameness};
use crate::analyses::reuse::objects::{CHUNK, FILE};
use crate::analyses::reuse::standings::MISPLACED;
use crate::flow::columns::{Along, Binary, Numbers, Strings};
use crate::flow::contract::{Port, PortInfo, WrongParameter};
use crate::flow::fields::Damaged;
use crate::flow::kernel::{Done, Map, Output};
use crate::store::labels::Hash;
use crate::text::points::spans;
use crate::{columns, row, told};

/// How many characters of an object are shown.
const SHOWN: usize = 300;
/// Notices of copyright and licences: texts of less than `SHORT` characters with one of these words, others with two.
const SHORT: usize = 300;
const NOTICE: &[&str] = &[
    "copyright",
    "copyrighted",
    "copyrights",
    "liability",
    "licence",
    "licences",
    "license",
    "licensed",
    "licenses",
    "redistribute",
    "redistribution",
    "sublicense",
    "trademark",
    "trademarks",
    "warranties",
    "warranty",
    "©",
];

told! {
    /// How chunks are compared, and how many of the documents, from the first, are pages.
    pub struct Cutting { by: Sameness, pages: u64 }
}

columns! {
    /// Documents with their chunks.
    pub struct ChunkedPages<'a> {
        doc: Numbers<'a>,
        text: Strings<'a>,
        chunks: Binary<'a>,
        chunk_sha1: Binary<'a>,
        raw_chunk_sha1: Binary<'a>,
    }
}

columns! {
    /// ObjectColumns, by the first document that has them.
    pub struct ObjectColumns<'a> {
        doc: Numbers<'a>,
        sha1: Binary<'a>,
        kind: Numbers<'a>,
        occurrences: Numbers<'a>,
        documents: Numbers<'a>,
        sites: Numbers<'a>,
        length: Numbers<'a>,
        weight: Numbers<'a>,
        stop: Numbers<'a>,
    }
}

row! {
    /// Of the first document that has it: an object.
    pub struct Object<'a> {
        begin: u64,
        kind: &'a [u8],
        end: u64,
        sha1: &'a [u8; 20],
        occurrences: u64,
        documents: u64,
        sites: u64,
        length: u64,
        weight: u64,
        notice: bool,
        page: bool,
        example: &'a [u8],
    }
}

/// Whether a text is about copyright or a licence.
pub fn is_notice(text: &str) -> bool {
    let mut found = [false; NOTICE.len()];
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '©').filter(|word| !word.is_empty()) {
        let word = word.strip_prefix('©').filter(|rest| !rest.is_empty()).map_or(word, |_| "©");
        for (place, known) in NOTICE.iter().enumerate() {
            found[place] |= word.eq_ignore_ascii_case(known);
        }
    }
    let distinct = found.iter().filter(|there| **there).count();
    distinct >= 2 || (distinct == 1 && text.chars().nth(SHORT).is_none())
}

/// The beginning of a text, on one line.
fn shorten(text: &str) -> String {
    let mut short = String::new();
    let mut left = SHOWN;
    for word in text.split_whitespace() {
        let space = usize::from(!short.is_empty());
        if space + 1 > left {
            break;
        }
        if space == 1 {
            short.push(' ');
        }
        let before = short.len();
        short.extend(word.chars().take(left - space));
        left -= space + short[before..].chars().count();
    }
    short
}

pub struct Examples {
    cutter: Cutter,
    pages: u64,
}

impl Examples {
    const OBJECTS: Port<Object<'static>> = Port::documents(0, "objects");
    const STOPS: Port<Object<'static>> = Port::documents(1, "stops");
}

impl Map for Examples {
    const NAME: &'static str = "examples";
    const PORTS: &'static [PortInfo] = &[Self::OBJECTS.info(), Self::STOPS.info()];
    const KEEPS: &'static str = "the objects of one document";
    type Told = Cutting;
    type Reads<'a> = ChunkedPages<'a>;
    type Beside<'a> = ObjectColumns<'a>;

    fn new(Cutting { by, pages }: Cutting) -> Result<Self, WrongParameter> {
        Ok(Self { cutter: Cutter::new(by, 0), pages })
    }

    fn batch<'a>(&mut self, pages: ChunkedPages<'a>, objects: ObjectColumns<'a>, out: &mut Output) -> Done {
        let mut along = Along::new(objects.doc);
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row);
            let mut wanted: HashMap<Hash, usize> = HashMap::new();
            let text = pages.text.at(row);
            let emit = |at: usize, begin: usize, end: usize, said: &str, out: &mut Output| -> Result<(), Damaged> {
                let sha1 = objects.sha1.at(at).try_into().map_err(|_| MISPLACED)?;
                let example = shorten(said);
                let object = Object {
                    begin: begin as u64,
                    kind: if objects.kind.at(at) == u64::from(FILE) { b"file" } else { b"chunk" },
                    end: end as u64,
                    sha1,
                    occurrences: objects.occurrences.at(at),
                    documents: objects.documents.at(at),
                    sites: objects.sites.at(at),
                    length: objects.length.at(at),
                    weight: objects.weight.at(at),
                    notice: is_notice(said),
                    page: doc < self.pages,
                    example: example.as_bytes(),
                };
                out.row(if objects.stop.at(at) == 0 { &Self::OBJECTS } else { &Self::STOPS }, doc, object);
                Ok(())
            };
            for at in along.rows(doc) {
                if objects.kind.at(at) == u64::from(CHUNK) {
                    wanted.insert(objects.sha1.at(at).try_into().map_err(|_| MISPLACED)?, at);
                } else {
                    emit(at, 0, text.chars().count(), &text, out)?;
                }
            }
            if wanted.is_empty() {
                continue;
            }
            let (texts, raws) = (pages.chunk_sha1.at(row), pages.raw_chunk_sha1.at(row));
            let mut fault = None;
            let passed = self.cutter.cut(&text, spans(pages.chunks.at(row)), texts, raws, |chunk| {
                if let Some(at) = wanted.remove(&chunk.hash) {
                    fault = fault.or(emit(at, chunk.begin, chunk.end, chunk.text, out).err());
                }
            });
            passed.ok_or(MISPLACED)?;
            if let Some(fault) = fault {
                return Err(fault.into());
            }
            if !wanted.is_empty() {
                return Err(MISPLACED.into());
            }
            out.relieve();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices() {
        assert!(is_notice("© 2020 Somebody") && is_notice("©2020 by us") && is_notice("Copyright: all of us"));
        assert!(is_notice(&format!("{} this LICENSE comes without WARRANTY", "x ".repeat(300))));
        assert!(!is_notice(&format!("{} the driver's license", "x ".repeat(300))));
        assert!(!is_notice("a page about nothing"));
    }

    #[test]
    fn examples_are_short() {
        assert_eq!(shorten(" one \n two  "), "one two");
        assert_eq!(shorten(&"é".repeat(1000)).chars().count(), SHOWN);
        assert!((SHOWN - 1..=SHOWN).contains(&shorten(&"ab ".repeat(1000)).chars().count())); // no space at the end
        assert_eq!(shorten(""), "");
    }
}
