//! The chunks of a document as they are compared: each with its hash, without those that say nothing.
//!
//! A chunk is compared by its text with white space collapsed, by its source as it was found (`raw`), or by its words
//! alone, in which case case, punctuation and white space do not matter (`words`). A chunk with fewer than two letters
//! or digits is a stop chunk, whatever else is.

use sha1::{Digest, Sha1};

use crate::choice;
use crate::store::labels::Hash;
use crate::text::fingerprint::Fingerprinter;
use crate::text::points::PointPlaces;
use crate::text::unicode::{self, Class};
use crate::text::words::words;

choice! {
    /// What makes two chunks equal.
    pub enum Sameness { Text = "text", Raw = "raw", Words = "words" }
}

/// A chunk: its hash, where it is in code points, and what it says.
#[derive(Debug, PartialEq, Eq)]
pub struct Chunk<'a> {
    pub hash: Hash,
    pub begin: usize,
    pub end: usize,
    pub text: &'a str,
}

impl Chunk<'_> {
    /// In characters.
    pub fn length(&self) -> usize {
        self.end - self.begin
    }
}

/// How chunks are cut, and what else is remembered from one document to the next: nothing but buffers.
pub struct Cutter {
    by: Sameness,
    min_length: usize,
    print: Fingerprinter,
    folded: Vec<u8>,
}

impl Cutter {
    /// Chunks of no more than `min_length` characters are passed over.
    pub fn new(by: Sameness, min_length: usize) -> Self {
        Self { by, min_length, print: Fingerprinter::plain(), folded: Vec::new() }
    }

    /// Calls `each` with the chunks of a text that are longer than the least length and no trivial stop chunks, and
    /// returns how many were passed over. `spans` has where chunks begin and end; `texts` and `raws` have their hashes,
    /// one after the other. Chunks that are not in the text, or out of order, end it: the corpus is damaged.
    pub fn cut<'a>(
        &mut self,
        text: &'a str,
        spans: impl Iterator<Item = (usize, usize)>,
        texts: &[u8],
        raws: &[u8],
        mut each: impl FnMut(Chunk<'a>),
    ) -> Option<u64> {
        let mut places = PointPlaces::new(text);
        let hashes = if self.by == Sameness::Raw { raws } else { texts }.as_chunks::<20>().0;
        let mut passed = 0;
        for (number, (begin, end)) in spans.enumerate() {
            if end.checked_sub(begin)? <= self.min_length {
                passed += 1;
                continue;
            }
            let said = text.get(places.find(begin)?..places.find(end)?)?;
            if is_trivial(said) {
                passed += 1;
                continue;
            }
            let hash = match self.by {
                Sameness::Words => self.hash_words(said),
                Sameness::Text | Sameness::Raw => *hashes.get(number)?,
            };
            each(Chunk { hash, begin, end, text: said });
        }
        Some(passed)
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

/// Whether a text has fewer than two letters or digits.
pub fn is_trivial(text: &str) -> bool {
    let counts = |c: &char| match c {
        c if c.is_ascii() => c.is_ascii_alphanumeric(),
        c => matches!(unicode::look_up(*c).class(), Class::Letter | Class::Single),
    };
    text.chars().filter(counts).nth(1).is_none()
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

    fn cut(by: Sameness, min_length: usize, text: &str, packed: &[(u32, u32)]) -> Option<Vec<(String, usize)>> {
        let spans = packed.iter().map(|&(begin, end)| (begin as usize, end as usize));
        let hashes = [vec![1; 20 * packed.len()], vec![2; 20 * packed.len()]];
        let mut found = Vec::new();
        let mut cutter = Cutter::new(by, min_length);
        cutter.cut(text, spans, &hashes[0], &hashes[1], |chunk| {
            found.push((chunk.text.to_owned(), usize::from(chunk.hash[0])));
        })?;
        Some(found)
    }

    #[test]
    fn chunks_are_cut_at_code_points() {
        let text = "één ding\n\n*\n\n二 は 三\n\nlast";
        let packed = [(0, 8), (10, 11), (13, 18), (20, 24)];
        let expected = vec![("één ding".to_owned(), 1), ("二 は 三".to_owned(), 1), ("last".to_owned(), 1)];
        assert_eq!(cut(Sameness::Text, 0, text, &packed), Some(expected));
        assert_eq!(cut(Sameness::Raw, 5, text, &packed), Some(vec![("één ding".to_owned(), 2)]));
        assert_eq!(cut(Sameness::Text, 0, "ab cd", &[(0, 2), (3, 5)]).map(|found| found.len()), Some(2));
        for wrong in [[(0, 2), (3, 6)], [(2, 1), (3, 5)], [(3, 9), (0, 2)]] {
            assert_eq!(cut(Sameness::Text, 0, "é cd", &wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn words_do_not_mind_case_and_punctuation() {
        let mut cutter = Cutter::new(Sameness::Words, 0);
        let one = cutter.hash_words("Die STRASSE,\n  am See!");
        assert_eq!(one, cutter.hash_words("die Straße am: see"));
        assert_ne!(one, cutter.hash_words("die Straße amsee"));
        assert_eq!(one[..], Sha1::digest("die strasse am see")[..]);
    }

    #[test]
    fn what_says_nothing() {
        for trivial in ["", " \n", "*", "a", "«7»", "三", "--- 1 ---"] {
            assert!(is_trivial(trivial), "{trivial}");
        }
        for other in ["ab", "a b", "3.1", "二三", "É!é"] {
            assert!(!is_trivial(other), "{other}");
        }
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
