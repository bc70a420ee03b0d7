//! Chunks: the paragraphs of a text, which are the blocks between its blank lines.
//!
//! A line ends at LF, CR LF or CR; it is blank when it holds nothing but white space (Unicode's, so a lone no-break
//! space too). A paragraph has no white space around it. Linear in the text, whatever it holds.
//!
//! Each chunk is digested twice with SHA-1: its raw bytes, and its text with white space collapsed. Most of the time
//! goes into these digests. Chunks that say nothing are noted, so that who compares chunks need not read texts.

use memchr::memchr2;
use sha1::{Digest, Sha1};

use crate::text::points::{count_points, PointPlaces};
use crate::text::unicode::{self, Class, FILLER};

/// White space: Unicode's `White_Space`, and the four separators of ASCII, which Python counts too.
#[inline]
pub fn is_white(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

/// Where the chunks of a text are, and their digests.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Chunks {
    /// Begin and end of each, in code points of the text; half-open.
    pub begins: Vec<i32>,
    pub ends: Vec<i32>,
    /// SHA-1 of each as found, 20 bytes each: the paragraph itself, or the source of the page it was made from.
    pub raw: Vec<u8>,
    /// SHA-1 of each with every run of white space replaced by one space.
    pub text: Vec<u8>,
    /// The numbers of those that say nothing.
    pub trivial: Vec<i32>,
    collapsed: Vec<u8>,
}

impl Chunks {
    /// Adds the chunk `text`, which begins and ends at these code points and was made from `raw`; `even` says that it
    /// has no white space but single spaces.
    pub fn push(&mut self, begin: usize, end: usize, raw: &[u8], text: &str, even: bool) {
        self.add(begin, end, raw, text, even, is_trivial(text));
    }

    /// The same, where it is known whether the chunk says nothing.
    pub fn add(&mut self, begin: usize, end: usize, raw: &[u8], text: &str, even: bool, trivial: bool) {
        if trivial {
            self.trivial.push(self.begins.len() as i32);
        }
        self.begins.push(begin as i32);
        self.ends.push(end as i32);
        let digest = Sha1::digest(raw);
        self.raw.extend_from_slice(&digest);
        let collapsed = if even {
            text.as_bytes()
        } else {
            collapse(text, &mut self.collapsed);
            &self.collapsed
        };
        if collapsed == raw {
            self.text.extend_from_slice(&digest);
        } else {
            self.text.extend_from_slice(&Sha1::digest(collapsed));
        }
    }
}

/// The letters and digits that a chunk needs to say something.
pub const LEAST: usize = 2;

/// Whether a text has fewer than two letters or digits.
pub fn is_trivial(text: &str) -> bool {
    says(text) < LEAST
}

/// How many letters and digits a text has, counted up to [`LEAST`].
pub fn says(text: &str) -> usize {
    let counts = |c: &char| match c {
        c if c.is_ascii() => c.is_ascii_alphanumeric(),
        c => matches!(unicode::look_up(*c).class(), Class::Letter | Class::Single),
    };
    text.chars().filter(counts).take(LEAST).count()
}

/// Puts `text` into `collapsed`, each run of white space as one space.
fn collapse(text: &str, collapsed: &mut Vec<u8>) {
    collapsed.clear();
    for word in text.split(is_white).filter(|word| !word.is_empty()) {
        if !collapsed.is_empty() {
            collapsed.push(b' ');
        }
        collapsed.extend_from_slice(word.as_bytes());
    }
}

/// The digests of chunks (`digests`, 20 bytes each) as they are with the words that a reader sees, and the numbers of the
/// trivial ones: digests of chunks that are written as they are seen stay. None if chunks are not in the text, one behind
/// the other.
pub fn chunks_as_seen(
    text: &str,
    seen: &str,
    chunks: impl Iterator<Item = (usize, usize)>,
    digests: &[u8],
) -> Option<(Vec<u8>, Vec<i32>)> {
    let (mut written, mut read) = (PointPlaces::new(text), PointPlaces::new(seen));
    let (mut made, mut trivial, mut collapsed) = (digests.to_vec(), Vec::new(), Vec::new());
    for (number, (digest, (begin, end))) in made.as_chunks_mut::<20>().0.iter_mut().zip(chunks).enumerate() {
        let (begin, end) = ((written.find(begin)?, read.find(begin)?), (written.find(end)?, read.find(end)?));
        let chunk = &seen[begin.1..end.1];
        if is_trivial(chunk) {
            trivial.push(number as i32);
        }
        if text[begin.0..end.0] != *chunk {
            collapse(&chunk.replace(FILLER, ""), &mut collapsed);
            *digest = Sha1::digest(&collapsed).into();
        }
    }
    Some((made, trivial))
}

/// The paragraphs of `text`.
pub fn paragraphs(text: &str) -> Chunks {
    let mut chunks = Chunks::default();
    let (mut counted, mut points) = (0, 0);
    let mut push = |begin: usize, end: usize| {
        let paragraph = &text[begin..end];
        let begins = points + count_points(&text.as_bytes()[counted..begin]);
        points = begins + count_points(paragraph.as_bytes());
        counted = end;
        chunks.push(begins, points, paragraph.as_bytes(), paragraph, false);
    };
    let mut open: Option<(usize, usize)> = None;
    let mut at = 0;
    while at < text.len() {
        // CR LF ends a line and has an empty one between its two characters, which must not count as blank.
        let end = memchr2(b'\n', b'\r', &text.as_bytes()[at..]).map_or(text.len(), |length| at + length);
        let next = if text.as_bytes()[end..].starts_with(b"\r\n") { end + 2 } else { end + 1 };
        let line = &text[at..end];
        let solid = line.trim_start_matches(is_white);
        if solid.is_empty() {
            if let Some((begin, end)) = open.take() {
                push(begin, end);
            }
        } else {
            let begin = open.map_or(end - solid.len(), |(begin, _)| begin);
            open = Some((begin, at + line.trim_end_matches(is_white).len()));
        }
        at = next;
    }
    if let Some((begin, end)) = open {
        push(begin, end);
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases() {
        for (text, expected) in [
            ("", vec![]),
            (" \n\n\t", vec![]),
            ("one", vec![(0, 3)]),
            ("one\ntwo", vec![(0, 7)]),
            ("one\n\ntwo", vec![(0, 3), (5, 8)]),
            ("one\r\n\r\ntwo\r\nthree\r\n", vec![(0, 3), (7, 17)]),
            ("one\r\rtwo\rthree", vec![(0, 3), (5, 14)]),
            ("é\n\u{a0}\n\u{1f600} \u{3000}", vec![(0, 1), (4, 5)]),
            ("\u{1c}a\u{1f}\n\u{1d}\n\u{1e}b", vec![(1, 2), (7, 8)]),
            ("one \u{2029} still one", vec![(0, 15)]),
        ] {
            let found = paragraphs(text);
            let spans: Vec<_> = found.begins.into_iter().zip(found.ends).collect();
            assert_eq!(spans, expected, "{text:?}");
        }
    }

    #[test]
    fn what_says_nothing() {
        for trivial in ["", " \n", "*", "a", "«7»", "三", "--- 1 ---"] {
            assert!(is_trivial(trivial), "{trivial}");
        }
        for other in ["ab", "a b", "3.1", "二三", "É!é"] {
            assert!(!is_trivial(other), "{other}");
        }
        assert_eq!(paragraphs("*\n\nab\n\n三\n\n...").trivial, [0, 2, 3]);
    }

    #[test]
    fn digests() {
        let found = paragraphs("a  b\nc\n\na b c");
        assert_eq!(found.raw[..20], Sha1::digest(b"a  b\nc")[..]);
        assert_eq!(found.text[..20], found.text[20..]);
        assert_eq!(found.text[20..], found.raw[20..]);
        assert_eq!(found.raw[20..], Sha1::digest(b"a b c")[..]);
    }
}
