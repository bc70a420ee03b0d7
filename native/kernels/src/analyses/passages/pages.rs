//! Documents as sequences of tokens: which of these are in too many documents, and the windows that are left.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::num::NonZeroUsize;

use super::signatures::{PageRow, TokenPlace};
use super::stops::StopRun;
use super::WindowPlace;
use crate::flow::contract::Port;
use crate::flow::fields::{Damaged, FieldCodec};
use crate::flow::kernel::{Done, Group, Output, Rows};
use crate::text::fingerprint::Fingerprinter;
use crate::text::slots::Multiply;
use crate::{contract, parameters, row};

parameters! {
    /// Sentences in more documents are stop sentences.
    pub struct Stopping { max_df: usize }
}

row! {
    /// Of a document: the number of a sentence, its token, and whether that is in too many documents.
    pub struct Mark { sentence: u32, token: u64, stop: u8 }
}

/// Group by token: is it in too many documents?
pub struct StopSentences {
    max_df: usize,
    waiting: Vec<TokenPlace>,
    tokens: u64,
    stops: u64,
}

contract! {
    group StopSentences = "stop sentences";
    new(Stopping { max_df }) = Ok(Self { max_df, waiting: Vec::new(), tokens: 0, stops: 0 });
    key Hash of [TokenPlace];
    keeps "the rows of max_df documents";
    const MARKS: Port<Mark> = Port::documents(0, "marks");
}

impl StopSentences {
    fn send(token: u64, TokenPlace { doc, sentence }: TokenPlace, stop: u8, out: &mut Output) {
        out.row(&Self::MARKS, u64::from(doc), Mark { sentence, token, stop });
    }
}

impl Group for StopSentences {
    fn key(&mut self, token: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.waiting.clear();
        let (mut last, mut documents) = (None, 0);
        while let Some((_, tail)) = rows.next() {
            let marked = TokenPlace::take(tail)?;
            documents += usize::from(last.replace(marked.doc) != Some(marked.doc));
            if documents <= self.max_df {
                self.waiting.push(marked);
                continue;
            }
            self.waiting.drain(..).for_each(|before| Self::send(token, before, 1, out));
            Self::send(token, marked, 1, out);
        }
        self.tokens += 1;
        self.stops += u64::from(documents > self.max_df);
        self.waiting.drain(..).for_each(|before| Self::send(token, before, 0, out));
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("distinct_sentences", self.tokens);
        out.count("stop_sentences", self.stops);
    }
}

/// A token of a document is in too many documents.
pub const STOP: u8 = 1;
/// It occurs there more than once.
pub const REPEATED: u8 = 2;
/// What [`PageTokens`] has for each sentence: number, token, flags.
const WIDTH: usize = 13;

/// A sentence of a document: its number, its token, and its flags.
pub type Token = (u32, u64, u8);

/// The tokens of a packed document.
pub fn unpack(packed: &[u8]) -> Result<Vec<Token>, Damaged> {
    let (entries, []) = packed.as_chunks::<WIDTH>() else { return Err(Damaged("PageTokens")) };
    let take =
        |mut entry: &[u8]| Some((u32::take(&mut entry, 0)?, u64::take(&mut entry, 0)?, u8::take(&mut entry, 0)?));
    entries.iter().map(|entry| take(entry).ok_or(Damaged("PageTokens"))).collect()
}

parameters! {
    /// How many sentences a window has, and a run of stop sentences that is worth a name; whether windows are needed
    /// twice, since sentences can be alike.
    pub struct Windowing { window: NonZeroUsize, gamma: NonZeroUsize, alike: bool }
}

row! {
    /// Of a document: the tokens of its sentences, packed.
    pub struct PageTokens<'a> { marks: &'a [u8] }
}

/// Group by document: its sequence of tokens; its windows that have at least one sentence that is no stop sentence; and
/// its longest runs of stop sentences.
pub struct MarkedPages {
    window: usize,
    gamma: usize,
    alike: bool,
    print: Fingerprinter,
    tokens: Vec<Token>,
    bytes: Vec<u8>,
}

contract! {
    group MarkedPages = "marked pages";
    new(Windowing { window, gamma, alike }) = {
        let (tokens, bytes) = (Vec::new(), Vec::new());
        Ok(Self { window: window.get(), gamma: gamma.get(), alike, print: Fingerprinter::plain(), tokens, bytes })
    };
    key Doc of [PageRow<'static>, Mark];
    keeps "the tokens of one document";
    const MARKS: Port<PageTokens<'static>> = Port::documents(0, "marks");
    const WINDOWS: Port<WindowPlace<'static>> = Port::hashes(1, "windows");
    const STOPS: Port<StopRun> = Port::hashes(2, "stops");
    const AGAIN: Port<WindowPlace<'static>> = Port::hashes(3, "again").when("alike", "true");
}

impl MarkedPages {
    fn hash(&mut self, begin: usize, end: usize) -> u64 {
        self.bytes.clear();
        self.tokens[begin..end].iter().for_each(|token| self.bytes.extend_from_slice(&token.1.to_be_bytes()));
        self.print.bytes(&self.bytes)
    }

    fn flag_repeated(&mut self) {
        let mut times: HashMap<u64, u32, BuildHasherDefault<Multiply>> = HashMap::default();
        self.tokens.iter().for_each(|token| *times.entry(token.1).or_default() += 1);
        self.tokens.iter_mut().filter(|token| times[&token.1] > 1).for_each(|token| token.2 |= REPEATED);
    }

    fn send_stops(&mut self, doc: u32, out: &mut Output) {
        let mut begin = 0;
        for end in 1..=self.tokens.len() {
            let (last, _, before) = self.tokens[end - 1];
            let next = self.tokens.get(end);
            if next.is_some_and(|&(sentence, _, flags)| sentence == last + 1 && flags & STOP == before & STOP) {
                continue;
            }
            if before & STOP != 0 && end - begin >= self.gamma {
                let run = StopRun { doc, first: self.tokens[begin].0, sentences: (end - begin) as u32 };
                out.row(&Self::STOPS, self.hash(begin, end), run);
            }
            begin = end;
        }
    }
}

impl Group for MarkedPages {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let doc = key as u32;
        self.tokens.clear();
        let mut page = Vec::new();
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                page = tail.to_vec();
                continue;
            }
            let Mark { sentence, token, stop } = Mark::take(tail)?;
            self.tokens.push((sentence, token, if stop == 0 { 0 } else { STOP }));
        }
        let PageRow { side, servers } = PageRow::take(&page)?;
        self.flag_repeated();
        let mut packed = Vec::with_capacity(self.tokens.len() * WIDTH);
        for (sentence, token, flags) in &self.tokens {
            sentence.put(&mut packed);
            token.put(&mut packed);
            packed.push(*flags);
        }
        out.row(&Self::MARKS, key, PageTokens { marks: &packed });
        for begin in 0..(self.tokens.len() + 1).saturating_sub(self.window) {
            let window = &self.tokens[begin..begin + self.window];
            let (first, last) = (window[0].0, window[self.window - 1].0);
            if (last - first) as usize + 1 == self.window && window.iter().any(|token| token.2 & STOP == 0) {
                let placed = WindowPlace { doc, unit: first, side, servers };
                let hash = self.hash(begin, begin + self.window);
                out.row(&Self::WINDOWS, hash, placed);
                if self.alike {
                    out.row(&Self::AGAIN, hash, placed);
                }
            }
        }
        self.send_stops(doc, out);
        out.relieve();
        Ok(())
    }
}
