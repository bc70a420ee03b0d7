//! Words by the number of documents they are in: what I-Match (Kołcz and Chowdhury, KDD 2004) chooses its features from.
//!
//! [`Terms`] finds the words of a document that can be features; in how many documents each stands is counted by
//! [`words`](crate::analyses::neardups::words). [`Lexicon`] is what is made of the counts, ready for use: bytes in which words are found in place, without parsing, wherever they lie (memory, or a mapped file):
//!
//! ```text
//! "uqlexic" version     8 bytes
//! words                 a sorted map (see sorted_map.rs) of fingerprints, 8 bytes, to ranks, 4 bytes, both big-endian;
//!                       rank is 0 in the primary lexicon, n for the n-th word of the secondary one
//! ```
//!
//! That is 14 to 16 bytes a word. Words are known by fingerprint alone: of n words, n²/2^65 pairs are taken for each
//! other.

use std::ops::Range;

use crate::flow::columns::Column;
use crate::store::checksums::Parts;
use crate::store::sorted_map::{self, SortedMap};
use crate::text::fingerprint::Fingerprinter;
use crate::text::grams::Distinct;
use crate::text::unicode::{self, Class};
use crate::text::words::words;

/// Shorter words are no features, in scripts with spaces.
const LEAST_CHARACTERS: usize = 4;
/// Words with more digits are no features.
const MOST_DIGITS: usize = 1;

/// Finds the distinct words of a document that can be features; keeps its buffers.
pub struct Terms {
    print: Fingerprinter,
    seen: Distinct,
    folded: Vec<u8>,
    all: bool,
}

impl Default for Terms {
    fn default() -> Self {
        Self::new(false)
    }
}

impl Terms {
    /// With `all`, every word is one.
    pub fn new(all: bool) -> Self {
        Self { print: Fingerprinter::plain(), seen: Distinct::default(), folded: Vec::new(), all }
    }

    /// Calls `emit(fingerprint, word)` for each distinct word of `text` that has at least four characters (or is one of
    /// a script without spaces) and at most one digit; the word is as it stands in the text where it first occurs.
    pub fn distinct(&mut self, text: &str, mut emit: impl FnMut(u64, &str)) {
        let Self { print, seen, folded, all } = self;
        seen.clear();
        words(text, print, |begin, end, fingerprint| {
            let word = &text[begin..end];
            // Many words are short; they need not be remembered.
            if !*all && word.len() < LEAST_CHARACTERS && word.is_ascii() {
                return;
            }
            let before = seen.count();
            seen.insert(fingerprint);
            if seen.count() > before && (*all || is_term(word, folded)) {
                emit(fingerprint, word);
            }
        });
    }
}

/// The distinct terms of a column of texts, as fingerprints, and how many each text has, as little-endian bytes.
pub fn distinct_terms(texts: &Column<'_>) -> (Vec<u8>, Vec<u8>) {
    let mut terms = Terms::default();
    let (mut found, mut counts) = (Vec::new(), Vec::new());
    for row in 0..texts.len() {
        let before = found.len();
        terms.distinct(&texts.text(row), |fingerprint, _| found.extend_from_slice(&fingerprint.to_le_bytes()));
        counts.extend_from_slice(&(((found.len() - before) / 8) as u64).to_le_bytes());
    }
    (found, counts)
}

/// Decided on the folded word, of which there is one, whatever the spelling.
fn is_term(word: &str, folded: &mut Vec<u8>) -> bool {
    if word.is_ascii() {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        return word.len() >= LEAST_CHARACTERS && digits <= MOST_DIGITS;
    }
    folded.clear();
    unicode::append_folded(folded, word);
    let (mut characters, mut digits, mut alone) = (0, 0, false);
    for c in String::from_utf8_lossy(folded).chars() {
        alone |= characters == 0 && unicode::look_up(c).class() == Class::Single;
        characters += 1;
        digits += usize::from(unicode::is_digit(c));
    }
    (alone || characters >= LEAST_CHARACTERS) && digits <= MOST_DIGITS
}

const MAGIC: &[u8; 8] = b"uqlexic\x02";
/// More words cannot be numbered.
const MOST: u32 = u32::MAX;

/// Bytes that are no lexicon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadLexicon(&'static str);

impl std::fmt::Display for BadLexicon {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for BadLexicon {}

/// The words of a lexicon, in bytes that [`pack`] made. Costs nothing to make. Words that lie in a damaged part of the
/// bytes are not found; whoever holds them knows of the damage.
pub struct Lexicon<B> {
    ranks: SortedMap<Behind<B>, 8, 4>,
}

impl<B: Parts> Lexicon<B> {
    pub fn new(bytes: B) -> Result<Self, BadLexicon> {
        let magic = bytes.part(0..MAGIC.len()).ok_or(BadLexicon("a packed lexicon is cut short"))?;
        if magic[..7] != MAGIC[..7] {
            return Err(BadLexicon("these bytes are no packed lexicon"));
        }
        if magic[7] != MAGIC[7] {
            return Err(BadLexicon("a packed lexicon is of another version"));
        }
        let ranks = SortedMap::new(Behind(bytes)).ok_or(BadLexicon("a packed lexicon has not the length it says"))?;
        Ok(Self { ranks })
    }

    /// How many words there are.
    pub fn words(&self) -> usize {
        self.ranks.count()
    }

    /// The rank of a word: 0 in the primary lexicon, n for the n-th of the secondary one, none elsewhere.
    #[inline(never)] // the loop over words that asks is no slower so, and smaller
    pub fn rank(&self, fingerprint: u64) -> Option<u32> {
        self.ranks.first(&fingerprint.to_be_bytes()).map(|rank| u32::from_be_bytes(*rank))
    }
}

/// What lies behind the magic bytes.
struct Behind<B>(B);

impl<B: Parts> Parts for Behind<B> {
    fn length(&self) -> usize {
        self.0.length().saturating_sub(MAGIC.len())
    }

    #[inline]
    fn part(&self, range: Range<usize>) -> Option<&[u8]> {
        self.0.part(range.start + MAGIC.len()..range.end + MAGIC.len())
    }
}

/// The lexicon of these words, given as (fingerprint, rank); of words that share a fingerprint the lowest rank counts.
pub fn pack(words: &[(u64, u32)]) -> Result<Vec<u8>, BadLexicon> {
    if words.iter().any(|&(_, rank)| rank == MOST) {
        return Err(BadLexicon("a lexicon has too many words"));
    }
    let mut words: Vec<_> = words.iter().map(|(word, rank)| (word.to_be_bytes(), rank.to_be_bytes())).collect();
    words.sort_unstable();
    words.dedup_by_key(|(word, _)| *word);
    let mut bytes = MAGIC.to_vec();
    sorted_map::append(&mut bytes, words.into_iter());
    Ok(bytes)
}

/// The lexicon of a column of folded words: the first `primary` of them are the primary lexicon, the others the
/// secondary one, in its order.
pub fn pack_column(words: &Column<'_>, primary: usize) -> Result<Vec<u8>, BadLexicon> {
    let print = Fingerprinter::plain();
    let rank = |row: usize| u32::try_from((row + 1).saturating_sub(primary)).unwrap_or(MOST);
    let ranked: Vec<(u64, u32)> =
        (0..words.len()).map(|row| (print.word(words.bytes(row).unwrap_or_default()), rank(row))).collect();
    pack(&ranked)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        Terms::default().distinct(text, |_, word| found.push(word.to_owned()));
        found
    }

    #[test]
    fn which_words_are_terms() {
        assert_eq!(terms("the News news NEWS of x11 m4ss m44s 4444 Café cafés"), ["News", "m4ss", "Café", "cafés"]);
        assert_eq!(terms("漢字漢 ก ๑๒ été étés"), ["漢", "字", "ก", "๑", "๒", "étés"]);
        // Digits of any script; those of scripts with spaces make words, and these too short or with too many digits.
        assert_eq!(terms("कखग१ कख१२ abcd١ abc١٢"), ["कखग१", "abcd١"]);
        // Length and digits are those of the folded word.
        assert_eq!(terms("ﬃx ﬀx e\u{301}te\u{301}"), ["ﬃx"]);
        assert_eq!(terms(""), Vec::<String>::new());
    }

    #[test]
    fn lexicons_find_their_words() {
        // The last of these share their leading bits.
        let mut words: Vec<(u64, u32)> =
            (0..1000_u32).map(|i| (u64::from(i).wrapping_mul(0x9e37_79b9_7f4a_7c15), i)).collect();
        words.extend((0..50).map(|i| (u64::MAX - i, 7)));
        let bytes = pack(&words).unwrap();
        let lexicon = Lexicon::new(&bytes).unwrap();
        assert_eq!(lexicon.words(), 1050);
        for &(fingerprint, rank) in &words {
            assert_eq!(lexicon.rank(fingerprint), Some(rank));
            assert_eq!(lexicon.rank(fingerprint ^ 0x1234_5678_9abc), None);
        }
        let none = pack(&[]).unwrap();
        assert_eq!(Lexicon::new(&none).unwrap().rank(0), None);
        let twice = pack(&[(5, 0), (5, 3)]).unwrap();
        assert_eq!(Lexicon::new(&twice).unwrap().rank(5), Some(0));
        assert!(pack(&[(5, MOST)]).is_err());
    }

    #[test]
    fn damaged_lexicons_are_refused() {
        let bytes = pack(&[(1, 0), (2, 1)]).unwrap();
        for cut in 0..bytes.len() {
            assert!(Lexicon::new(&bytes[..cut]).is_err());
        }
        assert!(Lexicon::new([&bytes[..], &[0]].concat()).is_err());
        for (at, to) in [(0, b'x'), (7, 1), (8, 0), (15, 0x80), (8, 99)] {
            let mut changed = bytes.clone();
            changed[at] = to;
            assert!(Lexicon::new(&changed).is_err(), "{at}");
        }
    }
}
