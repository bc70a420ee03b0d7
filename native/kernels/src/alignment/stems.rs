//! Words by their first five letters, which joins most forms of a word without knowing the language.
//!
//! In scripts written without spaces each character is a word and its own stem. Linear in the text.

use crate::text::fingerprint::Fingerprinter;
use crate::text::unicode;
use crate::text::words::words;

/// Letters of a stem.
pub const LETTERS: usize = 5;

/// A text as alignment sees it. What stands between words is looked at where passages end only.
#[derive(Clone, Debug, Default)]
pub struct Stems {
    /// The fingerprint of each word's stem.
    pub stems: Vec<u64>,
    /// Where each word begins and ends, in bytes.
    spans: Vec<(u32, u32)>,
}

impl Stems {
    /// Reads a text.
    pub fn read(&mut self, text: &str, print: &Fingerprinter) {
        self.stems.clear();
        self.spans.clear();
        each_stem(text, print, |begin, end, stem| {
            self.spans.push((begin as u32, end as u32));
            self.stems.push(stem);
        });
    }

    /// Whether a sentence or line ends before a word of this text; one behind the last is the end of the text.
    pub fn is_break(&self, text: &str, word: usize) -> bool {
        match (word.checked_sub(1).and_then(|before| self.spans.get(before)), self.spans.get(word)) {
            (Some(before), Some(here)) => is_break(&text[before.1 as usize..here.0 as usize]),
            (before, here) => before.is_some() || here.is_some() || word == 0,
        }
    }

    /// Where an interval of words begins and ends in this text, in code points.
    pub fn points(&self, text: &str, words: (usize, usize)) -> (u32, u32) {
        let (begin, end) = (self.spans[words.0].0 as usize, self.spans[words.1 - 1].1 as usize);
        let before = code_points(&text.as_bytes()[..begin]);
        (before, before + code_points(&text.as_bytes()[begin..end]))
    }
}

/// Calls `emit(begin, end, stem)` for each word of a text; offsets in bytes.
pub fn each_stem(text: &str, print: &Fingerprinter, mut emit: impl FnMut(usize, usize, u64)) {
    let bytes = text.as_bytes();
    let mut folded = Vec::new();
    words(text, print, |begin, end, fingerprint| {
        let word = &bytes[begin..end];
        let stem = if end - begin <= LETTERS {
            fingerprint
        } else if word.is_ascii() {
            print.ascii_word(bytes, begin, begin + LETTERS)
        } else {
            folded.clear();
            unicode::append_folded(&mut folded, &text[begin..end]);
            let folded = String::from_utf8_lossy(&folded);
            let until = folded.char_indices().nth(LETTERS).map_or(folded.len(), |(at, _)| at);
            print.word(&folded.as_bytes()[..until])
        };
        emit(begin, end, stem);
    });
}

fn code_points(bytes: &[u8]) -> u32 {
    bytes.iter().map(|&byte| u32::from(byte & 0xc0 != 0x80)).sum()
}

/// Whether a sentence or a line ends in what stands between two words: at the end of a line, at a full stop and the
/// like before a space (a quotation mark or bracket may come between), or at one of a script without spaces.
fn is_break(between: &str) -> bool {
    let mut stopped = false;
    for c in between.chars() {
        match c {
            '\n' | '\r' | '。' | '！' | '？' | '．' | '｡' | '…' => return true,
            '.' | '!' | '?' => stopped = true,
            '"' | '\'' | '”' | '’' | ')' | ']' | '»' => {}
            _ if c.is_whitespace() && stopped => return true,
            _ => stopped = false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Stems {
        let mut stems = Stems::default();
        stems.read(text, &Fingerprinter::plain());
        stems
    }

    #[test]
    fn words_that_begin_alike_have_one_stem() {
        let stems = |text: &str| read(text).stems;
        assert_eq!(stems("Question questions QUEST quest"), vec![stems("quest")[0]; 4]);
        assert_ne!(stems("quest"), stems("ques"));
        assert_eq!(stems("Straßenbahn"), stems("STRAS")); // ß is two letters
        assert_eq!(stems("élève"), stems("e\u{301}le\u{300}ves"));
        assert_eq!(stems("漢字").len(), 2);
    }

    #[test]
    fn places_and_ends_of_sentences() {
        let text = "One é two.  \"Three four!\" five v1.2 x\nsix。七八";
        let found = read(text);
        let points = |word| found.points(text, (word, word + 1));
        assert_eq!([points(0), points(1), points(2)], [(0, 3), (4, 5), (6, 9)]);
        assert_eq!(found.points(text, (1, 3)), (4, 9));
        let breaks: Vec<u8> = (0..=13).map(|word| u8::from(found.is_break(text, word))).collect();
        assert_eq!(breaks, [1, 0, 0, 1, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0]);
        assert!(read("").is_break("", 0));
    }
}
