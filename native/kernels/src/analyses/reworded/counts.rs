//! In how many documents each stem is, and how often it occurs, by the languages of documents.

use crate::alignment::tally::{LanguageSize, StemTally, Tallied};
use crate::documents::copies::{CopyColumns, CopyReader};
use crate::flow::columns::Texts;
use crate::flow::contract::Port;
use crate::flow::kernel::{Done, Group, Map, Output, Rows};
use crate::text::fingerprint::Fingerprinter;
use crate::{contract, row};

row! {
    /// Of a stem: in how many documents of a language it is, and how often. [`ALL_WORDS`] stands for all of a language.
    pub struct StemCount { language: u32, df: u64, times: u64 }
}

/// In place of a stem: how many documents and words there are.
pub const ALL_WORDS: u64 = 0;

/// Map: the counts of the stems of a batch, of documents that are kept.
pub struct StemCounts;

contract! {
    map StemCounts = "stem counts";
    new() = Ok(Self);
    reads Texts<'a>, beside Option<CopyColumns<'a>>;
    keeps "the distinct stems of a batch";
    const COUNTS: Port<StemCount> = Port::hashes(0, "counts");
}

impl Map for StemCounts {
    fn batch<'a>(&mut self, pages: Texts<'a>, beside: Option<CopyColumns<'a>>, out: &mut Output) -> Done {
        let mut copies = CopyReader::new(beside);
        let print = Fingerprinter::plain();
        let mut tally = StemTally::default();
        let mut documents = 0;
        for row in 0..pages.doc.len() {
            if copies.code(pages.doc.at(row) as u32).is_some() {
                tally.read(&pages.text.at(row), &print);
                documents += 1;
            }
        }
        for Tallied { stem, language, df, times } in tally.stems() {
            out.row(&Self::COUNTS, stem, StemCount { language, df, times });
        }
        for &LanguageSize { language, documents, words } in tally.sizes() {
            out.row(&Self::COUNTS, ALL_WORDS, StemCount { language, df: documents, times: words });
        }
        out.count("stemmed_documents", documents);
        out.count("stemmed_words", tally.words());
        Ok(())
    }
}

/// Group by stem: its counts in each language, if it is in two documents at least.
#[derive(Default)]
pub struct StemSums {
    sums: Vec<(u32, u64, u64)>,
    single: u64,
    shared: u64,
}

contract! {
    group StemSums = "stem sums";
    new() = Ok(Self::default());
    key Hash of [StemCount];
    keeps "the languages of one stem";
    const SUMS: Port<StemCount> = Port::hashes(0, "sums");
}

impl Group for StemSums {
    fn key(&mut self, stem: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.sums.clear();
        while let Some((_, tail)) = rows.next() {
            let StemCount { language, df, times } = StemCount::take(tail)?;
            match self.sums.last_mut().filter(|sum| sum.0 == language) {
                Some(sum) => *sum = (language, sum.1 + df, sum.2 + times),
                None => self.sums.push((language, df, times)),
            }
        }
        let documents: u64 = self.sums.iter().map(|sum| sum.1).sum();
        if stem != ALL_WORDS {
            self.single += u64::from(documents == 1);
            self.shared += u64::from(documents > 1);
        }
        if stem == ALL_WORDS || documents > 1 {
            for &(language, df, times) in &self.sums {
                out.row(&Self::SUMS, stem, StemCount { language, df, times });
            }
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("single_stems", self.single);
        out.count("shared_stems", self.shared);
    }
}
