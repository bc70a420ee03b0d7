//! The texts of candidates meet, and are aligned.

use std::num::NonZeroUsize;

use crate::alignment::align::{AlignedPassage, Aligner};
use crate::alignment::fit::nats;
use crate::alignment::rates::StemRates;
use crate::alignment::stems::Stems;
use crate::analyses::passages::borders::{jaccard, PassageRow};
use crate::analyses::passages::pairs::PairSpan;
use crate::analyses::passages::slices::CutPage;
use crate::analyses::passages::stops::ChunkedTexts;
use crate::flow::columns::{Along, Numbers};
use crate::flow::contract::{shape, Key, Port, PortInfo, Shape, Side, WrongParameter};
use crate::flow::fields::Rest;
use crate::flow::kernel::{Done, Group, Map, Output, Rows};
use crate::text::fingerprint::Fingerprinter;
use crate::{columns, row, told};

columns! {
    /// To whom the texts of documents are sent.
    pub struct CandidateColumns<'a> { doc: Numbers<'a>, other: Numbers<'a> }
}

row! {
    /// Of the first document of pairs: its own text (`foreign` is 0) or that of a second one, and the chunks of it.
    pub struct SentText<'a> { foreign: u8, doc: u32, chunks: &'a [u8], text: Rest<'a> }
}

/// Map, beside candidates: the text of each document to those that it is aligned with, and to itself.
#[derive(Default)]
pub struct CandidateTexts {
    others: Vec<u64>,
}

impl CandidateTexts {
    const TEXTS: Port<SentText<'static>> = Port::documents(0, "texts");
}

impl Map for CandidateTexts {
    const NAME: &'static str = "candidate texts";
    const PORTS: &'static [PortInfo] = &[Self::TEXTS.info()];
    const KEEPS: &'static str = "one text";
    type Told = ();
    type Reads<'a> = ChunkedTexts<'a>;
    type Beside<'a> = CandidateColumns<'a>;

    fn new((): ()) -> Result<Self, WrongParameter> {
        Ok(Self::default())
    }

    fn batch<'a>(&mut self, pages: ChunkedTexts<'a>, candidates: CandidateColumns<'a>, out: &mut Output) -> Done {
        let mut along = Along::new(candidates.doc);
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row);
            self.others.clear();
            self.others.extend(along.rows(doc).map(|at| candidates.other.at(at)));
            if self.others.is_empty() {
                continue;
            }
            let (text, chunks) = (pages.text.at(row), pages.chunks.at(row));
            let sent = |foreign| SentText { foreign, doc: doc as u32, chunks, text: Rest(text.as_bytes()) };
            if self.others.contains(&doc) {
                out.row(&Self::TEXTS, doc, sent(0));
                self.others.retain(|&other| other != doc);
            }
            self.others.sort_unstable();
            out.run(&Self::TEXTS, &self.others, sent(1));
            out.relieve();
        }
        Ok(())
    }
}

told! {
    /// How common stems are; words in a shingle; whether a second document may summarise a first one, too.
    pub struct Aligning { rates: Side, n: NonZeroUsize, both_ways: bool }
}

/// A text as it is aligned, and as it is described; the latter is read if there is something to describe.
#[derive(Default)]
struct AlignedText {
    stems: Stems,
    text: String,
    chunks: Vec<u8>,
    page: CutPage,
    cut: bool,
}

impl AlignedText {
    fn read(&mut self, text: &[u8], chunks: &[u8], print: &Fingerprinter) {
        self.text.clear();
        match std::str::from_utf8(text) {
            Ok(text) => self.text.push_str(text), // faster than a check that knows how to go on
            Err(_) => self.text.push_str(&String::from_utf8_lossy(text)),
        }
        self.chunks.clear();
        self.chunks.extend_from_slice(chunks);
        self.stems.read(&self.text, print);
        self.cut = false;
    }

    fn describe(&mut self, print: &Fingerprinter) -> Result<&CutPage, crate::flow::fields::Damaged> {
        if !self.cut {
            self.page.read(&self.text, &self.chunks, print)?;
            self.cut = true;
        }
        Ok(&self.page)
    }
}

/// Group by first document, of its text and those of its candidates: what it took from them.
pub struct AlignedPassages {
    rates: StemRates,
    n: usize,
    aligner: Aligner,
    own: AlignedText,
    other: AlignedText,
    bounded: u64,
}

impl AlignedPassages {
    const PASSAGES: Port<PassageRow> = Port::documents(0, "passages");
    const SPANS: Port<PairSpan> = Port::documents(1, "spans");

    fn align(&mut self, a: u64, b: u64, print: &Fingerprinter, out: &mut Output) -> Done {
        let (own, other) = (&self.own, &self.other);
        let found = self.aligner.align((&own.stems, &own.text), (&other.stems, &other.text), &self.rates);
        if found.is_empty() {
            return Ok(());
        }
        let (one, other) = (self.own.describe(print)?, self.other.describe(print)?);
        for passage in found {
            let (described, span) = describe(passage, b, one, other, self.n);
            out.row(&Self::PASSAGES, a, described);
            out.row(&Self::SPANS, a, span);
        }
        Ok(())
    }
}

/// A passage, and the words of it in both documents.
fn describe(found: &AlignedPassage, b: u64, one: &CutPage, other: &CutPage, n: usize) -> (PassageRow, PairSpan) {
    let (in_a, in_b) = (found.at.a, found.at.b);
    let words = (in_a.1 - in_a.0) as u64;
    let (a_sentence, b_sentence) = (one.sentence(in_a.0) as u64, other.sentence(in_b.0) as u64);
    let sentences = one.sentence(in_a.1 - 1) as u64 + 1 - a_sentence;
    let weight = words as f64 * found.rates.0;
    let passage = PassageRow {
        b,
        a_begin: found.a.0.into(),
        b_begin: found.b.0.into(),
        a_end: found.a.1.into(),
        b_end: found.b.1.into(),
        a_sentence,
        b_sentence,
        sentences,
        words,
        similarity: jaccard(&one.prints[in_a.0..in_a.1], &other.prints[in_b.0..in_b.1], n),
        documents: 2,
        weight,
        score: Some(nats(found.score)),
        a_rate: Some(found.rates.0),
        b_rate: Some(found.rates.1),
    };
    let span = PairSpan {
        b: b as u32,
        a_from: in_a.0 as u32,
        a_to: in_a.1 as u32,
        b_from: in_b.0 as u32,
        b_to: in_b.1 as u32,
        a_words: one.prints.len() as u32,
        b_words: other.prints.len() as u32,
        sentences: sentences as u32,
        weight,
    };
    (passage, span)
}

impl Group for AlignedPassages {
    const NAME: &'static str = "aligned passages";
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = &[shape::<SentText<'static>>()];
    const PORTS: &'static [PortInfo] = &[Self::PASSAGES.info(), Self::SPANS.info()];
    const KEEPS: &'static str = "two texts";
    type Told = Aligning;

    fn new(Aligning { rates, n, both_ways }: Aligning, _: usize) -> Result<Self, WrongParameter> {
        let rates = StemRates::unpack(rates.as_ref()).map_err(|_| WrongParameter("rates are damaged".to_owned()))?;
        let (own, other) = (AlignedText::default(), AlignedText::default());
        Ok(Self { rates, n: n.get(), aligner: Aligner::new(both_ways), own, other, bounded: 0 })
    }

    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let print = Fingerprinter::plain();
        while let Some((_, tail)) = rows.next() {
            let SentText { foreign, doc, chunks, text } = SentText::take(tail)?;
            if foreign == 0 {
                self.own.read(text.0, chunks, &print);
                self.aligner.begin(&self.own.stems, &self.rates);
                continue;
            }
            self.other.read(text.0, chunks, &print);
            self.align(key, doc.into(), &print, out)?;
            self.bounded += u64::from(self.aligner.bounded());
        }
        out.relieve();
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("bounded_pairs", self.bounded);
    }
}
