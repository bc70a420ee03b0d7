//! From grams to the lists of documents that have them.

use super::Posting;
use crate::flow::contract::Port;
use crate::flow::fields::{Damaged, Rest};
use crate::flow::kernel::{Done, Group, Output, Rows};
use crate::flow::rows::{put_varint, take_bytes, take_doc, take_varint};
use crate::text::fingerprint::Fingerprinter;
use crate::text::slots::home;
use crate::{contract, parameters, row};

parameters! {
    /// Which grams make lists: those in 2 to `m` documents. For `patches`, the grams of each list are sent on, too.
    pub struct Listing { m: usize, patches: bool }
}

row! {
    /// Of a list: its documents (their number, the documents, their codes) and how many grams have it.
    pub struct WeightedList<'a> { list: Rest<'a>, weight: u64 }
}

row! {
    /// Of a list: grams that have it.
    pub struct ListGrams<'a> { grams: Rest<'a> }
}

/// Group by gram: the lists of documents that patch grams have, each with the number of grams in this partition that
/// have it; and these grams themselves, if patches will be asked for.
pub struct Lists {
    room: usize,
    m: usize,
    name_grams: bool,
    print: Fingerprinter,
    found: ListTally,
    documents: Vec<u8>,
    codes: Vec<u8>,
    unique: u64,
    patch: u64,
    common: u64,
    patch_grams: u64,
    squares: u64,
}

contract! {
    group Lists = "lists";
    new(Listing { m, patches }, room) = Ok(Self {
        room,
        m,
        name_grams: patches,
        print: Fingerprinter::plain(),
        found: ListTally::default(),
        documents: Vec::new(),
        codes: Vec::new(),
        unique: 0,
        patch: 0,
        common: 0,
        patch_grams: 0,
        squares: 0,
    });
    key Hash of [Posting<'static>];
    keeps "m + 1 rows of a key, and distinct lists until they are sent on";
    const LISTS: Port<WeightedList<'static>> = Port::hashes(0, "lists");
    const GRAMS: Port<ListGrams<'static>> = Port::hashes(1, "grams").when("patches", "true");
}

impl Lists {
    /// Puts the list together, of up to m documents; returns how many documents there are in all.
    fn read(&mut self, rows: &mut dyn Rows) -> Result<usize, Damaged> {
        self.documents.clear();
        self.codes.clear();
        let mut df = 0;
        while let Some((_, tail)) = rows.next() {
            df += 1;
            if df <= self.m {
                let Posting { doc, servers } = Posting::take(tail)?;
                self.documents.extend_from_slice(&doc.to_be_bytes());
                put_varint(&mut self.codes, servers.0.len() as u64);
                self.codes.extend_from_slice(servers.0);
            }
        }
        Ok(df)
    }

    fn send(&mut self, out: &mut Output) {
        for (hash, list, weight) in self.found.entries() {
            out.row(&Self::LISTS, hash, WeightedList { list: Rest(list), weight });
        }
        for (hash, grams) in self.found.grams() {
            out.row(&Self::GRAMS, hash, ListGrams { grams: Rest(&grams) });
        }
        self.found.clear();
    }
}

impl Group for Lists {
    fn key(&mut self, gram: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let df = match rows.left() {
            Some(df) if df == 1 || df > self.m => df, // a gram that makes no list: no need to read its rows
            _ => self.read(rows)?,
        };
        if df == 1 {
            self.unique += 1;
        } else if df > self.m {
            self.common += df as u64;
        } else {
            self.patch += df as u64;
            self.patch_grams += 1;
            self.squares += (df * df) as u64;
            let entry = self.found.add(self.print.bytes(&self.documents), &self.documents, &self.codes);
            if self.name_grams {
                self.found.grams.push((entry, gram));
            }
            if self.found.bytes() > self.room {
                self.send(out);
            }
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        self.send(out);
        out.count("unique_pairs", self.unique);
        out.count("patch_pairs", self.patch);
        out.count("common_pairs", self.common);
        out.count("patch_grams", self.patch_grams);
        out.count("gram_squares", self.squares);
    }
}

/// Counts equal lists. Lists with the same documents are equal; the codes, which follow from the documents, are stored
/// with them.
#[derive(Default)]
pub struct ListTally {
    /// For each entry: the number of documents, the documents, the codes.
    bytes: Vec<u8>,
    entries: Vec<CountedList>,
    /// A hash table of entry numbers plus one, in which zero is a free slot. The search for an entry begins where
    /// [`home`] says, and goes on in the slots behind. The length is a power of two, and at most half of the slots are
    /// taken.
    slots: Vec<u32>,
    /// Entries and their grams, where these are wanted.
    grams: Vec<(u32, u64)>,
}

struct CountedList {
    hash: u64,
    count: u64,
    /// Where the documents begin and end in `bytes`, and the codes end.
    documents: (usize, usize),
    end: usize,
}

impl ListTally {
    pub fn bytes(&self) -> usize {
        let entries = self.entries.len() * (size_of::<CountedList>() + 4 * size_of::<u32>());
        self.bytes.len() + entries + self.grams.len() * size_of::<(u32, u64)>()
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
        self.slots.clear();
        self.grams.clear();
    }

    /// Counts a list; returns the number of its entry.
    pub fn add(&mut self, hash: u64, documents: &[u8], codes: &[u8]) -> u32 {
        if self.entries.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let mut slot = self.home(hash);
        while let Some(number) = self.slots[slot].checked_sub(1) {
            let entry = &mut self.entries[number as usize];
            if entry.hash == hash && &self.bytes[entry.documents.0..entry.documents.1] == documents {
                entry.count += 1;
                return number;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        put_varint(&mut self.bytes, (documents.len() / 4) as u64);
        let begin = self.bytes.len();
        self.bytes.extend_from_slice(documents);
        self.bytes.extend_from_slice(codes);
        let documents = (begin, begin + documents.len());
        self.entries.push(CountedList { hash, count: 1, documents, end: self.bytes.len() });
        self.slots[slot] = self.entries.len() as u32;
        self.slots[slot] - 1
    }

    fn home(&self, hash: u64) -> usize {
        home(hash, self.slots.len())
    }

    fn grow(&mut self) {
        self.slots = vec![0; (self.slots.len() * 4).max(1 << 10)];
        for number in 0..self.entries.len() {
            let mut slot = self.home(self.entries[number].hash);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (self.slots.len() - 1);
            }
            self.slots[slot] = number as u32 + 1;
        }
    }

    /// Hash, list and count of each entry.
    pub fn entries(&self) -> impl Iterator<Item = (u64, &[u8], u64)> {
        let mut begin = 0;
        self.entries.iter().map(move |entry| {
            let list = &self.bytes[std::mem::replace(&mut begin, entry.end)..entry.end];
            (entry.hash, list, entry.count)
        })
    }

    /// The grams of each entry, if they are wanted, with its hash.
    fn grams(&self) -> impl Iterator<Item = (u64, Vec<u8>)> + '_ {
        let ends = self.entries.iter().scan(0, |end, entry| {
            *end += entry.count as usize;
            Some(*end)
        });
        let mut places: Vec<usize> = std::iter::once(0).chain(ends).collect();
        let mut sorted = vec![0; self.grams.len()];
        for &(entry, gram) in &self.grams {
            sorted[places[entry as usize]] = gram;
            places[entry as usize] += 1;
        }
        let mut begin = 0;
        let wanted = self.entries.iter().zip(places).filter(|_| !self.grams.is_empty());
        wanted.map(move |(entry, end)| {
            let grams = &sorted[std::mem::replace(&mut begin, end)..end];
            (entry.hash, grams.iter().flat_map(|gram| gram.to_be_bytes()).collect())
        })
    }
}

/// The documents of a list with their codes.
pub fn members(mut list: &[u8]) -> Option<Vec<(u32, &[u8])>> {
    let count = take_varint(&mut list)? as usize;
    let mut documents = take_bytes(&mut list, count.checked_mul(4)?)?;
    let mut found = Vec::with_capacity(count);
    while let Some(doc) = take_doc(&mut documents) {
        let length = take_varint(&mut list)?;
        found.push((doc, take_bytes(&mut list, length as usize)?));
    }
    list.is_empty().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_back() {
        let mut tally = ListTally::default();
        let documents: Vec<u8> = [3_u32, 9].iter().flat_map(|doc| doc.to_be_bytes()).collect();
        tally.add(1, &documents, &[2, b'a', b'b', 0]);
        tally.add(1, &documents, &[2, b'a', b'b', 0]);
        let found: Vec<_> = tally.entries().map(|(hash, list, count)| (hash, list.to_vec(), count)).collect();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].2, 2);
        assert_eq!(members(&found[0].1), Some(vec![(3, &b"ab"[..]), (9, b"")]));
        assert_eq!(members(&found[0].1[..5]), None);
    }
}
