//! From units to texts: what the first document of a pair says in a passage, on its way to the second.

use super::stops::ChunkedTexts;
use super::Unit;
use crate::analyses::quilts::patches::places::{PlacedWords, WordPlace};
use crate::flow::columns::{Along, Numbers};
use crate::flow::contract::{Port, PortInfo, WrongParameter};
use crate::flow::fields::Damaged;
use crate::flow::kernel::{Done, Map, Output};
use crate::text::fingerprint::Fingerprinter;
use crate::text::points::spans;
use crate::text::sentences::Sentences;
use crate::{columns, row, told};

/// Borders are moved by no more than so many words: that much of the text around a passage is sent along.
const MARGIN: usize = 100;

told! {
    pub struct Slicing { unit: Unit, refine: bool }
}

columns! {
    /// What was found, by the first document of each pair.
    pub struct FoundColumns<'a> {
        a: Numbers<'a>, b: Numbers<'a>, a_from: Numbers<'a>, b_from: Numbers<'a>, a_to: Numbers<'a>, b_to: Numbers<'a>,
        matched: Numbers<'a>, documents: Numbers<'a>,
    }
}

row! {
    /// Of the second document of a pair: the first; the units of the second; the first sentence of the first document,
    /// and how many match; how many documents share some of it. Then the first document's words: how many it has in
    /// all, the number of the first one sent, how many are sent before the passage and in it; where that begins and
    /// ends, and where the text begins that is sent.
    pub struct PassageSlice<'a> {
        a: u64, a_sentence: u64, b_from: u64, b_to: u64, matched: u64, documents: u64,
        words: u64, first: u64, before: u64, inside: u64, begin: u64, end: u64, at: u64, text: &'a [u8],
    }
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

/// Map, beside what was found of first documents: their texts there, with some words around.
pub struct PassageSlices {
    unit: Unit,
    margin: usize,
    page: CutPage,
}

impl PassageSlices {
    const SLICES: Port<PassageSlice<'static>> = Port::documents(0, "slices");
}

impl Map for PassageSlices {
    const NAME: &'static str = "passage slices";
    const PORTS: &'static [PortInfo] = &[Self::SLICES.info()];
    const KEEPS: &'static str = "the words of one document";
    type Told = Slicing;
    type Reads<'a> = ChunkedTexts<'a>;
    type Beside<'a> = FoundColumns<'a>;

    fn new(Slicing { unit, refine }: Slicing) -> Result<Self, WrongParameter> {
        Ok(Self { unit, margin: if refine { MARGIN } else { 0 }, page: CutPage::default() })
    }

    fn batch<'a>(&mut self, pages: ChunkedTexts<'a>, found: FoundColumns<'a>, out: &mut Output) -> Done {
        let Self { unit, margin, page } = self;
        let print = Fingerprinter::plain();
        let mut along = Along::new(found.a);
        for row in 0..pages.doc.len() {
            let a = pages.doc.at(row);
            let asked = along.rows(a);
            if asked.is_empty() {
                continue;
            }
            let text = pages.text.at(row);
            page.read(&text, pages.chunks.at(row), &print)?;
            let words = &page.words.spans;
            for at in asked {
                let (from, to) = (found.a_from.at(at) as usize, found.a_to.at(at) as usize);
                let (inside, (begin, end)) = page.locate(*unit, from, to).ok_or(Damaged("found"))?;
                let first = inside.0.saturating_sub(*margin);
                let last = (inside.1 + *margin).min(words.len());
                let place = |word: usize| words.get(word).ok_or(Damaged("found"));
                let (head, tail): (&WordPlace, &WordPlace) = (place(first)?, place(last.saturating_sub(1))?);
                let slice = PassageSlice {
                    a,
                    a_sentence: page.sentence(inside.0) as u64,
                    b_from: found.b_from.at(at),
                    b_to: found.b_to.at(at),
                    matched: match unit {
                        Unit::Sentences => found.matched.at(at),
                        Unit::Words => (page.sentence(inside.1 - 1) - page.sentence(inside.0)) as u64 + 1,
                    },
                    documents: found.documents.at(at),
                    words: words.len() as u64,
                    first: first as u64,
                    before: (inside.0 - first) as u64,
                    inside: (inside.1 - inside.0) as u64,
                    begin: begin as u64,
                    end: end as u64,
                    at: head.begin.into(),
                    text: &text.as_bytes()[head.bytes.0 as usize..tail.bytes.1 as usize],
                };
                out.row(&Self::SLICES, found.b.at(at), slice);
                out.relieve();
            }
        }
        Ok(())
    }
}
