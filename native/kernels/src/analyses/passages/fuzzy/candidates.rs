//! Which documents are to be aligned: those that share keys, pairs of the rarest stems of a window.

use crate::alignment::stems::each_stem;
use crate::analyses::passages::seeds::Listed;
use crate::analyses::passages::signatures::{Collections, NamedPages};
use crate::documents::standing::{Stand, Standing};
use crate::flow::contract::{shape, Key, Port, PortInfo, Shape, Side, WrongParameter};
use crate::flow::fields::Rest;
use crate::flow::kernel::{Beginning, Done, Group, Map, Output, Rows, Stretches};
use crate::sketches::lexicon::Lexicon;
use crate::text::fingerprint::Fingerprinter;
use crate::{row, told};

/// Words of a window, and how far one begins behind the other.
const WINDOW: usize = 40;
const STEP: usize = 20;
/// Of the stems of a window, so many are used: the rarest.
const RAREST: usize = 6;
/// Documents that share fewer keys together are not compared.
const SHARED: u32 = 2;
/// Keys are together if they are at most so many windows away from each other in one document, and so many in the other,
/// which may be summarised. Long documents share some keys by chance, but these are anywhere.
const NEAR: u32 = 10;
const FAR: u32 = 50;

told! {
    /// In how many documents stems are, and the two collections.
    pub struct Keying { stems: Side, a: String, b: String }
}

row! {
    /// Of a key: a document that has it, the first window that does, the collections that it belongs to, and the code of its
    /// servers.
    pub struct KeyPlace<'a> { doc: u32, window: u32, side: u8, servers: Rest<'a> }
}

/// Map: the keys of documents, each once.
pub struct StemKeys {
    stems: Lexicon<Side>,
    collections: Collections,
    words: Vec<(u32, u64)>,
    window: Vec<(u32, u64)>,
    keys: Vec<(u64, u32)>,
}

impl StemKeys {
    const KEYS: Port<KeyPlace<'static>> = Port::hashes(0, "keys");

    /// The keys of a text: of each window, the pairs of its stems with the lowest (df, stem). Stems that the table does not
    /// have are in one document only, or were left out of it.
    fn read(&mut self, text: &str, print: &Fingerprinter) {
        let Self { stems, words, window, keys, .. } = self;
        words.clear();
        keys.clear();
        each_stem(text, print, |_, _, stem| words.push((stems.rank(stem).unwrap_or(0), stem)));
        let last = words.len().saturating_sub(STEP).max(1);
        for (number, begin) in (0..last).step_by(STEP).enumerate() {
            let end = words.len().min(begin + WINDOW);
            window.clear();
            window.extend(words[begin..end].iter().filter(|(df, _)| *df > 1));
            window.sort_unstable();
            window.dedup();
            window.truncate(RAREST);
            for (at, (_, one)) in window.iter().enumerate() {
                for (_, other) in &window[at + 1..] {
                    let (low, high) = (one.min(other), one.max(other));
                    let mut bytes = [0; 16];
                    bytes[..8].copy_from_slice(&low.to_be_bytes());
                    bytes[8..].copy_from_slice(&high.to_be_bytes());
                    keys.push((print.bytes(&bytes), number as u32));
                }
            }
        }
        keys.sort_unstable();
        keys.dedup_by_key(|(key, _)| *key);
    }
}

impl Map for StemKeys {
    const NAME: &'static str = "stem keys";
    const PORTS: &'static [PortInfo] = &[Self::KEYS.info()];
    const KEEPS: &'static str = "the stems and keys of one document";
    type Told = Keying;
    type Reads<'a> = NamedPages<'a>;
    type Beside<'a> = Option<Stand<'a>>;

    fn new(Keying { stems, a, b }: Keying) -> Result<Self, WrongParameter> {
        let stems = Lexicon::new(stems).map_err(|fault| WrongParameter(fault.to_string()))?;
        let (words, window, keys) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { stems, collections: Collections::new(a, b), words, window, keys })
    }

    fn batch<'a>(&mut self, pages: NamedPages<'a>, beside: Option<Stand<'a>>, out: &mut Output) -> Done {
        let mut standing = Standing::new(beside);
        let print = Fingerprinter::plain();
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row) as u32;
            let Some(code) = standing.code(doc) else { continue };
            let side = self.collections.side(&pages, row, out);
            if side == 0 {
                continue;
            }
            self.read(&pages.text.at(row), &print);
            for &(key, window) in &self.keys {
                out.row(&Self::KEYS, key, KeyPlace { doc, window, side, servers: Rest(code) });
            }
            out.relieve();
        }
        Ok(())
    }
}

told! {
    /// Keys in more documents are passed over.
    pub struct KeySharing { max_df: usize }
}

row! {
    /// Of the first document of a pair: the second, which has a key of it, and the first windows of both that have it.
    pub struct SharedKey { b: u32, in_a: u32, in_b: u32 }
}

/// Group by key: the pairs of documents that have it.
pub struct KeyPairs {
    max_df: usize,
    shared: u64,
    common: u64,
}

impl KeyPairs {
    const PAIRS: Port<SharedKey> = Port::documents(0, "pairs");
}

impl Group for KeyPairs {
    const NAME: &'static str = "key pairs";
    const KEY: Key = Key::Hash;
    const TABLES: &'static [Shape] = &[shape::<KeyPlace<'static>>()];
    const PORTS: &'static [PortInfo] = &[Self::PAIRS.info()];
    const KEEPS: &'static str = "the rows of max_df documents";
    type Told = KeySharing;

    fn new(KeySharing { max_df }: KeySharing, _: usize) -> Result<Self, WrongParameter> {
        Ok(Self { max_df, shared: 0, common: 0 })
    }

    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        if rows.left() == Some(1) {
            return Ok(());
        }
        let mut tails: Vec<Vec<u8>> = Vec::new();
        while let Some((_, tail)) = rows.next() {
            if tails.len() == self.max_df {
                self.common += 1;
                return Ok(());
            }
            tails.push(tail.to_vec());
        }
        if tails.len() < 2 {
            return Ok(());
        }
        self.shared += 1;
        let mut listed = Vec::with_capacity(tails.len());
        for tail in &tails {
            let KeyPlace { doc, window, side, servers } = KeyPlace::take(tail)?;
            listed.push(Listed { doc, side, servers: servers.0, places: vec![window.into()] });
        }
        for (at, one) in listed.iter().enumerate() {
            for other in &listed[at + 1..] {
                if let Some((a, b)) = one.pair(other) {
                    let (in_a, in_b) = (a.places[0] as u32, b.places[0] as u32);
                    out.row(&Self::PAIRS, a.doc.into(), SharedKey { b: b.doc, in_a, in_b });
                }
            }
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("shared_keys", self.shared);
        out.count("common_keys", self.common);
    }
}

told! {
    /// The most documents that one is aligned with.
    pub struct Choosing { most: usize }
}

row! {
    /// Of a document: one that its text is sent to (itself, if others are sent there), and how many keys they share together.
    pub struct FuzzyCandidate { other: u64, keys: u64 }
}

/// The most keys that stand together with one of them: few windows away in one document, and not too many in the other,
/// which may be summarised in the first. A window is the first one of 15 keys at most, so each is compared with few others.
fn together(places: &mut [(u32, u32)]) -> u32 {
    let mut most = 0;
    for _ in 0..2 {
        let mut first = 0;
        for &(x, y) in &*places {
            first += places[first..].iter().take_while(|place| place.0 + NEAR < x).count();
            let around = places[first..].iter().take_while(|place| place.0 <= x + NEAR);
            most = most.max(around.filter(|place| place.1.abs_diff(y) <= FAR).count());
        }
        places.iter_mut().for_each(|place| *place = (place.1, place.0));
        places.sort_unstable();
    }
    most as u32
}

/// Group by first document: those that share at least two keys together with it, those first that share most.
pub struct FuzzyCandidates {
    most: usize,
    found: Vec<(u32, u32)>,
    places: Vec<(u32, u32)>,
}

impl FuzzyCandidates {
    const CANDIDATES: Port<FuzzyCandidate> = Port::documents(0, "candidates");
}

impl Group for FuzzyCandidates {
    const NAME: &'static str = "fuzzy candidates";
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = &[shape::<SharedKey>()];
    const PORTS: &'static [PortInfo] = &[Self::CANDIDATES.info()];
    const KEEPS: &'static str =
        "8 bytes a document that shares a key with this one, and 8 a key that one of them shares";
    type Told = Choosing;

    fn new(Choosing { most }: Choosing, _: usize) -> Result<Self, WrongParameter> {
        Ok(Self { most, found: Vec::new(), places: Vec::new() })
    }

    fn key(&mut self, a: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.found.clear();
        let mut others = Stretches::new(rows, Beginning::First(4));
        while others.begin() {
            self.places.clear();
            let mut other = 0;
            while let Some(tail) = others.tail() {
                let SharedKey { b, in_a, in_b } = SharedKey::take(tail)?;
                self.places.push((in_a, in_b));
                other = b;
            }
            let keys = together(&mut self.places);
            if keys >= SHARED {
                self.found.push((u32::MAX - keys, other));
            }
        }
        if self.found.is_empty() {
            return Ok(());
        }
        self.found.sort_unstable();
        out.greatest("most_candidates", self.found.len() as u64);
        out.count("candidates_left_out", self.found.len().saturating_sub(self.most) as u64);
        self.found.truncate(self.most);
        out.count("candidates", self.found.len() as u64);
        out.count("documents_with_candidates", 1);
        out.row(&Self::CANDIDATES, a, FuzzyCandidate { other: a, keys: 0 });
        for &(keys, b) in &self.found {
            out.row(&Self::CANDIDATES, b.into(), FuzzyCandidate { other: a, keys: (u32::MAX - keys).into() });
        }
        Ok(())
    }
}
