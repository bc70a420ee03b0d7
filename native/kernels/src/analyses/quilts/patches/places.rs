//! Where the words of a text stand, and passages of it on their way.

use std::ops::Range;

use crate::flow::rows::{put_varint, take_bytes, take_varint};
use crate::text::fingerprint::Fingerprinter;
use crate::text::unicode;
use crate::text::words::words;

/// Where the words of a text stand: in bytes, and in code points.
#[derive(Default)]
pub struct PlacedWords {
    pub spans: Vec<WordPlace>,
}

pub struct WordPlace {
    pub bytes: (u32, u32),
    pub begin: u32,
    pub end: u32,
}

impl PlacedWords {
    /// Reads a text; `each` sees every word's number and fingerprint.
    pub fn read(&mut self, text: &str, print: &Fingerprinter, mut each: impl FnMut(usize, u64)) {
        self.spans.clear();
        let ascii = text.is_ascii();
        let (mut byte, mut point) = (0, 0);
        let mut points_to = |end: usize| {
            if ascii {
                return end as u32;
            }
            point += text.as_bytes()[byte..end].iter().filter(|&&byte| byte & 0xc0 != 0x80).count() as u32;
            byte = end;
            point
        };
        words(text, print, |begin, end, word| {
            each(self.spans.len(), word);
            let bytes = (begin as u32, end as u32);
            self.spans.push(WordPlace { bytes, begin: points_to(begin), end: points_to(end) });
        });
    }

    /// Some words of the text, folded, each behind its length; and how many code points lie before and in each.
    pub fn pack(&self, text: &str, words: Range<usize>) -> (Vec<u8>, Vec<u8>) {
        let (mut packed, mut places) = (Vec::new(), Vec::new());
        let mut folded = Vec::new();
        let mut last = self.spans[words.start].begin;
        for span in &self.spans[words] {
            folded.clear();
            unicode::append_folded(&mut folded, &text[span.bytes.0 as usize..span.bytes.1 as usize]);
            put_varint(&mut packed, folded.len() as u64);
            packed.extend_from_slice(&folded);
            put_varint(&mut places, u64::from(span.begin - last));
            put_varint(&mut places, u64::from(span.end - span.begin));
            last = span.end;
        }
        (packed, places)
    }
}

/// The words that [`PlacedWords::pack`] packed at this offset: folded, with begin and end.
pub fn unpack<'a>(
    mut words: &'a [u8],
    mut places: &'a [u8],
    mut offset: u32,
) -> impl Iterator<Item = (&'a [u8], u32, u32)> + 'a {
    std::iter::from_fn(move || {
        let length = take_varint(&mut words)?;
        let folded = take_bytes(&mut words, length as usize)?;
        let begin = offset + take_varint(&mut places)? as u32;
        offset = begin + take_varint(&mut places)? as u32;
        Some((folded, begin, offset))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() {
        let text = "¿Één, TWO  e\u{301}\u{301}!漢字";
        let mut page = PlacedWords::default();
        page.read(text, &Fingerprinter::plain(), |_, _| ());
        let (words, places) = page.pack(text, 1..5);
        let word = |folded: &[u8]| String::from_utf8_lossy(folded).into_owned();
        let unpacked = unpack(&words, &places, page.spans[1].begin);
        let found: Vec<_> = unpacked.map(|(folded, begin, end)| (begin, end, word(folded))).collect();
        let expected = [(6, 9, "two"), (11, 14, "é\u{301}"), (15, 16, "漢"), (16, 17, "字")];
        assert_eq!(found, expected.map(|(begin, end, word)| (begin, end, word.to_owned())));
    }
}
