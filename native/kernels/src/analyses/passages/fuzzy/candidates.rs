//! Which documents are to be aligned: those that share a key, and more rare stems around it.

use crate::alignment::fit::fixed;
use crate::alignment::logarithms::ln;
use crate::analyses::passages::fuzzy::windows::{SentWindow, WeighedStem};
use crate::flow::contract::{shape, Key, Port, PortInfo, Shape, WrongParameter};
use crate::flow::fields::Damaged;
use crate::flow::kernel::{Done, Group, Output, Rows};
use crate::{row, told};

/// What the stems that two windows share weigh, at least, in nats, if there are no more than so many pairs of windows.
const ENOUGH: f64 = 24.0;
const PAIRS: f64 = 5000.0;

/// The same for documents of so many windows: the more pairs there are, the more of them have stems in common by chance.
fn enough(windows: u32, others: u32) -> u64 {
    let pairs = f64::from(windows) * f64::from(others);
    fixed(ENOUGH + ln((pairs / PAIRS).max(1.0))) as u64
}

told! {
    /// The most documents that one is aligned with.
    pub struct Choosing { most: usize }
}

row! {
    /// Of a document: one that its text is sent to (itself, if others are sent there), and what the stems weigh, in units of
    /// 2^-16 nats, that the two windows share which share most.
    pub struct FuzzyCandidate { other: u64, shared: u64 }
}

/// The windows of a document, in their order: stems with what they weigh.
#[derive(Default)]
struct OwnWindows {
    /// The number of each, and where its stems end.
    windows: Vec<(u32, usize)>,
    stems: Vec<WeighedStem>,
}

impl OwnWindows {
    fn clear(&mut self) {
        self.windows.clear();
        self.stems.clear();
    }

    fn add(&mut self, number: u32, bytes: &[u8]) -> Result<(), Damaged> {
        let (stems, []) = bytes.as_chunks::<4>() else { return Err(Damaged("SentWindow")) };
        self.stems.extend(stems.iter().map(|&stem| WeighedStem(u32::from_be_bytes(stem))));
        self.windows.push((number, self.stems.len()));
        Ok(())
    }

    fn of(&self, number: u32) -> &[WeighedStem] {
        let Ok(at) = self.windows.binary_search_by_key(&number, |&(window, _)| window) else { return &[] };
        let begin = at.checked_sub(1).map_or(0, |before| self.windows[before].1);
        &self.stems[begin..self.windows[at].1]
    }

    /// What the stems weigh that a window of this document shares with one of another.
    fn shared(&self, number: u32, bytes: &[u8]) -> Result<u64, Damaged> {
        let (others, []) = bytes.as_chunks::<2>() else { return Err(Damaged("SentWindow")) };
        let (own, mut sum, mut at, mut at_other) = (self.of(number), 0, 0, 0);
        // Which of two stems comes first is anybody's guess: so nothing depends on it but numbers.
        while at < own.len() && at_other < others.len() {
            let (stem, other) = (own[at].stem(), u16::from_be_bytes(others[at_other]));
            sum += if stem == other { own[at].weight() } else { 0 };
            at += usize::from(stem <= other);
            at_other += usize::from(other <= stem);
        }
        Ok(sum)
    }
}

/// Group by first document, of its windows and those of others that share keys: the documents one window of which shares
/// enough, those first that share most.
#[derive(Default)]
pub struct FuzzyCandidates {
    most: usize,
    own: OwnWindows,
    found: Vec<(u64, u32)>,
}

impl FuzzyCandidates {
    const CANDIDATES: Port<FuzzyCandidate> = Port::documents(0, "candidates");
}

impl Group for FuzzyCandidates {
    const NAME: &'static str = "fuzzy candidates";
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = &[shape::<SentWindow<'static>>()];
    const PORTS: &'static [PortInfo] = &[Self::CANDIDATES.info()];
    const KEEPS: &'static str = "the windows of a document, and 16 bytes for each that shares enough with one";
    type Told = Choosing;

    fn new(Choosing { most }: Choosing, _: usize) -> Result<Self, WrongParameter> {
        Ok(Self { most, ..Self::default() })
    }

    fn key(&mut self, a: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.found.clear();
        self.own.clear();
        let mut own_windows = 0;
        while let Some((_, tail)) = rows.next() {
            let SentWindow { foreign, doc, at, windows, stems } = SentWindow::take(tail)?;
            if foreign == 0 {
                own_windows = windows;
                self.own.add(at, stems.0)?;
                continue;
            }
            let shared = self.own.shared(at, stems.0)?;
            match self.found.last_mut().filter(|last| last.1 == doc) {
                Some(last) => last.0 = last.0.max(shared),
                None if shared >= enough(own_windows, windows) => self.found.push((shared, doc)),
                None => {}
            }
        }
        if self.found.is_empty() {
            return Ok(());
        }
        self.found.sort_unstable_by_key(|&(shared, doc)| (u64::MAX - shared, doc));
        out.greatest("most_candidates", self.found.len() as u64);
        out.count("candidates_left_out", self.found.len().saturating_sub(self.most) as u64);
        self.found.truncate(self.most);
        out.count("candidates", self.found.len() as u64);
        out.count("documents_with_candidates", 1);
        out.row(&Self::CANDIDATES, a, FuzzyCandidate { other: a, shared: 0 });
        for &(shared, b) in &self.found {
            out.row(&Self::CANDIDATES, b.into(), FuzzyCandidate { other: a, shared });
        }
        Ok(())
    }
}
