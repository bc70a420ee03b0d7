//! From grams to popular phrases, and to the lists of documents that share them.

use std::collections::BTreeMap;

use super::{Sampled, Weight, COVERED, FUNCTIONS};
use crate::analyses::postings::lists::{ListTally, WeightedList};
use crate::flow::contract::{Port, WrongParameter};
use crate::flow::fields::Rest;
use crate::flow::kernel::{Done, Group, Output, Rows};
use crate::flow::rows::put_varint;
use crate::text::fingerprint::Fingerprinter;
use crate::{contract, parameters, row};

parameters! {
    /// From how many documents on a shingle is popular, and up to how many it makes a list; with 0, none does.
    pub struct Popularity { popular: u64, max_df: u64 }
}

row! {
    /// Of the lowest document that sampled it: a phrase with a popular shingle; how many documents sampled it, how
    /// often they did, and by how many functions it is popular.
    pub struct AskedPhrase { gram: u64, documents: u64, sampled: u64, functions: u64 }
}

/// Group by gram: the phrase, if it is popular; the lists of documents that its popular shingles have; to each
/// document the number of its popular shingles that make no list; and how many shingles are in how many documents.
pub struct Popular {
    parameters: Popularity,
    room: usize,
    print: Fingerprinter,
    tally: ListTally,
    /// How many shingles are in so many documents.
    histogram: BTreeMap<u64, u64>,
    /// The rows of the gram that may be needed again: documents, and where their codes end in `codes`.
    documents: Vec<(u32, usize)>,
    codes: Vec<u8>,
    /// Of each function: how many documents there are, and which of `documents` they are, up to the largest list.
    counts: [u64; FUNCTIONS * 8],
    members: Vec<Vec<u32>>,
    /// A list on its way into the tally.
    list: (Vec<u8>, Vec<u8>),
}

contract! {
    group Popular = "popular";
    new(parameters: Popularity, room) = {
        if parameters.popular == 0 {
            return Err(WrongParameter("popular must be at least 1".to_owned()));
        }
        Ok(Self {
            parameters,
            room,
            print: Fingerprinter::plain(),
            tally: ListTally::default(),
            histogram: BTreeMap::new(),
            documents: Vec::new(),
            codes: Vec::new(),
            counts: [0; FUNCTIONS * 8],
            members: vec![Vec::new(); FUNCTIONS * 8],
            list: Default::default(),
        })
    };
    key Hash of [Sampled<'static>];
    keeps "max_df rows of each function, and distinct lists until they are sent on";
    const PHRASES: Port<AskedPhrase> = Port::documents(0, "phrases");
    const LISTS: Port<WeightedList<'static>> = Port::hashes(1, "lists");
    const OTHERS: Port<Weight> = Port::documents(2, "others");
    const HISTOGRAM: Port<Weight> = Port::documents(3, "histogram");
}

impl Popular {
    /// Documents beyond this number are not remembered: the shingle is popular by then, and makes no list.
    fn most(&self) -> u64 {
        self.parameters.max_df.max(self.parameters.popular - 1)
    }

    /// Reads the rows of a gram; returns its lowest document, the number of documents and how often they sampled it.
    fn read(&mut self, rows: &mut dyn Rows, out: &mut Output) -> Result<(u32, u64, u64), crate::flow::fields::Damaged> {
        self.documents.clear();
        self.codes.clear();
        self.counts.fill(0);
        self.members.iter_mut().for_each(Vec::clear);
        let most = self.most();
        let (mut lowest, mut documents, mut sampled) = (None, 0, 0);
        while let Some((_, tail)) = rows.next() {
            let Sampled { doc, functions, marks, place } = Sampled::take(tail)?;
            lowest.get_or_insert(doc);
            documents += 1;
            let (mut beyond, mut number) = (0, None);
            for function in set_bits(functions) {
                sampled += 1;
                self.counts[function] += 1;
                if self.counts[function] <= most {
                    let number = *number.get_or_insert_with(|| {
                        put_varint(&mut self.codes, place.0.len() as u64 + 1);
                        self.codes.push(marks);
                        self.codes.extend_from_slice(place.0);
                        self.documents.push((doc, self.codes.len()));
                        self.documents.len() as u32 - 1
                    });
                    self.members[function].push(number);
                    continue;
                }
                for number in self.members[function].drain(..) {
                    let (doc, _) = self.documents[number as usize];
                    out.row(&Self::OTHERS, u64::from(doc), Weight { shingles: 1 });
                }
                beyond += 1;
            }
            if beyond > 0 {
                out.row(&Self::OTHERS, u64::from(doc), Weight { shingles: beyond });
            }
        }
        Ok((lowest.unwrap_or_default(), documents, sampled))
    }

    /// Counts the list of one function, unless no document in it is to be covered.
    fn add_list(&mut self, function: usize) {
        let (documents, codes) = &mut self.list;
        documents.clear();
        codes.clear();
        let mut wanted = false;
        for &number in &self.members[function] {
            let (doc, end) = self.documents[number as usize];
            let begin = (number as usize).checked_sub(1).map_or(0, |before| self.documents[before].1);
            let code = &self.codes[begin..end];
            documents.extend_from_slice(&doc.to_be_bytes());
            codes.extend_from_slice(code);
            // Codes are short, so that their length takes one byte or two; the marks are behind it.
            let marks = code.iter().position(|&byte| byte < 0x80).map_or(0, |last| code[last + 1]);
            wanted |= marks & COVERED != 0;
        }
        if wanted {
            self.tally.add(self.print.bytes(documents), documents, codes);
        }
    }

    fn send(&mut self, out: &mut Output) {
        for (hash, list, weight) in self.tally.entries() {
            out.row(&Self::LISTS, hash, WeightedList { list: Rest(list), weight });
        }
        self.tally.clear();
    }
}

/// The functions by which a gram was sampled.
fn set_bits(functions: &[u8; FUNCTIONS]) -> impl Iterator<Item = usize> + '_ {
    functions
        .iter()
        .enumerate()
        .flat_map(|(place, &bits)| (0..8).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| place * 8 + bit))
}

impl Group for Popular {
    fn key(&mut self, gram: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let (lowest, documents, sampled) = self.read(rows, out)?;
        let mut functions = 0;
        for function in 0..self.counts.len() {
            let count = self.counts[function];
            if count == 0 {
                continue;
            }
            *self.histogram.entry(count).or_default() += 1;
            if count >= self.parameters.popular {
                functions += 1;
                if count <= self.parameters.max_df {
                    self.add_list(function);
                } else if self.parameters.max_df > 0 {
                    out.count("common_shingles", 1);
                }
            }
        }
        if functions > 0 {
            out.row(&Self::PHRASES, u64::from(lowest), AskedPhrase { gram, documents, sampled, functions });
            out.count("popular_shingles", functions);
        }
        if self.tally.bytes() > self.room {
            self.send(out);
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        self.send(out);
        for (&documents, &shingles) in &self.histogram {
            out.row(&Self::HISTOGRAM, documents, Weight { shingles });
        }
        out.count("popular_shingles", 0); // so that the counters are there even if nothing was counted
        out.count("common_shingles", 0);
    }
}

/// Group: rows of one key, added up.
pub struct AddedShingles;

contract! {
    group AddedShingles = "added shingles";
    new() = Ok(Self);
    key Doc of [Weight];
    keeps "one number";
    const SUMS: Port<Weight> = Port::documents(0, "sums");
}

impl Group for AddedShingles {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut shingles = 0;
        while let Some((_, tail)) = rows.next() {
            shingles += Weight::take(tail)?.shingles;
        }
        out.row(&Self::SUMS, key, Weight { shingles });
        Ok(())
    }
}
