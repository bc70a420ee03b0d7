//! Passages as they are reported: borders moved word by word, and similarity by the words of both texts.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;
use std::num::NonZeroUsize;

use super::pairs::PairSpan;
use super::slices::CutPage;
use super::stops::ChunkedTexts;
use super::Unit;
use crate::analyses::quilts::patches::places::PlacedWords;
use crate::flow::columns::{Along, Binary, Numbers};
use crate::flow::contract::{Port, PortInfo, WrongParameter};
use crate::flow::fields::Damaged;
use crate::flow::kernel::{Done, Map, Output};
use crate::text::fingerprint::Fingerprinter;
use crate::text::slots::Multiply;
use crate::{columns, row, told};

told! {
    pub struct Refining { unit: Unit, refine: bool, n: NonZeroUsize, gamma: u64, min_words: usize }
}

columns! {
    /// The slices of first documents, by second document (see [`PassageSlice`](super::slices::PassageSlice)).
    pub struct SliceColumns<'a> {
        b: Numbers<'a>, a: Numbers<'a>, a_sentence: Numbers<'a>, b_from: Numbers<'a>, b_to: Numbers<'a>,
        matched: Numbers<'a>, documents: Numbers<'a>, words: Numbers<'a>, first: Numbers<'a>, before: Numbers<'a>,
        inside: Numbers<'a>, begin: Numbers<'a>, end: Numbers<'a>, at: Numbers<'a>, text: Binary<'a>,
    }
}

row! {
    /// Of the first document of a pair: the second; where a passage is in both; its first sentences; how many match; how
    /// many words it has in the first document; how similar it is; how many documents share some of it; its weight; and if
    /// texts were aligned, its score and the shares of words taken over.
    pub struct PassageRow {
        b: u64, a_begin: u64, b_begin: u64, a_end: u64, b_end: u64, a_sentence: u64, b_sentence: u64,
        sentences: u64, words: u64, similarity: f64, documents: u64, weight: f64,
        score: Option<f64>, a_rate: Option<f64>, b_rate: Option<f64>,
    }
}

/// A passage of a pair before it is written: by words of both documents, and by code points.
struct Located {
    a: (usize, usize),
    b: (usize, usize),
    a_points: (u64, u64),
    b_points: (u64, u64),
    prints: Vec<u64>,
    a_sentence: u64,
    b_sentence: u64,
    matched: u64,
    /// Whether enough words agree before and behind the sentences that match to count one more.
    more: (bool, bool),
    documents: u64,
}

impl Located {
    fn sentences(&self) -> u64 {
        self.matched + u64::from(self.more.0) + u64::from(self.more.1)
    }

    /// Takes in a passage that begins within this one, or right behind it, on the same diagonal.
    fn absorb(&mut self, next: &Self) -> bool {
        let same = next.a.0.wrapping_sub(self.a.0) == next.b.0.wrapping_sub(self.b.0)
            && self.a.1.wrapping_sub(self.b.1) == self.a.0.wrapping_sub(self.b.0);
        if !same || next.a.0 > self.a.1 {
            return false;
        }
        if next.b_sentence >= self.b_sentence + self.matched {
            self.matched += next.matched;
        }
        self.more.1 = next.more.1;
        self.documents = self.documents.min(next.documents);
        if next.a.1 > self.a.1 {
            self.prints.extend_from_slice(&next.prints[self.a.1 - next.a.0..]);
            (self.a.1, self.b.1) = (next.a.1, next.b.1);
            (self.a_points.1, self.b_points.1) = (next.a_points.1, next.b_points.1);
        }
        true
    }
}

/// Map, beside the slices of first documents: the passages.
pub struct Borders {
    told: Refining,
    page: CutPage,
    slice: PlacedWords,
}

impl Borders {
    const PASSAGES: Port<PassageRow> = Port::documents(0, "passages");
    const SPANS: Port<PairSpan> = Port::documents(1, "spans");

    /// Where the passage of one slice is.
    fn locate(&mut self, slices: &SliceColumns<'_>, at: usize, print: &Fingerprinter) -> Result<Located, Damaged> {
        let Self { told, page, slice } = self;
        let (from, to) = (slices.b_from.at(at) as usize, slices.b_to.at(at) as usize);
        let (mut b, b_points) = page.locate(told.unit, from, to).ok_or(Damaged("slices"))?;
        let b_sentence = page.sentence(b.0) as u64;
        let text = String::from_utf8_lossy(slices.text.at(at));
        let mut prints = Vec::new();
        slice.read(&text, print, |_, word| prints.push(word));
        let begin = slices.before.at(at) as usize;
        let mut a = (begin, begin + slices.inside.at(at) as usize);
        if a.1 > prints.len() || a.0 >= a.1 || b.0 >= b.1 {
            return Err(Damaged("slices"));
        }
        let mut a_points = (slices.begin.at(at), slices.end.at(at));
        let mut b_points = (b_points.0 as u64, b_points.1 as u64);
        let mut more = (false, false);
        if told.refine {
            let (inside, also) = (a, b);
            while a.0 > 0 && b.0 > 0 && prints[a.0 - 1] == page.prints[b.0 - 1] {
                (a.0, b.0) = (a.0 - 1, b.0 - 1);
            }
            while a.1 < prints.len() && b.1 < page.prints.len() && prints[a.1] == page.prints[b.1] {
                (a.1, b.1) = (a.1 + 1, b.1 + 1);
            }
            if told.unit == Unit::Sentences {
                more = (inside.0 - a.0 >= told.n.get(), a.1 - inside.1 >= told.n.get());
            }
            let offset = slices.at.at(at);
            if a.0 != inside.0 {
                a_points.0 = offset + u64::from(slice.spans[a.0].begin);
                b_points.0 = page.words.spans[b.0].begin.into();
            }
            if a.1 != inside.1 || also.1 != b.1 {
                a_points.1 = offset + u64::from(slice.spans[a.1 - 1].end);
                b_points.1 = page.words.spans[b.1 - 1].end.into();
            }
        }
        prints.truncate(a.1);
        prints.drain(..a.0);
        let first = slices.first.at(at) as usize;
        Ok(Located {
            a: (first + a.0, first + a.1),
            b,
            a_points,
            b_points,
            prints,
            a_sentence: slices.a_sentence.at(at),
            b_sentence,
            matched: slices.matched.at(at),
            more,
            documents: slices.documents.at(at),
        })
    }

    fn send(&self, a: u64, b: u64, totals: (u64, u64), located: &Located, out: &mut Output) {
        let Located { a: in_a, b: in_b, a_points, b_points, a_sentence, b_sentence, documents, .. } = *located;
        let sentences = located.sentences();
        let words = (in_a.1 - in_a.0) as u64;
        let similarity = jaccard(&located.prints, &self.page.prints[in_b.0..in_b.1], self.told.n.get());
        let passage = PassageRow {
            b,
            a_begin: a_points.0,
            b_begin: b_points.0,
            a_end: a_points.1,
            b_end: b_points.1,
            a_sentence,
            b_sentence,
            sentences,
            words,
            similarity,
            documents,
            weight: words as f64 * similarity / (documents.max(2) - 1) as f64,
            score: None,
            a_rate: None,
            b_rate: None,
        };
        out.row(&Self::PASSAGES, a, passage);
        let short = |number: usize| number as u32;
        let span = PairSpan {
            b: b as u32,
            a_from: short(in_a.0),
            a_to: short(in_a.1),
            b_from: short(in_b.0),
            b_to: short(in_b.1),
            a_words: totals.0 as u32,
            b_words: totals.1 as u32,
            sentences: sentences as u32,
            weight: passage.weight,
        };
        out.row(&Self::SPANS, a, span);
    }
}

impl Map for Borders {
    const NAME: &'static str = "passages";
    const PORTS: &'static [PortInfo] = &[Self::PASSAGES.info(), Self::SPANS.info()];
    const KEEPS: &'static str = "the words of one document, and the passages that it shares with another";
    type Told = Refining;
    type Reads<'a> = ChunkedTexts<'a>;
    type Beside<'a> = SliceColumns<'a>;

    fn new(told: Refining) -> Result<Self, WrongParameter> {
        Ok(Self { told, page: CutPage::default(), slice: PlacedWords::default() })
    }

    fn batch<'a>(&mut self, pages: ChunkedTexts<'a>, slices: SliceColumns<'a>, out: &mut Output) -> Done {
        let print = Fingerprinter::plain();
        let Refining { unit, gamma, min_words, .. } = self.told;
        let mut along = Along::new(slices.b);
        for row in 0..pages.doc.len() {
            let b = pages.doc.at(row);
            let given = along.rows(b);
            if given.is_empty() {
                continue;
            }
            self.page.read(&pages.text.at(row), pages.chunks.at(row), &print)?;
            let mut at = given.start;
            while at < given.end {
                let a = slices.a.at(at);
                let end = (at..given.end).find(|&next| slices.a.at(next) != a).unwrap_or(given.end);
                let totals = (slices.words.at(at), self.page.prints.len() as u64);
                let mut found = Vec::with_capacity(end - at);
                for slice in at..end {
                    found.push(self.locate(&slices, slice, &print)?);
                }
                found.sort_by_key(|located| (located.a.0.wrapping_sub(located.b.0), located.a.0, located.a.1));
                found.dedup_by(|next, last| last.absorb(next));
                let enough = |located: &&Located| {
                    located.a.1 - located.a.0 >= min_words && (unit == Unit::Words || located.sentences() >= gamma)
                };
                found.iter().filter(enough).for_each(|located| self.send(a, b, totals, located, out));
                out.relieve();
                at = end;
            }
        }
        Ok(())
    }
}

/// The Jaccard coefficient of the sets of shingles of n words; a shorter text is one shingle.
pub fn jaccard(one: &[u64], other: &[u64], n: usize) -> f64 {
    if one == other {
        return 1.0;
    }
    let print = Fingerprinter::plain();
    let set = |words: &[u64]| -> HashSet<u64, BuildHasherDefault<Multiply>> {
        let mut bytes = Vec::new();
        let shingles = words.windows(n.min(words.len()).max(1));
        shingles
            .map(|shingle| {
                bytes.clear();
                shingle.iter().for_each(|word| bytes.extend_from_slice(&word.to_be_bytes()));
                print.bytes(&bytes)
            })
            .collect()
    };
    let (one, other) = (set(one), set(other));
    let both = one.intersection(&other).count();
    both as f64 / (one.len() + other.len() - both).max(1) as f64
}
