//! From texts to grams.

use super::{Gramming, Posting, Size};
use crate::contract;
use crate::documents::copies::{CopyColumns, CopyReader};
use crate::flow::columns::Texts;
use crate::flow::contract::Port;
use crate::flow::fields::Rest;
use crate::flow::kernel::{Done, Map, Output};
use crate::text::grams::Grams;

/// Map: each distinct gram of a document, with the document and its servers; and the document's size. Documents for
/// which a copy is kept are left out.
pub struct Scan(Gramming);

contract! {
    map Scan = "scan";
    new(parameters: Gramming) = Ok(Self(parameters));
    reads Texts<'a>, beside Option<CopyColumns<'a>>;
    keeps "the grams of one document, those of a long one by ranges";
    const GRAMS: Port<Posting<'static>> = Port::hashes(0, "grams");
    const DOCUMENTS: Port<Size> = Port::documents(1, "documents");
}

impl Map for Scan {
    fn batch<'a>(&mut self, pages: Texts<'a>, beside: Option<CopyColumns<'a>>, out: &mut Output) -> Done {
        let mut copies = CopyReader::new(beside);
        let mut grams = Grams::new(&self.0.key, self.0.k.get());
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row) as u32;
            let Some(code) = copies.code(doc) else { continue };
            let (words, distinct) = grams.linear_by_ranges(&pages.text.at(row), |range| {
                out.run(&Self::GRAMS, range, Posting { doc, servers: Rest(code) });
                out.relieve();
            });
            out.row(&Self::DOCUMENTS, u64::from(doc), Size { words, grams: distinct, reworded: None, published: None });
        }
        Ok(())
    }
}
