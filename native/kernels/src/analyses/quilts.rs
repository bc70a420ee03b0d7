//! The kernels of `quilts`: from texts to covers, in four steps.
//!
//! 1. [`Scan`] turns texts into rows (gram → document).
//! 2. [`Lists`] sees all documents of a gram. It drops unique and common grams and counts, for each distinct list of
//!    documents, how many patch grams have it: those are one weighted element of every cover they appear in.
//! 3. [`Elements`] adds up the weights of a list and sends it to each of its documents, less those not foreign to it.
//! 4. [`Covers`] has all elements of a document: it decides whether it is a quilt and picks its sources.
//!
//! Where patches are wanted, lists keep the names of their grams, and covers ask for them: see [`patches`].
//! Nothing is ever of size Σ df² over grams; lists are few even where grams are many.

pub mod attribution;
pub mod domains;
pub mod matches;
pub mod patches;
pub mod sweep;

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasherDefault;

use crate::analyses::cover::{Cover, Multiply, Pick};
use crate::documents::servers::{foreign, Place};
use crate::documents::standing::Standing;
use crate::flow::kernel::{Column, GroupKernel, MapKernel, Output, Rows};
use crate::flow::rows::{put_varint, take_bytes, take_doc, take_u64, take_varint};
use crate::flow::tables::{put_bytes, put_number, put_real};
use crate::text::fingerprint::Fingerprinter;
use crate::text::grams::Grams;
use crate::text::slots::home;

/// Map (doc, text), beside the standing of documents: each distinct gram of a document that stands, with the document
/// and its servers; and the document's numbers of words and grams.
pub struct Scan {
    pub k: usize,
    pub print: Fingerprinter,
}

impl Scan {
    pub const GRAMS: usize = 0;
    pub const DOCUMENTS: usize = 1;
}

impl MapKernel for Scan {
    fn batch(&mut self, columns: &[Column<'_>], beside: &[Column<'_>], out: &mut Output) {
        let [documents, texts] = columns else { return };
        let mut standing = Standing::new(beside);
        let mut grams = Grams::new(&self.print, self.k);
        let mut tail = Vec::new();
        for row in 0..documents.len() {
            let doc = documents.number(row) as u32;
            let Some(code) = standing.code(doc) else { continue };
            tail.clear();
            tail.extend_from_slice(&doc.to_be_bytes());
            tail.extend_from_slice(code);
            let (words, distinct) = grams.linear_by_ranges(&texts.text(row), |range| {
                out.ports[Self::GRAMS].run(range, &tail);
                out.relieve();
            });
            tail.clear();
            put_number(&mut tail, words);
            put_number(&mut tail, distinct);
            out.ports[Self::DOCUMENTS].row(u64::from(doc), &tail);
        }
    }
}

/// Group by gram: the lists of documents that patch grams have, each with the number of grams in this partition that
/// have it; and these grams themselves, on a second port, if patches will be asked for. Keeps m + 1 rows of a key.
pub struct Lists {
    full: usize,
    m: usize,
    name_grams: bool,
    print: Fingerprinter,
    found: Tally,
    documents: Vec<u8>,
    codes: Vec<u8>,
    unique: u64,
    patch: u64,
    common: u64,
    patch_grams: u64,
    squares: u64,
}

impl Lists {
    pub const LISTS: usize = 0;
    pub const GRAMS: usize = 1;

    /// Distinct lists are sent on when they take more than `full` bytes.
    pub fn new(m: u64, name_grams: bool, full: usize) -> Self {
        Self {
            full,
            m: usize::try_from(m).unwrap_or(usize::MAX),
            name_grams,
            print: Fingerprinter::plain(),
            found: Tally::default(),
            documents: Vec::new(),
            codes: Vec::new(),
            unique: 0,
            patch: 0,
            common: 0,
            patch_grams: 0,
            squares: 0,
        }
    }

    /// Puts the list of up to m documents together; returns how many there are in all.
    fn read(&mut self, rows: &mut dyn Rows) -> usize {
        self.documents.clear();
        self.codes.clear();
        let mut df = 0;
        while let Some((_, tail)) = rows.next() {
            df += 1;
            if df <= self.m {
                let (doc, code) = tail.split_at(4);
                self.documents.extend_from_slice(doc);
                put_varint(&mut self.codes, code.len() as u64);
                self.codes.extend_from_slice(code);
            }
        }
        df
    }

    fn send(&mut self, out: &mut Output) {
        for (hash, list, weight) in self.found.entries() {
            self.documents.clear();
            self.documents.extend_from_slice(list);
            self.documents.extend_from_slice(&weight.to_be_bytes());
            out.ports[Self::LISTS].row(hash, &self.documents);
        }
        for (hash, grams) in self.found.grams() {
            out.ports[Self::GRAMS].row(hash, &grams);
        }
        self.found.clear();
    }
}

impl GroupKernel for Lists {
    fn key(&mut self, gram: u64, rows: &mut dyn Rows, out: &mut Output) {
        let df = match rows.left() {
            Some(df) if df == 1 || df > self.m => df, // no need to look at them
            _ => self.read(rows),
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
            if self.found.bytes() > self.full {
                self.send(out);
            }
        }
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
struct Tally {
    /// For each entry: the number of documents, the documents, the codes.
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    /// Entry number plus one, where [`home`] says, or behind; zero for none; a power of two, at most half full.
    slots: Vec<u32>,
    /// Entries and their grams, where these are wanted.
    grams: Vec<(u32, u64)>,
}

struct Entry {
    hash: u64,
    count: u64,
    /// Where the documents begin and end in `bytes`, and the codes end.
    documents: (usize, usize),
    end: usize,
}

impl Tally {
    fn bytes(&self) -> usize {
        let entries = self.entries.len() * (size_of::<Entry>() + 4 * size_of::<u32>());
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
        self.entries.push(Entry { hash, count: 1, documents, end: self.bytes.len() });
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

/// Group by list: adds its weights up and sends it to each of its documents as an element to cover: the foreign
/// documents as candidates, the df of its grams, the weight; and its hash, if patches will be asked for. Keeps one list
/// at a time (at most m documents).
#[derive(Default)]
pub struct Elements {
    name_lists: bool,
    list: Vec<u8>,
    weight: u64,
    tail: Vec<u8>,
    lists: u64,
    squares: u64,
}

impl Elements {
    pub fn new(name_lists: bool) -> Self {
        Self { name_lists, ..Self::default() }
    }

    fn send(&mut self, hash: u64, out: &mut Output) {
        if self.weight == 0 {
            return;
        }
        let documents = members(&self.list);
        for &(doc, code) in &documents {
            let own = Place::own(code);
            let candidates = documents.iter().filter(|&&(other, servers)| other != doc && foreign(own, servers));
            self.tail.clear();
            let mut last = 0;
            for &(other, _) in candidates {
                put_varint(&mut self.tail, u64::from(other - last));
                last = other;
            }
            self.tail.extend_from_slice(&(documents.len() as u32).to_be_bytes());
            self.tail.extend_from_slice(&self.weight.to_be_bytes());
            if self.name_lists {
                self.tail.extend_from_slice(&hash.to_be_bytes());
            }
            out.ports[0].row(u64::from(doc), &self.tail);
        }
        self.lists += 1;
        self.squares += (documents.len() * documents.len()) as u64;
        self.weight = 0;
    }
}

/// The documents of a list with their codes.
fn members(mut list: &[u8]) -> Vec<(u32, &[u8])> {
    let count = take_varint(&mut list).unwrap_or_default() as usize;
    let mut documents = take_bytes(&mut list, 4 * count).unwrap_or_default();
    let mut found = Vec::with_capacity(count);
    while let Some(doc) = take_doc(&mut documents) {
        let length = take_varint(&mut list).unwrap_or_default();
        found.push((doc, take_bytes(&mut list, length as usize).unwrap_or_default()));
    }
    found
}

impl GroupKernel for Elements {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) {
        while let Some((_, tail)) = rows.next() {
            let (list, mut weight) = tail.split_at(tail.len().saturating_sub(8));
            if list != self.list {
                self.send(key, out);
                self.list.clear();
                self.list.extend_from_slice(list);
            }
            self.weight += take_u64(&mut weight).unwrap_or_default();
        }
        self.send(key, out);
        self.list.clear();
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("lists", self.lists);
        out.count("list_squares", self.squares);
    }
}

/// Group by document, of its numbers (first table) and its elements (second): whether it is a quilt; and to each of its
/// sources, the quilt, the source's rank and grams, the patch grams of the quilt, and which of the new grams later
/// sources have, too (see [`shared`]). On a third port, if patches are asked for, each list of a quilt with the sources
/// picked from it. Keeps the elements of one document: at most as many as it has patch grams.
pub struct Covers {
    pub c: u64,
    pub sigma: f64,
    pub min_share: f64,
    pub ask: bool,
    cover: Cover,
    /// Elements of the document: their tails one after the other, and where each ends.
    tails: Vec<u8>,
    ends: Vec<usize>,
    /// The hashes of their lists, if patches are asked for.
    lists: Vec<u64>,
}

impl Covers {
    pub const QUILTS: usize = 0;
    pub const SOURCES: usize = 1;
    pub const ASKED: usize = 2;

    pub fn new(c: u64, sigma: f64, min_share: f64, ask: bool) -> Self {
        let (cover, tails, ends, lists) = (Cover::default(), Vec::new(), Vec::new(), Vec::new());
        Self { c, sigma, min_share, ask, cover, tails, ends, lists }
    }

    /// Looks at each element of a quilt once more: asks its list for its grams on behalf of the sources picked from it,
    /// and returns how many grams each set of sources, by rank, has in common.
    fn place(&self, doc: u32, picks: &[Pick], out: &mut Output) -> BTreeMap<Vec<u32>, u64> {
        let ranks: HashMap<u32, u32, BuildHasherDefault<Multiply>> =
            picks.iter().map(|pick| pick.source).zip(1..).collect();
        let mut sets = BTreeMap::new();
        let (mut begin, mut tail, mut set) = (0, Vec::new(), Vec::new());
        for (number, &end) in self.ends.iter().enumerate() {
            let (candidates, _, weight) = element(&self.tails[std::mem::replace(&mut begin, end)..end]);
            tail.clear();
            tail.extend_from_slice(&doc.to_be_bytes());
            set.clear();
            for (source, &rank) in numbers(candidates).filter_map(|source| Some((source, ranks.get(&source)?))) {
                tail.extend_from_slice(&source.to_be_bytes());
                tail.extend_from_slice(&rank.to_be_bytes());
                set.push(rank);
            }
            if let (Some(&list), false) = (self.lists.get(number), set.is_empty()) {
                out.ports[Self::ASKED].row(list, &tail);
            }
            if set.len() > 1 {
                set.sort_unstable();
                match sets.get_mut(&set) {
                    Some(sum) => *sum += weight,
                    None => _ = sets.insert(set.clone(), weight),
                }
            }
        }
        sets
    }

    fn picks(&mut self, patch_grams: u64) -> Vec<Pick> {
        self.cover.clear();
        let (mut begin, mut same, mut weight) = (0, &[][..], 0);
        for &end in &self.ends {
            let (candidates, _, own_weight) = element(&self.tails[begin..end]);
            // Equal candidates stand next to each other, since rows are sorted: one element.
            if candidates != same {
                self.cover.add(weight, numbers(same));
                (same, weight) = (candidates, 0);
            }
            weight += own_weight;
            begin = end;
        }
        self.cover.add(weight, numbers(same));
        self.cover.greedy(self.min_share, patch_grams)
    }
}

/// Of the grams that the source of this rank is the first to cover: how many each set of later sources has, too, then how
/// many sources that are and their ranks.
fn shared(rank: u32, sets: &BTreeMap<Vec<u32>, u64>) -> Vec<u8> {
    let mut packed = Vec::new();
    for (set, &weight) in sets.range(vec![rank]..vec![rank + 1]) {
        put_varint(&mut packed, weight);
        put_varint(&mut packed, set.len() as u64 - 1);
        set[1..].iter().for_each(|&later| put_varint(&mut packed, u64::from(later)));
    }
    packed
}

/// The candidates of an element, as differences, the df of its grams and its weight.
pub fn element(tail: &[u8]) -> (&[u8], u32, u64) {
    let (candidates, mut numbers) = tail.split_at(tail.len().saturating_sub(12));
    let df = take_doc(&mut numbers).unwrap_or_default();
    (candidates, df, take_u64(&mut numbers).unwrap_or_default())
}

/// Ascending numbers from their differences.
pub fn numbers(mut differences: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let mut last = 0;
    std::iter::from_fn(move || {
        last += take_varint(&mut differences)? as u32;
        Some(last)
    })
}

impl GroupKernel for Covers {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) {
        let (mut words, mut grams, mut patch_grams) = (0, 0, 0);
        self.tails.clear();
        self.ends.clear();
        self.lists.clear();
        while let Some((table, mut tail)) = rows.next() {
            if table == 0 {
                words = take_u64(&mut tail).unwrap_or_default();
                grams = take_u64(&mut tail).unwrap_or_default();
            } else {
                if let (true, Some((rest, list))) = (self.ask, tail.split_last_chunk()) {
                    tail = rest;
                    self.lists.push(u64::from_be_bytes(*list));
                }
                patch_grams += element(tail).2;
                self.tails.extend_from_slice(tail);
                self.ends.push(self.tails.len());
            }
        }
        let patch_fraction = if grams == 0 { 0.0 } else { patch_grams as f64 / grams as f64 };
        if patch_fraction < self.sigma {
            return;
        }
        let picks = self.picks(patch_grams);
        if (picks.len() as u64) < self.c {
            return;
        }
        let mut tail = Vec::new();
        for number in [words, grams, patch_grams] {
            put_number(&mut tail, number);
        }
        put_real(&mut tail, patch_fraction);
        put_number(&mut tail, picks.len() as u64);
        out.ports[Self::QUILTS].row(key, &tail);
        let sets = self.place(key as u32, &picks, out);
        for (rank, pick) in (1..).zip(&picks) {
            tail.clear();
            for number in [key, u64::from(rank), pick.new, pick.all, patch_grams] {
                put_number(&mut tail, number);
            }
            put_bytes(&mut tail, Some(&shared(rank, &sets)));
            out.ports[Self::SOURCES].row(u64::from(pick.source), &tail);
        }
        out.count("covered_grams", picks.iter().map(|pick| pick.new).sum());
    }
}
