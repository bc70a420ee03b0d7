//! The units that a text is compared by: its words, its lines, or its paragraphs.

use crate::choice;
use crate::text::fingerprint::Fingerprinter;
use crate::text::points::{spans, PointPlaces};
use crate::text::words::words;

choice! {
    pub enum RepeatUnit { Word = "word", Line = "line", Paragraph = "paragraph" }
}

/// A unit: its bytes, how many words it has, and the fingerprint of these.
pub struct UnitPlace {
    pub begin: usize,
    pub end: usize,
    pub words: usize,
    pub print: u64,
}

/// Calls `each` with the units of a text, in order. `chunks` are the packed paragraphs; false if they are not in the text.
pub fn units(
    text: &str,
    chunks: &[u8],
    unit: RepeatUnit,
    print: &Fingerprinter,
    mut each: impl FnMut(UnitPlace),
) -> bool {
    let mut bytes = Vec::new();
    let mut whole = |begin: usize, end: usize| {
        bytes.clear();
        words(&text[begin..end], print, |_, _, word| bytes.extend_from_slice(&word.to_be_bytes()));
        each(UnitPlace { begin, end, words: bytes.len() / 8, print: print.bytes(&bytes) });
    };
    match unit {
        RepeatUnit::Word => words(text, print, |begin, end, print| each(UnitPlace { begin, end, words: 1, print })),
        RepeatUnit::Line => {
            let mut begin = 0;
            for line in text.split('\n') {
                whole(begin, begin + line.len());
                begin += line.len() + 1;
            }
        }
        RepeatUnit::Paragraph => {
            let mut places = PointPlaces::new(text);
            for (begin, end) in spans(chunks) {
                let (Some(begin), Some(end)) = (places.find(begin), places.find(end)) else { return false };
                if end < begin {
                    return false;
                }
                whole(begin, end);
            }
        }
    }
    true
}
