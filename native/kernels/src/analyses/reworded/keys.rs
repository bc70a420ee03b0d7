//! Keys, pairs of the rarest stems of a window, and which documents share them and more around them.

use crate::alignment::boilerplate::Boilerplate;
use crate::alignment::fit::fixed;
use crate::alignment::logarithms::ln;
use crate::alignment::rules::AlignmentRules;
use crate::alignment::seeds::StemWeights;
use crate::alignment::stems::each_stem;
use crate::analyses::passages::seeds::comes_first;
use crate::analyses::passages::signatures::{Collections, NamedPages};
use crate::analyses::reworded::relations::SiteRelation;
use crate::analyses::reworded::sides::{unpack_boilerplate, unpack_rates};
use crate::analyses::reworded::windows::{note, NotedStem, WindowComparer, WindowPacker};
use crate::documents::copies::{CopyColumns, CopyReader};
use crate::flow::contract::{Port, Side, WrongParameter};
use crate::flow::fields::Rest;
use crate::flow::kernel::{Done, Group, Map, Output, Rows};
use crate::sketches::lexicon::Lexicon;
use crate::text::fingerprint::Fingerprinter;
use crate::text::grams::Distinct;
use crate::{choice, contract, parameters, row};

/// Words of a window, and how far one begins behind the other.
const STEP: usize = 20;
const WINDOW: usize = 2 * STEP;
/// Words on either side of a window that are compared, too: so it is as long as one that seeds are made of.
const AROUND: usize = (AlignmentRules::DEFAULT.window - WINDOW) / 2;
/// Of the stems of a window, so many are used: the rarest.
const RAREST: usize = 6;
/// What the stems that two windows share weigh, at least, in nats, if there are no more than so many pairs of windows.
const ENOUGH: f64 = 26.0;
const PAIRS: f64 = 5000.0;

/// Whether the stems that two windows share weigh enough, for documents of so many windows: the more pairs of windows there
/// are, the more of them have stems in common by chance.
fn is_enough(shared: u64, windows: u32, others: u32) -> bool {
    let more = || ln((f64::from(windows) * f64::from(others) / PAIRS).max(1.0));
    // Most do not come near it, and a logarithm takes as long as the comparison.
    shared >= fixed(ENOUGH) as u64 && shared >= fixed(ENOUGH + more()) as u64
}

parameters! {
    /// In how many documents stems are, how common they are, what is boilerplate, and the two collections.
    pub struct Keying { stems: Side, rates: Side, boilerplate: Side, a: String, b: String }
}

row! {
    /// Of a key: a document that has it, how many windows that has, the collections that it belongs to, the code of its
    /// servers, and the stems around the first window that has the key.
    pub struct KeyPlace<'a> { doc: u32, windows: u32, side: u8, servers: &'a [u8], stems: Rest<'a> }
}

/// Map: the keys of documents, each once.
pub struct StemKeys {
    stems: Lexicon<Side>,
    weights: StemWeights,
    boilerplate: Boilerplate,
    collections: Collections,
    /// The stems of a document, and the numbers of its words that are no boilerplate.
    all: Vec<u64>,
    left: Vec<u32>,
    passed_over: u64,
    /// The stems of these, each behind the number of documents that have it.
    words: Vec<(u32, u64)>,
    noted: Vec<NotedStem>,
    keys: Distinct,
    packer: WindowPacker,
}

contract! {
    map StemKeys = "stem keys";
    new(Keying { stems, rates, boilerplate, a, b }) = {
        let stems = Lexicon::new(stems).map_err(|fault| WrongParameter(fault.to_string()))?;
        let rates = unpack_rates(&rates)?;
        Ok(Self {
            stems,
            weights: StemWeights::new(&rates, &AlignmentRules::DEFAULT),
            boilerplate: unpack_boilerplate(&boilerplate)?,
            all: Vec::new(),
            left: Vec::new(),
            passed_over: 0,
            collections: Collections::new(a, b),
            words: Vec::new(),
            noted: Vec::new(),
            keys: Distinct::default(),
            packer: WindowPacker::default(),
        })
    };
    reads NamedPages<'a>, beside Option<CopyColumns<'a>>;
    keeps "the stems and keys of one document";
    const KEYS: Port<KeyPlace<'static>> = Port::hashes(0, "keys");
}

impl StemKeys {
    /// Calls `emit(windows, keys, stems)` for the keys of a text that no window before has: pairs of its stems with the
    /// lowest (df, stem). Stems that the table does not have are in one document only, or were left out of it.
    fn read(&mut self, text: &str, print: &Fingerprinter, mut emit: impl FnMut(u32, &[u64], &[u8])) {
        let Self { stems, weights, boilerplate, all, left, words, noted, keys, packer, .. } = self;
        all.clear();
        words.clear();
        noted.clear();
        keys.clear();
        each_stem(text, print, |word| all.push(word.stem));
        boilerplate.leave(all, left);
        self.passed_over += (all.len() - left.len()) as u64;
        for stem in left.iter().map(|&word| all[word as usize]) {
            words.push((stems.rank(stem).unwrap_or(0), stem));
            noted.push(note(stem, weights.of(stem)));
        }
        let windows = (words.len() / STEP + 1) as u32;
        let mut steps = words.chunks(STEP).map(Rarest::of).enumerate().peekable();
        while let Some((number, step)) = steps.next() {
            let window = match steps.peek() {
                Some((_, next)) => step.and(next),
                None if number == 0 => step,
                None => break,
            };
            let before = keys.count();
            for (at, (_, rarer)) in window.stems().iter().enumerate() {
                window.stems()[at + 1..].iter().for_each(|(_, other)| keys.insert(key_of(*rarer, *other, print)));
            }
            if keys.count() > before {
                let begin = number * STEP;
                let end = words.len().min(begin + WINDOW + AROUND);
                let around = packer.pack(&noted[begin.saturating_sub(AROUND)..end]);
                emit(windows, &keys.items()[before..], around);
            }
        }
    }
}

/// The key of two stems. Keys of a window that have the rarer one in common begin alike: so they are in the same partition,
/// and what travels with them is sent there once.
#[inline]
fn key_of(rarer: u64, other: u64, print: &Fingerprinter) -> u64 {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&rarer.to_be_bytes());
    bytes[8..].copy_from_slice(&other.to_be_bytes());
    rarer << 56 | print.bytes(&bytes) >> 8
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

    /// The rarest stems of these words and of others.
    fn and(mut self, others: &Self) -> Self {
        others.stems().iter().for_each(|&word| self.add(word));
        self
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
    fn batch<'a>(&mut self, pages: NamedPages<'a>, beside: Option<CopyColumns<'a>>, out: &mut Output) -> Done {
        let mut copies = CopyReader::new(beside);
        let print = Fingerprinter::plain();
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row) as u32;
            let Some(code) = copies.code(doc) else { continue };
            let side = self.collections.side(&pages, row, out);
            if side == 0 {
                continue;
            }
            self.read(&pages.text.at(row), &print, |windows, keys, stems| {
                out.run(&Self::KEYS, keys, KeyPlace { doc, windows, side, servers: code, stems: Rest(stems) });
            });
            out.relieve();
        }
        out.count("boilerplate_words", std::mem::take(&mut self.passed_over));
        Ok(())
    }
}

choice! {
    /// Which documents are compared: those that are foreign to each other, and of two collections if there are two; or, of
    /// one collection, all of which at least one is foreign to the other, or all, and then it is noted what each is to the
    /// other.
    pub enum ComparedSites { Foreign = "foreign", OtherSites = "other sites", All = "all" }
}

parameters! {
    /// Keys in more documents are passed over.
    pub struct KeySharing { max_df: usize, compared: ComparedSites }
}

row! {
    /// Of the first document of a pair: the second one, and what the stems weigh that their windows around a key share, in
    /// units of 2^-16 nats; and what the two are to each other (see [`SiteRelation`]).
    pub struct SharedKey { other: u32, shared: u64, sites: u8 }
}

/// Group by key: the pairs of documents that have it, and enough in common around it.
pub struct KeyPairs {
    max_df: usize,
    compared: ComparedSites,
    shared: u64,
    common: u64,
    /// The rows of a key, one behind the other, and where each ends.
    tails: Vec<u8>,
    ends: Vec<usize>,
    comparer: WindowComparer,
}

contract! {
    group KeyPairs = "key pairs";
    new(KeySharing { max_df, compared }) = Ok({
        let (tails, ends, comparer) = Default::default();
        Self { max_df, compared, shared: 0, common: 0, tails, ends, comparer }
    });
    key Hash of [KeyPlace<'static>];
    keeps "the rows of max_df documents";
    const PAIRS: Port<SharedKey> = Port::documents(0, "pairs");
}

impl KeyPairs {
    /// Whether the first of two documents comes first in a pair, and what they are to each other; none if they are not to be
    /// compared.
    fn compare(&self, one: &KeyPlace<'_>, other: &KeyPlace<'_>) -> Option<(bool, SiteRelation)> {
        if self.compared == ComparedSites::Foreign {
            let in_order = comes_first((one.side, one.servers), (other.side, other.servers))?;
            return Some((in_order, SiteRelation::FOREIGN));
        }
        let sites = SiteRelation::of(one.servers, other.servers);
        (self.compared == ComparedSites::All || sites.is_foreign()).then_some((true, sites))
    }

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
        let mut comparer = std::mem::take(&mut self.comparer);
        for (at, one) in places.iter().enumerate() {
            comparer.with(one.stems.0, |shared_with| {
                for other in &places[at + 1..] {
                    let Some((in_order, sites)) = self.compare(one, other) else { continue };
                    let shared = shared_with(other.stems.0);
                    if is_enough(shared, one.windows, other.windows) {
                        let (a, b) = if in_order { (one.doc, other.doc) } else { (other.doc, one.doc) };
                        out.row(&Self::PAIRS, a.into(), SharedKey { other: b, shared, sites: sites.0 });
                    }
                }
            });
        }
        self.comparer = comparer;
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("shared_keys", self.shared);
        out.count("common_keys", self.common);
    }
}
