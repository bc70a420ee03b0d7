//! Digests of word sequences: two documents with the same digest have the same words in the same order.
//!
//! SHA-256 cut to 128 bits, over the folded words, each followed by a line feed. Nobody knows how to make two texts
//! with the same digest, so texts with equal digests are taken for copies without comparing them. Computed at ingest.

use sha2::{Digest, Sha256};

use crate::flow::columns::Column;
use crate::text::fingerprint::Fingerprinter;
use crate::text::unicode;
use crate::text::words::words;

/// The number of words of `text` and the digest of their sequence.
pub fn measure(text: &str) -> (u64, [u8; 16]) {
    let mut digest = Sha256::new();
    let mut buffer = Vec::with_capacity(1 << 13);
    let mut count = 0;
    words(text, &Fingerprinter::plain(), |begin, end, _| {
        count += 1;
        unicode::append_folded(&mut buffer, &text[begin..end]);
        buffer.push(b'\n');
        if buffer.len() > (1 << 13) - 64 {
            digest.update(&buffer);
            buffer.clear();
        }
    });
    digest.update(&buffer);
    let mut short = [0; 16];
    short.copy_from_slice(&digest.finalize()[..16]);
    (count, short)
}

/// [`measure`] for a column of texts: little-endian counts, and digests one after the other.
pub fn measure_all(texts: &Column<'_>) -> (Vec<u8>, Vec<u8>) {
    let (mut counts, mut digests) = (Vec::new(), Vec::new());
    for row in 0..texts.len() {
        let (count, digest) = measure(&texts.text(row));
        counts.extend_from_slice(&count.to_le_bytes());
        digests.extend_from_slice(&digest);
    }
    (counts, digests)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_are_of_words() {
        assert_eq!(measure("A b, c!"), measure("a-B c"));
        assert_eq!(measure("STRASSE"), measure("straße"));
        assert_ne!(measure("a b").1, measure("ab").1);
        assert_eq!(measure("").0, 0);
        let long = "word ".repeat(10_000);
        assert_eq!(measure(&long), measure(&long.replace(' ', "\n\n")));
        assert_eq!(measure(&long).0, 10_000);
    }
}
