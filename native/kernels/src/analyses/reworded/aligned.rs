//! The texts of candidates meet, and are aligned.

use std::collections::{HashMap, HashSet};

use crate::alignment::align::{AlignedPassage, Aligner};
use crate::alignment::boilerplate::Boilerplate;
use crate::alignment::fit::nats;
use crate::alignment::pair::StemNumbers;
use crate::alignment::rates::StemRates;
use crate::alignment::texts::ReadText;
use crate::analyses::passages::borders::PassageRow;
use crate::analyses::passages::pairs::PairSpan;
use crate::analyses::passages::stops::ChunkedTexts;
use crate::analyses::reworded::prose::is_prose;
use crate::analyses::reworded::sharing::PassageSide;
use crate::analyses::reworded::sides::{unpack_boilerplate, unpack_rates};
use crate::flow::columns::{Along, Numbers};
use crate::flow::contract::{Port, Side};
use crate::flow::fields::{Damaged, Rest};
use crate::flow::kernel::{Done, Group, Map, Output, Rows};
use crate::text::points::spans;
use crate::text::sentences::Sentences;
use crate::{columns, contract, parameters, row};

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

parameters! {
    /// How common stems are; what is boilerplate; whether a second document may summarise a first one, too.
    pub struct Aligning { rates: Side, boilerplate: Side, both_ways: bool }
}

/// What is known of the words of texts.
#[derive(Default)]
struct Reading {
    rates: StemRates,
    boilerplate: Boilerplate,
}

/// What words count that are no prose.
const ASIDE: f64 = 0.1;

/// A text as it is aligned, and as it is described.
struct AlignedText {
    read: ReadText,
    chunks: Vec<u8>,
    /// Of each sentence, one past its last word; found if there is something to describe.
    sentences: Option<Vec<u32>>,
    /// The words of each sentence that is prose.
    prose: Vec<(usize, usize)>,
}

impl AlignedText {
    fn find_sentences(&mut self, finder: &mut Sentences) -> Result<(), Damaged> {
        if self.sentences.is_none() {
            let found = finder.of(self.read.text(), spans(&self.chunks)).ok_or(Damaged("chunks"))?;
            let mut words = self.read.spans().iter().zip(0..).peekable();
            let mut end = 0;
            let ends = found.iter().map(|sentence| {
                let begin = end as usize;
                while let Some((_, word)) = words.next_if(|(place, _)| (place.0 as usize) < sentence.end) {
                    end = word + 1;
                }
                if is_prose(self.read.text(), sentence.end, &self.read.spans()[begin..end as usize]) {
                    self.prose.push((begin, end as usize));
                }
                end
            });
            self.sentences = Some(ends.collect());
        }
        Ok(())
    }

    /// How much an interval of words that are aligned counts: what is no prose counts a tenth.
    fn weigh(&self, aligned: (usize, usize)) -> f64 {
        let (first, last) = self.read.among_all(aligned);
        let from = self.prose.partition_point(|&(_, end)| end <= first);
        let here = self.prose[from..].iter().take_while(|(begin, _)| *begin < last);
        let within = here.map(|&(begin, end)| self.read.among_aligned((begin.max(first), end.min(last))));
        let prose: usize = within.map(|(begin, end)| end - begin).sum();
        prose as f64 + (aligned.1 - aligned.0 - prose) as f64 * ASIDE
    }

    /// The number of the sentence that has a word.
    fn sentence(&self, word: usize) -> u64 {
        let sentences = self.sentences.as_deref().unwrap_or_default();
        let before = sentences.partition_point(|&end| end as usize <= word);
        before.min(sentences.len().saturating_sub(1)) as u64
    }
}

/// Texts that were read, to be paired again: documents of a site are mostly aligned with the same others. When they get too
/// many, those that were not asked for since it last happened are forgotten.
#[derive(Default)]
struct KnownTexts {
    recent: HashMap<u32, Box<AlignedText>>,
    words: usize,
    older: HashMap<u32, Box<AlignedText>>,
    numbers: StemNumbers,
}

impl KnownTexts {
    /// Words of recent texts: about 30 bytes each.
    const MOST_WORDS: usize = 3 << 19;
    const MOST_STEMS: usize = 1 << 20;

    /// The text of a document, read if it is not known; to be given back.
    fn take(&mut self, doc: u32, text: &[u8], chunks: &[u8], reading: &Reading) -> Box<AlignedText> {
        if let Some(known) = self.recent.remove(&doc) {
            self.words -= known.read.spans().len();
            return known;
        }
        self.older.remove(&doc).unwrap_or_else(|| {
            let text = match std::str::from_utf8(text) {
                Ok(text) => text.to_owned(), // faster than a check that knows how to go on
                Err(_) => String::from_utf8_lossy(text).into_owned(),
            };
            let read = ReadText::new(text, &mut self.numbers, &reading.rates, &reading.boilerplate);
            Box::new(AlignedText { read, chunks: chunks.to_vec(), sentences: None, prose: Vec::new() })
        })
    }

    fn give_back(&mut self, doc: u32, text: Box<AlignedText>) {
        self.words += text.read.spans().len();
        self.recent.insert(doc, text);
        if self.words > Self::MOST_WORDS {
            self.older = std::mem::take(&mut self.recent);
            self.words = 0;
        }
    }

    /// Forgets all texts and numbers if there are too many numbers; whether it did.
    fn relieve(&mut self) -> bool {
        let full = self.numbers.len() > Self::MOST_STEMS;
        if full {
            *self = Self::default();
        }
        full
    }
}

/// Group by first document, of its text and those of its candidates: what it took from them.
pub struct AlignedPassages {
    reading: Reading,
    aligner: Aligner,
    known: KnownTexts,
    finder: Sentences,
    bounded: u64,
}

contract! {
    group AlignedPassages = "aligned passages";
    new(Aligning { rates, boilerplate, both_ways }) = Ok(Self {
        reading: Reading { rates: unpack_rates(&rates)?, boilerplate: unpack_boilerplate(&boilerplate)? },
        aligner: Aligner::new(both_ways),
        known: KnownTexts::default(),
        finder: Sentences::default(),
        bounded: 0,
    });
    key Doc of [SentText<'static>];
    keeps "two texts, and others of three million words in all";
    const PASSAGES: Port<PassageRow> = Port::documents(0, "passages");
    const SPANS: Port<PairSpan> = Port::documents(1, "spans");
    const SIDES: Port<PassageSide> = Port::documents(2, "sides");
}

impl AlignedPassages {
    /// Numbers the stems of the first text anew, as they were forgotten.
    fn begin(&mut self, own: Option<&mut AlignedText>) {
        if let Some(own) = own {
            own.read.read(&mut self.known.numbers, &self.reading.rates, &self.reading.boilerplate);
            self.aligner.begin(&own.read, &self.known.numbers);
        }
    }

    fn align(&mut self, a: (u64, &mut AlignedText), b: (u64, &mut AlignedText), out: &mut Output) -> Done {
        let found = self.aligner.align(&a.1.read, &b.1.read, &self.known.numbers);
        if found.is_empty() {
            return Ok(());
        }
        a.1.find_sentences(&mut self.finder)?;
        b.1.find_sentences(&mut self.finder)?;
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
    }
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
        let mut own = None;
        while let Some((_, tail)) = rows.next() {
            let SentText { foreign, doc, chunks, text } = SentText::take(tail)?;
            if self.known.relieve() {
                self.begin(own.as_deref_mut());
            }
            let mut read = self.known.take(doc, text.0, chunks, &self.reading);
            match own.as_deref_mut().filter(|_| foreign != 0) {
                Some(own) => {
                    self.align((key, own), (doc.into(), &mut read), out)?;
                    self.bounded += u64::from(self.aligner.bounded());
                    self.known.give_back(doc, read);
                }
                None => {
                    self.aligner.begin(&read.read, &self.known.numbers);
                    own = Some(read);
                }
            }
        }
        if let Some(own) = own {
            self.known.give_back(key as u32, own);
        }
        out.relieve();
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("bounded_pairs", self.bounded);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of five letters, all different.
    fn words(from: u32, to: u32) -> String {
        let letter = |number: u32, place: u32| char::from(b'a' + (number / 26_u32.pow(place) % 26) as u8);
        (from..to).flat_map(|number| (0..5).map(move |place| letter(number, place)).chain([' '])).collect()
    }

    #[test]
    fn texts_are_known_until_there_are_too_many() {
        let reading = Reading::default();
        let mut known = KnownTexts::default();
        let mut ask = |doc: u32, text: &str| {
            let forgot = known.relieve();
            let read = known.take(doc, text.as_bytes(), &[], &reading);
            let was = read.chunks.len();
            known.give_back(doc, read);
            (forgot, was, known.recent.len(), known.older.len())
        };
        let text = words(0, 600_000);
        assert_eq!(ask(1, &text), (false, 0, 1, 0));
        assert_eq!(ask(2, &text), (false, 0, 2, 0));
        assert_eq!(ask(3, &text), (false, 0, 0, 3)); // 1.8 million words
        assert_eq!(ask(1, ""), (false, 0, 1, 2)); // still known
        assert_eq!(ask(4, &words(600_000, 1_600_000)), (false, 0, 0, 2));
        assert_eq!(ask(5, "a few words"), (true, 0, 1, 0)); // 1.6 million stems
    }

    #[test]
    fn stems_that_are_numbered_anew_change_nothing() {
        let (a, b) = (words(3_000, 3_200), words(3_050, 3_400));
        let reading = Reading::default();
        let mut known = KnownTexts::default();
        let mut aligner = Aligner::new(true);
        let mut found = Vec::new();
        for before in [0, 5_000] {
            known.take(9, words(0, before).as_bytes(), &[], &reading);
            let (a, b) = (known.take(1, a.as_bytes(), &[], &reading), known.take(2, b.as_bytes(), &[], &reading));
            aligner.begin(&a.read, &known.numbers);
            found.push(aligner.align(&a.read, &b.read, &known.numbers).to_vec());
        }
        assert_eq!(found[0].len(), 1);
        assert_eq!(found[0], found[1]);
    }
}
