//! Where the patches of quilts are: from covers to places in two texts, in four steps.
//!
//! 1. [`Requests`](requests::Requests) brings the grams of a list together with the quilts that found sources there:
//!    each such source is to look for these grams on behalf of the quilt.
//! 2. [`Asked`](requests::Asked) packs what one quilt asks of one source.
//! 3. [`Slices`](slices::Slices) reads the sources: the passages all of whose grams were asked for go to the quilt, as
//!    words.
//! 4. [`Patches`] reads the quilts: the longest equal runs of words in these passages are the patches.
//!
//! What a quilt asks of a source is pg(quilt) ∩ grams(source), no more. So any run of k words or more in a slice has
//! only grams of that set, and the quilt need not know its patch grams again: it just looks for the slices in itself.
//! It compares words: where two grams have the same fingerprint, a slice may be sent in vain, but no wrong patch is
//! found. The same holds where two lists have the same hash, since the grams of the wrong list are not in the quilt.

pub mod passages;
pub mod places;
pub mod requests;
pub mod seams;
pub mod slices;

use std::num::NonZeroUsize;

use crate::analyses::quilts::verdicts::Late;
use crate::flow::columns::{Along, Binary, Numbers, Texts};
use crate::flow::contract::{Port, PortInfo, WrongParameter};
use crate::flow::kernel::{Done, Map, Output};
use crate::text::fingerprint::{Fingerprinter, Slide};
use crate::text::grams::Distinct;
use crate::text::unicode;
use crate::{columns, row, told};
use passages::Passages;
use places::{unpack, PlacedWords};
use seams::{PatchSpan, Seams};

columns! {
    /// The slices that documents were sent, those of better rank first.
    pub struct SlicesFor<'a> {
        quilt: Numbers<'a>, source: Numbers<'a>, begin: Numbers<'a>, words: Binary<'a>, places: Binary<'a>,
    }
}

row! {
    /// Of a quilt: where a patch begins and ends, and where in which source; how many words it has.
    pub struct Patch { begin: u64, end: u64, source: u64, source_begin: u64, source_end: u64, words: u64 }
}

told! {
    /// How grams are made, and how many words a patch has at least if it is to count as sewn in.
    pub struct Sewing { k: NonZeroUsize, key: Fingerprinter, min_grams: u64 }
}

/// Map, beside the slices for documents: the patches of each quilt, the longest runs of words it has in common with its
/// slices, then those of better ranks, then those that come first; and how much of what they cover is sewn in.
pub struct Patches(Sewing);

impl Patches {
    const PATCHES: Port<Patch> = Port::documents(0, "patches");
    const SEWN: Port<Late> = Port::documents(1, "sewn");
}

impl Map for Patches {
    const NAME: &'static str = "patches";
    const PORTS: &'static [PortInfo] = &[Self::PATCHES.info(), Self::SEWN.info()];
    const KEEPS: &'static str = "the words of one document and of its slices";
    type Told = Sewing;
    type Reads<'a> = Texts<'a>;
    type Beside<'a> = SlicesFor<'a>;

    fn new(told: Sewing) -> Result<Self, WrongParameter> {
        Ok(Self(told))
    }

    fn batch<'a>(&mut self, pages: Texts<'a>, slices: SlicesFor<'a>, out: &mut Output) -> Done {
        let (k, print) = (self.0.k.get(), &self.0.key);
        let mut along = Along::new(slices.quilt);
        let mut passages = Passages::default();
        let (mut page, mut letters, mut grams) = (PlacedWords::default(), Vec::new(), Vec::new());
        let mut slide = Slide::new(print, k);
        let (mut folded, mut confirmed) = (Vec::new(), Distinct::default());
        for row in 0..pages.doc.len() {
            let given = along.rows(pages.doc.at(row));
            if given.is_empty() {
                continue;
            }
            passages.clear();
            for row in given {
                let words = unpack(slices.words.at(row), slices.places.at(row), slices.begin.at(row) as u32);
                passages.add(slices.source.at(row), words, print);
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
            let mut seams = Seams::new(k as u32, self.0.min_grams);
            for found in passages.index.longest(&letters, k) {
                let (first, last) = (found.begin as usize, (found.begin + found.words) as usize - 1);
                let (source, source_begin, source_end) = passages.locate(found.place as usize, found.words as usize);
                let (begin, end) = (page.spans[first].begin.into(), page.spans[last].end.into());
                let patch = Patch { begin, end, source, source_begin, source_end, words: found.words.into() };
                out.row(&Self::PATCHES, pages.doc.at(row), patch);
                seams.add(PatchSpan { source, begin: found.begin, end: found.begin + found.words });
                let end = last + 2 - k;
                grams[done.max(first)..end].iter().for_each(|&gram| confirmed.insert(gram));
                done = end;
            }
            out.count("confirmed_grams", confirmed.count() as u64);
            let late = Late { sections: None, sewn: Some(seams.sewn()), attributed: None };
            out.row(&Self::SEWN, pages.doc.at(row), late);
        }
        Ok(())
    }
}
