//! What very many documents have, stem for stem: menus, footers, notices of licences.
//!
//! Nobody looks for these, and they lead to nothing else: their words are rare in a collection, as each page has them
//! once, and two pages share all of them. So words that stand in [`WORDS`] words in a row which very many documents have
//! are taken out of texts before anything is compared; places in texts are as if they were there.

use hashbrown::HashTable;

use crate::text::fingerprint::{Fingerprinter, Slide};
use crate::text::slots::mixed;

/// Words in a row, by their stems.
pub const WORDS: usize = 5;

/// The sequences that are boilerplate.
#[derive(Default)]
pub struct Boilerplate {
    grams: HashTable<u64>,
}

/// Bytes that are no packed sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadBoilerplate;

impl Boilerplate {
    /// From fingerprints, 8 bytes each, little-endian.
    pub fn unpack(bytes: &[u8]) -> Result<Self, BadBoilerplate> {
        let (packed, []) = bytes.as_chunks() else { return Err(BadBoilerplate) };
        let mut grams = HashTable::with_capacity(packed.len());
        for &gram in packed {
            let gram = u64::from_le_bytes(gram);
            grams.insert_unique(mixed(gram), gram, |&gram| mixed(gram));
        }
        Ok(Self { grams })
    }

    /// Leaves of a text's words, given by their stems, the numbers of those that are no boilerplate.
    pub fn leave(&self, stems: &[u64], left: &mut Vec<u32>) {
        left.clear();
        if self.grams.is_empty() {
            left.extend(0..stems.len() as u32);
            return;
        }
        let mut until = 0; // words before this one are boilerplate, or are left already
        each_gram(stems, &Fingerprinter::plain(), |begin, gram| {
            if self.grams.find(mixed(gram), |&known| known == gram).is_some() {
                left.extend((until..begin).map(|word| word as u32));
                until = until.max(begin + WORDS);
            }
        });
        left.extend((until..stems.len()).map(|word| word as u32));
    }
}

/// Calls `emit(begin, gram)` for each sequence of a text's words, given by their stems.
pub fn each_gram(stems: &[u64], print: &Fingerprinter, mut emit: impl FnMut(usize, u64)) {
    let mut slide = Slide::new(print, WORDS);
    for (end, &stem) in (1..).zip(stems) {
        if let Some(gram) = slide.push(stem) {
            emit(end - WORDS, gram);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_stands_in_no_known_sequence() {
        let stems: Vec<u64> = (100..130).collect();
        let mut grams = Vec::new();
        each_gram(&stems, &Fingerprinter::plain(), |_, gram| grams.push(gram));
        assert_eq!(grams.len(), 26);
        let packed: Vec<u8> = [3, 4, 12, 25].iter().flat_map(|&at: &usize| grams[at].to_le_bytes()).collect();
        let mut left = Vec::new();
        Boilerplate::unpack(&packed).unwrap().leave(&stems, &mut left);
        assert_eq!(left, [0, 1, 2, 9, 10, 11, 17, 18, 19, 20, 21, 22, 23, 24]);
        Boilerplate::default().leave(&stems, &mut left);
        assert_eq!(left, (0..30).collect::<Vec<u32>>());
        assert!(Boilerplate::unpack(&packed[1..]).is_err());
    }
}
