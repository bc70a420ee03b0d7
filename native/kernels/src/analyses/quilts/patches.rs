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
use crate::analyses::postings::{Gramming, ListGrams};
use crate::analyses::quilts::covers::Asking;
use crate::analyses::quilts::matches::MatchIndex;
use crate::flow::columns::{Along, Binary, Numbers, Texts};
use crate::flow::contract::{shape, Port, PortInfo, Shape, WrongParameter};
use crate::flow::fields::{Damaged, Rest};
use crate::flow::kernel::{Beginning, Done, Group, Map, Output, Rows, Stretches};
use crate::flow::rows::{put_varint, take_bytes, take_doc, take_varint};
use crate::text::fingerprint::{Fingerprinter, Slide};
use crate::text::grams::Distinct;
use crate::text::slots::home;
use crate::text::unicode;
use crate::text::words::words;
use crate::{columns, row};

row! {
    /// Of a source: a quilt, the source's rank there, and grams that both have.
    pub struct Request<'a> { quilt: u32, rank: u32, grams: Rest<'a> }
}

/// Group by list, of the quilts that ask and its grams: the grams to each source that a quilt has there.
#[derive(Default)]
pub struct Requests {
    asked: Vec<[u32; 3]>,
}

impl Requests {
    const REQUESTS: Port<Request<'static>> = Port::documents(0, "requests");
}

impl Group for Requests {
    const NAME: &'static str = "requests";
    const TABLES: &'static [Shape] = &[shape::<Asking<'static>>(), shape::<ListGrams<'static>>()];
    const PORTS: &'static [PortInfo] = &[Self::REQUESTS.info()];
    const KEEPS: &'static str = "what quilts ask: at most m² pairs";
    type Told = ();

    fn new((): (), _: usize) -> Result<Self, WrongParameter> {
        Ok(Self::default())
    }

    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.asked.clear();
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                let Asking { quilt, sources: Rest(mut sources) } = Asking::take(tail)?;
                while let (Some(source), Some(rank)) = (take_doc(&mut sources), take_doc(&mut sources)) {
                    self.asked.push([source, quilt, rank]);
                }
                continue;
            }
            let ListGrams { grams } = ListGrams::take(tail)?;
            for &[source, quilt, rank] in &self.asked {
                out.row(&Self::REQUESTS, u64::from(source), Request { quilt, rank, grams });
            }
        }
        Ok(())
    }
}

row! {
    /// Of a source: a quilt, the source's rank there, and all grams that the quilt asks for, sorted.
    pub struct PackedRequest<'a> { quilt: u64, rank: u64, grams: &'a [u8] }
}

/// Group by source: one row for each quilt.
#[derive(Default)]
pub struct Asked {
    grams: Vec<[u8; 8]>,
}

impl Asked {
    const ASKED: Port<PackedRequest<'static>> = Port::documents(0, "asked");
}

impl Group for Asked {
    const NAME: &'static str = "asked";
    const TABLES: &'static [Shape] = &[shape::<Request<'static>>()];
    const PORTS: &'static [PortInfo] = &[Self::ASKED.info()];
    const KEEPS: &'static str = "the grams of one quilt";
    type Told = ();

    fn new((): (), _: usize) -> Result<Self, WrongParameter> {
        Ok(Self::default())
    }

    fn key(&mut self, source: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut quilts = Stretches::new(rows, Beginning::First(8));
        while quilts.begin() {
            self.grams.clear();
            while let Some(tail) = quilts.tail() {
                let (grams, []) = Request::take(tail)?.grams.0.as_chunks() else {
                    return Err(Damaged("Request").into());
                };
                self.grams.extend_from_slice(grams);
            }
            let Request { quilt, rank, .. } = Request::take(quilts.beginning())?;
            self.grams.sort_unstable();
            self.grams.dedup();
            let grams = self.grams.as_flattened();
            out.row(&Self::ASKED, source, PackedRequest { quilt: quilt.into(), rank: rank.into(), grams });
        }
        Ok(())
    }
}

columns! {
    /// What was asked of documents.
    pub struct AskedOf<'a> { source: Numbers<'a>, quilt: Numbers<'a>, rank: Numbers<'a>, grams: Binary<'a> }
}

row! {
    /// Of a quilt: a passage of a source that has this rank, where it begins there, its words and their places.
    pub struct Slice<'a> { rank: u64, source: u64, begin: u64, words: &'a [u8], places: &'a [u8] }
}

/// Map, beside what was asked of documents: to each quilt the passages of its source all of whose grams it asked for,
/// none of which can be extended. Of several with the same words the first will do: patches prefer it.
pub struct Slices(Gramming);

impl Slices {
    const SLICES: Port<Slice<'static>> = Port::documents(0, "slices");
}

impl Map for Slices {
    const NAME: &'static str = "slices";
    const PORTS: &'static [PortInfo] = &[Self::SLICES.info()];
    const KEEPS: &'static str = "the words of one document, and the grams asked of it";
    type Told = Gramming;
    type Reads<'a> = Texts<'a>;
    type Beside<'a> = AskedOf<'a>;

    fn new(told: Gramming) -> Result<Self, WrongParameter> {
        Ok(Self(told))
    }

    fn batch<'a>(&mut self, pages: Texts<'a>, requests: AskedOf<'a>, out: &mut Output) -> Done {
        let Gramming { k, key: ref print } = self.0;
        let mut along = Along::new(requests.source);
        let mut slide = Slide::new(print, k);
        let mut page = PlacedWords::default();
        let mut seen = HashSet::new();
        for row in 0..pages.doc.len() {
            let source = pages.doc.at(row);
            let asked = along.rows(source);
            if asked.is_empty() {
                continue;
            }
            let text = pages.text.at(row);
            let wanted = Wanted::new(asked.clone().map(|row| requests.grams.at(row)));
            slide.clear();
            let mut stretches = WantedStretches::new(asked.len());
            page.read(&text, print, |at, word| {
                if let Some(gram) = slide.push(word) {
                    wanted.by(gram).for_each(|asker| stretches.add(asker, at + 1 - k));
                }
            });
            for (row, stretches) in asked.zip(&stretches.0) {
                seen.clear();
                for &(first, last) in stretches {
                    let (words, places) = page.pack(&text, first..last + k);
                    if stretches.len() == 1 || !seen.contains(&words) {
                        let (rank, begin) = (requests.rank.at(row), page.spans[first].begin.into());
                        let slice = Slice { rank, source, begin, words: &words, places: &places };
                        out.row(&Self::SLICES, requests.quilt.at(row), slice);
                        seen.insert(words);
                    }
                }
            }
        }
        Ok(())
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
struct WantedStretches(Vec<Vec<(usize, usize)>>);

impl WantedStretches {
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
struct PlacedWords {
    spans: Vec<Span>,
}

struct Span {
    bytes: (u32, u32),
    begin: u32,
    end: u32,
}

impl PlacedWords {
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

/// The words that [`PlacedWords::pack`] packed at this offset: folded, with begin and end.
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

columns! {
    /// The slices for documents; a better rank comes first.
    pub struct SlicesFor<'a> {
        quilt: Numbers<'a>, source: Numbers<'a>, begin: Numbers<'a>, words: Binary<'a>, places: Binary<'a>,
    }
}

row! {
    /// Of a quilt: where a patch begins and ends, and where in which source; how many words it has.
    pub struct Patch { begin: u64, end: u64, source: u64, source_begin: u64, source_end: u64, words: u64 }
}

/// Map, beside the slices for documents: the patches of each quilt, the longest runs of words it has in common with its
/// slices, then those of better ranks, then those that come first.
pub struct Patches(Gramming);

impl Patches {
    const PATCHES: Port<Patch> = Port::documents(0, "patches");
}

impl Map for Patches {
    const NAME: &'static str = "patches";
    const PORTS: &'static [PortInfo] = &[Self::PATCHES.info()];
    const KEEPS: &'static str = "the words of one document and of its slices";
    type Told = Gramming;
    type Reads<'a> = Texts<'a>;
    type Beside<'a> = SlicesFor<'a>;

    fn new(told: Gramming) -> Result<Self, WrongParameter> {
        Ok(Self(told))
    }

    fn batch<'a>(&mut self, pages: Texts<'a>, slices: SlicesFor<'a>, out: &mut Output) -> Done {
        let Gramming { k, key: ref print } = self.0;
        let mut along = Along::new(slices.quilt);
        let mut passages = Passages::default();
        let (mut page, mut letters, mut grams) = (PlacedWords::default(), Vec::new(), Vec::new());
        let mut slide = Slide::new(print, k);
        let (mut folded, mut confirmed) = (Vec::new(), Distinct::default());
        for row in 0..pages.doc.len() {
            let given = along.rows(pages.doc.at(row));
            if given.is_empty() {
                continue;
            }
            passages.clear();
            for row in given {
                let words = unpack(slices.words.at(row), slices.places.at(row), slices.begin.at(row) as u32);
                passages.add(slices.source.at(row), words, print);
            }
            let text = pages.text.at(row);
            letters.clear();
            grams.clear();
            slide.clear();
            page.read(&text, print, |_, word| {
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
                    passages.letters.find(word, &folded)
                })
                .collect();
            confirmed.clear();
            let mut done = 0;
            for found in passages.index.longest(&letters, k) {
                let (first, last) = (found.begin as usize, (found.begin + found.words) as usize - 1);
                let (source, source_begin, source_end) = passages.locate(found.place as usize, found.words as usize);
                let (begin, end) = (page.spans[first].begin.into(), page.spans[last].end.into());
                let patch = Patch { begin, end, source, source_begin, source_end, words: found.words.into() };
                out.row(&Self::PATCHES, pages.doc.at(row), patch);
                let end = last + 2 - k;
                grams[done.max(first)..end].iter().for_each(|&gram| confirmed.insert(gram));
                done = end;
            }
            out.count("confirmed_grams", confirmed.count() as u64);
        }
        Ok(())
    }
}

/// The slices that a quilt was sent, best first.
#[derive(Default)]
struct Passages {
    letters: Letters,
    index: MatchIndex,
    /// Where each word stands in its source.
    places: Vec<(u32, u32)>,
    /// The source of each slice, and its first place.
    sources: Vec<(usize, u64)>,
}

impl Passages {
    fn clear(&mut self) {
        self.letters.clear();
        self.index.clear();
        self.places.clear();
        self.sources.clear();
    }

    fn add<'a>(&mut self, source: u64, words: impl Iterator<Item = (&'a [u8], u32, u32)>, print: &Fingerprinter) {
        self.sources.push((self.places.len(), source));
        self.index.part();
        for (folded, begin, end) in words {
            self.places.push((begin, end));
            self.index.push(self.letters.letter(print.word(folded), folded));
        }
    }

    /// Source, begin and end of so many words at a place.
    fn locate(&self, place: usize, words: usize) -> (u64, u64, u64) {
        let slice = self.sources.partition_point(|&(first, _)| first <= place) - 1;
        (self.sources[slice].1, self.places[place].0.into(), self.places[place + words - 1].1.into())
    }
}

/// Words as letters: equal ones, and no others, have the same number.
#[derive(Default)]
struct Letters {
    by_print: HashMap<u64, u32, BuildHasherDefault<Multiply>>,
    /// Those whose fingerprint another word had before.
    others: HashMap<Vec<u8>, u32>,
    /// The words one after the other, and where each ends.
    spelled: Vec<u8>,
    ends: Vec<usize>,
}

impl Letters {
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
        let mut letters = Letters::default();
        assert_eq!([b"a", b"b", b"c", b"b", b"a"].map(|word| letters.letter(7, word)), [0, 1, 2, 1, 0]);
        assert_eq!(letters.letter(8, b"d"), 3);
        assert_eq!([b"a", b"b", b"c", b"d"].map(|word| letters.find(7, word)), [0, 1, 2, Letters::UNKNOWN]);
        assert_eq!(letters.find(9, b"a"), Letters::UNKNOWN);
    }

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

    #[test]
    fn stretches_end_where_a_gram_is_not_wanted() {
        let mut stretches = WantedStretches::new(2);
        for (asker, gram) in [(0, 0), (0, 1), (1, 1), (1, 2), (0, 3), (0, 4), (1, 9)] {
            stretches.add(asker, gram);
        }
        assert_eq!(stretches.0, [vec![(0, 1), (3, 4)], vec![(1, 2), (9, 9)]]);
    }
}
