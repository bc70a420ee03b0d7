//! Keys, pairs of the rarest stems of a window, and which documents share them where.

use crate::alignment::stems::each_stem;
use crate::analyses::passages::seeds::comes_first;
use crate::analyses::passages::signatures::{Collections, NamedPages};
use crate::documents::standing::{Stand, Standing};
use crate::flow::contract::{shape, Key, Port, PortInfo, Shape, Side, WrongParameter};
use crate::flow::fields::Rest;
use crate::flow::kernel::{Done, Group, Map, Output, Rows};
use crate::sketches::lexicon::Lexicon;
use crate::text::fingerprint::Fingerprinter;
use crate::text::grams::Distinct;
use crate::{row, told};

/// Words of a window, and how far one begins behind the other.
pub const WINDOW: usize = 40;
pub const STEP: usize = 20;
/// Of the stems of a window, so many are used: the rarest.
const RAREST: usize = 6;
/// A key that at most so many documents have counts for two.
const RARE: usize = 5;

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
    /// The stems of a document, each behind the number of documents that have it.
    words: Vec<(u32, u64)>,
    keys: Distinct,
}

impl StemKeys {
    const KEYS: Port<KeyPlace<'static>> = Port::hashes(0, "keys");

    /// Calls `emit(window, keys)` for the keys of a text that no window before has: pairs of its stems with the lowest
    /// (df, stem). Stems that the table does not have are in one document only, or were left out of it.
    fn read(&mut self, text: &str, print: &Fingerprinter, mut emit: impl FnMut(u32, &[u64])) {
        let Self { stems, words, keys, .. } = self;
        words.clear();
        keys.clear();
        each_stem(text, print, |word| words.push((stems.rank(word.stem).unwrap_or(0), word.stem)));
        let last = words.len().saturating_sub(STEP).max(1);
        for (number, begin) in (0..last).step_by(STEP).enumerate() {
            let window = Rarest::of(&words[begin..words.len().min(begin + WINDOW)]);
            let before = keys.count();
            for (at, (_, one)) in window.stems().iter().enumerate() {
                for (_, other) in &window.stems()[at + 1..] {
                    let (low, high) = (one.min(other), one.max(other));
                    let mut bytes = [0; 16];
                    bytes[..8].copy_from_slice(&low.to_be_bytes());
                    bytes[8..].copy_from_slice(&high.to_be_bytes());
                    keys.insert(print.bytes(&bytes));
                }
            }
            if keys.count() > before {
                emit(number as u32, &keys.items()[before..]);
            }
        }
    }
}

/// The rarest stems of a window, in order.
struct Rarest {
    stems: [(u32, u64); RAREST],
    count: usize,
}

impl Rarest {
    /// Of stems behind the numbers of documents that have them. Those in a single document are none.
    fn of(words: &[(u32, u64)]) -> Self {
        let mut rarest = Self { stems: [(u32::MAX, u64::MAX); RAREST], count: 0 };
        words.iter().filter(|(df, _)| *df > 1).for_each(|&word| rarest.add(word));
        rarest
    }

    #[inline]
    fn add(&mut self, word: (u32, u64)) {
        // Most words are commoner than six others.
        if word >= self.stems[RAREST - 1] {
            return;
        }
        let at = self.stems().partition_point(|known| *known < word);
        if self.stems().get(at) != Some(&word) {
            self.stems.copy_within(at..RAREST - 1, at + 1);
            self.stems[at] = word;
            self.count = RAREST.min(self.count + 1);
        }
    }

    fn stems(&self) -> &[(u32, u64)] {
        &self.stems[..self.count]
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
        Ok(Self { stems, collections: Collections::new(a, b), words: Vec::new(), keys: Distinct::default() })
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
            self.read(&pages.text.at(row), &print, |window, keys| {
                out.run(&Self::KEYS, keys, KeyPlace { doc, window, side, servers: Rest(code) });
            });
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
    /// Of a document: a window that has a key, what the key counts for, and the windows of first documents of pairs that have
    /// it, too, 8 bytes each: the document and the window. Without any, it is a window of such a first document.
    pub struct KeyWindow<'a> { window: u32, counts: u8, firsts: Rest<'a> }
}

/// Group by key: of each document that has it, with which others it is paired.
#[derive(Default)]
pub struct KeyPairs {
    max_df: usize,
    shared: u64,
    common: u64,
    /// The rows of a key, one behind the other, and where each ends.
    tails: Vec<u8>,
    ends: Vec<usize>,
    /// Of each row, the first documents that it is paired with, and whether it is one itself.
    firsts: Vec<(Vec<u8>, bool)>,
}

impl KeyPairs {
    const WINDOWS: Port<KeyWindow<'static>> = Port::documents(0, "windows");

    /// Reads the rows of a key; whether two documents at least have it, and no more than `max_df`.
    fn read(&mut self, rows: &mut dyn Rows) -> bool {
        self.tails.clear();
        self.ends.clear();
        while let Some((_, tail)) = rows.next() {
            if self.ends.len() == self.max_df {
                self.common += 1;
                return false;
            }
            self.tails.extend_from_slice(tail);
            self.ends.push(self.tails.len());
        }
        let shared = self.ends.len() > 1;
        self.shared += u64::from(shared);
        shared
    }
}

impl Group for KeyPairs {
    const NAME: &'static str = "key pairs";
    const KEY: Key = Key::Hash;
    const TABLES: &'static [Shape] = &[shape::<KeyPlace<'static>>()];
    const PORTS: &'static [PortInfo] = &[Self::WINDOWS.info()];
    const KEEPS: &'static str = "the rows of max_df documents";
    type Told = KeySharing;

    fn new(KeySharing { max_df }: KeySharing, _: usize) -> Result<Self, WrongParameter> {
        Ok(Self { max_df, ..Self::default() })
    }

    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        if rows.left() == Some(1) || !self.read(rows) {
            return Ok(());
        }
        let mut begin = 0;
        let mut places = Vec::with_capacity(self.ends.len());
        for &end in &self.ends {
            places.push(KeyPlace::take(&self.tails[begin..end])?);
            begin = end;
        }
        let counts = if places.len() <= RARE { 2 } else { 1 };
        self.firsts.resize_with(self.firsts.len().max(places.len()), Default::default);
        for (number, one) in places.iter().enumerate() {
            for (behind, other) in places.iter().enumerate().skip(number + 1) {
                let order = comes_first((one.side, one.servers.0), (other.side, other.servers.0));
                let Some(in_order) = order else { continue };
                let (a, b) = if in_order { (number, behind) } else { (behind, number) };
                self.firsts[a].1 = true;
                self.firsts[b].0.extend_from_slice(&places[a].doc.to_be_bytes());
                self.firsts[b].0.extend_from_slice(&places[a].window.to_be_bytes());
            }
        }
        for (place, (firsts, is_first)) in places.iter().zip(&mut self.firsts) {
            let (doc, window) = (place.doc.into(), place.window);
            if std::mem::take(is_first) {
                out.row(&Self::WINDOWS, doc, KeyWindow { window, counts, firsts: Rest(&[]) });
            }
            if !firsts.is_empty() {
                out.row(&Self::WINDOWS, doc, KeyWindow { window, counts, firsts: Rest(firsts) });
                firsts.clear();
            }
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("shared_keys", self.shared);
        out.count("common_keys", self.common);
    }
}
