//! The texts of candidates meet, and are aligned.

use std::collections::HashSet;

use crate::alignment::align::AlignedPassage;
use crate::alignment::fit::nats;
use crate::analyses::passages::borders::PassageRow;
use crate::analyses::passages::pairs::PairSpan;
use crate::analyses::passages::stops::ChunkedTexts;
use crate::analyses::reworded::meetings::{AlignedText, Meetings};
use crate::analyses::reworded::relations::SiteRelation;
use crate::analyses::reworded::sharing::PassageSide;
use crate::flow::columns::{Along, Numbers};
use crate::flow::contract::{Port, Side};
use crate::flow::fields::Rest;
use crate::flow::kernel::{Done, Group, Map, Output, Rows};
use crate::text::sentences::Sentences;
use crate::{columns, contract, parameters, row};

columns! {
    /// To whom the texts of documents are sent.
    pub struct CandidateColumns<'a> { doc: Numbers<'a>, other: Numbers<'a>, sites: Numbers<'a> }
}

row! {
    /// Of the first document of pairs: its own text (`sites` is 0) or that of a second one, and the chunks of it.
    pub struct SentText<'a> { sites: u8, doc: u32, chunks: &'a [u8], text: Rest<'a> }
}

impl SentText<'_> {
    const OWN: u8 = 0;

    /// What the second document is to the first; none, if it is the first.
    pub fn relation(sites: u8) -> Option<SiteRelation> {
        sites.checked_sub(1).map(SiteRelation)
    }
}

/// Map, beside candidates: the text of each document to those that it is aligned with, and to itself.
#[derive(Default)]
pub struct CandidateTexts {
    /// To whom a text is sent, behind what it is to these.
    others: Vec<(u8, u64)>,
    keys: Vec<u64>,
}

contract! {
    map CandidateTexts = "candidate texts";
    new() = Ok(Self::default());
    reads ChunkedTexts<'a>, beside CandidateColumns<'a>;
    keeps "one text";
    const TEXTS: Port<SentText<'static>> = Port::documents(0, "texts");
}

impl Map for CandidateTexts {
    fn batch<'a>(&mut self, pages: ChunkedTexts<'a>, candidates: CandidateColumns<'a>, out: &mut Output) -> Done {
        let mut along = Along::new(candidates.doc);
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row);
            self.others.clear();
            self.others.extend(along.rows(doc).map(|at| {
                let other = candidates.other.at(at);
                (if other == doc { SentText::OWN } else { candidates.sites.at(at) as u8 + 1 }, other)
            }));
            if self.others.is_empty() {
                continue;
            }
            let (text, chunks) = (pages.text.at(row), pages.chunks.at(row));
            self.others.sort_unstable();
            for alike in self.others.chunk_by(|one, other| one.0 == other.0) {
                self.keys.clear();
                self.keys.extend(alike.iter().map(|&(_, other)| other));
                let sent = SentText { sites: alike[0].0, doc: doc as u32, chunks, text: Rest(text.as_bytes()) };
                out.run(&Self::TEXTS, &self.keys, sent);
            }
            out.relieve();
        }
        Ok(())
    }
}

parameters! {
    /// How common stems are; what is boilerplate; whether a second document may summarise a first one, too.
    pub struct Aligning { rates: Side, boilerplate: Side, both_ways: bool }
}

/// Group by first document, of its text and those of its candidates: what it took from them.
pub struct AlignedPassages {
    meetings: Meetings,
    finder: Sentences,
}

contract! {
    group AlignedPassages = "aligned passages";
    new(Aligning { rates, boilerplate, both_ways }) =
        Ok(Self { meetings: Meetings::new(&rates, &boilerplate, both_ways)?, finder: Sentences::default() });
    key Doc of [SentText<'static>];
    keeps "two texts, and others of three million words in all";
    const PASSAGES: Port<PassageRow> = Port::documents(0, "passages");
    const SPANS: Port<PairSpan> = Port::documents(1, "spans");
    const SIDES: Port<PassageSide> = Port::documents(2, "sides");
}

/// A passage, and the words of it in both documents.
fn describe(found: &AlignedPassage, b: u64, one: &AlignedText, other: &AlignedText) -> (PassageRow, PairSpan) {
    let (in_a, in_b) = (found.at.a, found.at.b);
    let words = (in_a.1 - in_a.0) as u64;
    let (a_sentence, b_sentence) = (one.sentence(found.all.a.0), other.sentence(found.all.b.0));
    let sentences = one.sentence(found.all.a.1 - 1) + 1 - a_sentence;
    let similarity = compare_stems(one.read.stems(in_a.0..in_a.1), other.read.stems(in_b.0..in_b.1));
    // What one side took from the other is no more than that side has: of a summary, the other may be a whole document.
    let weight = (one.weigh(in_a) * found.rates.0).min(other.weigh(in_b) * found.rates.1);
    let (one, other) = (one.read.prints(), other.read.prints());
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
        similarity,
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
        a_words: one.len() as u32,
        b_words: other.len() as u32,
        sentences: sentences as u32,
        weight,
    };
    (passage, span)
}

/// The share of the different stems of one side that the other has, too: of the side with fewer.
fn compare_stems(one: HashSet<u32>, other: HashSet<u32>) -> f64 {
    let both = one.intersection(&other).count();
    both as f64 / one.len().min(other.len()).max(1) as f64
}

impl Group for AlignedPassages {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let finder = &mut self.finder;
        self.meetings.align(key, rows, |a, b, _, found, _| {
            a.1.find_sentences(finder)?;
            b.1.find_sentences(finder)?;
            for passage in found {
                let (described, span) = describe(passage, b.0, a.1, b.1);
                let PassageRow { a_begin, a_end, b_begin, b_end, .. } = described;
                let side = |begin, end, other| PassageSide { begin, end, other, a: a.0, b: b.0, a_begin, b_begin };
                out.row(&Self::SIDES, a.0, side(a_begin, a_end, b.0));
                out.row(&Self::SIDES, b.0, side(b_begin, b_end, a.0));
                out.row(&Self::PASSAGES, a.0, described);
                out.row(&Self::SPANS, a.0, span);
            }
            Ok(())
        })?;
        out.relieve();
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("bounded_pairs", self.meetings.bounded);
    }
}
