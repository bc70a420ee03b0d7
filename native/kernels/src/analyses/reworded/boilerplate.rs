//! Which sequences of words very many documents have (see [`alignment::boilerplate`](crate::alignment::boilerplate)).

use crate::alignment::boilerplate::each_gram;
use crate::alignment::stems::each_stem;
use crate::documents::copies::{CopyColumns, CopyReader};
use crate::flow::columns::Texts;
use crate::flow::contract::{shape, Key, Port, PortInfo, Shape, WrongParameter};
use crate::flow::kernel::{Done, Group, Map, Output, Rows};
use crate::text::fingerprint::Fingerprinter;
use crate::text::grams::Distinct;
use crate::{parameters, row, without_parameters};

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

impl StemGrams {
    const GRAMS: Port<OneDocument> = Port::hashes(0, "grams");
}

impl Map for StemGrams {
    const NAME: &'static str = "stem grams";
    const PORTS: &'static [PortInfo] = &[Self::GRAMS.info()];
    const KEEPS: &'static str = "the stems and sequences of one document";
    without_parameters!(map, Self::default());
    type Reads<'a> = Texts<'a>;
    type Beside<'a> = Option<CopyColumns<'a>>;

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

impl CommonGrams {
    const GRAMS: Port<CommonGram> = Port::hashes(0, "grams");
}

impl Group for CommonGrams {
    const NAME: &'static str = "common grams";
    const KEY: Key = Key::Hash;
    const TABLES: &'static [Shape] = &[shape::<OneDocument>()];
    const PORTS: &'static [PortInfo] = &[Self::GRAMS.info()];
    type Parameters = GramLimit;

    fn new(GramLimit { most }: GramLimit, _: usize) -> Result<Self, WrongParameter> {
        Ok(Self { most })
    }

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
