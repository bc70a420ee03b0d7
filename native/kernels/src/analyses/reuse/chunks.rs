//! The chunks of a document as they are compared: each with its hash, without those that say nothing.
//!
//! A chunk is compared by its text with white space collapsed, by its source as it was found (`raw`), or by its words
//! alone, in which case case, punctuation and white space do not matter (`words`). A chunk with fewer than two letters
//! or digits is a stop chunk, whatever else is. The corpus has the hashes, and knows which chunks are such stop chunks;
//! so texts are read for their words alone.

use sha1::{Digest, Sha1};

use crate::choice;
use crate::flow::columns::Binary;
use crate::flow::contract::When;
use crate::store::labels::Hash;
use crate::text::fingerprint::Fingerprinter;
use crate::text::points::PointPlaces;
use crate::text::unicode;
use crate::text::words::words;

choice! {
    /// What makes two chunks equal.
    pub enum Sameness { Text = "text", Raw = "raw", Words = "words" }
}

const fn when(value: &'static str) -> When {
    When { parameter: "by", value, equal: true }
}

/// The columns that hold what is compared, and when they are read: no text, unless its words are compared.
pub const COMPARED: &[(&str, When)] =
    &[("chunk_sha1", when("text")), ("raw_chunk_sha1", when("raw")), ("text", when("words"))];

/// What the chunks of a document are compared by: their hashes, or the text whose words are to be hashed.
#[derive(Clone, Copy)]
pub enum ComparedBy<'a> {
    Hashes(&'a [u8]),
    Words(&'a str),
}

impl<'a> ComparedBy<'a> {
    /// By the hashes at `row` of the column that was read, or else by the words of a text.
    pub fn by(texts: Option<Binary<'a>>, raws: Option<Binary<'a>>, row: usize, text: &'a str) -> Self {
        texts.or(raws).map_or(Self::Words(text), |hashes| Self::Hashes(hashes.at(row)))
    }
}

/// A chunk: its hash, and where it is in code points.
#[derive(Debug, PartialEq, Eq)]
pub struct Chunk {
    pub hash: Hash,
    pub begin: usize,
    pub end: usize,
}

impl Chunk {
    /// In characters.
    pub fn length(&self) -> usize {
        self.end - self.begin
    }
}

/// What was found besides the chunks of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageRest {
    /// How many chunks were passed over.
    pub passed: u64,
    /// Where the last chunk ends, whether or not it was passed over: the length of the text, without white space
    /// behind it.
    pub length: usize,
    /// Whether all chunks say nothing.
    pub trivial: bool,
}

/// How chunks are cut, and what else is remembered from one document to the next: nothing but buffers.
pub struct Cutter {
    min_length: usize,
    print: Fingerprinter,
    folded: Vec<u8>,
}

impl Cutter {
    /// Chunks of no more than `min_length` characters are passed over.
    pub fn new(min_length: usize) -> Self {
        Self { min_length, print: Fingerprinter::plain(), folded: Vec::new() }
    }

    /// Calls `each` with the chunks of a document that are longer than the least length and say something, and returns
    /// what else there is. `spans` has where chunks begin and end, `trivial` the numbers of those that say nothing, as
    /// 32-bit integers. Chunks that are not in the text, or out of order, end it: the corpus is damaged.
    pub fn cut(
        &mut self,
        spans: impl Iterator<Item = (usize, usize)>,
        trivial: &[u8],
        compared: ComparedBy<'_>,
        mut each: impl FnMut(Chunk),
    ) -> Option<PageRest> {
        let mut places = match compared {
            ComparedBy::Hashes(_) => None,
            ComparedBy::Words(text) => Some((text, PointPlaces::new(text))),
        };
        let mut trivial = trivial.as_chunks::<4>().0.iter().map(|four| u32::from_le_bytes(*four) as usize).peekable();
        let mut rest = PageRest { trivial: true, ..PageRest::default() };
        for (number, (begin, end)) in spans.enumerate() {
            let length = end.checked_sub(begin)?;
            rest.length = end;
            let says_nothing = trivial.next_if_eq(&number).is_some();
            rest.trivial &= says_nothing;
            if says_nothing || length <= self.min_length {
                rest.passed += 1;
                continue;
            }
            let hash = match (compared, &mut places) {
                (ComparedBy::Hashes(hashes), _) => *hashes.as_chunks::<20>().0.get(number)?,
                (ComparedBy::Words(_), Some((text, places))) => {
                    self.hash_words(text.get(places.find(begin)?..places.find(end)?)?)
                }
                (ComparedBy::Words(_), None) => return None,
            };
            each(Chunk { hash, begin, end });
        }
        trivial.next().is_none().then_some(rest)
    }

    /// SHA-1 of the words of a text, case folded, with a space between them.
    pub fn hash_words(&mut self, text: &str) -> Hash {
        let Self { print, folded, .. } = self;
        folded.clear();
        words(text, print, |begin, end, _| {
            if !folded.is_empty() {
                folded.push(b' ');
            }
            unicode::append_folded(folded, &text[begin..end]);
        });
        Sha1::digest(folded).into()
    }
}

/// ⌊256 · log₂ n⌋, for n of at least 1: logarithms that are the same on every machine.
pub fn log2_256(n: u64) -> u64 {
    let n = n.max(1);
    let whole = n.ilog2();
    let mut result = u64::from(whole);
    let mut mantissa = u128::from(n) << (63 - whole);
    for _ in 0..8 {
        mantissa = (mantissa * mantissa) >> 63;
        result <<= 1;
        if mantissa >= 1 << 64 {
            mantissa >>= 1;
            result |= 1;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(
        min_length: usize,
        compared: ComparedBy<'_>,
        trivial: &[u8],
        packed: &[(u32, u32)],
    ) -> Option<(String, PageRest)> {
        let spans = packed.iter().map(|&(begin, end)| (begin as usize, end as usize));
        let mut found = String::new();
        let rest = Cutter::new(min_length).cut(spans, trivial, compared, |chunk| {
            found += &format!("{}-{}:{} ", chunk.begin, chunk.end, chunk.hash[0]);
        })?;
        Some((found, rest))
    }

    #[test]
    fn chunks_that_say_nothing_or_are_short_are_passed_over() {
        let packed = [(0, 8), (10, 11), (13, 18), (20, 24)];
        let hashes: Vec<u8> = (0..80).map(|byte| byte / 20).collect();
        let compared = ComparedBy::Hashes(&hashes);
        let trivial = [1, 0, 0, 0];
        let rest = |passed| PageRest { passed, length: 24, trivial: false };
        assert_eq!(cut(0, compared, &trivial, &packed), Some(("0-8:0 13-18:2 20-24:3 ".to_owned(), rest(1))));
        assert_eq!(cut(5, compared, &trivial, &packed), Some(("0-8:0 ".to_owned(), rest(3))));
        assert_eq!(cut(0, compared, &[], &[]), Some((String::new(), PageRest { passed: 0, length: 0, trivial: true })));
        let all = cut(0, compared, &[0, 0, 0, 0, 1, 0, 0, 0], &[(0, 1), (3, 4)]);
        assert_eq!(all, Some((String::new(), PageRest { passed: 2, length: 4, trivial: true })));
        for wrong in [[9, 0, 0, 0, 0, 0, 0, 0], [2, 0, 0, 0, 1, 0, 0, 0]] {
            assert_eq!(cut(0, compared, &wrong, &packed), None);
        }
        assert_eq!(cut(0, ComparedBy::Hashes(&hashes[..60]), &[], &packed), None);
        assert_eq!(cut(0, compared, &[], &[(2, 1)]), None);
    }

    #[test]
    fn words_are_cut_at_code_points() {
        let text = "één ding\n\n*\n\n二 は 三";
        let hash = |words: &str| Sha1::digest(words)[0];
        let expected = format!("0-8:{} 13-18:{} ", hash("één ding"), hash("二 は 三"));
        let found = cut(0, ComparedBy::Words(text), &[1, 0, 0, 0], &[(0, 8), (10, 11), (13, 18)]);
        assert_eq!(found.map(|found| found.0), Some(expected));
        for wrong in [[(0, 2), (3, 6)], [(2, 1), (3, 5)], [(3, 9), (0, 2)]] {
            assert_eq!(cut(0, ComparedBy::Words("é cd"), &[], &wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn words_do_not_mind_case_and_punctuation() {
        let mut cutter = Cutter::new(0);
        let one = cutter.hash_words("Die STRASSE,\n  am See!");
        assert_eq!(one, cutter.hash_words("die Straße am: see"));
        assert_ne!(one, cutter.hash_words("die Straße amsee"));
        assert_eq!(one[..], Sha1::digest("die strasse am see")[..]);
    }

    #[test]
    fn logarithms() {
        for n in 1..5000_u64 {
            let exact = (n as f64).log2() * 256.0;
            let found = log2_256(n) as f64;
            assert!(found <= exact + 1e-6 && exact < found + 1.0 + 1e-6, "{n}: {found} {exact}");
        }
        assert_eq!([1, 2, 4, 1 << 40, u64::MAX].map(log2_256), [0, 256, 512, 10240, 16383]);
    }
}
