//! Spot signatures (Theobald, Siddharth and Paepcke, SIGIR 2008): chains of words behind frequent ones.
//!
//! An *antecedent* is a frequent word. Each antecedent of a text, with the next `chain` words behind it that are no *stop
//! words*, at steps of `distance`, is a signature. Menus and lists have few frequent words, prose has many: so a document
//! is told by its prose.

use std::num::NonZeroUsize;

use crate::sketches::lexicon::{BadLexicon, Lexicon};
use crate::store::checksums::Parts;
use crate::text::fingerprint::Fingerprinter;
use crate::text::words::words;

/// Which words of a lexicon are antecedents, and which are stop words: all of them, or those of the primary one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Primary {
    StopWords,
    Antecedents,
}

impl Primary {
    fn roles(self, rank: Option<u32>) -> (bool, bool) {
        let (all, primary) = (rank.is_some(), rank == Some(0));
        match self {
            Self::StopWords => (all, primary),
            Self::Antecedents => (primary, all),
        }
    }
}

/// Makes spot signatures, text after text; keeps its buffers.
pub struct Spots<B> {
    lexicon: Lexicon<B>,
    primary: Primary,
    chain: usize,
    distance: usize,
    print: Fingerprinter,
    /// Words that chains can have, and antecedents, each with the number of such words before it.
    linked: Vec<u64>,
    antecedents: Vec<(u64, usize)>,
    bytes: Vec<u8>,
    found: Vec<u64>,
}

impl<B: Parts> Spots<B> {
    pub fn new(bytes: B, primary: Primary, chain: NonZeroUsize, distance: NonZeroUsize) -> Result<Self, BadLexicon> {
        let (lexicon, print) = (Lexicon::new(bytes)?, Fingerprinter::plain());
        let (chain, distance) = (chain.get(), distance.get());
        let [linked, found] = [const { Vec::new() }; 2];
        let (antecedents, bytes) = (Vec::new(), Vec::new());
        Ok(Self { lexicon, primary, chain, distance, print, linked, antecedents, bytes, found })
    }

    /// The signatures of a text, in its order, some of them several times.
    pub fn of(&mut self, text: &str) -> &mut Vec<u64> {
        let Self { lexicon, primary, chain, distance, print, linked, antecedents, bytes, found } = self;
        linked.clear();
        antecedents.clear();
        found.clear();
        words(text, print, |_, _, word| {
            let (antecedent, stop) = primary.roles(lexicon.rank(word));
            linked.extend((!stop).then_some(word));
            if antecedent {
                antecedents.push((word, linked.len()));
            }
        });
        let reach = *chain * *distance;
        for &(word, from) in antecedents.iter() {
            let Some(behind) = linked.get(from..from.saturating_add(reach)) else { continue };
            bytes.clear();
            bytes.extend_from_slice(&word.to_be_bytes());
            for next in behind.iter().skip(*distance - 1).step_by(*distance) {
                bytes.extend_from_slice(&next.to_be_bytes());
            }
            found.push(print.bytes(bytes));
        }
        found
    }

    /// The signatures of a text, sorted, each once; if it has one several times, the others are elements of their own, so
    /// that the Jaccard coefficient of two such sets is that of the multisets.
    pub fn counted(&mut self, text: &str) -> &[u64] {
        self.of(text).sort_unstable();
        let Self { print, bytes, found, .. } = self;
        let (mut before, mut times) = (None, 0_u64);
        for signature in found.iter_mut() {
            times = if before == Some(*signature) { times + 1 } else { 0 };
            before = Some(*signature);
            if times > 0 {
                bytes.clear();
                bytes.extend_from_slice(&signature.to_be_bytes());
                bytes.extend_from_slice(&times.to_be_bytes());
                *signature = print.bytes(bytes);
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketches::lexicon::pack;

    fn lexicon(words: &[&str], primary: usize) -> Vec<u8> {
        let print = Fingerprinter::plain();
        let rank = |place: usize| if place < primary { 0 } else { place as u32 };
        let ranked: Vec<_> = (0..).zip(words).map(|(place, word)| (print.word(word.as_bytes()), rank(place))).collect();
        pack(&ranked).unwrap()
    }

    fn spots(text: &str, words: &[&str], primary: Primary, number: usize) -> Vec<u64> {
        let [chain, distance] = [2, 1].map(|each| NonZeroUsize::new(each).unwrap());
        Spots::new(&lexicon(words, number)[..], primary, chain, distance).unwrap().of(text).clone()
    }

    #[test]
    fn chains_pass_over_stop_words() {
        let text = "at a rally to kick off a weeklong campaign";
        let words = ["a", "at", "to", "off"];
        let found = spots(text, &words, Primary::Antecedents, 1);
        assert_eq!(found.len(), 2, "a:rally:kick and a:weeklong:campaign");
        assert_eq!(spots("a rally kick", &words, Primary::Antecedents, 1), found[..1]);
        assert_eq!(spots("a weeklong campaign", &words, Primary::Antecedents, 1), found[1..]);
        assert_eq!(spots(text, &words, Primary::StopWords, 4).len(), 5, "all four are antecedents, one of them twice");
    }

    #[test]
    fn signatures_that_repeat_count_as_often() {
        let one = NonZeroUsize::MIN;
        let bytes = lexicon(&["a"], 1);
        let mut spots = Spots::new(&bytes[..], Primary::Antecedents, one, one).unwrap();
        assert_eq!(spots.counted("a x a x a x a y").len(), 4);
        let fewer = spots.counted("a x a x a y").to_vec();
        let more = spots.counted("a x a x a x a y").to_vec();
        assert!(fewer.iter().all(|each| more.contains(each)));
    }
}
