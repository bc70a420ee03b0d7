//! Keys, pairs of the rarest stems of a window, and which documents share them where.

use crate::alignment::stems::each_stem;
use crate::analyses::passages::seeds::Listed;
use crate::analyses::passages::signatures::{Collections, NamedPages};
use crate::documents::standing::{Stand, Standing};
use crate::flow::contract::{shape, Key, Port, PortInfo, Shape, Side, WrongParameter};
use crate::flow::fields::Rest;
use crate::flow::kernel::{Done, Group, Map, Output, Rows};
use crate::sketches::lexicon::Lexicon;
use crate::text::fingerprint::Fingerprinter;
use crate::{row, told};

/// Words of a window, and how far one begins behind the other.
pub const WINDOW: usize = 40;
pub const STEP: usize = 20;
/// Of the stems of a window, so many are used: the rarest.
const RAREST: usize = 6;
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
    /// Of a document: a window that is looked at, because it has a key that is also in the window `at` of the first document
    /// of a pair, to which it is sent; that document's own windows are sent to itself.
    pub struct WantedWindow { window: u32, first: u32, at: u32 }
}

/// Group by key: the windows of the pairs of documents that have it.
pub struct KeyPairs {
    max_df: usize,
    shared: u64,
    common: u64,
    firsts: Vec<(u32, u32)>,
}

impl KeyPairs {
    const WINDOWS: Port<WantedWindow> = Port::documents(0, "windows");
}

impl Group for KeyPairs {
    const NAME: &'static str = "key pairs";
    const KEY: Key = Key::Hash;
    const TABLES: &'static [Shape] = &[shape::<KeyPlace<'static>>()];
    const PORTS: &'static [PortInfo] = &[Self::WINDOWS.info()];
    const KEEPS: &'static str = "the rows of max_df documents";
    type Told = KeySharing;

    fn new(KeySharing { max_df }: KeySharing, _: usize) -> Result<Self, WrongParameter> {
        Ok(Self { max_df, shared: 0, common: 0, firsts: Vec::new() })
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
        self.firsts.clear();
        for (number, one) in listed.iter().enumerate() {
            for other in &listed[number + 1..] {
                if let Some((a, b)) = one.pair(other) {
                    let (window, at) = (b.places[0] as u32, a.places[0] as u32);
                    out.row(&Self::WINDOWS, b.doc.into(), WantedWindow { window, first: a.doc, at });
                    self.firsts.push((a.doc, at));
                }
            }
        }
        self.firsts.sort_unstable();
        self.firsts.dedup();
        for &(first, at) in &self.firsts {
            out.row(&Self::WINDOWS, first.into(), WantedWindow { window: at, first, at });
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("shared_keys", self.shared);
        out.count("common_keys", self.common);
    }
}
