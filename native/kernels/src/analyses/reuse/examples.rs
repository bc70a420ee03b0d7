//! Map: what objects say, looked up in the first document that has them.

use crate::analyses::reuse::objects::{FILE, KIND_NAMES};
use crate::analyses::reuse::places::MISPLACED;
use crate::flow::columns::{Along, Binary, Numbers, Texts};
use crate::flow::contract::Port;
use crate::flow::kernel::{Done, Map, Output};
use crate::text::points::{count_points, PointPlaces};
use crate::text::unicode::without_filler;
use crate::{columns, contract, parameters, row};

const SIGN: &str = "©";
/// How many characters of an object are shown.
const SHOWN: usize = 300;
/// Notices of copyright and licences: texts of less than `SHORT` characters with one of these words, others with two
/// and one of them for each `STRETCH` characters.
const SHORT: usize = 300;
const STRETCH: usize = 500;
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
    "sublicense",
    "trademark",
    "trademarks",
    "warranties",
    "warranty",
    "©",
    "redistribute",
    "redistribution",
];
/// So many of them, the last, count only beside others: data are redistributed, too.
const WEAK: usize = 2;

parameters! {
    /// How many of the documents, from the first, are pages; whether chunks that are all of a file are marked.
    pub struct Paging { pages: u64, once: bool }
}

columns! {
    /// Objects, by the first document that has them and where they begin there.
    pub struct ObjectColumns<'a> {
        doc: Numbers<'a>,
        begin: Numbers<'a>,
        kind: Numbers<'a>,
        sha1: Binary<'a>,
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
        whole: bool,
        example: &'a [u8],
    }
}

/// Whether a text is about copyright or a licence.
pub fn is_notice(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let (mut found, mut times) = ([false; NOTICE.len()], 0);
    let mut at = 0;
    // Most words begin with other letters, and are not looked at.
    let begins = |pair: &[u8]| FIRST[usize::from(pair[0])] & SECOND[usize::from(pair[1])] != 0;
    while let Some(more) = bytes[at..].windows(2).position(begins) {
        let begin = at + more;
        let rest = &bytes[begin..];
        at = begin + 1;
        if bytes[begin].is_ascii() && begin > 0 && bytes[begin - 1].is_ascii_alphanumeric() {
            continue;
        }
        let length = match rest.starts_with(SIGN.as_bytes()) {
            true => SIGN.len(),
            false => rest.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(rest.len()),
        };
        at = begin + length.max(1);
        let known = NOTICE.iter().position(|word| rest[..length].eq_ignore_ascii_case(word.as_bytes()));
        if let Some(place) = known.filter(|_| {
            // Only here does it matter whether letters beyond ASCII stand around it.
            let around = [text[..begin].chars().next_back(), text[begin + length..].chars().next()];
            &rest[..length] == SIGN.as_bytes() || !around.into_iter().any(is_word)
        }) {
            found[place] = true;
            times += 1;
        }
    }
    let strong = found[..NOTICE.len() - WEAK].contains(&true);
    let distinct = found.iter().filter(|there| **there).count();
    let has_more_than = |characters: usize| text.chars().nth(characters).is_some();
    strong && (!has_more_than(SHORT) || (distinct >= 2 && !has_more_than(STRETCH * times)))
}

/// Whether a file is: more than half of it is paragraphs that are. Or every page with a footer would be one.
fn is_notice_file(text: &str) -> bool {
    let (mut notices, mut all) = (0, 0);
    for paragraph in text.split("\n\n") {
        let length = count_points(paragraph.as_bytes());
        all += length;
        notices += if is_notice(paragraph) { length } else { 0 };
    }
    2 * notices > all
}

/// By the first byte of a word or sign of [`NOTICE`], and by the second, in either case: a bit for each pair.
static FIRST: [u8; 256] = mark_bytes(0);
static SECOND: [u8; 256] = mark_bytes(1);
/// The pairs that they begin with.
const PAIRS: [&[u8; 2]; 7] = [b"co", b"li", b"re", b"su", b"tr", b"wa", b"\xc2\xa9"];

const fn mark_bytes(place: usize) -> [u8; 256] {
    let mut marks = [0; 256];
    let mut at = 0;
    while at < PAIRS.len() {
        let byte = PAIRS[at][place];
        marks[byte as usize] |= 1 << at;
        if byte.is_ascii() {
            marks[byte.to_ascii_uppercase() as usize] |= 1 << at;
        }
        at += 1;
    }
    marks
}

/// Puts the beginning of a text, on one line, into `short`.
fn shorten(text: &str, short: &mut String) {
    short.clear();
    let (mut left, mut rest) = (SHOWN, text);
    loop {
        rest = rest.trim_start();
        let space = usize::from(!short.is_empty());
        if rest.is_empty() || left < 1 + space {
            return;
        }
        if space > 0 {
            short.push(' ');
            left -= 1;
        }
        // Mostly, a word is plain letters, which need not be looked at one by one.
        let plain = rest.bytes().take(left).take_while(u8::is_ascii_graphic).count();
        short.push_str(&rest[..plain]);
        (left, rest) = (left - plain, &rest[plain..]);
        for c in rest.chars().take_while(|c| !c.is_whitespace()).take(left) {
            short.push(c);
            (left, rest) = (left - 1, &rest[c.len_utf8()..]);
        }
    }
}

pub struct Examples {
    pages: u64,
    once: bool,
    example: String,
}

contract! {
    map Examples = "examples";
    new(Paging { pages, once }) = Ok(Self { pages, once, example: String::new() });
    reads Texts<'a>, beside ObjectColumns<'a>;
    const OBJECTS: Port<Object<'static>> = Port::documents(0, "objects");
    const STOPS: Port<Object<'static>> = Port::documents(1, "stops");
}

impl Examples {
    /// Emits the object in row `at` of the table beside, which says this; `whole` if it is all of a file that is listed.
    fn emit(&mut self, objects: &ObjectColumns<'_>, at: usize, whole: bool, said: &str, out: &mut Output) -> Done {
        let (doc, begin, length) = (objects.doc.at(at), objects.begin.at(at), objects.length.at(at));
        let is_file = objects.kind.at(at) == u64::from(FILE);
        shorten(said, &mut self.example);
        let object = Object {
            begin,
            kind: KIND_NAMES[usize::from(is_file)],
            end: begin + length,
            sha1: objects.sha1.at(at).try_into().map_err(|_| MISPLACED)?,
            occurrences: objects.occurrences.at(at),
            documents: objects.documents.at(at),
            sites: objects.sites.at(at),
            length,
            weight: objects.weight.at(at),
            notice: if is_file { is_notice_file(said) } else { is_notice(said) },
            page: doc < self.pages,
            whole,
            example: self.example.as_bytes(),
        };
        out.row(if objects.stop.at(at) == 0 { &Self::OBJECTS } else { &Self::STOPS }, doc, object);
        Ok(())
    }
}

impl Map for Examples {
    fn batch<'a>(&mut self, pages: Texts<'a>, objects: ObjectColumns<'a>, out: &mut Output) -> Done {
        let mut along = Along::new(objects.doc);
        for row in 0..pages.doc.len() {
            let found = along.rows(pages.doc.at(row));
            if found.is_empty() {
                continue;
            }
            let text = pages.text.at(row);
            let mut points = PointPlaces::new(&text);
            let file = found.clone().find(|&at| self.once && objects.kind.at(at) == u64::from(FILE));
            for at in found {
                if objects.kind.at(at) == u64::from(FILE) {
                    self.emit(&objects, at, false, &without_filler(&text), out)?;
                    continue;
                }
                // Objects come in the order of their places, and chunks do not overlap.
                let (begin, length) = (objects.begin.at(at) as usize, objects.length.at(at) as usize);
                let bytes = points.find(begin).zip(points.find(begin + length));
                let said = bytes.and_then(|(begin, end)| text.get(begin..end)).ok_or(MISPLACED)?;
                let whole = file.is_some_and(|file| {
                    let all = begin + length == objects.length.at(file) as usize;
                    let alone = bytes.is_some_and(|(begin, _)| text[..begin].trim().is_empty());
                    objects.stop.at(at) == 0 && all && alone && objects.documents.at(file) == objects.documents.at(at)
                });
                self.emit(&objects, at, whole, &without_filler(said), out)?;
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
        assert!(!is_notice(&format!("{} this LICENSE comes without WARRANTY", "x ".repeat(500))));
        assert!(is_notice(&format!("{} this LICENSE: no WARRANTY, no license", "x ".repeat(500))));
        assert!(is_notice_file("© us\n\nAll") && !is_notice_file("© us\n\n4 of") && !is_notice_file(""));
        assert!(!is_notice("a redistribution of data"));
        assert!(is_notice("a redistribution of data © us"));
        assert!(!is_notice(&format!("{} the driver's license", "x ".repeat(300))));
        assert!(!is_notice("a page about nothing"));
    }

    #[test]
    fn all_words_begin_with_a_known_pair() {
        for word in NOTICE {
            assert!(PAIRS.iter().any(|pair| word.as_bytes().starts_with(*pair)), "{word}");
            let weak = NOTICE[NOTICE.len() - WEAK..].contains(word);
            assert!(is_notice(word) != weak && is_notice(&word.to_uppercase()) != weak, "{word}");
        }
    }

    #[test]
    fn examples_are_short() {
        let shortened = |text: &str| {
            let mut short = "before".to_owned();
            shorten(text, &mut short);
            short
        };
        assert_eq!(shortened(" one \n two  "), "one two");
        assert_eq!(shortened("é\u{a0}二\u{1}x\t\u{85}7"), "é 二\u{1}x 7");
        assert_eq!(shortened(&"é".repeat(1000)).chars().count(), SHOWN);
        assert_eq!(shortened(&"x".repeat(1000)).chars().count(), SHOWN);
        assert!((SHOWN - 1..=SHOWN).contains(&shortened(&"ab ".repeat(1000)).chars().count())); // no space at the end
        assert_eq!(shortened(""), "");
        let by_words = |text: &str| {
            let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
            joined.chars().take(SHOWN).collect::<String>().trim_end().to_owned()
        };
        for length in 290..310 {
            let text = format!("{}  {} é{}", "a".repeat(length), "bß".repeat(20), " c".repeat(99));
            assert_eq!(shortened(&text), by_words(&text), "{length}");
        }
    }
}
