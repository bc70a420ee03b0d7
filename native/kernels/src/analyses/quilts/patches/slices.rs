//! The passages of sources that are made of the grams asked for.

use std::collections::HashSet;

use hashbrown::{hash_table, HashTable};

use std::num::NonZeroUsize;

use super::borders::{Bond, Uncommon};
use super::places::PlacedWords;
use crate::flow::columns::{Along, Binary, Numbers, Texts};
use crate::flow::contract::{Port, Side, WrongParameter};
use crate::flow::kernel::{Done, Map, Output};
use crate::sketches::lexicon::Lexicon;
use crate::text::fingerprint::{Fingerprinter, Slide};
use crate::text::slots::mixed;
use crate::{columns, contract, parameters, row};

columns! {
    /// What was asked of documents.
    pub struct AskedOf<'a> { source: Numbers<'a>, quilt: Numbers<'a>, rank: Numbers<'a>, grams: Binary<'a> }
}

parameters! {
    /// How grams are made, how many words may lie between slices of one passage, which words are common, and whether it
    /// matters how the source reads on across the borders of passages.
    pub struct SliceCutting { k: NonZeroUsize, key: Fingerprinter, gap: u64, common: Side, borders: bool }
}

row! {
    /// Of a quilt: a passage of a source that has this rank, where it begins there, and as which word; how the source
    /// reads on before and behind it (see [`Bond`]), its words and their places.
    pub struct Slice<'a> {
        rank: u64, source: u64, begin: u64, first_word: u64, twice_before: u64, words_before: u64, twice_behind: u64,
        words_behind: u64, words: &'a [u8], places: &'a [u8],
    }
}

/// Map, beside what was asked of documents: to each quilt the passages of its source all of whose grams it asked for,
/// as long as they can be. Of several with the same words only the first is sent, since patches prefer it.
pub struct Slices {
    told: SliceCutting,
    uncommon: Uncommon<Side>,
}

contract! {
    map Slices = "slices";
    new(told: SliceCutting) = {
        let common = Lexicon::new(told.common.clone()).map_err(|fault| WrongParameter(fault.to_string()))?;
        Ok(Self { told, uncommon: Uncommon::new(common) })
    };
    reads Texts<'a>, beside AskedOf<'a>;
    keeps "the words of one document, and the grams asked of it";
    const SLICES: Port<Slice<'static>> = Port::documents(0, "slices");
}

impl Map for Slices {
    fn batch<'a>(&mut self, pages: Texts<'a>, requests: AskedOf<'a>, out: &mut Output) -> Done {
        let Self { told, uncommon } = self;
        let (k, print) = (told.k.get(), &told.key);
        let mut along = Along::new(requests.source);
        let mut slide = Slide::new(print, k);
        let (mut page, mut grams) = (PlacedWords::default(), Vec::new());
        let mut seen = HashSet::new();
        for row in 0..pages.doc.len() {
            let source = pages.doc.at(row);
            let asked = along.rows(source);
            if asked.is_empty() {
                continue;
            }
            let text = pages.text.at(row);
            let wanted = Wanted::new(asked.clone().map(|row| requests.grams.at(row)));
            slide.clear();
            grams.clear();
            let mut stretches = WantedStretches::new(asked.len());
            page.read(&text, print, |at, word| {
                if let Some(gram) = slide.push(word) {
                    wanted.by(gram).for_each(|asker| stretches.add(asker, at + 1 - k));
                    grams.push(gram);
                }
            });
            for (row, stretches) in asked.zip(&stretches.0) {
                seen.clear();
                for chain in chains(stretches, k, told.gap as usize) {
                    let (Some(&(begin, _)), Some(&(_, last))) = (chain.first(), chain.last()) else { continue };
                    // What is around a passage that is most of its source is a menu, and tells no direction.
                    let tells = (last + k - begin) * 2 <= page.spans.len();
                    let [before, behind] = if told.borders && tells {
                        let exact = |word: usize| is_within(chain, word, k);
                        uncommon.bonds(&text, &page, (&grams, k), (begin, last + k), exact)
                    } else {
                        [Bond::default(); 2]
                    };
                    for &(first, last) in chain {
                        let (words, places) = page.pack(&text, first..last + k);
                        if stretches.len() == 1 || !seen.contains(&words) {
                            let slice = Slice {
                                rank: requests.rank.at(row),
                                source,
                                begin: page.spans[first].begin.into(),
                                first_word: first as u64,
                                twice_before: before.twice_common,
                                words_before: before.words,
                                twice_behind: behind.twice_common,
                                words_behind: behind.words,
                                words: &words,
                                places: &places,
                            };
                            out.row(&Self::SLICES, requests.quilt.at(row), slice);
                            seen.insert(words);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// Who wants a gram of a document.
struct Wanted {
    /// For each gram asked for: the gram, the number of the quilt that asks, and the entry before it with the same gram
    /// (its own number if there is none).
    entries: Vec<(u64, u32, u32)>,
    /// The last entry of each gram.
    last: HashTable<u32>,
}

impl Wanted {
    fn new<'a>(asked: impl Iterator<Item = &'a [u8]> + Clone) -> Self {
        let count: usize = asked.clone().map(|grams| grams.len() / 8).sum();
        let mut this = Self { entries: Vec::with_capacity(count), last: HashTable::with_capacity(count) };
        for (asker, grams) in (0..).zip(asked) {
            for gram in grams.as_chunks().0 {
                this.add(u64::from_be_bytes(*gram), asker);
            }
        }
        this
    }

    fn add(&mut self, gram: u64, asker: u32) {
        let Self { entries, last } = self;
        let new = entries.len() as u32;
        let of = |entry: &u32| entries[*entry as usize].0;
        let before = match last.entry(mixed(gram), |entry| of(entry) == gram, |entry| mixed(of(entry))) {
            hash_table::Entry::Occupied(mut entry) => std::mem::replace(entry.get_mut(), new),
            hash_table::Entry::Vacant(entry) => *entry.insert(new).get(),
        };
        entries.push((gram, asker, before));
    }

    #[inline]
    fn by(&self, gram: u64) -> impl Iterator<Item = usize> + '_ {
        let mut entry = self.last.find(mixed(gram), |&entry| self.entries[entry as usize].0 == gram).copied();
        std::iter::from_fn(move || {
            let number = entry?;
            let (_, asker, before) = self.entries[number as usize];
            entry = (before != number).then_some(before);
            Some(asker as usize)
        })
    }
}

/// For each quilt that asks, the stretches of consecutive grams that it wants: their first and last grams.
struct WantedStretches(Vec<Vec<(usize, usize)>>);

impl WantedStretches {
    fn new(askers: usize) -> Self {
        Self(vec![Vec::new(); askers])
    }

    fn add(&mut self, asker: usize, gram: usize) {
        match self.0[asker].last_mut() {
            Some((_, last)) if *last + 1 == gram => *last = gram,
            _ => self.0[asker].push((gram, gram)),
        }
    }
}

/// Stretches that are one passage but for a few changed words: at most `gap` words lie between two of them.
fn chains(stretches: &[(usize, usize)], k: usize, gap: usize) -> impl Iterator<Item = &[(usize, usize)]> {
    stretches.chunk_by(move |before, behind| gap > 0 && behind.0 <= before.1 + k + gap)
}

/// Whether a word is in one of the stretches, which ascend.
fn is_within(stretches: &[(usize, usize)], word: usize, k: usize) -> bool {
    let behind = stretches.partition_point(|&(first, _)| first <= word);
    behind > 0 && word < stretches[behind - 1].1 + k
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_end_where_a_gram_is_not_wanted() {
        let mut stretches = WantedStretches::new(2);
        for (asker, gram) in [(0, 0), (0, 1), (1, 1), (1, 2), (0, 3), (0, 4), (1, 9)] {
            stretches.add(asker, gram);
        }
        assert_eq!(stretches.0, [vec![(0, 1), (3, 4)], vec![(1, 2), (9, 9)]]);
    }
}
