//! From units to words: what the first document of a pair has in a passage, on its way to the second.
//!
//! A slice has fingerprints of words, not text, so the second document need not cut it again. Many documents share a
//! slice of a first one, and all of them in one partition are sent one tail: this takes room for each document that has
//! a paragraph, not for each pair.

use super::stops::ChunkedTexts;
use super::Unit;
use crate::analyses::quilts::patches::places::PlacedWords;
use crate::flow::columns::{Along, Numbers};
use crate::flow::contract::Port;
use crate::flow::fields::{Damaged, Rest, Row};
use crate::flow::kernel::{Done, Map, Output};
use crate::flow::rows::put_varint;
use crate::text::fingerprint::Fingerprinter;
use crate::text::points::spans;
use crate::text::sentences::Sentences;
use crate::{columns, contract, parameters, row};

/// Borders are moved by no more than so many words: that much of what stands around a passage is sent along.
const MARGIN: usize = 100;

parameters! {
    pub struct Slicing { unit: Unit, refine: bool }
}

columns! {
    /// What was found, by both documents of each pair (see [`FoundRun`](super::diagonals::FoundRun)).
    pub struct FoundColumns<'a> {
        doc: Numbers<'a>, second: Numbers<'a>, from: Numbers<'a>, to: Numbers<'a>, other: Numbers<'a>,
        other_from: Numbers<'a>, other_to: Numbers<'a>, matched: Numbers<'a>, documents: Numbers<'a>,
    }
}

row! {
    /// Of a second document: a first one, and some units of it; the number of their first sentence, and how many sentences
    /// they touch; how many words the first document has in all, the number of the first one sent, how many are sent
    /// before the units and in them; where these begin and end. Then fingerprints of the words sent; and how many code
    /// points lie between where the words before the units begin, the nearest first, and between where those behind end.
    pub struct PassageSlice<'a> {
        a: u32, from: u32, to: u32, sentence: u32, sentences: u32, words: u32, first: u32, before: u32, inside: u32,
        begin: u32, end: u32, prints: &'a [u8], begins: &'a [u8], ends: Rest<'a>,
    }
}

row! {
    /// Of a second document: fingerprints of its words; how many code points lie before and in each; and its passages, each
    /// a [`PassagePlace`], by first document.
    pub struct PassagePage<'a> { prints: &'a [u8], points: &'a [u8], passages: Rest<'a> }
}

row! {
    /// A passage in a second document: the first one, and its units there; its units here; how many match; how many
    /// documents share some of it; then its words here, where it begins and ends, and the number of its first sentence.
    pub struct PassagePlace {
        a: u32, a_from: u32, a_to: u32, b_from: u32, b_to: u32, matched: u32, documents: u32,
        first: u32, last: u32, begin: u32, end: u32, sentence: u32,
    }
}

impl PassagePlace {
    /// The bytes that it takes.
    pub const WIDTH: usize = 48;
}

/// A document by words and sentences.
#[derive(Default)]
pub struct CutPage {
    pub words: PlacedWords,
    pub prints: Vec<u64>,
    /// First word, and one past the last; where it begins and ends, in code points.
    pub sentences: Vec<PlacedSentence>,
    finder: Sentences,
}

pub struct PlacedSentence {
    pub words: (usize, usize),
    pub begin: usize,
    pub end: usize,
}

impl CutPage {
    pub fn read(&mut self, text: &str, chunks: &[u8], print: &Fingerprinter) -> Result<(), Damaged> {
        let Self { words, prints, sentences, finder } = self;
        prints.clear();
        sentences.clear();
        words.read(text, print, |_, word| prints.push(word));
        let (mut byte, mut point, mut word) = (0, 0, 0);
        for range in finder.of(text, spans(chunks)).ok_or(Damaged("chunks"))? {
            let mut points = |to: usize| {
                point += text.as_bytes()[byte..to].iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
                byte = to;
                point
            };
            let (begin, end) = (points(range.start), points(range.end));
            let mut pass = |until: usize| {
                while words.spans.get(word).is_some_and(|place| (place.bytes.0 as usize) < until) {
                    word += 1;
                }
                word
            };
            sentences.push(PlacedSentence { words: (pass(range.start), pass(range.end)), begin, end });
        }
        Ok(())
    }

    /// The words of some units, and where these begin and end in code points.
    pub fn locate(&self, unit: Unit, from: usize, to: usize) -> Option<((usize, usize), (usize, usize))> {
        match unit {
            Unit::Sentences => {
                let (first, last) = (self.sentences.get(from)?, self.sentences.get(to.checked_sub(1)?)?);
                Some(((first.words.0, last.words.1), (first.begin, last.end)))
            }
            Unit::Words => {
                let (first, last) = (self.words.spans.get(from)?, self.words.spans.get(to.checked_sub(1)?)?);
                Some(((from, to), (first.begin as usize, last.end as usize)))
            }
        }
    }

    /// The number of the sentence that has a word.
    pub fn sentence(&self, word: usize) -> usize {
        self.sentences.partition_point(|sentence| sentence.words.1 <= word).min(self.sentences.len().saturating_sub(1))
    }
}

/// Map, beside what was found: second documents, and the slices that first ones send them.
pub struct PassageTexts {
    unit: Unit,
    margin: usize,
    page: CutPage,
    seconds: Vec<u64>,
    prints: Vec<u8>,
    points: [Vec<u8>; 2],
}

contract! {
    map PassageTexts = "passage texts";
    new(Slicing { unit, refine }) = {
        let (seconds, prints, points) = (Vec::new(), Vec::new(), Default::default());
        let margin = if refine { MARGIN } else { 0 };
        Ok(Self { unit, margin, page: CutPage::default(), seconds, prints, points })
    };
    reads ChunkedTexts<'a>, beside FoundColumns<'a>;
    keeps "the words of one document, and its passages";
    const PAGES: Port<PassagePage<'static>> = Port::documents(0, "pages");
    const SLICES: Port<PassageSlice<'static>> = Port::documents(1, "slices");
}

impl PassageTexts {
    /// Sends some units of the document to the second ones that share them.
    fn send_slice(&mut self, doc: u32, (from, to): (u64, u64), out: &mut Output) -> Result<(), Damaged> {
        let Self { unit, margin, page, seconds, prints, points } = self;
        let (inside, (begin, end)) = page.locate(*unit, from as usize, to as usize).ok_or(Damaged("found"))?;
        let words = &page.words.spans;
        let first = inside.0.saturating_sub(*margin);
        let last = (inside.1 + *margin).min(words.len());
        prints.clear();
        page.prints[first..last].iter().for_each(|word| prints.extend_from_slice(&word.to_le_bytes()));
        let [begins, ends] = points;
        begins.clear();
        ends.clear();
        let mut reached = begin as u32;
        for word in words[first..inside.0].iter().rev() {
            put_varint(begins, (reached - word.begin).into());
            reached = word.begin;
        }
        reached = end as u32;
        for word in &words[inside.1..last] {
            put_varint(ends, (word.end - reached).into());
            reached = word.end;
        }
        let sentence = page.sentence(inside.0);
        let slice = PassageSlice {
            a: doc,
            from: from as u32,
            to: to as u32,
            sentence: sentence as u32,
            sentences: (page.sentence(inside.1 - 1) - sentence) as u32 + 1,
            words: words.len() as u32,
            first: first as u32,
            before: (inside.0 - first) as u32,
            inside: (inside.1 - inside.0) as u32,
            begin: begin as u32,
            end: end as u32,
            prints,
            begins,
            ends: Rest(ends),
        };
        out.run(&Self::SLICES, seconds, slice);
        Ok(())
    }

    /// Sends the document to itself, as far as it is a second one, with its passages.
    fn send_page(&mut self, doc: u64, passages: &[PassagePlace], out: &mut Output) {
        let Self { page, prints, points: [points, _], .. } = self;
        prints.clear();
        page.prints.iter().for_each(|word| prints.extend_from_slice(&word.to_le_bytes()));
        points.clear();
        let mut reached = 0;
        for word in &page.words.spans {
            put_varint(points, (word.begin - reached).into());
            put_varint(points, (word.end - word.begin).into());
            reached = word.end;
        }
        let mut packed = Vec::new();
        passages.iter().for_each(|place| place.put(&mut packed));
        out.row(&Self::PAGES, doc, PassagePage { prints, points, passages: Rest(&packed) });
    }
}

impl Map for PassageTexts {
    fn batch<'a>(&mut self, pages: ChunkedTexts<'a>, found: FoundColumns<'a>, out: &mut Output) -> Done {
        let print = Fingerprinter::plain();
        let mut along = Along::new(found.doc);
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row);
            let asked = along.rows(doc);
            if asked.is_empty() {
                continue;
            }
            self.page.read(&pages.text.at(row), pages.chunks.at(row), &print)?;
            let mut at = asked.start;
            while at < asked.end && found.second.at(at) == 0 {
                let units = |at: usize| (found.second.at(at), found.from.at(at), found.to.at(at));
                let end = (at..asked.end).find(|&next| units(next) != units(at)).unwrap_or(asked.end);
                self.seconds.clear();
                self.seconds.extend((at..end).map(|at| found.other.at(at)));
                self.seconds.dedup();
                self.send_slice(doc as u32, (found.from.at(at), found.to.at(at)), out)?;
                out.relieve();
                at = end;
            }
            let mut passages = Vec::with_capacity(asked.end - at);
            for at in at..asked.end {
                passages.push(self.place(&found, at).ok_or(Damaged("found"))?);
            }
            if !passages.is_empty() {
                passages.sort_unstable_by_key(|place| (place.a, place.a_from, place.a_to, place.b_from, place.b_to));
                self.send_page(doc, &passages, out);
                out.relieve();
            }
        }
        Ok(())
    }
}

impl PassageTexts {
    /// A passage of a second document.
    fn place(&self, found: &FoundColumns<'_>, at: usize) -> Option<PassagePlace> {
        let short = |column: &Numbers<'_>| column.at(at) as u32;
        let (b_from, b_to) = (short(&found.from), short(&found.to));
        let (words, (begin, end)) = self.page.locate(self.unit, b_from as usize, b_to as usize)?;
        Some(PassagePlace {
            a: short(&found.other),
            a_from: short(&found.other_from),
            a_to: short(&found.other_to),
            b_from,
            b_to,
            matched: short(&found.matched),
            documents: short(&found.documents),
            first: words.0 as u32,
            last: words.1 as u32,
            begin: begin as u32,
            end: end as u32,
            sentence: self.page.sentence(words.0) as u32,
        })
    }
}
