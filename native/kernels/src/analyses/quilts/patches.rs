//! Where the patches of quilts are: from covers to places in two texts, in four steps.
//!
//! 1. [`Requests`] meets the grams of a list with the quilts that found sources there: each such source is to look for
//!    these grams on behalf of the quilt.
//! 2. [`Asked`] packs what one quilt asks of one source.
//! 3. [`Slices`] reads the sources: the passages all of whose grams were asked for go to the quilt, as words.
//! 4. [`Patches`] reads the quilts: the longest equal runs of words in these passages are the patches.
//!
//! What a quilt asks of a source is pg(quilt) ∩ grams(source), no more. So any run of k words or more in a slice has
//! only grams of that set, and the quilt need not know its patch grams again: it just looks for the slices in itself.
//! It compares words, so a fingerprint that two grams share can lead to a slice in vain, never to a patch; neither can
//! two lists that share a hash, since grams of the wrong one are not in the quilt.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;
use std::ops::Range;

use crate::analyses::cover::Multiply;
use crate::analyses::quilts::matches::Index;
use crate::flow::kernel::{Along, Column, GroupKernel, MapKernel, Output, Rows};
use crate::flow::rows::{put_varint, take_bytes, take_doc, take_varint};
use crate::flow::tables::{put_bytes, put_number};
use crate::text::fingerprint::{Fingerprinter, Slide};
use crate::text::grams::Distinct;
use crate::text::slots::home;
use crate::text::unicode;
use crate::text::words::words;

/// Group by list, of the quilts that ask (first table) and its grams (second): the grams to each source that a quilt
/// has there. Keeps what quilts ask: at most m² pairs.
#[derive(Default)]
pub struct Requests {
    asked: Vec<[u32; 3]>,
    tail: Vec<u8>,
}

impl GroupKernel for Requests {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) {
        self.asked.clear();
        while let Some((table, mut tail)) = rows.next() {
            if table == 0 {
                let Some(quilt) = take_doc(&mut tail) else { continue };
                while let (Some(source), Some(rank)) = (take_doc(&mut tail), take_doc(&mut tail)) {
                    self.asked.push([source, quilt, rank]);
                }
                continue;
            }
            for [source, quilt, rank] in &self.asked {
                self.tail.clear();
                self.tail.extend_from_slice(&quilt.to_be_bytes());
                self.tail.extend_from_slice(&rank.to_be_bytes());
                self.tail.extend_from_slice(tail);
                out.ports[0].row(u64::from(*source), &self.tail);
            }
        }
    }
}

/// Group by source: one row for each quilt, with its rank for it and the grams it asks for, sorted. Keeps the grams of
/// one quilt.
#[derive(Default)]
pub struct Asked {
    /// Quilt and rank, as they stand in tails.
    by: [u8; 8],
    grams: Vec<[u8; 8]>,
}

impl Asked {
    fn send(&mut self, source: u64, out: &mut Output) {
        if self.grams.is_empty() {
            return;
        }
        self.grams.sort_unstable();
        self.grams.dedup();
        let mut by = self.by.as_slice();
        let mut tail = Vec::new();
        put_number(&mut tail, take_doc(&mut by).unwrap_or_default().into());
        put_number(&mut tail, take_doc(&mut by).unwrap_or_default().into());
        put_bytes(&mut tail, Some(self.grams.as_flattened()));
        out.ports[0].row(source, &tail);
        self.grams.clear();
    }
}

impl GroupKernel for Asked {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) {
        while let Some((_, tail)) = rows.next() {
            let Some((by, grams)) = tail.split_first_chunk() else { continue };
            if *by != self.by {
                self.send(key, out);
                self.by = *by;
            }
            self.grams.extend_from_slice(grams.as_chunks().0);
        }
        self.send(key, out);
    }
}

/// Map (doc, text), beside what was asked of documents (doc, quilt, rank, grams): to each quilt the passages of its
/// source all of whose grams it asked for, none of which can be extended. Of several with the same words the first will
/// do: patches prefer it.
pub struct Slices {
    pub k: usize,
    pub print: Fingerprinter,
}

impl MapKernel for Slices {
    fn batch(&mut self, columns: &[Column<'_>], beside: &[Column<'_>], out: &mut Output) {
        let ([documents, texts], [sources, quilts, ranks, grams]) = (columns, beside) else { return };
        let mut along = Along::new(*sources);
        let mut slide = Slide::new(&self.print, self.k);
        let mut page = Page::default();
        let (mut seen, mut tail) = (HashSet::new(), Vec::new());
        for row in 0..documents.len() {
            let source = documents.number(row);
            let asked = along.rows(source);
            if asked.is_empty() {
                continue;
            }
            let text = texts.text(row);
            let wanted = Wanted::new(asked.clone().map(|row| grams.bytes(row).unwrap_or_default()));
            slide.clear();
            let mut stretches = Stretches::new(asked.len());
            page.read(&text, &self.print, |at, word| {
                if let Some(gram) = slide.push(word) {
                    wanted.by(gram).for_each(|asker| stretches.add(asker, at + 1 - self.k));
                }
            });
            for (asker, stretches) in stretches.0.iter().enumerate() {
                let row = asked.start + asker;
                seen.clear();
                for &(first, last) in stretches {
                    let (words, places) = page.pack(&text, first..last + self.k);
                    tail.clear();
                    put_number(&mut tail, ranks.number(row));
                    put_number(&mut tail, source);
                    put_number(&mut tail, page.spans[first].begin.into());
                    put_bytes(&mut tail, Some(&words));
                    put_bytes(&mut tail, Some(&places));
                    if stretches.len() == 1 || seen.insert(words) {
                        out.ports[0].row(quilts.number(row), &tail);
                    }
                }
            }
        }
    }
}

/// Who wants a gram of a document.
struct Wanted {
    /// Grams, the number of one who asked for each, and the next entry of the same gram, itself if there is none.
    entries: Vec<(u64, u32, u32)>,
    /// Entry number plus one, where [`home`] says, or behind; zero for none; a power of two, at most half full.
    slots: Vec<u32>,
}

impl Wanted {
    fn new<'a>(asked: impl Iterator<Item = &'a [u8]> + Clone) -> Self {
        let count: usize = asked.clone().map(|grams| grams.len() / 8).sum();
        let mut this =
            Self { entries: Vec::with_capacity(count), slots: vec![0; (2 * count).next_power_of_two().max(2)] };
        for (asker, grams) in (0..).zip(asked) {
            for gram in grams.as_chunks().0 {
                this.add(u64::from_be_bytes(*gram), asker);
            }
        }
        this
    }

    fn add(&mut self, gram: u64, asker: u32) {
        let new = self.entries.len() as u32;
        let slot = self.slot(gram);
        let before = std::mem::replace(&mut self.slots[slot], new + 1);
        self.entries.push((gram, asker, before.checked_sub(1).unwrap_or(new)));
    }

    /// The slot of a gram, or the one where it would be.
    #[inline]
    fn slot(&self, gram: u64) -> usize {
        let mut slot = home(gram, self.slots.len());
        while self.slots[slot] != 0 && self.entries[self.slots[slot] as usize - 1].0 != gram {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        slot
    }

    #[inline]
    fn by(&self, gram: u64) -> impl Iterator<Item = usize> + '_ {
        let mut entry = self.slots[self.slot(gram)].checked_sub(1);
        std::iter::from_fn(move || {
            let number = entry?;
            let (_, asker, next) = self.entries[number as usize];
            entry = (next != number).then_some(next);
            Some(asker as usize)
        })
    }
}

/// The stretches of grams, one after the other, that each asker wants: their first and last grams.
struct Stretches(Vec<Vec<(usize, usize)>>);

impl Stretches {
    fn new(askers: usize) -> Self {
        Self(vec![Vec::new(); askers])
    }

    fn add(&mut self, asker: usize, gram: usize) {
        match self.0[asker].last_mut() {
            Some((_, last)) if *last + 1 == gram => *last = gram,
            _ => self.0[asker].push((gram, gram)),
        }
    }
}

/// Where the words of a text stand: in bytes, and in code points.
#[derive(Default)]
struct Page {
    spans: Vec<Span>,
}

struct Span {
    bytes: (u32, u32),
    begin: u32,
    end: u32,
}

impl Page {
    /// Reads a text; `each` sees every word's number and fingerprint.
    fn read(&mut self, text: &str, print: &Fingerprinter, mut each: impl FnMut(usize, u64)) {
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
            self.spans.push(Span { bytes, begin: points_to(begin), end: points_to(end) });
        });
    }

    /// Some words of the text, folded, each behind its length; and how many code points lie before and in each.
    fn pack(&self, text: &str, words: Range<usize>) -> (Vec<u8>, Vec<u8>) {
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

/// The words that [`Page::pack`] packed at this offset: folded, with begin and end.
fn unpack<'a>(
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

/// Map (doc, text), beside the slices for documents (quilt, rank, source, begin, words, places): the patches of each quilt, the
/// longest runs of words it has in common with its slices, then those of better ranks, then those that come first.
pub struct Patches {
    pub k: usize,
    pub print: Fingerprinter,
}

impl MapKernel for Patches {
    fn batch(&mut self, columns: &[Column<'_>], beside: &[Column<'_>], out: &mut Output) {
        let ([documents, texts], [quilts, _, sources, begins, slices, places]) = (columns, beside) else { return };
        let mut along = Along::new(*quilts);
        let mut passages = Passages::default();
        let (mut page, mut letters, mut grams) = (Page::default(), Vec::new(), Vec::new());
        let mut slide = Slide::new(&self.print, self.k);
        let (mut folded, mut confirmed) = (Vec::new(), Distinct::default());
        for row in 0..documents.len() {
            let given = along.rows(documents.number(row));
            if given.is_empty() {
                continue;
            }
            passages.clear();
            for row in given {
                let packed = slices.bytes(row).unwrap_or_default();
                let words = unpack(packed, places.bytes(row).unwrap_or_default(), begins.number(row) as u32);
                passages.add(sources.number(row), words, &self.print);
            }
            let text = texts.text(row);
            letters.clear();
            grams.clear();
            slide.clear();
            page.read(&text, &self.print, |_, word| {
                letters.push(word);
                grams.extend(slide.push(word));
            });
            let letters: Vec<u32> = page
                .spans
                .iter()
                .zip(&letters)
                .map(|(span, &word)| {
                    folded.clear();
                    unicode::append_folded(&mut folded, &text[span.bytes.0 as usize..span.bytes.1 as usize]);
                    passages.lexicon.find(word, &folded)
                })
                .collect();
            confirmed.clear();
            let mut done = 0;
            for found in passages.index.longest(&letters, self.k) {
                let (begin, last) = (found.begin as usize, (found.begin + found.words) as usize - 1);
                let mut tail = Vec::new();
                put_number(&mut tail, page.spans[begin].begin.into());
                put_number(&mut tail, page.spans[last].end.into());
                for number in passages.locate(found.place as usize, found.words as usize) {
                    put_number(&mut tail, number);
                }
                put_number(&mut tail, found.words.into());
                out.ports[0].row(documents.number(row), &tail);
                let end = last + 2 - self.k;
                grams[done.max(begin)..end].iter().for_each(|&gram| confirmed.insert(gram));
                done = end;
            }
            out.count("confirmed_grams", confirmed.count() as u64);
        }
    }
}

/// The slices that a quilt was sent, best first.
#[derive(Default)]
struct Passages {
    lexicon: Lexicon,
    index: Index,
    /// Where each word stands in its source.
    places: Vec<(u32, u32)>,
    /// The source of each slice, and its first place.
    sources: Vec<(usize, u64)>,
}

impl Passages {
    fn clear(&mut self) {
        self.lexicon.clear();
        self.index.clear();
        self.places.clear();
        self.sources.clear();
    }

    fn add<'a>(&mut self, source: u64, words: impl Iterator<Item = (&'a [u8], u32, u32)>, print: &Fingerprinter) {
        self.sources.push((self.places.len(), source));
        self.index.part();
        for (folded, begin, end) in words {
            self.places.push((begin, end));
            self.index.push(self.lexicon.letter(print.word(folded), folded));
        }
    }

    /// Source, begin and end of so many words at a place.
    fn locate(&self, place: usize, words: usize) -> [u64; 3] {
        let slice = self.sources.partition_point(|&(first, _)| first <= place) - 1;
        [self.sources[slice].1, self.places[place].0.into(), self.places[place + words - 1].1.into()]
    }
}

/// Words as letters: equal ones, and no others, have the same number.
#[derive(Default)]
struct Lexicon {
    by_print: HashMap<u64, u32, BuildHasherDefault<Multiply>>,
    /// Those whose fingerprint another word had before.
    others: HashMap<Vec<u8>, u32>,
    /// The words one after the other, and where each ends.
    spelled: Vec<u8>,
    ends: Vec<usize>,
}

impl Lexicon {
    const KEPT: usize = 1 << 14;

    fn clear(&mut self) {
        if self.by_print.capacity() > Self::KEPT {
            self.by_print = HashMap::default();
        } else {
            self.by_print.clear();
        }
        self.others.clear();
        self.spelled.clear();
        self.ends.clear();
    }

    fn spelling(&self, letter: u32) -> &[u8] {
        let begin = (letter as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.spelled[begin..self.ends[letter as usize]]
    }

    /// The letter of a word, a new one for a new word.
    fn letter(&mut self, print: u64, folded: &[u8]) -> u32 {
        let next = self.ends.len() as u32;
        let mut letter = *self.by_print.entry(print).or_insert(next);
        if letter != next && self.spelling(letter) != folded {
            letter = *self.others.entry(folded.to_vec()).or_insert(next);
        }
        if letter == next {
            self.spelled.extend_from_slice(folded);
            self.ends.push(self.spelled.len());
        }
        letter
    }

    /// The letter of a word, [`Self::UNKNOWN`] if it has none.
    fn find(&self, print: u64, folded: &[u8]) -> u32 {
        match self.by_print.get(&print) {
            Some(&letter) if self.spelling(letter) == folded => letter,
            Some(_) => self.others.get(folded).copied().unwrap_or(Self::UNKNOWN),
            None => Self::UNKNOWN,
        }
    }

    const UNKNOWN: u32 = u32::MAX;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_share_a_fingerprint_are_different_letters() {
        let mut lexicon = Lexicon::default();
        assert_eq!([b"a", b"b", b"c", b"b", b"a"].map(|word| lexicon.letter(7, word)), [0, 1, 2, 1, 0]);
        assert_eq!(lexicon.letter(8, b"d"), 3);
        assert_eq!([b"a", b"b", b"c", b"d"].map(|word| lexicon.find(7, word)), [0, 1, 2, Lexicon::UNKNOWN]);
        assert_eq!(lexicon.find(9, b"a"), Lexicon::UNKNOWN);
    }

    #[test]
    fn what_is_packed_is_unpacked() {
        let text = "¿Één, TWO  e\u{301}\u{301}!漢字";
        let mut page = Page::default();
        page.read(text, &Fingerprinter::plain(), |_, _| ());
        let (words, places) = page.pack(text, 1..5);
        let word = |folded: &[u8]| String::from_utf8_lossy(folded).into_owned();
        let unpacked = unpack(&words, &places, page.spans[1].begin);
        let found: Vec<_> = unpacked.map(|(folded, begin, end)| (begin, end, word(folded))).collect();
        let expected = [(6, 9, "two"), (11, 14, "é\u{301}"), (15, 16, "漢"), (16, 17, "字")];
        assert_eq!(found, expected.map(|(begin, end, word)| (begin, end, word.to_owned())));
    }

    #[test]
    fn stretches_end_where_a_gram_is_not_wanted() {
        let mut stretches = Stretches::new(2);
        for (asker, gram) in [(0, 0), (0, 1), (1, 1), (1, 2), (0, 3), (0, 4), (1, 9)] {
            stretches.add(asker, gram);
        }
        assert_eq!(stretches.0, [vec![(0, 1), (3, 4)], vec![(1, 2), (9, 9)]]);
    }
}
