//! What passages span of documents, and how both texts read on around them: what `quilts` asks of the alignment.

use crate::alignment::align::AlignedPassage;
use crate::alignment::fit::Rectangle;
use crate::analyses::quilts::patches::borders::{Bond, FEWEST, REACH};
use crate::analyses::reworded::aligned::SentText;
use crate::analyses::reworded::meetings::{AlignedText, Meetings, Met};
use crate::analyses::reworded::relations::SiteRelation;
use crate::flow::contract::{Port, Side, WrongParameter};
use crate::flow::kernel::{Done, Group, Output, Rows};
use crate::sketches::lexicon::Lexicon;
use crate::{contract, parameters, row};

/// A passage that is more than so many times as long in a document as in the other is a summary there: nobody took so much
/// from so little.
const MOST_TIMES: usize = 3;

parameters! {
    /// How common stems are; what is boilerplate; in how many documents stems are, and in more than how many they are common.
    pub struct Spanning { rates: Side, boilerplate: Side, stems: Side, common: u64 }
}

row! {
    /// Of a document of so many words: another one with a passage of it, and what that is to it (see [`SiteRelation`]); where
    /// the passage begins and ends in both, in words and in code points; how many different stems both sides have in
    /// common, and how many the side has that has fewer; and how the document and the other one read on before the passage
    /// and behind it (see [`Bond`]).
    pub struct SpannedPassage {
        other: u64, sites: u64, begin: u64, end: u64, other_begin: u64, other_end: u64, words: u64,
        from: u64, to: u64, other_from: u64, other_to: u64, shared: u64, stems: u64,
        twice_before: u64, words_before: u64, twice_behind: u64, words_behind: u64,
        twice_there_before: u64, words_there_before: u64, twice_there_behind: u64, words_there_behind: u64,
    }
}

impl SpannedPassage {
    /// How the document reads on before the passage and behind it.
    pub fn here(&self) -> [Bond; 2] {
        [
            Bond { twice_common: self.twice_before, words: self.words_before },
            Bond { twice_common: self.twice_behind, words: self.words_behind },
        ]
    }

    /// The same of the other document.
    pub fn there(&self) -> [Bond; 2] {
        [
            Bond { twice_common: self.twice_there_before, words: self.words_there_before },
            Bond { twice_common: self.twice_there_behind, words: self.words_there_behind },
        ]
    }
}

/// Group by first document, of its text and those of its candidates: to each of both documents the passages of it.
pub struct SpannedPassages {
    meetings: Meetings,
    stems: Lexicon<Side>,
    common: u64,
}

contract! {
    group SpannedPassages = "spanned passages";
    new(Spanning { rates, boilerplate, stems, common }) = {
        let stems = Lexicon::new(stems).map_err(|fault| WrongParameter(fault.to_string()))?;
        Ok(Self { meetings: Meetings::new(&rates, &boilerplate, true)?, stems, common })
    };
    key Doc of [SentText<'static>];
    keeps "two texts, and others of three million words in all";
    const PASSAGES: Port<SpannedPassage> = Port::documents(0, "passages");
}

impl Group for SpannedPassages {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let Self { meetings, stems, common } = self;
        let is_common = |stem| u64::from(stems.rank(stem).unwrap_or(0)) > *common;
        meetings.align(key, rows, |a, b, sites, found, numbers| {
            for passage in found {
                let sides = Sides::new(passage, a.1, b.1, |stem| is_common(numbers.stem(stem)));
                let (long_a, long_b) = (passage.at.words_a(), passage.at.words_b());
                if long_a <= MOST_TIMES * long_b {
                    out.row(&Self::PASSAGES, a.0, sides.of_first(&a, &b, sites));
                }
                if long_b <= MOST_TIMES * long_a {
                    out.row(&Self::PASSAGES, b.0, sides.turned().of_first(&b, &a, sites.turned()));
                }
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

/// Both sides of a passage.
struct Sides {
    words: Rectangle,
    points: [(u32, u32); 2],
    bonds: [[Bond; 2]; 2],
    /// Stems in common, and those of the side with fewer.
    shared: [usize; 2],
}

impl Sides {
    fn new(found: &AlignedPassage, a: &AlignedText, b: &AlignedText, is_common: impl Fn(u32) -> bool) -> Self {
        let (in_a, in_b) = (a.read.stems(found.at.a.0..found.at.a.1), b.read.stems(found.at.b.0..found.at.b.1));
        let shared = in_a.intersection(&in_b).count();
        let bonds = |text: &AlignedText, (begin, end): (usize, usize), has: &dyn Fn(u32) -> bool| {
            let words = text.read.prints().len();
            let borders = [
                (begin.saturating_sub(REACH)..begin, begin..end.min(begin + REACH)),
                (end..words.min(end + REACH), begin.max(end.saturating_sub(REACH))..end),
            ];
            borders.map(|(outside, inside)| {
                if outside.len() < FEWEST {
                    return Bond::default();
                }
                let mut inside = text.read.stems(inside);
                inside.retain(|&stem| has(stem) && !is_common(stem));
                let mut outside = text.read.stems(outside);
                outside.retain(|&stem| !is_common(stem));
                let common = outside.intersection(&inside).count();
                Bond { twice_common: 2 * common as u64, words: (outside.len() + inside.len()) as u64 }
            })
        };
        Self {
            words: found.all,
            points: [found.a, found.b],
            bonds: [
                bonds(a, found.at.a, &|stem| in_b.contains(&stem)),
                bonds(b, found.at.b, &|stem| in_a.contains(&stem)),
            ],
            shared: [shared, in_a.len().min(in_b.len())],
        }
    }

    /// The same with the second document as the first.
    fn turned(&self) -> Self {
        let ([a, b], [bonds_a, bonds_b]) = (self.points, self.bonds);
        let words = Rectangle { a: self.words.b, b: self.words.a };
        Self { words, points: [b, a], bonds: [bonds_b, bonds_a], shared: self.shared }
    }

    fn of_first(&self, (_, first): &Met<'_>, (other, second): &Met<'_>, sites: SiteRelation) -> SpannedPassage {
        let Self { words, points: [(from, to), (other_from, other_to)], bonds: [here, there], shared } = *self;
        // What is around a passage that is most of its source is a menu, and tells no direction.
        let tells = 2 * words.words_b() <= second.read.spans().len();
        let there = if tells { there } else { [Bond::default(); 2] };
        SpannedPassage {
            other: *other,
            sites: sites.0.into(),
            begin: words.a.0 as u64,
            end: words.a.1 as u64,
            other_begin: words.b.0 as u64,
            other_end: words.b.1 as u64,
            words: first.read.spans().len() as u64,
            from: from.into(),
            to: to.into(),
            other_from: other_from.into(),
            other_to: other_to.into(),
            shared: shared[0] as u64,
            stems: shared[1] as u64,
            twice_before: here[0].twice_common,
            words_before: here[0].words,
            twice_behind: here[1].twice_common,
            words_behind: here[1].words,
            twice_there_before: there[0].twice_common,
            words_there_before: there[0].words,
            twice_there_behind: there[1].twice_common,
            words_there_behind: there[1].words,
        }
    }
}
