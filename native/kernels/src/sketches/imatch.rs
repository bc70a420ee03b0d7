//! I-Match signatures (Kołcz and Chowdhury, KDD 2004): near-duplicates have the same words of a lexicon.
//!
//! A document's signature is the SHA-1 of the sorted set of its words that are in the lexicon, each in folded UTF-8 and
//! followed by a line feed. Where these are too few, the commonest of its words in the secondary lexicon join them, as
//! many as are needed. One changed word changes that signature; so there are K more of them, for lexicons from which
//! some words were dropped at random: word w is in lexicon i iff hash(seed, i, w) ≥ p·2^64; on request words of the
//! secondary lexicon are dropped in the same way. Two documents are near-duplicates when a coordinate agrees.
//!
//! A document's distinct words are looked up once and sorted once; each coordinate is then one pass over those that were
//! found. Memory: a few bytes for each distinct word of one document.

use std::ops::Range;

use sha1::{Digest, Sha1};

use crate::sketches::lexicon::{BadLexicon, Lexicon, Terms};
use crate::store::checksums::Parts;
use crate::text::unicode;

/// Documents with fewer distinct words have no signature, whatever is asked for.
const LEAST_TERMS: usize = 5;

pub type Signature = [u8; 20];

/// What shapes signatures, beside the lexicon.
#[derive(Clone, Copy, Debug)]
pub struct Coordinates {
    /// K: how many randomised lexicons there are; coordinate 0 is that of the whole lexicon.
    pub lexicons: u8,
    /// p: the share of words that each of them lacks, at least 0 and below 1.
    pub drop: f64,
    pub seed: u64,
    /// Whether they lack words of the secondary lexicon, too.
    pub both: bool,
    /// A signature is of at least so many words, and of at least this share of the document's distinct words.
    pub min_terms: usize,
    pub min_share: f64,
}

impl Coordinates {
    /// Says what is wrong with them, if anything.
    pub fn check(&self) -> Result<(), &'static str> {
        if (0.0..1.0).contains(&self.drop) && (0.0..=1.0).contains(&self.min_share) {
            Ok(())
        } else {
            Err("drop must be at least 0 and below 1, min_share between 0 and 1")
        }
    }

    /// How many words a signature needs, in a document of `terms` distinct ones: never none, so that documents which
    /// have nothing in common do not meet.
    pub fn need(&self, terms: usize) -> usize {
        ceil_share(self.min_share, terms).max(self.min_terms).max(1)
    }
}

/// ⌈share·count⌉, where the share is meant as the decimal number that is written: 0.1 of 30 are 3, though the nearest
/// floating-point number to 0.1 makes it more. A product this close to a whole number is that number: rounding share and
/// product moves it by less, and shares of up to ten decimals stay further away for counts up to 100,000.
pub fn ceil_share(share: f64, count: usize) -> usize {
    let product = share * count as f64;
    let whole = product.round();
    let near = (product - whole).abs() <= 2.0 * f64::EPSILON * product;
    (if near { whole } else { product.ceil() }) as usize
}

/// Makes signatures, document after document; keeps its buffers.
pub struct Signatures<B> {
    lexicon: Lexicon<B>,
    shape: Coordinates,
    /// One for each randomised lexicon.
    salts: Vec<u64>,
    /// Words whose hash is below are dropped.
    least: u64,
    terms: Terms,
    /// Folded words, one after the other, each with its line feed.
    spellings: Vec<u8>,
    primary: Vec<Found>,
    /// By rank.
    secondary: Vec<(u32, u64, Range<usize>)>,
    chosen: Vec<Range<usize>>,
    content: Vec<u8>,
    filled: bool,
}

/// A word of the document that the lexicon has.
struct Found {
    fingerprint: u64,
    /// Its first eight bytes, zeros behind a shorter one: they decide most comparisons.
    beginning: u64,
    place: Range<usize>,
}

impl<B: Parts> Signatures<B> {
    pub fn new(lexicon: B, shape: Coordinates) -> Result<Self, BadLexicon> {
        Ok(Self {
            lexicon: Lexicon::new(lexicon)?,
            shape,
            salts: (1..=u64::from(shape.lexicons)).map(|i| mix(mix(shape.seed).wrapping_add(i))).collect(),
            least: (shape.drop * 2_f64.powi(64)) as u64,
            terms: Terms::default(),
            spellings: Vec::new(),
            primary: Vec::new(),
            secondary: Vec::new(),
            chosen: Vec::new(),
            content: Vec::new(),
            filled: false,
        })
    }

    /// Calls `emit(coordinate, signature)` for each coordinate of the document that has a signature, in order.
    pub fn of(&mut self, text: &str, mut emit: impl FnMut(u8, Signature)) {
        let count = self.look_up(text);
        self.filled = false;
        if count < LEAST_TERMS {
            return;
        }
        let need = self.shape.need(count);
        for coordinate in 0..=self.shape.lexicons {
            if self.choose(coordinate, need) {
                emit(coordinate, self.digest());
            }
        }
    }

    /// Whether the last document had too few words of the whole lexicon, and enough others to fill its signature up.
    pub fn is_filled(&self) -> bool {
        self.filled
    }

    /// Finds the document's words in the lexicon: sorted by spelling those of the primary one, by rank the others.
    /// Returns how many distinct words there are, found or not.
    fn look_up(&mut self, text: &str) -> usize {
        let Self { lexicon, terms, spellings, primary, secondary, .. } = self;
        spellings.clear();
        primary.clear();
        secondary.clear();
        let mut count = 0;
        terms.distinct(text, |fingerprint, word| {
            count += 1;
            let Some(rank) = lexicon.rank(fingerprint) else { return };
            let begin = spellings.len();
            unicode::append_folded(spellings, word);
            spellings.push(b'\n');
            let place = begin..spellings.len();
            match rank {
                0 => primary.push(Found { fingerprint, beginning: beginning(&spellings[place.clone()]), place }),
                _ => secondary.push((rank, fingerprint, place)),
            }
        });
        // A line feed is below whatever a word is made of: words sort the same with it.
        primary.sort_unstable_by(|a, b| {
            let spelling = |found: &Found| &spellings[found.place.clone()];
            a.beginning.cmp(&b.beginning).then_with(|| spelling(a).cmp(spelling(b)))
        });
        secondary.sort_unstable_by_key(|&(rank, ..)| rank);
        count
    }

    /// Puts the words of one coordinate into `chosen`, sorted; tells whether there are enough.
    fn choose(&mut self, coordinate: u8, need: usize) -> bool {
        let Self { shape, salts, least, spellings, primary, secondary, chosen, filled, .. } = self;
        let salt = coordinate.checked_sub(1).and_then(|i| salts.get(usize::from(i)));
        let is_kept = |fingerprint: u64| salt.is_none_or(|salt| mix(fingerprint ^ salt) >= *least);
        chosen.clear();
        let kept = primary.iter().filter(|found| is_kept(found.fingerprint));
        chosen.extend(kept.map(|found| found.place.clone()));
        let missing = need.saturating_sub(chosen.len());
        if missing == 0 {
            return true;
        }
        let usable = secondary.iter().filter(|&&(_, fingerprint, _)| !shape.both || is_kept(fingerprint));
        chosen.extend(usable.take(missing).map(|(.., place)| place.clone()));
        if chosen.len() < need {
            return false;
        }
        *filled |= coordinate == 0;
        chosen.sort_unstable_by(|a, b| spellings[a.clone()].cmp(&spellings[b.clone()]));
        true
    }

    fn digest(&mut self) -> Signature {
        self.content.clear();
        for place in &self.chosen {
            self.content.extend_from_slice(&self.spellings[place.clone()]);
        }
        Sha1::digest(&self.content).into()
    }
}

#[inline]
fn beginning(word: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let length = word.len().min(8);
    bytes[..length].copy_from_slice(&word[..length]);
    u64::from_be_bytes(bytes)
}

/// Spreads every bit over all: the last step of MurmurHash3.
#[inline]
fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    x = (x ^ x >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ x >> 33
}

/// Where a signature is looked for: 64 bits of it, others for each coordinate, so that equal sets under different
/// lexicons do not meet.
pub fn key(coordinate: u8, signature: &Signature) -> u64 {
    let leading = signature.first_chunk().map_or(0, |eight| u64::from_be_bytes(*eight));
    leading ^ mix(u64::from(coordinate))
}

/// The rest of what must agree: the coordinate and the bytes that the key has not.
pub fn remainder(coordinate: u8, signature: &Signature) -> [u8; 13] {
    let mut rest = [coordinate; 13];
    rest[1..].copy_from_slice(&signature[8..]);
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketches::lexicon::pack;
    use crate::text::fingerprint::Fingerprinter;

    const SHAPE: Coordinates =
        Coordinates { lexicons: 4, drop: 0.33, seed: 1, both: false, min_terms: 5, min_share: 0.1 };

    fn lexicon(primary: &[&str], secondary: &[&str]) -> Vec<u8> {
        let print = Fingerprinter::plain();
        let first = primary.iter().map(|word| (print.word(word.as_bytes()), 0));
        let ranked = secondary.iter().zip(1..).map(|(word, rank)| (print.word(word.as_bytes()), rank));
        pack(&first.chain(ranked).collect::<Vec<_>>()).unwrap()
    }

    fn signatures(text: &str, lexicon: &[u8], shape: Coordinates) -> Vec<(u8, Signature)> {
        let mut found = Vec::new();
        Signatures::new(lexicon, shape).unwrap().of(text, |coordinate, signature| found.push((coordinate, signature)));
        found
    }

    fn digest(words: &str) -> Signature {
        Sha1::digest(words).into()
    }

    #[test]
    fn sets_are_sorted_and_filled_up() {
        let alone = Coordinates { lexicons: 0, ..SHAPE };
        let words = lexicon(&["delta", "bravo", "alpha"], &["yankee", "xray", "zulu"]);
        let text = "Zulu xray DELTA other alpha bravo yankee";
        assert_eq!(signatures(text, &words, alone), [(0, digest("alpha\nbravo\ndelta\nxray\nyankee\n"))]);
        let four = Coordinates { min_terms: 4, ..alone };
        assert_eq!(signatures(text, &words, four), [(0, digest("alpha\nbravo\ndelta\nyankee\n"))]);
        let three = Coordinates { min_terms: 3, ..alone };
        assert_eq!(signatures(text, &words, three), [(0, digest("alpha\nbravo\ndelta\n"))]);
        assert_eq!(signatures(text, &words, Coordinates { min_terms: 7, ..alone }), []);
        assert_eq!(signatures(text, &words, Coordinates { min_terms: 3, min_share: 0.7, ..alone }).len(), 1);
        assert_eq!(signatures("alpha bravo delta zulu", &words, three), [], "four words are too few");
    }

    #[test]
    fn fills_may_be_randomised_too() {
        let names: Vec<String> = (0..40).map(|i| format!("word{}", letters(i))).collect();
        let words: Vec<&str> = names.iter().map(String::as_str).collect();
        let bytes = lexicon(&words[..2], &words[2..]);
        let shape = Coordinates { lexicons: 50, min_terms: 10, ..SHAPE };
        let distinct = |both| {
            let mut found = signatures(&names.join(" "), &bytes, Coordinates { both, ..shape });
            assert_eq!(found.len(), 51);
            found.sort_unstable_by_key(|&(_, signature)| signature);
            found.dedup_by_key(|(_, signature)| *signature);
            found.len()
        };
        assert!(distinct(false) <= 4, "which of two words are kept is all that differs");
        assert!(distinct(true) > 45);
    }

    #[test]
    fn it_is_told_which_documents_were_filled_up() {
        let bytes = lexicon(&["alpha", "bravo", "charlie", "delta", "echo"], &["zulu"]);
        let mut machine = Signatures::new(&bytes[..], SHAPE).unwrap();
        for (text, filled) in [
            ("alpha bravo charlie delta echo zulu", false),
            ("alpha bravo charlie delta zulu", true),
            ("alpha bravo charlie zulu others", false), // there is no signature at all
        ] {
            machine.of(text, |_, _| {});
            assert_eq!(machine.is_filled(), filled, "{text}");
        }
    }

    #[test]
    fn nothing_in_common_is_no_signature() {
        let shape = Coordinates { min_terms: 0, min_share: 0.0, ..SHAPE };
        assert_eq!(signatures("five words that none knows", &lexicon(&["other"], &[]), shape), []);
    }

    #[test]
    fn lexicons_differ_in_what_they_lack() {
        let names: Vec<String> =
            (0..2000).map(|i| format!("word{}", "abcdefghij".repeat(2 + i % 3)) + &letters(i)).collect();
        let words: Vec<&str> = names.iter().map(String::as_str).collect();
        let bytes = lexicon(&words, &[]);
        let mut machine = Signatures::new(&bytes, Coordinates { lexicons: 200, ..SHAPE }).unwrap();
        machine.look_up(&names.join(" "));
        for coordinate in 1..=200 {
            assert!(machine.choose(coordinate, 1));
            let kept = machine.chosen.len() as f64 / 2000.0;
            assert!((kept - 0.67).abs() < 0.05, "{kept}");
        }
        let found = signatures(&names.join(" "), &bytes, Coordinates { lexicons: 200, ..SHAPE });
        let mut distinct: Vec<_> = found.iter().map(|(_, signature)| signature).collect();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), 201);
    }

    fn letters(i: usize) -> String {
        [i / 100, i / 10 % 10, i % 10].iter().map(|&digit| char::from(b'a' + digit as u8)).collect()
    }

    #[test]
    fn shares_are_decimal() {
        for (share, count, expected) in
            [(0.1, 30, 3), (0.1, 31, 4), (0.1, 29, 3), (0.1, 0, 0), (0.07, 100, 7), (0.29, 100, 29), (1.0, 17, 17)]
        {
            assert_eq!(ceil_share(share, count), expected, "{share} {count}");
        }
        for count in 0..10_000 {
            for hundredths in 0..=100 {
                assert_eq!(ceil_share(hundredths as f64 / 100.0, count), (hundredths * count).div_ceil(100));
            }
        }
    }

    #[test]
    fn keys_tell_coordinates_apart() {
        let signature = digest("x");
        assert_ne!(key(0, &signature), key(1, &signature));
        assert_eq!(key(2, &signature) ^ key(2, &digest("y")), key(0, &signature) ^ key(0, &digest("y")));
        assert_eq!(remainder(3, &signature)[..], [&[3], &signature[8..]].concat());
    }
}
