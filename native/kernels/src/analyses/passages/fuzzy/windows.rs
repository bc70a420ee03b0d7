//! The windows of two documents that share a key, and what they have in common besides.

use crate::alignment::fit::fixed;
use crate::alignment::rates::StemRates;
use crate::alignment::rules::AlignmentRules;
use crate::alignment::seeds::StemWeights;
use crate::alignment::stems::{each_stem, StemmedWord};
use crate::analyses::passages::fuzzy::keys::{KeyWindow, STEP, WINDOW};
use crate::flow::columns::{Along, Numbers, Texts};
use crate::flow::contract::{shape, Key, Port, PortInfo, Shape, Side, WrongParameter};
use crate::flow::fields::{Damaged, Rest};
use crate::flow::kernel::{Done, Group, Map, Output, Rows};
use crate::text::fingerprint::Fingerprinter;
use crate::{columns, row, told};

/// Words on either side of a window of keys that are looked at, too: so it is as long as one that seeds are made of.
const AROUND: usize = (AlignmentRules::DEFAULT.window - WINDOW) / 2;

/// What the keys must count for that two documents share: two of them will do, or one that few documents have.
const ENOUGH_KEYS: u32 = 2;
/// Pairs of windows of two documents that are compared: those that share most keys.
const MOST_WINDOWS: usize = 8;

row! {
    /// Of a document: a window that is looked at, because it has a key that is also in the window `at` of the first document
    /// of a pair, to which it is sent; that document's own windows are sent to itself.
    pub struct WantedWindow { first: u32, window: u32, at: u32 }
}

/// Two windows that share a key: the first document of the pair, the window of the second and that of the first, and what
/// the key counts for.
type SharedKey = (u32, u32, u32, u32);

/// Group by document: of each other document that shares enough keys, the windows that share most of them.
#[derive(Default)]
pub struct SharedWindows {
    keys: Vec<SharedKey>,
    few: u64,
    left_out: u64,
}

impl SharedWindows {
    const WINDOWS: Port<WantedWindow> = Port::documents(0, "windows");

    fn read(&mut self, doc: u32, row: KeyWindow<'_>) -> Result<(), Damaged> {
        let KeyWindow { window, counts, firsts } = row;
        if firsts.0.is_empty() {
            self.keys.push((doc, window, window, 0));
        }
        let (places, []) = firsts.0.as_chunks::<8>() else { return Err(Damaged("KeyWindow")) };
        for &[a, b, c, d, e, f, g, h] in places {
            let (first, at) = (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h]));
            self.keys.push((first, window, at, counts.into()));
        }
        Ok(())
    }
}

/// Adds up what keys count for that the same windows share, and leaves the windows that share most, in order; whether all is
/// enough, and how many pairs of windows were left out.
fn choose(keys: &mut Vec<SharedKey>) -> (bool, usize) {
    keys.dedup_by(|key, kept| {
        let same = (key.1, key.2) == (kept.1, kept.2);
        kept.3 += if same { key.3 } else { 0 };
        same
    });
    let enough = keys.iter().map(|key| key.3).sum::<u32>() >= ENOUGH_KEYS;
    let left_out = keys.len().saturating_sub(MOST_WINDOWS);
    if left_out > 0 {
        keys.sort_unstable_by_key(|&(_, window, at, counts)| (u32::MAX - counts, window, at));
        keys.truncate(MOST_WINDOWS);
        keys.sort_unstable();
    }
    (enough, left_out)
}

impl Group for SharedWindows {
    const NAME: &'static str = "shared windows";
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = &[shape::<KeyWindow<'static>>()];
    const PORTS: &'static [PortInfo] = &[Self::WINDOWS.info()];
    const KEEPS: &'static str =
        "16 bytes for each key that a document shares with another, max_df for each of its keys";
    type Told = ();

    fn new((): (), _: usize) -> Result<Self, WrongParameter> {
        Ok(Self::default())
    }

    fn key(&mut self, doc: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.keys.clear();
        while let Some((_, tail)) = rows.next() {
            self.read(doc as u32, KeyWindow::take(tail)?)?;
        }
        self.keys.sort_unstable();
        let mut shared = Vec::new();
        for keys in self.keys.chunk_by(|one, other| one.0 == other.0) {
            shared.clear();
            shared.extend_from_slice(keys);
            let own = u64::from(keys[0].0) == doc;
            if own {
                shared.dedup();
            } else {
                let (enough, left_out) = choose(&mut shared);
                if !enough {
                    self.few += 1;
                    continue;
                }
                self.left_out += left_out as u64;
            }
            for &(first, window, at, _) in &shared {
                out.row(&Self::WINDOWS, doc, WantedWindow { first, window, at });
            }
        }
        out.relieve();
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("pairs_with_few_keys", self.few);
        out.count("windows_left_out", self.left_out);
    }
}

columns! {
    /// Which windows of documents are looked at, and to whom they are sent.
    pub struct WantedColumns<'a> { doc: Numbers<'a>, first: Numbers<'a>, window: Numbers<'a>, at: Numbers<'a> }
}

row! {
    /// Of the first document of pairs: a window of its own (`foreign` is 0) or of a second one, which shares a key with its
    /// window `at`: the stems in it that are not common, ascending, two bytes of each; of its own with two bytes of what
    /// they weigh (see [`WeighedStem`]). Of two windows of 25 such stems, one pair in a hundred seems to share one more.
    /// And how many windows its document has.
    pub struct SentWindow<'a> { foreign: u8, doc: u32, at: u32, windows: u32, stems: Rest<'a> }
}

/// The first two bytes of a stem, before what it weighs in units of 2^-13 nats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WeighedStem(pub u32);

impl WeighedStem {
    const SHIFT: u32 = 3;

    fn new(stem: u64, weight: i64) -> Self {
        Self(((stem >> 48) as u32) << 16 | (weight >> Self::SHIFT) as u32)
    }

    pub fn stem(self) -> u16 {
        (self.0 >> 16) as u16
    }

    /// In units of 2^-16 nats.
    pub fn weight(self) -> u64 {
        u64::from(self.0 & 0xffff) << Self::SHIFT
    }
}

told! {
    /// How common stems are.
    pub struct Weighing { rates: Side }
}

/// Map, beside wanted windows: the stems of windows to the first documents of pairs.
pub struct WindowStems {
    weights: StemWeights,
    /// The stem of each word, if it weighs enough.
    words: Vec<Option<WeighedStem>>,
    /// Of each window of a document, once it was read, where its stems are.
    windows: Vec<Option<(usize, usize)>>,
    stems: Vec<WeighedStem>,
    bytes: Vec<u8>,
}

impl WindowStems {
    const STEMS: Port<SentWindow<'static>> = Port::documents(0, "stems");

    fn read(&mut self, text: &str, print: &Fingerprinter) {
        let Self { weights, words, .. } = self;
        let least = fixed(AlignmentRules::DEFAULT.least_weight);
        words.clear();
        each_stem(text, print, |StemmedWord { stem, .. }| {
            let weight = weights.of(stem);
            words.push((weight >= least).then(|| WeighedStem::new(stem, weight)));
        });
        self.stems.clear();
        self.windows.clear();
        self.windows.resize(self.words.len() / STEP + 1, None);
    }

    /// The stems of a window that weigh enough.
    fn window(&mut self, number: usize) -> &[WeighedStem] {
        let known = self.windows.get(number).copied().flatten();
        let (begin, end) = known.unwrap_or_else(|| self.read_window(number));
        &self.stems[begin..end]
    }

    fn read_window(&mut self, number: usize) -> (usize, usize) {
        let Self { words, windows, stems, .. } = self;
        let begin = number * STEP;
        let end = words.len().min(begin + WINDOW + AROUND);
        let mut found: Vec<WeighedStem> = Vec::with_capacity(WINDOW + 2 * AROUND);
        found.extend(words[begin.saturating_sub(AROUND).min(end)..end].iter().flatten());
        found.sort_unstable();
        found.dedup_by_key(|stem| stem.stem());
        let place = (stems.len(), stems.len() + found.len());
        stems.append(&mut found);
        if let Some(known) = windows.get_mut(number) {
            *known = Some(place);
        }
        place
    }

    /// Packs the stems of a window, with what they weigh or without.
    fn pack(&mut self, number: usize, weights: bool) {
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        for stem in self.window(number) {
            match weights {
                true => bytes.extend_from_slice(&stem.0.to_be_bytes()),
                false => bytes.extend_from_slice(&stem.stem().to_be_bytes()),
            }
        }
        self.bytes = bytes;
    }
}

impl Map for WindowStems {
    const NAME: &'static str = "window stems";
    const PORTS: &'static [PortInfo] = &[Self::STEMS.info()];
    const KEEPS: &'static str = "the stems of one document";
    type Told = Weighing;
    type Reads<'a> = Texts<'a>;
    type Beside<'a> = WantedColumns<'a>;

    fn new(Weighing { rates }: Weighing) -> Result<Self, WrongParameter> {
        let rates = StemRates::unpack(rates.as_ref()).map_err(|_| WrongParameter("rates are damaged".to_owned()))?;
        let weights = StemWeights::new(&rates, &AlignmentRules::DEFAULT);
        Ok(Self { weights, words: Vec::new(), windows: Vec::new(), stems: Vec::new(), bytes: Vec::new() })
    }

    fn batch<'a>(&mut self, pages: Texts<'a>, wanted: WantedColumns<'a>, out: &mut Output) -> Done {
        let print = Fingerprinter::plain();
        let mut along = Along::new(wanted.doc);
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row);
            let rows = along.rows(doc);
            if rows.is_empty() {
                continue;
            }
            self.read(&pages.text.at(row), &print);
            for row in rows {
                let (first, at) = (wanted.first.at(row), wanted.at.at(row) as u32);
                let foreign = first != doc;
                self.pack(wanted.window.at(row) as usize, !foreign);
                let (windows, stems) = (self.windows.len() as u32, Rest(&self.bytes[..]));
                let sent = SentWindow { foreign: u8::from(foreign), doc: doc as u32, at, windows, stems };
                out.row(&Self::STEMS, first, sent);
            }
            out.relieve();
        }
        Ok(())
    }
}
