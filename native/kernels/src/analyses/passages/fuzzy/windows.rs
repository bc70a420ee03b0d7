//! The windows of two documents that share a key, and what they have in common besides.

use crate::alignment::rates::StemRates;
use crate::alignment::rules::AlignmentRules;
use crate::alignment::seeds::StemWeights;
use crate::alignment::stems::each_stem;
use crate::analyses::passages::fuzzy::keys::{WantedWindow, STEP, WINDOW};
use crate::flow::columns::{Along, Numbers, Texts};
use crate::flow::contract::{shape, Key, Port, PortInfo, Shape, Side, WrongParameter};
use crate::flow::fields::Rest;
use crate::flow::kernel::{Done, Group, Map, Output, Rows};
use crate::text::fingerprint::Fingerprinter;
use crate::{columns, row, told};

/// Words on either side of a window of keys that are looked at, too: so it is as long as one that seeds are made of.
const AROUND: usize = (AlignmentRules::DEFAULT.window - WINDOW) / 2;

/// Group by document: the windows that are looked at, each once for each window of another document.
#[derive(Default)]
pub struct SharedWindows {
    last: Vec<u8>,
}

impl SharedWindows {
    const WINDOWS: Port<WantedWindow> = Port::documents(0, "windows");
}

impl Group for SharedWindows {
    const NAME: &'static str = "shared windows";
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = &[shape::<WantedWindow>()];
    const PORTS: &'static [PortInfo] = &[Self::WINDOWS.info()];
    const KEEPS: &'static str = "one row";
    type Told = ();

    fn new((): (), _: usize) -> Result<Self, WrongParameter> {
        Ok(Self::default())
    }

    fn key(&mut self, doc: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.last.clear();
        while let Some((_, tail)) = rows.next() {
            if self.last != tail {
                self.last.clear();
                self.last.extend_from_slice(tail);
                out.row(&Self::WINDOWS, doc, WantedWindow::take(tail)?);
            }
        }
        out.relieve();
        Ok(())
    }
}

columns! {
    /// Which windows of documents are looked at, and to whom they are sent.
    pub struct WantedColumns<'a> { doc: Numbers<'a>, window: Numbers<'a>, first: Numbers<'a>, at: Numbers<'a> }
}

row! {
    /// Of the first document of pairs: a window of its own (`foreign` is 0) or of a second one, which shares a key with its
    /// window `at`: the stems in it that are not common, ascending, four bytes of each; of its own with what they weigh.
    pub struct SentWindow<'a> { foreign: u8, doc: u32, at: u32, stems: Rest<'a> }
}

told! {
    /// How common stems are.
    pub struct Weighing { rates: Side }
}

/// Map, beside wanted windows: the stems of windows to the first documents of pairs.
pub struct WindowStems {
    weights: StemWeights,
    words: Vec<u64>,
    window: Vec<(u32, u32)>,
    bytes: Vec<u8>,
}

impl WindowStems {
    const STEMS: Port<SentWindow<'static>> = Port::documents(0, "stems");

    /// The stems of a window that weigh something, by their first four bytes.
    fn read_window(&mut self, number: u64) {
        let begin = number as usize * STEP;
        let end = self.words.len().min(begin + WINDOW + AROUND);
        let words = &self.words[begin.saturating_sub(AROUND).min(end)..end];
        let weights = &self.weights;
        let weigh = |&stem: &u64| ((stem >> 32) as u32, weights.of(stem) as u32);
        self.window.clear();
        self.window.extend(words.iter().map(weigh).filter(|&(_, weight)| weight > 0));
        self.window.sort_unstable();
        self.window.dedup_by_key(|(stem, _)| *stem);
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
        Ok(Self {
            weights: StemWeights::new(&rates, &AlignmentRules::DEFAULT),
            words: Vec::new(),
            window: Vec::new(),
            bytes: Vec::new(),
        })
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
            self.words.clear();
            each_stem(&pages.text.at(row), &print, |_, _, stem| self.words.push(stem));
            let mut last = None;
            for at in rows {
                let (window, first) = (wanted.window.at(at), wanted.first.at(at));
                if last.replace(window) != Some(window) {
                    self.read_window(window);
                }
                let foreign = u8::from(first != doc);
                self.bytes.clear();
                for (stem, weight) in &self.window {
                    self.bytes.extend_from_slice(&stem.to_be_bytes());
                    if foreign == 0 {
                        self.bytes.extend_from_slice(&weight.to_be_bytes());
                    }
                }
                let sent =
                    SentWindow { foreign, doc: doc as u32, at: wanted.at.at(at) as u32, stems: Rest(&self.bytes) };
                out.row(&Self::STEMS, first, sent);
            }
            out.relieve();
        }
        Ok(())
    }
}
