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
/// Documents that share fewer keys are not compared.
const SHARED: u32 = 2;

told! {
    /// In how many documents stems are, and the two collections.
    pub struct Keying { stems: Side, a: String, b: String }
}

row! {
    /// Of a key: a document that has it, the collections that it belongs to, and the code of its servers.
    pub struct KeyPlace<'a> { doc: u32, side: u8, servers: Rest<'a> }
}

/// Map: the keys of documents, each once.
pub struct StemKeys {
    stems: Lexicon<Side>,
    collections: Collections,
    words: Vec<(u32, u64)>,
    window: Vec<(u32, u64)>,
    keys: Vec<u64>,
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
        for begin in (0..last).step_by(STEP) {
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
                    keys.push(print.bytes(&bytes));
                }
            }
        }
        keys.sort_unstable();
        keys.dedup();
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
            out.run(&Self::KEYS, &self.keys, KeyPlace { doc, side, servers: Rest(code) });
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
    /// Of the first document of a pair: the second, which has a key of it.
    pub struct SharedKey { b: u32 }
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
            let KeyPlace { doc, side, servers } = KeyPlace::take(tail)?;
            listed.push(Listed { doc, side, servers: servers.0, places: Vec::new() });
        }
        for (at, one) in listed.iter().enumerate() {
            for other in &listed[at + 1..] {
                if let Some((a, b)) = one.pair(other) {
                    out.row(&Self::PAIRS, a.doc.into(), SharedKey { b: b.doc });
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
    /// Of a document: one that its text is sent to (itself, if others are sent there), and how many keys they share.
    pub struct FuzzyCandidate { other: u64, keys: u64 }
}

/// Group by first document: those that share at least two keys with it, those first that share most.
pub struct FuzzyCandidates {
    most: usize,
    found: Vec<(u32, u32)>,
}

impl FuzzyCandidates {
    const CANDIDATES: Port<FuzzyCandidate> = Port::documents(0, "candidates");
}

impl Group for FuzzyCandidates {
    const NAME: &'static str = "fuzzy candidates";
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = &[shape::<SharedKey>()];
    const PORTS: &'static [PortInfo] = &[Self::CANDIDATES.info()];
    const KEEPS: &'static str = "8 bytes a document that shares a key with this one";
    type Told = Choosing;

    fn new(Choosing { most }: Choosing, _: usize) -> Result<Self, WrongParameter> {
        Ok(Self { most, found: Vec::new() })
    }

    fn key(&mut self, a: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.found.clear();
        let mut others = Stretches::new(rows, Beginning::First(4));
        while others.begin() {
            let (mut keys, mut other) = (0_u32, 0);
            while let Some(tail) = others.tail() {
                other = SharedKey::take(tail)?.b;
                keys = keys.saturating_add(1);
            }
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
