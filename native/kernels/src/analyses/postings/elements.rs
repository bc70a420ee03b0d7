//! From lists to what each document has to cover.

use super::candidates::CandidateList;
use super::lists::{members, WeightedList};
use crate::documents::servers::{foreign, on_one_domain};
use crate::flow::contract::Port;
use crate::flow::fields::{Damaged, Rest};
use crate::flow::kernel::{Beginning, Done, Group, Output, Rows, Stretches};
use crate::{contract, parameters, row};

parameters! {
    /// Whether the documents of a document's own site are sent along, and whether sites are parts of domains: hosts, or
    /// single pages.
    pub struct Sites { own: bool, in_domains: bool }
}

row! {
    /// Of a document: candidates to cover some of its grams, and the documents of its own site that have them, too (see
    /// [`candidates`](super::candidates) and [`Elements::send`]); the df of these grams, how many they are, and the hash
    /// of the list of documents that they have in common.
    pub struct CoverElement<'a> { candidates: Rest<'a>, df: u32, weight: u64, list: u64 }
}

/// Group by list: adds its weights up and sends it to each of its documents as an element to cover.
pub struct Elements {
    told: Sites,
    candidates: CandidateList,
    lists: u64,
    squares: u64,
}

contract! {
    group Elements = "elements";
    new(told: Sites) = Ok(Self { told, candidates: CandidateList::default(), lists: 0, squares: 0 });
    key Hash of [WeightedList<'static>];
    keeps "one list of at most m documents";
    const ELEMENTS: Port<CoverElement<'static>> = Port::documents(0, "elements");
}

impl Elements {
    /// Sends a list to its documents. A document's own site are the other documents there and, where sites are parts of
    /// domains, those on its domain if they are two or more: then it is no news that some part of it has the grams.
    fn send(&mut self, list: u64, documents: &[(u32, &[u8])], weight: u64, out: &mut Output) {
        let mut own = Vec::new();
        for &(doc, code) in documents {
            self.candidates.clear();
            own.clear();
            let mut on_domain = 0;
            for &(other, servers) in documents.iter().filter(|&&(other, _)| other != doc) {
                let foreign = foreign(code, servers);
                if foreign {
                    self.candidates.push(other, true);
                }
                if self.told.own && (!foreign || (self.told.in_domains && on_one_domain(code, servers))) {
                    on_domain += usize::from(foreign);
                    own.push((other, foreign));
                }
            }
            let counts = |foreign: bool| !foreign || on_domain > 1;
            own.iter()
                .filter(|&&(_, foreign)| counts(foreign))
                .for_each(|&(other, _)| self.candidates.push(other, false));
            let candidates = Rest(self.candidates.pack());
            let df = documents.len() as u32;
            out.row(&Self::ELEMENTS, u64::from(doc), CoverElement { candidates, df, weight, list });
        }
        self.lists += 1;
        self.squares += (documents.len() * documents.len()) as u64;
    }
}

impl Group for Elements {
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
