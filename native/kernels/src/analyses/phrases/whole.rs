//! Phrases as people read them: grams that overlap and stand in the same documents are one phrase, with its full text.
//!
//! [`PhraseLists`] sees all documents of a gram, and asks the lowest of them for its text. All grams of a phrase have
//! the same lowest document, so [`WholePhrases`] finds them there one behind the other, and joins them. [`OnePhrase`]
//! keeps one row of phrases that say the same.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;

use super::Sampled;
use crate::alignment::logarithms::ln;
use crate::analyses::passages::stops::ChunkedTexts;
use crate::analyses::reuse::examples::is_notice;
use crate::documents::servers::Place;
use crate::flow::columns::{Along, Numbers};
use crate::flow::contract::Port;
use crate::flow::fields::Damaged;
use crate::flow::kernel::{Done, Group, Map, Output, Rows};
use crate::text::fingerprint::{Fingerprinter, Slide};
use crate::text::points::{count_points, spans};
use crate::text::sentences::Sentences;
use crate::text::slots::Multiply;
use crate::text::unicode::without_filler;
use crate::text::words::words;
use crate::{columns, contract, parameters, row};

parameters! {
    /// From how many documents on a gram is asked for that only one site has.
    pub struct GramAsking { popular: u64 }
}

row! {
    /// Of the lowest document that has it: a gram, in how many documents and on how many sites it is, and a fingerprint
    /// of the list of these documents.
    pub struct AskedGram { gram: u64, documents: u64, sites: u64, list: u64 }
}

/// Group by gram: how many documents and sites have it, if several sites do, or enough documents.
pub struct PhraseLists {
    popular: u64,
    print: Fingerprinter,
    documents: Vec<u8>,
    servers: HashSet<u64>,
}

contract! {
    group PhraseLists = "phrase lists";
    new(GramAsking { popular }) = Ok(Self {
        popular, print: Fingerprinter::plain(), documents: Vec::new(), servers: HashSet::new(),
    });
    key Hash of [Sampled<'static>];
    keeps "the first 65,536 documents of a gram, and its sites";
    const GRAMS: Port<AskedGram> = Port::documents(0, "grams");
}

impl PhraseLists {
    /// So many documents of a list are told apart; behind them only their number counts.
    const MOST: usize = 1 << 16;
}

impl Group for PhraseLists {
    fn key(&mut self, gram: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.documents.clear();
        self.servers.clear();
        let (mut lowest, mut documents, mut alone) = (None, 0, 0);
        while let Some((_, tail)) = rows.next() {
            let Sampled { doc, place, .. } = Sampled::take(tail)?;
            lowest.get_or_insert(doc);
            documents += 1;
            if self.documents.len() < 4 * Self::MOST {
                self.documents.extend_from_slice(&doc.to_be_bytes());
            }
            let Place { server, addresses } = Place::own(place.0);
            match (server, addresses.first_chunk()) {
                (0, _) => alone += 1, // a document without a URL is a site of its own
                (_, Some(&address)) => drop(self.servers.insert(u64::from_be_bytes(address))),
                (server, None) => drop(self.servers.insert(server)),
            }
        }
        let sites = alone + self.servers.len() as u64;
        if sites > 1 || documents >= self.popular {
            let list = self.print.bytes(&self.documents) ^ documents;
            out.row(&Self::GRAMS, u64::from(lowest.unwrap_or_default()), AskedGram { gram, documents, sites, list });
        }
        Ok(())
    }
}

columns! {
    /// Grams by the lowest document that has them.
    pub struct AskedGrams<'a> {
        doc: Numbers<'a>, gram: Numbers<'a>, documents: Numbers<'a>, sites: Numbers<'a>, list: Numbers<'a>,
    }
}

parameters! {
    /// Grams, and how many documents there are.
    pub struct Reading { k: std::num::NonZeroUsize, key: Fingerprinter, total: u64 }
}

row! {
    /// Of a phrase: what it says, how many words that is; in how many documents, and on how many sites it is; whether it
    /// is made of whole sentences, whether these are prose, and whether it is a notice; what it weighs; the lowest document that has it, and where.
    pub struct WholePhrase<'a> {
        text: &'a [u8], words: u64, documents: u64, sites: u64, whole: bool, prose: bool, notice: bool, weight: f64,
        example: u64, begin: u64, end: u64,
    }
}

/// Map: phrases of the documents that are asked for grams.
pub struct WholePhrases {
    reading: Reading,
    sentences: Sentences,
}

/// What whole sentences count that are not prose, and what parts of sentences count, beside prose.
const LISTING: f64 = 0.15;
const FRAGMENT: f64 = 0.05;
/// Of so many characters, one that is neither a letter, white space nor common punctuation may be in prose.
const ODD: usize = 20;
const MARKS: &str = ".,;:!?'\"’‘“”()-–—…、。，；：！？「」『』《》（）";
const OPENING: &[char] = &['"', '\'', '“', '‘', '(', '「', '『', '（'];
const CLOSING: &[char] = &['"', '\'', '”', '’', ')', '」', '』', '）'];
const ENDS: &[char] = &['.', '!', '?', '。', '！', '？'];

/// Whether a text reads like sentences: it begins with a letter that is not a small one, ends with a mark that ends
/// sentences, and has few signs and figures.
fn is_prose(text: &str) -> bool {
    let said = text.trim();
    let begins =
        said.trim_start_matches(OPENING).chars().next().is_some_and(|c| c.is_alphabetic() && !c.is_lowercase());
    let is_odd = |c: &char| !(c.is_alphabetic() || c.is_whitespace() || MARKS.contains(*c));
    begins
        && said.trim_end_matches(CLOSING).ends_with(ENDS)
        && ODD * said.chars().filter(is_odd).count() <= said.chars().count()
}

/// Grams one behind the other that are in the same documents, or nearly so.
#[derive(Clone, Copy)]
struct Run {
    first: usize,
    last: usize,
    list: u64,
    fewest: u64,
    most: u64,
    sites: u64,
}

impl Run {
    /// Whether a gram belongs to it: it is in the same documents, or their number differs by no more than a fifth.
    fn takes(&self, list: u64, documents: u64) -> bool {
        list == self.list || 5 * self.fewest.min(documents) >= 4 * self.most.max(documents)
    }
}

contract! {
    map WholePhrases = "whole phrases";
    new(reading: Reading) = Ok(Self { reading, sentences: Sentences::default() });
    reads ChunkedTexts<'a>, beside AskedGrams<'a>;
    keeps "the words of one document";
    const PHRASES: Port<WholePhrase<'static>> = Port::hashes(0, "phrases");
}

impl WholePhrases {
    /// Characters of a phrase that are written.
    const LONGEST: usize = 1000;

    /// What a phrase weighs: doublings of sites × doublings of words × rarity × form. A phrase that is on every page of
    /// its sites is rare on none of them, and one that all documents have is not rare at all.
    fn weigh(&self, words: u64, documents: u64, sites: u64, form: f64) -> f64 {
        let (words, documents, sites, total) =
            (words as f64, documents as f64, sites as f64, self.reading.total as f64);
        let rarity = sites / documents * (ln(total / documents) / ln(total.max(2.0))).max(0.0);
        ln(sites) / ln(2.0) * ln(words + 1.0) / ln(2.0) * rarity * form
    }
}

impl Map for WholePhrases {
    fn batch<'a>(&mut self, pages: ChunkedTexts<'a>, grams: AskedGrams<'a>, out: &mut Output) -> Done {
        let k = self.reading.k.get();
        let mut along = Along::new(grams.doc);
        let (mut places, mut prints, mut points) = (Vec::<(usize, usize)>::new(), Vec::new(), Vec::new());
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row);
            let mut asked: HashMap<u64, usize, BuildHasherDefault<Multiply>> =
                along.rows(doc).map(|at| (grams.gram.at(at), at)).collect();
            if asked.is_empty() {
                continue;
            }
            let text = pages.text.at(row);
            places.clear();
            prints.clear();
            points.clear();
            let mut slide = Slide::new(&self.reading.key, k);
            let (mut runs, mut open): (Vec<Run>, Option<Run>) = (Vec::new(), None);
            words(&text, &self.reading.key, |begin, end, word| {
                let (before, reached) = points.last().map_or((0, 0), |&known| (known, places[places.len() - 1].0));
                points.push(before + count_points(&text.as_bytes()[reached..begin]));
                places.push((begin, end));
                prints.push(word);
                let Some(gram) = slide.push(word) else { return };
                let number = places.len() - k;
                let found =
                    asked.remove(&gram).map(|at| (grams.list.at(at), grams.documents.at(at), grams.sites.at(at)));
                match (&mut open, found) {
                    (Some(run), Some((list, documents, sites))) if run.takes(list, documents) => {
                        run.last = number;
                        run.fewest = run.fewest.min(documents);
                        run.most = run.most.max(documents);
                        run.sites = run.sites.min(sites);
                    }
                    (_, Some((list, documents, sites))) => {
                        let begun =
                            Run { first: number, last: number, list, fewest: documents, most: documents, sites };
                        runs.extend(open.replace(begun));
                    }
                    (_, None) => runs.extend(open.take()),
                }
            });
            runs.extend(open);
            let sentences = self.sentences.of(&text, spans(pages.chunks.at(row))).ok_or(Damaged("chunks"))?;
            for run in runs {
                let (mut begin, mut end) = (places[run.first].0, places[run.last + k - 1].1);
                let first = sentences.partition_point(|each| word_begin(&places, each.start) < begin);
                let last = sentences.partition_point(|each| word_end(&places, each.end) <= end);
                let whole = first < last;
                if whole {
                    (begin, end) = (sentences[first].start, sentences[last - 1].end);
                }
                let from = places.partition_point(|place| place.0 < begin);
                let until = places.partition_point(|place| place.1 <= end);
                let number = (until - from) as u64;
                let mut print = Vec::new();
                prints[from..until].iter().for_each(|word: &u64| print.extend_from_slice(&word.to_be_bytes()));
                let said = collapse(&text[begin..end]);
                let prose = whole && is_prose(&text[begin..end]);
                let form = if prose {
                    1.0
                } else if whole {
                    LISTING
                } else {
                    FRAGMENT
                };
                let phrase = WholePhrase {
                    text: said.as_bytes(),
                    words: number,
                    documents: run.fewest,
                    sites: run.sites,
                    whole,
                    prose,
                    notice: is_notice(&text[begin..end]),
                    weight: self.weigh(number, run.fewest, run.sites, form),
                    example: doc,
                    begin: find_point(&text, &places, &points, begin) as u64,
                    end: find_point(&text, &places, &points, end) as u64,
                };
                out.row(&Self::PHRASES, Fingerprinter::plain().bytes(&print), phrase);
            }
        }
        Ok(())
    }
}

/// Where the first word begins that begins here or later.
fn word_begin(places: &[(usize, usize)], at: usize) -> usize {
    places.get(places.partition_point(|place| place.0 < at)).map_or(usize::MAX, |place| place.0)
}

/// Where the last word ends that ends here or earlier.
fn word_end(places: &[(usize, usize)], at: usize) -> usize {
    places[..places.partition_point(|place| place.1 <= at)].last().map_or(0, |place| place.1)
}

/// How many code points lie before a byte, by those before the words.
fn find_point(text: &str, places: &[(usize, usize)], points: &[usize], at: usize) -> usize {
    let known = places.partition_point(|place| place.0 <= at).checked_sub(1);
    let (before, reached) = known.map_or((0, 0), |word| (points[word], places[word].0));
    before + count_points(&text.as_bytes()[reached..at])
}

/// A text with its white space collapsed, cut if it is long.
fn collapse(text: &str) -> String {
    let mut said = String::new();
    for part in text.split_whitespace() {
        if !said.is_empty() {
            said.push(' ');
        }
        said.push_str(&without_filler(part));
        if said.len() > 4 * WholePhrases::LONGEST {
            break;
        }
    }
    if let Some((cut, _)) = said.char_indices().nth(WholePhrases::LONGEST) {
        said.truncate(cut);
        said.push('…');
    }
    said
}

/// Group by words: one phrase, that of the most documents; of several, that of the lowest document.
pub struct OnePhrase;

contract! {
    group OnePhrase = "one phrase";
    new() = Ok(Self);
    key Hash of [WholePhrase<'static>];
    keeps "one phrase";
    const PHRASES: Port<WholePhrase<'static>> = Port::hashes(0, "phrases");
}

impl Group for OnePhrase {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut best: Option<((u64, u64, u64), Vec<u8>)> = None;
        while let Some((_, tail)) = rows.next() {
            let WholePhrase { documents, sites, example, .. } = WholePhrase::take(tail)?;
            let rank = (documents, sites, u64::MAX - example);
            if best.as_ref().is_none_or(|(known, _)| rank > *known) {
                best = Some((rank, tail.to_vec()));
            }
        }
        if let Some((_, tail)) = best {
            out.row(&Self::PHRASES, key, WholePhrase::take(&tail)?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose() {
        for text in
            ["Nobody reads this.", "“Is it so?”", "他们不知道。", "It took 12 years, as all of them said (twice)."]
        {
            assert!(is_prose(text), "{text}");
        }
        for text in ["", ".", "index next | previous |", "Table of Contents 3.1.", "and so on.", "$ cd .. && make."] {
            assert!(!is_prose(text), "{text}");
        }
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(collapse("  one \n two  "), "one two");
        assert_eq!(collapse(&"é ".repeat(3000)).chars().count(), WholePhrases::LONGEST + 1);
    }
}
