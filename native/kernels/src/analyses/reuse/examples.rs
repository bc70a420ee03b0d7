//! Map: what objects say, looked up in the first document that has them.

use crate::analyses::reuse::chunks::{ComparedBy, Cutter, Sameness, HASHES};
use crate::analyses::reuse::objects::{CHUNK, FILE};
use crate::analyses::reuse::standings::MISPLACED;
use crate::flow::columns::{Along, Binary, Numbers, Strings};
use crate::flow::contract::{Port, PortInfo, When, WrongParameter};
use crate::flow::kernel::{Done, Map, Output};
use crate::text::points::{spans, PointPlaces};
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
    /// How chunks are cut and compared, and how many of the documents, from the first, are pages.
    pub struct Cutting { by: Sameness, min_length: usize, pages: u64 }
}

columns! {
    /// Documents with their chunks.
    pub struct ChunkedPages<'a> {
        doc: Numbers<'a>,
        text: Strings<'a>,
        chunks: Binary<'a>,
        trivial_chunks: Binary<'a>,
        chunk_sha1: Option<Binary<'a>>,
        raw_chunk_sha1: Option<Binary<'a>>,
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
    let bytes = text.as_bytes();
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let mut found = [false; NOTICE.len()];
    let mut at = 0;
    // Most words begin with another letter, and are not looked at.
    while let Some(more) = bytes[at..].iter().position(|&byte| BEGINS[usize::from(byte)]) {
        let begin = at + more;
        let rest = &bytes[begin..];
        at = begin + 1;
        if bytes[begin].is_ascii() && begin > 0 && bytes[begin - 1].is_ascii_alphanumeric() {
            continue;
        }
        let length = rest.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(rest.len());
        at = begin + length.max(1);
        let known = NOTICE.iter().position(|word| rest[..length].eq_ignore_ascii_case(word.as_bytes()));
        let sign = rest.starts_with("©".as_bytes()).then_some(NOTICE.len() - 1);
        if let Some(place) = sign.or_else(|| {
            // Only here does it matter whether letters beyond ASCII stand around it.
            let around = [text[..begin].chars().next_back(), text[begin + length..].chars().next()];
            known.filter(|_| !around.into_iter().any(is_word))
        }) {
            found[place] = true;
        }
    }
    let distinct = found.iter().filter(|there| **there).count();
    distinct >= 2 || (distinct == 1 && text.chars().nth(SHORT).is_none())
}

/// The bytes that a word or sign of [`NOTICE`] begins with, in either case.
static BEGINS: [bool; 256] = {
    let mut begins = [false; 256];
    let mut at = 0;
    while at < NOTICE.len() {
        let byte = NOTICE[at].as_bytes()[0];
        begins[byte.to_ascii_lowercase() as usize] = true;
        begins[byte.to_ascii_uppercase() as usize] = true;
        at += 1;
    }
    begins
};

/// The beginning of a text, on one line.
fn shorten(text: &str) -> String {
    let mut short = String::with_capacity(SHOWN.min(text.len()));
    let mut left = SHOWN;
    let mut space = false;
    for c in text.chars() {
        if c.is_whitespace() {
            space = !short.is_empty();
            continue;
        }
        if left < 1 + usize::from(space) {
            break;
        }
        if std::mem::take(&mut space) {
            short.push(' ');
            left -= 1;
        }
        short.push(c);
        left -= 1;
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

    /// Emits the object in row `at` of the table beside, which stands here in this document and says this.
    fn emit(
        &self,
        objects: &ObjectColumns<'_>,
        at: usize,
        place: (usize, usize),
        said: &str,
        out: &mut Output,
    ) -> Done {
        let (doc, (begin, end), example) = (objects.doc.at(at), place, shorten(said));
        let object = Object {
            begin: begin as u64,
            kind: if objects.kind.at(at) == u64::from(FILE) { b"file" } else { b"chunk" },
            end: end as u64,
            sha1: objects.sha1.at(at).try_into().map_err(|_| MISPLACED)?,
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
    }
}

impl Map for Examples {
    const NAME: &'static str = "examples";
    const PORTS: &'static [PortInfo] = &[Self::OBJECTS.info(), Self::STOPS.info()];
    const KEEPS: &'static str = "the objects of one document";
    type Told = Cutting;
    type Reads<'a> = ChunkedPages<'a>;
    type Beside<'a> = ObjectColumns<'a>;
    const ONLY: &'static [(&'static str, When)] = HASHES;

    fn new(Cutting { min_length, pages, .. }: Cutting) -> Result<Self, WrongParameter> {
        Ok(Self { cutter: Cutter::new(min_length), pages })
    }

    fn batch<'a>(&mut self, pages: ChunkedPages<'a>, objects: ObjectColumns<'a>, out: &mut Output) -> Done {
        let mut along = Along::new(objects.doc);
        // Of one document: the objects that it is the first to have, by hash, and where they stand.
        let mut wanted: Vec<(&[u8], usize)> = Vec::new();
        let mut found: Vec<(usize, usize, usize)> = Vec::new();
        for row in 0..pages.doc.len() {
            let text = pages.text.at(row);
            wanted.clear();
            found.clear();
            for at in along.rows(pages.doc.at(row)) {
                if objects.kind.at(at) == u64::from(CHUNK) {
                    wanted.push((objects.sha1.at(at), at));
                } else {
                    let end = objects.length.at(at) as usize;
                    self.emit(&objects, at, (0, end), &text, out)?;
                }
            }
            if wanted.is_empty() {
                continue;
            }
            wanted.sort_unstable();
            let compared = ComparedBy::by(pages.chunk_sha1, pages.raw_chunk_sha1, row, &text);
            let (places, trivial) = (spans(pages.chunks.at(row)), pages.trivial_chunks.at(row));
            let whole = self.cutter.cut(places, trivial, compared, |chunk| {
                if let Ok(place) = wanted.binary_search_by(|(hash, _)| (*hash).cmp(&chunk.hash)) {
                    found.push((place, chunk.begin, chunk.end));
                }
            });
            whole.ok_or(MISPLACED)?;
            let mut points = PointPlaces::new(&text);
            let mut left = wanted.len();
            for &(place, begin, end) in &found {
                let at = std::mem::replace(&mut wanted[place].1, usize::MAX);
                if at == usize::MAX {
                    continue; // it stands here before, too
                }
                let bytes = points.find(begin).zip(points.find(end)).map(|(begin, end)| begin..end);
                let said = bytes.and_then(|bytes| text.get(bytes)).ok_or(MISPLACED)?;
                self.emit(&objects, at, (begin, end), said, out)?;
                left -= 1;
            }
            if left > 0 {
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
        assert!(is_notice("all (Copyright) of it") && is_notice("Die Copyrights") && is_notice("x©"));
        for other in ["écopyright", "copyrighté", "copyrightx", "xcopyright", "copy right", "licens", "c", "", "Â", "ж"]
        {
            assert!(!is_notice(other), "{other}");
        }
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
