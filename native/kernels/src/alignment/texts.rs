//! A text as alignment sees it: its words by number, where they stand, and where sentences end.

use std::collections::HashSet;
use std::ops::Range;

use crate::alignment::boilerplate::Boilerplate;
use crate::alignment::pair::{NumberedText, StemNumbers};
use crate::alignment::rates::StemRates;
use crate::alignment::stems::each_stem;
use crate::text::fingerprint::Fingerprinter;

/// Bytes of a word, with what stands between it and the next.
const USUAL: usize = 6;

/// Bytes of a block whose code points are counted beforehand, so that a place is found without counting from the beginning.
const BLOCK: usize = 1 << 12;

/// A text that is read to be aligned, with others whose stems are numbered by the same [`StemNumbers`]. What stands between
/// words is looked at where passages end only.
pub struct ReadText {
    text: String,
    /// How many code points stand before each block of bytes.
    blocks: Vec<u32>,
    /// Where each word begins and ends, in bytes.
    spans: Vec<(u32, u32)>,
    /// The numbers of those words that are no boilerplate: only these are aligned.
    left: Vec<u32>,
    /// The fingerprint of each of them.
    prints: Vec<u64>,
    pub(super) numbered: NumberedText,
}

impl ReadText {
    pub fn new(text: String, numbers: &mut StemNumbers, rates: &StemRates, boilerplate: &Boilerplate) -> Self {
        let mut points = 0;
        let blocks = text.as_bytes().chunks(BLOCK).map(|block| {
            points += code_points(block);
            points - code_points(block)
        });
        let (spans, prints, left) = (Vec::new(), Vec::new(), Vec::new());
        let mut new = Self { blocks: blocks.collect(), text, spans, prints, left, numbered: NumberedText::default() };
        new.read(numbers, rates, boilerplate);
        new
    }

    /// To be called if numbers were forgotten.
    pub fn read(&mut self, numbers: &mut StemNumbers, rates: &StemRates, boilerplate: &Boilerplate) {
        let Self { text, spans, prints, left, numbered, .. } = self;
        spans.clear();
        prints.clear();
        let words = text.len() / USUAL;
        spans.reserve(words);
        prints.reserve(words);
        // Numbers are looked up all at once: a processor waits for many of them at a time.
        let mut stems = Vec::with_capacity(words);
        each_stem(text, &Fingerprinter::plain(), |word| {
            spans.push((word.begin as u32, word.end as u32));
            prints.push(word.word);
            stems.push(word.stem);
        });
        boilerplate.leave(&stems, left);
        if left.len() < prints.len() {
            left.iter().enumerate().for_each(|(at, &word)| prints[at] = prints[word as usize]);
            prints.truncate(left.len());
        }
        numbers.read(left.iter().map(|&word| stems[word as usize]), rates, numbered);
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where each word begins and ends, in bytes.
    pub fn spans(&self) -> &[(u32, u32)] {
        &self.spans
    }

    /// The fingerprint of each word that is aligned.
    pub fn prints(&self) -> &[u64] {
        &self.prints
    }

    /// The different stems of some of the words that are aligned, by number.
    pub fn stems(&self, words: Range<usize>) -> HashSet<u32> {
        words.map(|word| self.numbered.stem(word)).collect()
    }

    /// An interval of words that are aligned, as one of all words.
    pub fn among_all(&self, aligned: (usize, usize)) -> (usize, usize) {
        (self.left[aligned.0] as usize, self.left[aligned.1 - 1] as usize + 1)
    }

    /// The other way round: those of an interval of all words that are aligned.
    pub fn among_aligned(&self, all: (usize, usize)) -> (usize, usize) {
        let before = |word: usize| self.left.partition_point(|&left| (left as usize) < word);
        (before(all.0), before(all.1))
    }

    /// How many code points an interval of words that are aligned has, without the boilerplate in it.
    pub fn length(&self, aligned: (usize, usize)) -> u32 {
        let stretches = self.left[aligned.0..aligned.1].chunk_by(|one, next| one + 1 == *next);
        let places =
            stretches.map(|words| (self.spans[words[0] as usize].0, self.spans[words[words.len() - 1] as usize].1));
        places.map(|(begin, end)| code_points(&self.text.as_bytes()[begin as usize..end as usize])).sum()
    }

    /// Whether a sentence or line ends before a word; one behind the last is the end of the text.
    pub fn is_break(&self, word: usize) -> bool {
        match (word.checked_sub(1).and_then(|before| self.spans.get(before)), self.spans.get(word)) {
            (Some(before), Some(here)) => is_break(&self.text[before.1 as usize..here.0 as usize]),
            (before, here) => before.is_some() || here.is_some() || word == 0,
        }
    }

    /// Where an interval of words begins and ends, in code points.
    pub fn points(&self, words: (usize, usize)) -> (u32, u32) {
        let before = |place: u32| {
            let block = place as usize / BLOCK;
            let known = self.blocks.get(block).copied();
            known.map(|known| known + code_points(&self.text.as_bytes()[block * BLOCK..place as usize]))
        };
        let all = || code_points(self.text.as_bytes()); // the text ends where a block does
        let (begin, end) = (self.spans[words.0].0, self.spans[words.1 - 1].1);
        (before(begin).unwrap_or_else(all), before(end).unwrap_or_else(all))
    }
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

    #[test]
    fn places_and_ends_of_sentences() {
        let read = |text: &str| {
            let (mut numbers, rates, boilerplate) = Default::default();
            ReadText::new(text.to_owned(), &mut numbers, &rates, &boilerplate)
        };
        let found = read("One é two.  \"Three four!\" five v1.2 x\nsix。七八");
        let points = |word| found.points((word, word + 1));
        assert_eq!([points(0), points(1), points(2)], [(0, 3), (4, 5), (6, 9)]);
        assert_eq!(found.points((1, 3)), (4, 9));
        let breaks: Vec<u8> = (0..=13).map(|word| u8::from(found.is_break(word))).collect();
        assert_eq!(breaks, [1, 0, 0, 1, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0]);
        assert!(read("").is_break(0));
        for text in ["x ".repeat(BLOCK), "é ".repeat(BLOCK), format!("{}é", "xy ".repeat(BLOCK / 3))] {
            let found = read(&text);
            for word in [0, 1, BLOCK / 3, found.spans().len() - 1] {
                let (begin, end) = found.spans()[word];
                let points = |place: u32| text[..place as usize].chars().count() as u32;
                assert_eq!(found.points((word, word + 1)), (points(begin), points(end)));
            }
        }
    }
}
