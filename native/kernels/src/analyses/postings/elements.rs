//! From lists to what each document has to cover.

use super::candidates::CandidateList;
use super::lists::{members, WeightedList};
use crate::documents::servers::foreign;
use crate::flow::contract::{shape, Key, Port, PortInfo, Shape, WrongParameter};
use crate::flow::fields::{Damaged, Rest};
use crate::flow::kernel::{Beginning, Done, Group, Output, Rows, Stretches};
use crate::{row, told};

told! {
    /// Whether candidates on a document's own site are sent, too.
    pub struct Sites { same_site: bool }
}

row! {
    /// Of a document: candidates to cover some of its grams (see [`candidates`](super::candidates)), the df of these
    /// grams, how many they are, and the hash of the list of documents that they have in common.
    pub struct CoverElement<'a> { candidates: Rest<'a>, df: u32, weight: u64, list: u64 }
}

/// Group by list: adds its weights up and sends it to each of its documents as an element to cover.
#[derive(Default)]
pub struct Elements {
    same_site: bool,
    candidates: CandidateList,
    lists: u64,
    squares: u64,
}

impl Elements {
    const ELEMENTS: Port<CoverElement<'static>> = Port::documents(0, "elements");

    fn send(&mut self, list: u64, documents: &[(u32, &[u8])], weight: u64, out: &mut Output) {
        for &(doc, code) in documents {
            self.candidates.clear();
            for &(other, servers) in documents.iter().filter(|&&(other, _)| other != doc) {
                let foreign = foreign(code, servers);
                if foreign || self.same_site {
                    self.candidates.push(other, foreign);
                }
            }
            let candidates = Rest(self.candidates.pack());
            let df = documents.len() as u32;
            out.row(&Self::ELEMENTS, u64::from(doc), CoverElement { candidates, df, weight, list });
        }
        self.lists += 1;
        self.squares += (documents.len() * documents.len()) as u64;
    }
}

impl Group for Elements {
    const NAME: &'static str = "elements";
    const KEY: Key = Key::Hash;
    const TABLES: &'static [Shape] = &[shape::<WeightedList<'static>>()];
    const PORTS: &'static [PortInfo] = &[Self::ELEMENTS.info()];
    const KEEPS: &'static str = "one list of at most m documents";
    type Told = Sites;

    fn new(Sites { same_site }: Sites, _: usize) -> Result<Self, WrongParameter> {
        Ok(Self { same_site, ..Self::default() })
    }

    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut lists = Stretches::new(rows, Beginning::AllBut(8));
        while lists.begin() {
            let mut weight = 0;
            while let Some(tail) = lists.tail() {
                weight += WeightedList::take(tail)?.weight;
            }
            let documents = members(lists.beginning()).ok_or(Damaged("WeightedList"))?;
            self.send(key, &documents, weight, out);
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("lists", self.lists);
        out.count("list_squares", self.squares);
    }
}
