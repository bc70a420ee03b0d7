//! Words by their first five letters, which joins most forms of a word without knowing the language.
//!
//! In scripts written without spaces each character is a word and its own stem. Linear in the text.

use crate::text::fingerprint::Fingerprinter;
use crate::text::unicode;
use crate::text::words::words;

/// Letters of a stem.
pub const LETTERS: usize = 5;

/// A word of a text.
#[derive(Clone, Copy, Debug)]
pub struct StemmedWord {
    /// In bytes.
    pub begin: usize,
    pub end: usize,
    /// Fingerprints of the word and of its stem.
    pub word: u64,
    pub stem: u64,
}

/// Calls `emit` for each word of a text.
pub fn each_stem(text: &str, print: &Fingerprinter, mut emit: impl FnMut(StemmedWord)) {
    let bytes = text.as_bytes();
    let mut folded = Vec::new();
    words(text, print, |begin, end, word| {
        let stem = if end - begin <= LETTERS {
            word
        } else if bytes[begin..end].is_ascii() {
            print.ascii_word(bytes, begin, begin + LETTERS)
        } else {
            folded.clear();
            unicode::append_folded(&mut folded, &text[begin..end]);
            let folded = String::from_utf8_lossy(&folded);
            let until = folded.char_indices().nth(LETTERS).map_or(folded.len(), |(at, _)| at);
            print.word(&folded.as_bytes()[..until])
        };
        emit(StemmedWord { begin, end, word, stem });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_begin_alike_have_one_stem() {
        let stems = |text: &str| {
            let mut stems = Vec::new();
            each_stem(text, &Fingerprinter::plain(), |word| stems.push(word.stem));
            stems
        };
        assert_eq!(stems("Question questions QUEST quest"), vec![stems("quest")[0]; 4]);
        assert_ne!(stems("quest"), stems("ques"));
        assert_eq!(stems("Straßenbahn"), stems("STRAS")); // ß is two letters
        assert_eq!(stems("élève"), stems("e\u{301}le\u{300}ves"));
        assert_eq!(stems("漢字").len(), 2);
    }
}
