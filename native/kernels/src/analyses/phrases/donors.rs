//! From lists to the documents that can cover the popular shingles of another.

use super::{COVERED, PREFERRED, SOURCE};
use crate::analyses::postings::candidates::CandidateList;
use crate::analyses::postings::lists::{members, WeightedList};
use crate::documents::servers::Place;
use crate::flow::contract::Port;
use crate::flow::fields::{Damaged, Rest};
use crate::flow::kernel::{Beginning, Done, Group, Output, Rows, Stretches};
use crate::flow::rows::put_varint;
use crate::{contract, row};

row! {
    /// Of a document: who can cover some of its popular shingles, and how many these are. Candidates are foreign if
    /// they are on another domain and share no address; `elsewhere` has those of the others that share no address
    /// either, as differences, and `preferred` those that are preferred.
    pub struct Donors<'a> { elsewhere: &'a [u8], preferred: &'a [u8], candidates: Rest<'a>, shingles: u64 }
}

/// Group by list: adds its weights up and sends it to each of its documents that is to be covered.
#[derive(Default)]
pub struct PhraseElements {
    candidates: CandidateList,
    elsewhere: Vec<u8>,
    preferred: Vec<u8>,
    lists: u64,
}

contract! {
    group PhraseElements = "donors";
    new() = Ok(Self::default());
    key Hash of [WeightedList<'static>];
    keeps "one list of at most max_df documents";
    const DONORS: Port<Donors<'static>> = Port::documents(0, "donors");
}

impl PhraseElements {
    fn send(&mut self, documents: &[(u32, &[u8])], shingles: u64, out: &mut Output) -> Result<(), Damaged> {
        let mut places = Vec::with_capacity(documents.len());
        for &(doc, code) in documents {
            let (&marks, place) = code.split_first().ok_or(Damaged("WeightedList"))?;
            places.push((doc, marks, Place::own(place)));
        }
        for &(doc, _, own) in places.iter().filter(|(_, marks, _)| marks & COVERED != 0) {
            self.candidates.clear();
            self.elsewhere.clear();
            self.preferred.clear();
            let (mut last, mut before) = (0, 0);
            let sources = places.iter().filter(|&&(other, marks, _)| other != doc && marks & SOURCE != 0);
            for &(other, marks, place) in sources {
                let (other_address, other_name) =
                    (!own.same_site(place), own.server == 0 || own.server != place.server);
                self.candidates.push(other, other_address && other_name);
                if other_address && !other_name {
                    put_varint(&mut self.elsewhere, u64::from(other - last));
                    last = other;
                }
                if marks & PREFERRED != 0 {
                    put_varint(&mut self.preferred, u64::from(other - before));
                    before = other;
                }
            }
            let candidates = Rest(self.candidates.pack());
            out.row(
                &Self::DONORS,
                u64::from(doc),
                Donors { elsewhere: &self.elsewhere, preferred: &self.preferred, candidates, shingles },
            );
        }
        self.lists += 1;
        Ok(())
    }
}

impl Group for PhraseElements {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut lists = Stretches::new(rows, Beginning::AllBut(8));
        while lists.begin() {
            let mut shingles = 0;
            while let Some(tail) = lists.tail() {
                shingles += WeightedList::take(tail)?.weight;
            }
            let documents = members(lists.beginning()).ok_or(Damaged("WeightedList"))?;
            self.send(&documents, shingles, out)?;
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("phrase_lists", self.lists);
    }
}
