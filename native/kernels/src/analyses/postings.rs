//! Posting lists: which documents share a gram, counted by list rather than by gram.
//!
//! 1. [`Scan`] turns texts into rows (gram → document).
//! 2. [`Lists`] sees all documents of a gram. It drops unique and common grams and counts, for each distinct list of
//!    documents, how many grams have it: those are one weighted element of every cover they appear in.
//! 3. [`Elements`] adds up the weights of a list and sends it to each of its documents: the other documents are
//!    candidates to cover it, those on another server first.
//!
//! Nothing is ever of size Σ df² over grams; lists are few even where grams are many.

use crate::documents::servers::{foreign, Place};
use crate::documents::standing::{Stand, Standing};
use crate::flow::columns::Texts;
use crate::flow::contract::{shape, Port, PortInfo, Shape, WrongParameter};
use crate::flow::fields::{Damaged, Rest};
use crate::flow::kernel::{Beginning, Done, Group, Map, Output, Rows, Stretches};
use crate::flow::rows::{put_varint, take_bytes, take_doc, take_varint};
use crate::text::fingerprint::Fingerprinter;
use crate::text::grams::Grams;
use crate::text::slots::home;
use crate::{row, told};

told! {
    /// Which grams: how many words each has, and the key of their fingerprints.
    pub struct Gramming { k: usize, key: Fingerprinter }
}

row! {
    /// Of a gram: a document that has it, and the code of its servers (see [`servers`](crate::documents::servers)).
    pub struct Posting<'a> { doc: u32, servers: Rest<'a> }
}

row! {
    /// Of a document: how many words and distinct grams it has.
    pub struct Size { words: u64, grams: u64 }
}

/// Map: each distinct gram of a document that stands, with the document and its servers; and the document's size.
pub struct Scan(Gramming);

impl Scan {
    const GRAMS: Port<Posting<'static>> = Port::hashes(0, "grams");
    const DOCUMENTS: Port<Size> = Port::documents(1, "documents");
}

impl Map for Scan {
    const NAME: &'static str = "scan";
    const PORTS: &'static [PortInfo] = &[Self::GRAMS.info(), Self::DOCUMENTS.info()];
    const KEEPS: &'static str = "the grams of one document, those of a long one by ranges";
    type Told = Gramming;
    type Reads<'a> = Texts<'a>;
    type Beside<'a> = Option<Stand<'a>>;

    fn new(told: Gramming) -> Result<Self, WrongParameter> {
        Ok(Self(told))
    }

    fn batch<'a>(&mut self, pages: Texts<'a>, beside: Option<Stand<'a>>, out: &mut Output) -> Done {
        let mut standing = Standing::new(beside);
        let mut grams = Grams::new(&self.0.key, self.0.k);
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row) as u32;
            let Some(code) = standing.code(doc) else { continue };
            let (words, distinct) = grams.linear_by_ranges(&pages.text.at(row), |range| {
                out.run(&Self::GRAMS, range, Posting { doc, servers: Rest(code) });
                out.relieve();
            });
            out.row(&Self::DOCUMENTS, u64::from(doc), Size { words, grams: distinct });
        }
        Ok(())
    }
}

told! {
    /// Which grams make lists: those in 2 to `m` documents; and whether they are named, for patches.
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

impl Lists {
    const LISTS: Port<WeightedList<'static>> = Port::hashes(0, "lists");
    const GRAMS: Port<ListGrams<'static>> = Port::hashes(1, "grams").when("patches", "true");

    /// Puts the list of up to m documents together; returns how many there are in all.
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
    const NAME: &'static str = "lists";
    const TABLES: &'static [Shape] = &[shape::<Posting<'static>>()];
    const PORTS: &'static [PortInfo] = &[Self::LISTS.info(), Self::GRAMS.info()];
    const KEEPS: &'static str = "m + 1 rows of a key, and distinct lists until they are sent on";
    type Told = Listing;

    fn new(Listing { m, patches }: Listing, room: usize) -> Result<Self, WrongParameter> {
        Ok(Self {
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
        })
    }

    fn key(&mut self, gram: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let df = match rows.left() {
            Some(df) if df == 1 || df > self.m => df, // no need to look at them
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

/// Counts equal lists. A list is told by its documents; their codes follow from them and are kept along.
#[derive(Default)]
struct ListTally {
    /// For each entry: the number of documents, the documents, the codes.
    bytes: Vec<u8>,
    entries: Vec<CountedList>,
    /// Entry number plus one, where [`home`] says, or behind; zero for none; a power of two, at most half full.
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
    fn bytes(&self) -> usize {
        let entries = self.entries.len() * (size_of::<CountedList>() + 4 * size_of::<u32>());
        self.bytes.len() + entries + self.grams.len() * size_of::<(u32, u64)>()
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
        self.slots.clear();
        self.grams.clear();
    }

    /// Counts a list; returns the number of its entry.
    fn add(&mut self, hash: u64, documents: &[u8], codes: &[u8]) -> u32 {
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
    fn entries(&self) -> impl Iterator<Item = (u64, &[u8], u64)> {
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

told! {
    /// Whether candidates on a document's own site are sent, too.
    pub struct Sites { same_site: bool }
}

row! {
    /// Of a document: candidates to cover some of its grams (see [`Candidates`]), the df of these grams, how many they
    /// are, and the list they have.
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
            let own = Place::own(code);
            self.candidates.clear();
            for &(other, servers) in documents.iter().filter(|&&(other, _)| other != doc) {
                let foreign = foreign(own, servers);
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

/// The documents of a list with their codes.
fn members(mut list: &[u8]) -> Option<Vec<(u32, &[u8])>> {
    let count = take_varint(&mut list)? as usize;
    let mut documents = take_bytes(&mut list, count.checked_mul(4)?)?;
    let mut found = Vec::with_capacity(count);
    while let Some(doc) = take_doc(&mut documents) {
        let length = take_varint(&mut list)?;
        found.push((doc, take_bytes(&mut list, length as usize)?));
    }
    list.is_empty().then_some(found)
}

impl Group for Elements {
    const NAME: &'static str = "elements";
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

/// Candidates on their way into a row: foreign ones, and those on the document's own site.
#[derive(Default)]
struct CandidateList {
    foreign: Differences,
    same_site: Differences,
    packed: Vec<u8>,
}

/// Ascending numbers as differences, and how many they are.
#[derive(Default)]
struct Differences {
    bytes: Vec<u8>,
    last: u32,
    count: u64,
}

impl Differences {
    fn clear(&mut self) {
        self.bytes.clear();
        (self.last, self.count) = (0, 0);
    }

    fn push(&mut self, number: u32) {
        put_varint(&mut self.bytes, u64::from(number - self.last));
        self.last = number;
        self.count += 1;
    }
}

impl CandidateList {
    fn clear(&mut self) {
        self.foreign.clear();
        self.same_site.clear();
    }

    fn push(&mut self, document: u32, foreign: bool) {
        let list = if foreign { &mut self.foreign } else { &mut self.same_site };
        list.push(document);
    }

    /// How many are foreign, these, and the others.
    fn pack(&mut self) -> &[u8] {
        self.packed.clear();
        put_varint(&mut self.packed, self.foreign.count);
        self.packed.extend_from_slice(&self.foreign.bytes);
        self.packed.extend_from_slice(&self.same_site.bytes);
        &self.packed
    }
}

/// The candidates of an [`CoverElement`].
#[derive(Clone, Copy)]
pub struct Candidates<'a> {
    foreign: u64,
    differences: &'a [u8],
}

impl<'a> Candidates<'a> {
    #[inline]
    pub fn new(mut packed: &'a [u8]) -> Result<Self, Damaged> {
        let whole = packed.last().is_some_and(|&last| last < 0x80);
        let foreign = take_varint(&mut packed).filter(|&count| whole && count <= packed.len() as u64);
        Ok(Self { foreign: foreign.ok_or(Damaged("CoverElement"))?, differences: packed })
    }

    /// Those on another server, ascending.
    #[inline]
    pub fn foreign(self) -> impl Iterator<Item = u32> + 'a {
        numbers(self.differences).take(self.foreign as usize)
    }

    /// All, those on another server first, each with whether it is.
    pub fn all(self) -> impl Iterator<Item = (u32, bool)> + 'a {
        let (mut differences, mut left, mut last) = (self.differences, self.foreign, 0);
        std::iter::from_fn(move || {
            let foreign = left > 0;
            last += take_varint(&mut differences)? as u32;
            let found = (last, foreign);
            left = left.saturating_sub(1);
            if foreign && left == 0 {
                last = 0;
            }
            Some(found)
        })
    }
}

/// Ascending numbers from their differences.
#[inline]
fn numbers(mut differences: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let mut last = 0;
    std::iter::from_fn(move || {
        last += take_varint(&mut differences)? as u32;
        Some(last)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_flagged() {
        let mut list = CandidateList::default();
        for (foreign, same_site) in [(&[3, 700, 701][..], &[1, 2, 900][..]), (&[], &[5]), (&[0], &[]), (&[], &[])] {
            list.clear();
            foreign.iter().for_each(|&document| list.push(document, true));
            same_site.iter().for_each(|&document| list.push(document, false));
            let packed = list.pack().to_vec();
            let found = Candidates::new(&packed).unwrap();
            assert_eq!(found.foreign().collect::<Vec<_>>(), foreign);
            let flagged = |documents: &[u32], flag: bool| documents.iter().map(move |&d| (d, flag)).collect::<Vec<_>>();
            assert_eq!(found.all().collect::<Vec<_>>(), [flagged(foreign, true), flagged(same_site, false)].concat());
        }
        assert!(Candidates::new(&[]).is_err());
        assert!(Candidates::new(&[2, 5]).is_err());
        assert!(Candidates::new(&[1, 0x85]).is_err());
    }

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
