//! Passages as they are reported: borders moved word by word, and similarity by the words of both documents.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;
use std::num::NonZeroUsize;

use super::pairs::PairSpan;
use super::slices::{PassagePage, PassagePlace, PassageSlice};
use super::Unit;
use crate::flow::contract::Port;
use crate::flow::fields::{Damaged, Rest};
use crate::flow::kernel::{Beginning, Done, Group, Output, Rows, Stretches};
use crate::flow::rows::take_varint;
use crate::text::fingerprint::Fingerprinter;
use crate::text::slots::Multiply;
use crate::{contract, parameters, row};

parameters! {
    pub struct Refining { unit: Unit, refine: bool, single: bool, n: NonZeroUsize, gamma: u64, min_words: usize }
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

/// A second document: its words, where these begin and end, and its passages, by first document.
#[derive(Default)]
struct SecondPage {
    prints: Vec<u64>,
    points: Vec<(u32, u32)>,
    passages: Vec<PassagePlace>,
}

impl SecondPage {
    fn read(&mut self, tail: &[u8]) -> Result<(), Damaged> {
        let PassagePage { prints, mut points, passages: Rest(packed) } = PassagePage::take(tail)?;
        unpack_prints(prints, &mut self.prints)?;
        self.points.clear();
        let mut end = 0;
        let mut next = || {
            let begin = end + take_varint(&mut points)? as u32;
            end = begin + take_varint(&mut points)? as u32;
            Some((begin, end))
        };
        for _ in &self.prints {
            self.points.push(next().ok_or(Damaged("PassagePage"))?);
        }
        self.passages.clear();
        for place in packed.chunks(PassagePlace::WIDTH) {
            let place = PassagePlace::take(place)?;
            if place.first >= place.last || place.last as usize > self.prints.len() {
                return Err(Damaged("PassagePlace"));
            }
            self.passages.push(place);
        }
        Ok(())
    }
}

/// The first so many distances, added up.
fn sum(mut distances: &[u8], words: usize) -> Result<u32, Damaged> {
    let mut next = || take_varint(&mut distances).ok_or(Damaged("PassageSlice"));
    (0..words).map(|_| next()).sum::<Result<u64, _>>().map(|sum| sum as u32)
}

fn unpack_prints(packed: &[u8], prints: &mut Vec<u64>) -> Result<(), Damaged> {
    let (words, []) = packed.as_chunks() else { return Err(Damaged("prints")) };
    prints.clear();
    prints.extend(words.iter().map(|&word| u64::from_le_bytes(word)));
    Ok(())
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
    /// The units of the second document that match as a whole.
    units: (u32, u32),
}

impl Located {
    /// In which order passages are looked at: one diagonal after the other, from left to right.
    fn rank(&self) -> impl Ord {
        let diagonal = self.a.0.wrapping_sub(self.b.0);
        (diagonal, self.a, self.a_sentence, self.units, self.matched, self.documents)
    }

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

/// Group by second document: the passages.
pub struct Borders {
    parameters: Refining,
    page: SecondPage,
    slice: Vec<u64>,
}

contract! {
    group Borders = "passages";
    new(parameters: Refining) = Ok(Self { parameters, page: SecondPage::default(), slice: Vec::new() });
    key Doc of [PassagePage<'static>, PassageSlice<'static>];
    keeps "the words of one document, its passages, and the words of those shared with another";
    const PASSAGES: Port<PassageRow> = Port::documents(0, "passages");
    const SPANS: Port<PairSpan> = Port::documents(1, "spans");
}

impl Borders {
    /// Where the passage of a slice is, whose words have been unpacked.
    fn locate(&self, slice: &PassageSlice<'_>, place: &PassagePlace) -> Result<Located, Damaged> {
        let Self { parameters, page, slice: prints } = self;
        let mut a = (slice.before as usize, slice.before as usize + slice.inside as usize);
        let mut b = (place.first as usize, place.last as usize);
        if a.1 > prints.len() || a.0 >= a.1 {
            return Err(Damaged("PassageSlice"));
        }
        let (inside, mut more) = (a, (false, false));
        let mut a_points = (slice.begin, slice.end);
        let mut b_points = (place.begin, place.end);
        if parameters.refine {
            while a.0 > 0 && b.0 > 0 && prints[a.0 - 1] == page.prints[b.0 - 1] {
                (a.0, b.0) = (a.0 - 1, b.0 - 1);
            }
            while a.1 < prints.len() && b.1 < page.prints.len() && prints[a.1] == page.prints[b.1] {
                (a.1, b.1) = (a.1 + 1, b.1 + 1);
            }
            let (earlier, later) = (inside.0 - a.0, a.1 - inside.1);
            if parameters.unit == Unit::Sentences {
                more = (earlier >= parameters.n.get(), later >= parameters.n.get());
            }
            if earlier > 0 {
                a_points.0 -= sum(slice.begins, earlier)?;
                b_points.0 = page.points[b.0].0;
            }
            if later > 0 {
                a_points.1 += sum(slice.ends.0, later)?;
                b_points.1 = page.points[b.1 - 1].1;
            }
        }
        let first = slice.first as usize;
        let wide = |points: (u32, u32)| (u64::from(points.0), u64::from(points.1));
        Ok(Located {
            a: (first + a.0, first + a.1),
            b,
            a_points: wide(a_points),
            b_points: wide(b_points),
            prints: prints[a.0..a.1].to_vec(),
            a_sentence: slice.sentence.into(),
            b_sentence: place.sentence.into(),
            matched: if parameters.unit == Unit::Sentences { place.matched } else { slice.sentences }.into(),
            more,
            documents: place.documents.into(),
            units: (place.b_from, place.b_to),
        })
    }

    fn send(&self, a: u64, b: u64, totals: (u64, u64), located: &Located, out: &mut Output) {
        let Located { a: in_a, b: in_b, a_points, b_points, a_sentence, b_sentence, documents, .. } = *located;
        let sentences = located.sentences();
        let words = (in_a.1 - in_a.0) as u64;
        let similarity = jaccard(&located.prints, &self.page.prints[in_b.0..in_b.1], self.parameters.n.get());
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

impl Group for Borders {
    fn key(&mut self, b: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let Refining { unit, single, gamma, min_words, .. } = self.parameters;
        match rows.next() {
            Some((0, tail)) => self.page.read(tail)?,
            _ => return Err(Damaged("PassagePage").into()),
        }
        let mut at = 0;
        let mut firsts = Stretches::new(rows, Beginning::First(4));
        while firsts.begin() {
            let mut found = Vec::new();
            let (mut a, mut totals) = (0, (0, 0));
            while let Some(tail) = firsts.tail() {
                let slice = PassageSlice::take(tail)?;
                unpack_prints(slice.prints, &mut self.slice)?;
                (a, totals) = (u64::from(slice.a), (u64::from(slice.words), self.page.prints.len() as u64));
                let is_of =
                    |place: &&PassagePlace| (place.a, place.a_from, place.a_to) == (slice.a, slice.from, slice.to);
                while let Some(place) = self.page.passages.get(at).filter(is_of) {
                    found.push(self.locate(&slice, place)?);
                    at += 1;
                }
            }
            found.sort_by_key(Located::rank);
            if !single {
                found.dedup_by(|next, last| last.absorb(next));
            }
            let enough = |located: &&Located| {
                located.a.1 - located.a.0 >= min_words && (unit == Unit::Words || located.sentences() >= gamma)
            };
            found.iter().filter(enough).for_each(|located| self.send(a, b, totals, located, out));
            out.relieve();
        }
        if at < self.page.passages.len() {
            return Err(Damaged("PassageSlice").into());
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
