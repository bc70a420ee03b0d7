//! Texts of candidates as they meet: each is read once, however many others of a partition it is aligned with.

use std::collections::HashMap;

use crate::alignment::align::{AlignedPassage, Aligner};
use crate::alignment::boilerplate::Boilerplate;
use crate::alignment::pair::StemNumbers;
use crate::alignment::rates::StemRates;
use crate::alignment::texts::ReadText;
use crate::analyses::reworded::aligned::SentText;
use crate::analyses::reworded::prose::is_prose;
use crate::analyses::reworded::relations::SiteRelation;
use crate::analyses::reworded::sides::{unpack_boilerplate, unpack_rates};
use crate::flow::contract::{Side, WrongParameter};
use crate::flow::fields::Damaged;
use crate::flow::kernel::{Done, Rows};
use crate::text::points::spans;
use crate::text::sentences::Sentences;

/// What is known of the words of texts.
#[derive(Default)]
pub struct WordsKnown {
    rates: StemRates,
    boilerplate: Boilerplate,
}

/// What words count that are no prose.
const ASIDE: f64 = 0.1;

/// A text as it is aligned, and as it is described.
pub struct AlignedText {
    pub read: ReadText,
    chunks: Vec<u8>,
    /// Of each sentence, one past its last word; found if there is something to describe.
    sentences: Option<Vec<u32>>,
    /// The words of each sentence that is prose.
    prose: Vec<(usize, usize)>,
}

impl AlignedText {
    pub fn find_sentences(&mut self, finder: &mut Sentences) -> Result<(), Damaged> {
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
    pub fn weigh(&self, aligned: (usize, usize)) -> f64 {
        let (first, last) = self.read.among_all(aligned);
        let from = self.prose.partition_point(|&(_, end)| end <= first);
        let here = self.prose[from..].iter().take_while(|(begin, _)| *begin < last);
        let within = here.map(|&(begin, end)| self.read.among_aligned((begin.max(first), end.min(last))));
        let prose: usize = within.map(|(begin, end)| end - begin).sum();
        prose as f64 + (aligned.1 - aligned.0 - prose) as f64 * ASIDE
    }

    /// The number of the sentence that has a word.
    pub fn sentence(&self, word: usize) -> u64 {
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
    fn take(&mut self, doc: u32, text: &[u8], chunks: &[u8], reading: &WordsKnown) -> Box<AlignedText> {
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

/// Aligns the text of a first document with those of its candidates, one after the other.
pub struct Meetings {
    reading: WordsKnown,
    aligner: Aligner,
    known: KnownTexts,
    /// How many pairs a bound on the work left something out of.
    pub bounded: u64,
}

/// A document and its text.
pub type Met<'a> = (u64, &'a mut AlignedText);

impl Meetings {
    pub fn new(rates: &Side, boilerplate: &Side, both_ways: bool) -> Result<Self, WrongParameter> {
        Ok(Self {
            reading: WordsKnown { rates: unpack_rates(rates)?, boilerplate: unpack_boilerplate(boilerplate)? },
            aligner: Aligner::new(both_ways),
            known: KnownTexts::default(),
            bounded: 0,
        })
    }

    /// Numbers the stems of the first text anew, as they were forgotten.
    fn begin(&mut self, own: Option<&mut AlignedText>) {
        if let Some(own) = own {
            own.read.read(&mut self.known.numbers, &self.reading.rates, &self.reading.boilerplate);
            self.aligner.begin(&own.read, &self.known.numbers);
        }
    }

    /// Calls `found` for each pair of documents that share passages, with these and what the second is to the first.
    pub fn align(
        &mut self,
        key: u64,
        rows: &mut dyn Rows,
        mut found: impl FnMut(Met<'_>, Met<'_>, SiteRelation, &[AlignedPassage], &StemNumbers) -> Done,
    ) -> Done {
        let mut own: Option<Box<AlignedText>> = None;
        while let Some((_, tail)) = rows.next() {
            let SentText { sites, doc, chunks, text } = SentText::take(tail)?;
            if self.known.relieve() {
                self.begin(own.as_deref_mut());
            }
            let mut read = self.known.take(doc, text.0, chunks, &self.reading);
            match (own.as_deref_mut(), SentText::relation(sites)) {
                (Some(own), Some(sites)) => {
                    let passages = self.aligner.align(&own.read, &read.read, &self.known.numbers);
                    if !passages.is_empty() {
                        found((key, own), (doc.into(), &mut read), sites, passages, &self.known.numbers)?;
                    }
                    self.bounded += u64::from(self.aligner.bounded());
                    self.known.give_back(doc, read);
                }
                _ => {
                    self.aligner.begin(&read.read, &self.known.numbers);
                    own = Some(read);
                }
            }
        }
        if let Some(own) = own {
            self.known.give_back(key as u32, own);
        }
        Ok(())
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
        let reading = WordsKnown::default();
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
        let reading = WordsKnown::default();
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
