//! Where the patches of quilts are: from covers to places in two texts, in four steps.
//!
//! 1. [`Requests`](requests::Requests) brings the grams of a list together with the quilts that found sources there:
//!    each such source is to look for these grams on behalf of the quilt.
//! 2. [`Asked`](requests::Asked) packs what one quilt asks of one source.
//! 3. [`Slices`](slices::Slices) reads the sources: the passages all of whose grams were asked for go to the quilt, as
//!    words.
//! 4. [`Patches`] reads the quilts: the longest equal runs of words in these passages are the patches.
//!
//! Of documents that are judged by reworded passages, [`RewordedPatches`](reworded::RewordedPatches) has the patches.
//!
//! What a quilt asks of a source is pg(quilt) ∩ grams(source), no more. So any run of k words or more in a slice has
//! only grams of that set, and the quilt need not know its patch grams again: it just looks for the slices in itself.
//! It compares words: where two grams have the same fingerprint, a slice may be sent in vain, but no wrong patch is
//! found. The same holds where two lists have the same hash, since the grams of the wrong list are not in the quilt.

pub mod borders;
pub mod passages;
pub mod places;
pub mod requests;
pub mod reworded;
pub mod seams;
pub mod slices;

use std::num::NonZeroUsize;

use crate::analyses::quilts::covers::share;
use crate::analyses::quilts::verdicts::Late;
use crate::flow::columns::{Along, Binary, Numbers, Texts};
use crate::flow::contract::{Port, Side, WrongParameter};
use crate::flow::kernel::{Done, Map, Output};
use crate::sketches::lexicon::Lexicon;
use crate::text::fingerprint::{Fingerprinter, Slide};
use crate::text::grams::Distinct;
use crate::text::unicode;
use crate::{columns, contract, parameters, row};
use borders::{Bond, Uncommon};
use passages::{Origin, Passages};
use places::{unpack, PlacedWords};
use seams::{judge_seams, PassageChains, BY_CHANCE};

columns! {
    /// The slices that documents were sent, those of better rank first.
    pub struct SlicesFor<'a> {
        quilt: Numbers<'a>,
        source: Numbers<'a>,
        begin: Numbers<'a>,
        first_word: Numbers<'a>,
        twice_before: Numbers<'a>,
        words_before: Numbers<'a>,
        twice_behind: Numbers<'a>,
        words_behind: Numbers<'a>,
        words: Binary<'a>,
        places: Binary<'a>,
    }
}

row! {
    /// Of a quilt: where a patch begins and ends, and where in which source; how many words it has; and if it was reworded,
    /// the share of stems in common.
    pub struct Patch {
        begin: u64, end: u64, source: u64, source_begin: u64, source_end: u64, words: u64, similarity: Option<f64>,
    }
}

parameters! {
    /// How grams are made, how many words may lie between patches of one passage, how many a passage has at least if it is
    /// to count as sewn in, which words are common, and whether it matters how the page reads on.
    pub struct Sewing {
        k: NonZeroUsize, key: Fingerprinter, gap: u64, min_grams: u64, common: Side, borders: bool,
    }
}

/// Map, beside the slices for documents: the patches of each quilt, the longest runs of words it has in common with its
/// slices, then those of better ranks, then those that come first; and how much of what they cover is sewn in.
pub struct Patches {
    told: Sewing,
    uncommon: Uncommon<Side>,
}

contract! {
    map Patches = "patches";
    new(told: Sewing) = {
        let common = Lexicon::new(told.common.clone()).map_err(|fault| WrongParameter(fault.to_string()))?;
        Ok(Self { told, uncommon: Uncommon::new(common) })
    };
    reads Texts<'a>, beside SlicesFor<'a>;
    keeps "the words of one document and of its slices";
    const PATCHES: Port<Patch> = Port::documents(0, "patches");
    const SEWN: Port<Late> = Port::documents(1, "sewn");
}

impl Map for Patches {
    fn batch<'a>(&mut self, pages: Texts<'a>, slices: SlicesFor<'a>, out: &mut Output) -> Done {
        let Self { told, uncommon } = self;
        let (k, print) = (told.k.get(), &told.key);
        let mut along = Along::new(slices.quilt);
        let mut passages = Passages::default();
        let (mut page, mut letters, mut grams) = (PlacedWords::default(), Vec::new(), Vec::new());
        let mut slide = Slide::new(print, k);
        let (mut folded, mut confirmed, mut exact) = (Vec::new(), Distinct::default(), Vec::new());
        for row in 0..pages.doc.len() {
            let given = along.rows(pages.doc.at(row));
            if given.is_empty() {
                continue;
            }
            passages.clear();
            for row in given {
                let words = unpack(slices.words.at(row), slices.places.at(row), slices.begin.at(row) as u32);
                let bond = |twice_common, words| Bond { twice_common, words };
                let origin = Origin {
                    source: slices.source.at(row),
                    first_word: slices.first_word.at(row),
                    bonds: [
                        bond(slices.twice_before.at(row), slices.words_before.at(row)),
                        bond(slices.twice_behind.at(row), slices.words_behind.at(row)),
                    ],
                };
                passages.add(origin, words, print);
            }
            let text = pages.text.at(row);
            letters.clear();
            grams.clear();
            slide.clear();
            page.read(&text, print, |_, word| {
                letters.push(word);
                grams.extend(slide.push(word));
            });
            let letters: Vec<u32> = page
                .spans
                .iter()
                .zip(&letters)
                .map(|(span, &word)| {
                    folded.clear();
                    unicode::append_folded(&mut folded, &text[span.bytes.0 as usize..span.bytes.1 as usize]);
                    passages.letters.find(word, &folded)
                })
                .collect();
            confirmed.clear();
            let mut done = 0;
            let mut chains = PassageChains::new(k, told.gap);
            exact.clear();
            exact.resize(letters.len(), false);
            for found in passages.index.longest(&letters, k) {
                let (first, last) = (found.begin as usize, (found.begin + found.words) as usize - 1);
                let (origin, source_begin, source_end) = passages.locate(found.place as usize, found.words as usize);
                let (begin, end) = (page.spans[first].begin.into(), page.spans[last].end.into());
                let (source, words) = (origin.source, found.words.into());
                let patch = Patch { begin, end, source, source_begin, source_end, words, similarity: None };
                out.row(&Self::PATCHES, pages.doc.at(row), patch);
                chains.add(&origin, found.begin, found.begin + found.words);
                exact[first..=last].fill(true);
                let end = last + 2 - k;
                grams[done.max(first)..end].iter().for_each(|&gram| confirmed.insert(gram));
                done = end;
            }
            out.count("confirmed_grams", confirmed.count() as u64);
            let seams = judge_seams(&chains.passages, k as u32, told.min_grams, BY_CHANCE);
            let (mut better, mut borders) = (0, 0);
            let (mut here, mut there, mut again) = (Bond::default(), Bond::default(), Bond::default());
            if told.borders {
                let mut own = vec![true; letters.len()];
                for passage in &chains.passages {
                    own[passage.begin as usize..passage.end as usize].fill(false);
                }
                for passage in &chains.passages {
                    if u64::from(passage.end - passage.begin) >= told.min_grams {
                        let ends = (passage.begin as usize, passage.end as usize);
                        let bonds = uncommon.bonds(&text, &page, (&grams, k), ends, |word| exact[word]);
                        // Where page or source ends, the other cannot be said to read on better.
                        for (in_page, in_source) in bonds.into_iter().zip(passage.bonds) {
                            if in_page.words > 0 && in_source.words > 0 {
                                here.add(in_page);
                                there.add(in_source);
                                better += u64::from(in_page.share() > in_source.share());
                                borders += 1;
                            }
                        }
                        again.add(uncommon.resume(&text, &page, ends, |word| own[word]));
                    }
                }
            }
            let late = Late {
                spanned: Some(share(seams.spanned, (letters.len() + 1).saturating_sub(k) as u64)),
                sewn: Some(share(seams.sewn, seams.all)),
                sewn_words: Some(seams.sewn_words),
                sewn_sources: Some(seams.sewn_sources),
                in_order: Some(seams.in_order),
                out_of_order: Some(seams.out_of_order),
                reads_on: told.borders.then(|| here.share() - there.share()),
                joined_words: Some(seams.joined_words),
                joined_sources: Some(seams.joined_sources),
                borders_on: (borders > 0).then(|| share(better, borders)),
                resumes: (again.words > 0 && there.twice_common > 0).then(|| again.share() / there.share()),
                ..Late::UNKNOWN
            };
            out.row(&Self::SEWN, pages.doc.at(row), late);
        }
        Ok(())
    }
}
