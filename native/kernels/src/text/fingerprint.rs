//! 64-bit fingerprints of words and of k-grams, plain or keyed.
//!
//! A word's fingerprint is a hash of its folded UTF-8 bytes. A k-gram's is a hash of its words' fingerprints, not of
//! their bytes run together, so "ab c" and "a bc" differ. The gram hash slides: a polynomial of the k word fingerprints
//! modulo 2^128, mixed down to 64 bits, costs the same for any k. Modulo 2^64 would not do: grams of the same words in
//! another order would have equal fingerprints more often than by chance.
//!
//! Plain fingerprints are the same everywhere and for ever. They can be made to collide by someone who sets out to; a
//! key makes word fingerprints SipHash-2-4 and the polynomial's base secret, which nobody without the key can aim at.

use siphasher::sip::SipHasher24;

const SEEDS: [u64; 4] = [0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb, 0x2545_f491_4f6c_dd1d];
const BASE: u128 = 0xda94_2042_e4dd_58b5_9fb2_1c65_1e98_df25;
const LOWER: u64 = 0x2020_2020_2020_2020;

/// High and low half of the product, folded: the mixing step of the wyhash family.
#[inline]
fn fold_multiply(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product >> 64) as u64 ^ product as u64
}

/// The functions that make fingerprints: fixed ones, or those of a key.
#[derive(Clone)]
pub struct Fingerprinter {
    key: Option<SipHasher24>,
    base: u128,
    seeds: [u64; 4],
}

impl Fingerprinter {
    pub fn plain() -> Self {
        Self { key: None, base: BASE, seeds: SEEDS }
    }

    pub fn keyed(key: &[u8; 16]) -> Self {
        let sip = SipHasher24::new_with_key(key);
        let draw = |i: u64| sip.hash(&i.to_le_bytes());
        Self {
            base: (u128::from(draw(0)) << 64 | u128::from(draw(1))) | 1,
            seeds: [draw(2), draw(3), draw(4), draw(5)],
            key: Some(sip),
        }
    }

    /// Fingerprint of a word's folded bytes.
    pub fn word(&self, folded: &[u8]) -> u64 {
        match &self.key {
            Some(sip) => sip.hash(folded),
            None => self.bytes(folded),
        }
    }

    /// Fingerprint of `text[begin..end]`, which holds ASCII letters and digits only; folds them on the way.
    #[inline]
    pub fn ascii_word(&self, text: &[u8], begin: usize, end: usize) -> u64 {
        if self.key.is_some() {
            return self.word(&text[begin..end].to_ascii_lowercase());
        }
        // Setting bit 5 makes ASCII capitals small and leaves small letters and digits alone.
        if end - begin <= 8 && begin + 8 <= text.len() {
            let chunk = (load_short(&text[begin..begin + 8]) | LOWER) & (u64::MAX >> (64 - 8 * (end - begin)));
            return self.close(self.seeds[0], chunk, end - begin);
        }
        let word = &text[begin..end];
        self.chunks(word, |chunk| load_short(chunk) | LOWER & (u64::MAX >> (64 - 8 * chunk.len())))
    }

    /// Plain hash of any bytes; also what keys rows by strings and lists.
    pub fn bytes(&self, bytes: &[u8]) -> u64 {
        self.chunks(bytes, load_short)
    }

    /// Hashes eight bytes at a time; the last chunk has one to eight (none, for no bytes).
    #[inline]
    fn chunks(&self, bytes: &[u8], load: impl Fn(&[u8]) -> u64) -> u64 {
        let whole = bytes.len().saturating_sub(1) / 8 * 8;
        let state = bytes[..whole]
            .chunks_exact(8)
            // Adding the state keeps what came before even if the product is zero.
            .fold(self.seeds[0], |state, chunk| fold_multiply(state ^ load(chunk), self.seeds[1]).wrapping_add(state));
        self.close(state, load(&bytes[whole..]), bytes.len())
    }

    #[inline]
    fn close(&self, state: u64, last: u64, length: usize) -> u64 {
        let mixed = fold_multiply(state ^ last, self.seeds[1] ^ length as u64);
        fold_multiply(mixed ^ self.seeds[2], self.seeds[3])
    }

    #[inline]
    fn gram(&self, state: u128) -> u64 {
        let mixed = fold_multiply(state as u64 ^ self.seeds[2], (state >> 64) as u64 ^ self.seeds[3]);
        fold_multiply(mixed ^ state as u64, self.seeds[1])
    }
}

/// Up to eight bytes, zeros above them.
#[inline]
fn load_short(chunk: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes[..chunk.len()].copy_from_slice(chunk);
    u64::from_le_bytes(bytes)
}

/// Slides over the words of a document: push a word, get the k-gram that ends there, once k words are in.
pub struct Slide<'a> {
    fingerprinter: &'a Fingerprinter,
    window: Vec<u64>,
    next: usize,
    seen: usize,
    state: u128,
    /// base^(k-1): the weight of the word that leaves.
    leaving: u128,
}

impl<'a> Slide<'a> {
    pub fn new(fingerprinter: &'a Fingerprinter, k: usize) -> Self {
        let leaving = (1..k).fold(1_u128, |power, _| power.wrapping_mul(fingerprinter.base));
        Self { fingerprinter, window: vec![0; k], next: 0, seen: 0, state: 0, leaving }
    }

    /// Begins a new document.
    pub fn clear(&mut self) {
        self.window.fill(0);
        (self.next, self.seen, self.state) = (0, 0, 0);
    }

    #[inline]
    pub fn push(&mut self, word: u64) -> Option<u64> {
        let old = std::mem::replace(&mut self.window[self.next], word);
        self.next = if self.next + 1 == self.window.len() { 0 } else { self.next + 1 };
        let kept = self.state.wrapping_sub(u128::from(old).wrapping_mul(self.leaving));
        self.state = kept.wrapping_mul(self.fingerprinter.base).wrapping_add(u128::from(word));
        self.seen += 1;
        (self.seen >= self.window.len()).then(|| self.fingerprinter.gram(self.state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_words_hash_as_their_folded_bytes() {
        let print = Fingerprinter::plain();
        for length in 1..40 {
            let word: Vec<u8> = (0..length).map(|i| b"AbZ09zQ"[i % 7]).collect();
            let folded = word.to_ascii_lowercase();
            for (before, after) in [(0, 0), (3, 0), (0, 20), (5, 20)] {
                let mut text = vec![b' '; before];
                text.extend(&word);
                text.extend(vec![b'x'; after]);
                assert_eq!(print.ascii_word(&text, before, before + length), print.word(&folded), "{length}");
            }
        }
    }

    #[test]
    fn sliding_equals_starting_anew() {
        for print in [Fingerprinter::plain(), Fingerprinter::keyed(&[7; 16])] {
            for k in 1..9 {
                let words: Vec<u64> = (0..30_u64).map(|i| print.word(&[b'a' + (i * i % 5) as u8])).collect();
                let mut slide = Slide::new(&print, k);
                let slid: Vec<u64> = words.iter().filter_map(|&word| slide.push(word)).collect();
                let anew: Vec<u64> = words
                    .windows(k)
                    .map(|window| {
                        let mut fresh = Slide::new(&print, k);
                        window.iter().fold(None, |_, &word| fresh.push(word)).unwrap_or(0)
                    })
                    .collect();
                assert_eq!(slid, anew);
            }
        }
    }

    #[test]
    fn keys_change_fingerprints() {
        let (a, b) = (Fingerprinter::keyed(&[1; 16]), Fingerprinter::keyed(&[2; 16]));
        assert_ne!(a.word(b"word"), b.word(b"word"));
        assert_ne!(a.word(b"word"), Fingerprinter::plain().word(b"word"));
    }

    #[test]
    fn boundaries_between_words_count() {
        let print = Fingerprinter::plain();
        let gram = |words: &[&[u8]]| {
            let mut slide = Slide::new(&print, words.len());
            words.iter().fold(None, |_, word| slide.push(print.word(word)))
        };
        assert_ne!(gram(&[b"ab", b"c"]), gram(&[b"a", b"bc"]));
        assert_ne!(gram(&[b"a", b"b"]), gram(&[b"b", b"a"]));
    }
}
