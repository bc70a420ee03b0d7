//! Words by the number of documents they are in: what I-Match (Kołcz and Chowdhury, KDD 2004) chooses its features from.
//!
//! [`Terms`] finds the words of a document that can be features; in how many documents each stands is counted by
//! [`words`](crate::analyses::neardups::words). [`Lexicon`] is what is made of the counts, ready for use: bytes in which words are found in place, without parsing, wherever they lie (memory, or a mapped file):
//!
//! ```text
//! "uqlexic" version     8 bytes
//! slots                 u64, little-endian like all that follows
//! words                 u64, how many slots are taken
//! { fingerprint rank } × slots      u64, u32; rank is 0 in the primary lexicon, n for the n-th word of the secondary
//!                                   one, u32::MAX in a free slot
//! ```
//!
//! Slots are in the order of fingerprints but for collisions (open addressing, half full): 24 bytes a word, mostly one
//! cache line a look-up. Words are known by fingerprint alone: of n words, n²/2^65 pairs are taken for each other.

use crate::flow::columns::Column;
use crate::store::checksums::Parts;
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
}

impl Default for Terms {
    fn default() -> Self {
        Self { print: Fingerprinter::plain(), seen: Distinct::default(), folded: Vec::new() }
    }
}

impl Terms {
    /// Calls `emit(fingerprint, word)` for each distinct word of `text` that has at least four characters (or is one of
    /// a script without spaces) and at most one digit; the word is as it stands in the text where it first occurs.
    pub fn distinct(&mut self, text: &str, mut emit: impl FnMut(u64, &str)) {
        let Self { print, seen, folded } = self;
        seen.clear();
        words(text, print, |begin, end, fingerprint| {
            let word = &text[begin..end];
            // Many words are short; they need not be remembered.
            if word.len() < LEAST_CHARACTERS && word.is_ascii() {
                return;
            }
            let before = seen.count();
            seen.insert(fingerprint);
            if seen.count() > before && is_term(word, folded) {
                emit(fingerprint, word);
            }
        });
    }
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

const MAGIC: &[u8; 8] = b"uqlexic\x01";
const HEADER: usize = 24;
const SLOT: usize = 12;
const FREE: u32 = u32::MAX;
/// Slots that are looked at together: mostly all there is to look at.
const AT_ONCE: usize = 4;

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
    bytes: B,
    slots: usize,
    words: u64,
}

impl<B: Parts> Lexicon<B> {
    pub fn new(bytes: B) -> Result<Self, BadLexicon> {
        let header = bytes.part(0..HEADER).ok_or(BadLexicon("a packed lexicon is cut short"))?;
        if header[..7] != MAGIC[..7] {
            return Err(BadLexicon("these bytes are no packed lexicon"));
        }
        if header[7] != MAGIC[7] {
            return Err(BadLexicon("a packed lexicon is of another version"));
        }
        let (slots, words) = (load(&header[8..]), load(&header[16..]));
        let there = (bytes.length() - HEADER) as u64;
        if slots == 0 || words > slots || slots.checked_mul(SLOT as u64) != Some(there) {
            return Err(BadLexicon("a packed lexicon has not the length it says"));
        }
        Ok(Self { slots: slots as usize, words, bytes })
    }

    /// How many words there are.
    pub fn words(&self) -> u64 {
        self.words
    }

    /// The rank of a word: 0 in the primary lexicon, n for the n-th of the secondary one, none elsewhere.
    #[inline]
    pub fn rank(&self, fingerprint: u64) -> Option<u32> {
        let mut at = home(fingerprint, self.slots);
        // Once round at most: crafted bytes may have no free slot.
        let mut left = self.slots;
        while left > 0 {
            let until = self.slots.min(at + AT_ONCE.min(left));
            for slot in self.bytes.part(HEADER + at * SLOT..HEADER + until * SLOT)?.chunks_exact(SLOT) {
                let rank = rank_in(slot);
                if rank == FREE {
                    return None;
                }
                if load(slot) == fingerprint {
                    return Some(rank);
                }
            }
            left -= until - at;
            at = if until == self.slots { 0 } else { until };
        }
        None
    }
}

/// Where the search for a word begins.
#[inline]
fn home(fingerprint: u64, slots: usize) -> usize {
    ((u128::from(fingerprint) * slots as u128) >> 64) as usize
}

#[inline]
fn load(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |eight| u64::from_le_bytes(*eight))
}

#[inline]
fn rank_in(slot: &[u8]) -> u32 {
    slot.last_chunk().map_or(FREE, |four| u32::from_le_bytes(*four))
}

/// The lexicon of these words, given as (fingerprint, rank); of words that share a fingerprint the first counts.
pub fn pack(words: &[(u64, u32)]) -> Result<Vec<u8>, BadLexicon> {
    if words.iter().any(|&(_, rank)| rank == FREE) {
        return Err(BadLexicon("a lexicon has too many words"));
    }
    let slots = 2 * words.len() + 1;
    let mut bytes = vec![0xff; HEADER + slots * SLOT];
    let (header, table) = bytes.split_at_mut(HEADER);
    let mut taken = 0_u64;
    for &(fingerprint, rank) in words {
        let mut at = home(fingerprint, slots);
        loop {
            let slot = &mut table[at * SLOT..][..SLOT];
            if rank_in(slot) == FREE {
                slot[..8].copy_from_slice(&fingerprint.to_le_bytes());
                slot[8..].copy_from_slice(&rank.to_le_bytes());
                taken += 1;
                break;
            }
            if load(slot) == fingerprint {
                break;
            }
            at = if at + 1 == slots { 0 } else { at + 1 };
        }
    }
    header[..8].copy_from_slice(MAGIC);
    header[8..16].copy_from_slice(&(slots as u64).to_le_bytes());
    header[16..].copy_from_slice(&taken.to_le_bytes());
    Ok(bytes)
}

/// The lexicon of a column of folded words: the first `primary` of them are the primary lexicon, the others the
/// secondary one, in its order.
pub fn pack_column(words: &Column<'_>, primary: usize) -> Result<Vec<u8>, BadLexicon> {
    let print = Fingerprinter::plain();
    let rank = |row: usize| u32::try_from((row + 1).saturating_sub(primary)).unwrap_or(FREE);
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
        // The last of these collide in the last slots, and go on in the first.
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
        assert!(pack(&[(5, FREE)]).is_err());
    }

    #[test]
    fn damaged_lexicons_are_refused() {
        let bytes = pack(&[(1, 0), (2, 1)]).unwrap();
        for cut in 0..bytes.len() {
            assert!(Lexicon::new(&bytes[..cut]).is_err());
        }
        assert!(Lexicon::new([&bytes[..], &[0]].concat()).is_err());
        for (at, to) in [(0, b'x'), (7, 2), (8, 0), (15, 0x80), (16, 99)] {
            let mut changed = bytes.clone();
            changed[at] = to;
            assert!(Lexicon::new(&changed).is_err(), "{at}");
        }
        // Without a free slot the search ends all the same.
        let mut full = bytes.clone();
        full[HEADER..].fill(3);
        assert_eq!(Lexicon::new(&full).unwrap().rank(77), None);
    }
}
