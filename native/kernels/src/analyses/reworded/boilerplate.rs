//! Which sequences of words very many documents have (see [`alignment::boilerplate`](crate::alignment::boilerplate)).

use crate::alignment::boilerplate::each_gram;
use crate::alignment::stems::each_stem;
use crate::documents::copies::{CopyColumns, CopyReader};
use crate::flow::columns::Texts;
use crate::flow::contract::Port;
use crate::flow::kernel::{Done, Group, Map, Output, Rows};
use crate::text::fingerprint::Fingerprinter;
use crate::text::grams::Distinct;
use crate::{contract, parameters, row};

row! {
    /// Of a sequence: that one more document has it.
    pub struct OneDocument {}
}

/// Map: the sequences of documents, each once.
#[derive(Default)]
pub struct StemGrams {
    stems: Vec<u64>,
    grams: Distinct,
}

contract! {
    map StemGrams = "stem grams";
    new() = Ok(Self::default());
    reads Texts<'a>, beside Option<CopyColumns<'a>>;
    keeps "the stems and sequences of one document";
    const GRAMS: Port<OneDocument> = Port::hashes(0, "grams");
}

impl Map for StemGrams {
    fn batch<'a>(&mut self, pages: Texts<'a>, beside: Option<CopyColumns<'a>>, out: &mut Output) -> Done {
        let Self { stems, grams } = self;
        let mut copies = CopyReader::new(beside);
        let print = Fingerprinter::plain();
        for row in 0..pages.doc.len() {
            if copies.code(pages.doc.at(row) as u32).is_none() {
                continue;
            }
            stems.clear();
            grams.clear();
            each_stem(&pages.text.at(row), &print, |word| stems.push(word.stem));
            each_gram(stems, &print, |_, gram| grams.insert(gram));
            out.run(&Self::GRAMS, grams.items(), OneDocument {});
            out.relieve();
        }
        Ok(())
    }
}

parameters! {
    /// In how many documents a sequence may be that is no boilerplate.
    pub struct GramLimit { most: u64 }
}

row! {
    /// Of a sequence: how many documents have it.
    pub struct CommonGram { documents: u64 }
}

/// Group by sequence: those that more documents have.
pub struct CommonGrams {
    most: u64,
}

contract! {
    group CommonGrams = "common grams";
    new(GramLimit { most }) = Ok(Self { most });
    key Hash of [OneDocument];
    const GRAMS: Port<CommonGram> = Port::hashes(0, "grams");
}

impl Group for CommonGrams {
    fn key(&mut self, gram: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        if rows.left().is_some_and(|left| left as u64 <= self.most) {
            return Ok(());
        }
        let mut documents = 0;
        while rows.next().is_some() {
            documents += 1;
        }
        if documents > self.most {
            out.row(&Self::GRAMS, gram, CommonGram { documents });
            out.count("boilerplate_grams", 1);
        }
        Ok(())
    }
}
