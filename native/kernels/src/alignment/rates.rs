//! How often stems stand in a collection: those that are common in it, or in one of its languages.
//!
//! The rate of a stem is its share of all words, or its share of the words of the documents in one
//! [language](super::languages), whichever is highest: the words of a language are rare in a collection that is mostly in
//! others, but two texts in that language share them by chance. A stem held to be commoner than it is counts for less,
//! and misleads nobody. To the words of a language, the [`PRIOR`] are added that its table was made of, and as many of
//! no kind to those of a collection, or of a language without a table: a few pages do not say how common their words
//! are, least of all if one of them copied from another.
//!
//! A rate below 1e-4 is held to be this one: of rare stems, the two texts say more than any collection. Of the others
//! the [`MOST`] highest are kept, so that rates are small enough to be sent along with kernels, 12 bytes a stem.

use hashbrown::HashTable;

use crate::alignment::languages::{each_usual, usual_share, Language, ALL, PER};
use crate::alignment::tally::StemTally;
use crate::text::fingerprint::Fingerprinter;
use crate::text::slots::mixed;

/// A rate below this is no less than this.
pub const LEAST: f64 = 1e-4;
/// Words that are added to those of a collection or language.
pub const PRIOR: u64 = PER as u64;
/// The most rates that are packed.
pub const MOST: usize = 1 << 18;
/// Packed rates are in units of 2^-32.
const UNITS: f64 = 4_294_967_296.0;
const WIDTH: usize = 12;

/// The rates of a collection.
#[derive(Default)]
pub struct StemRates {
    common: HashTable<(u64, f64)>,
}

/// Bytes that are no packed rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadRates;

impl StemRates {
    /// From (stem, its share of all words).
    pub fn of(shares: impl IntoIterator<Item = (u64, f64)>) -> Self {
        let mut rates = Self::default();
        shares.into_iter().for_each(|(stem, share)| rates.add(stem, share));
        rates
    }

    /// From how often stems stand in some languages, or in all of them ([`ALL`]), and the words of each.
    pub fn counted(counts: impl IntoIterator<Item = (u64, Language, u64)>, words: &[(Language, u64)]) -> Self {
        let words_of = |language| words.iter().find(|known| known.0 == language).map_or(0, |known| known.1);
        let share = |(stem, language, times): (u64, Language, u64)| {
            let usual = u64::from(usual_share(stem, language));
            (stem, ((times + usual) as f64 + 0.5) / (words_of(language) + PRIOR) as f64)
        };
        let mut usual = Vec::new();
        each_usual(|stem, language, _| {
            if words.iter().any(|known| known.0 == language) {
                usual.push((stem, language, 0));
            }
        });
        Self::of(counts.into_iter().chain(usual).map(share))
    }

    /// The share of words of the collection that have this stem, at least [`LEAST`].
    #[inline]
    pub fn rate(&self, stem: u64) -> f64 {
        self.common.find(mixed(stem), |known| known.0 == stem).map_or(LEAST, |known| known.1)
    }

    /// Stems that are common, in no order, with their rates.
    pub fn iter(&self) -> impl Iterator<Item = (u64, f64)> + '_ {
        self.common.iter().copied()
    }

    pub fn len(&self) -> usize {
        self.common.len()
    }

    pub fn is_empty(&self) -> bool {
        self.common.is_empty()
    }

    /// Of a stem that is there already, the higher rate counts: so tables of several languages can be added up.
    fn add(&mut self, stem: u64, rate: f64) {
        let rate = (rate * UNITS).floor().min(UNITS - 1.0) / UNITS;
        if rate <= LEAST {
            return;
        }
        match self.common.find_mut(mixed(stem), |known| known.0 == stem) {
            Some(known) => known.1 = known.1.max(rate),
            None => {
                self.common.insert_unique(mixed(stem), (stem, rate), |known| mixed(known.0));
            }
        }
    }

    /// The rates as bytes, the same for the same rates: stems ascending, big-endian, each with its rate.
    pub fn pack(&self) -> Vec<u8> {
        let mut entries: Vec<_> = self.common.iter().copied().collect();
        if entries.len() > MOST {
            let highest_first = |x: &(u64, f64), y: &(u64, f64)| y.1.total_cmp(&x.1).then(x.0.cmp(&y.0));
            entries.select_nth_unstable_by(MOST, highest_first);
            entries.truncate(MOST);
        }
        entries.sort_unstable_by_key(|&(stem, _)| stem);
        let pack = |(stem, rate): (u64, f64)| {
            let mut bytes = [0; WIDTH];
            bytes[..8].copy_from_slice(&stem.to_be_bytes());
            bytes[8..].copy_from_slice(&((rate * UNITS) as u32).to_be_bytes());
            bytes
        };
        entries.into_iter().flat_map(pack).collect()
    }

    pub fn unpack(bytes: &[u8]) -> Result<Self, BadRates> {
        let (entries, []) = bytes.as_chunks::<WIDTH>() else { return Err(BadRates) };
        let mut rates = Self { common: HashTable::with_capacity(entries.len()) };
        for entry in entries {
            let (Some(stem), Some(rate)) = (entry.first_chunk(), entry.last_chunk()) else { return Err(BadRates) };
            rates.add(u64::from_be_bytes(*stem), f64::from(u32::from_be_bytes(*rate)) / UNITS);
        }
        Ok(rates)
    }

    /// Those of some texts.
    pub fn count<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let print = Fingerprinter::plain();
        let mut tally = StemTally::default();
        texts.into_iter().for_each(|text| tally.read(text, &print));
        let mut counts: Vec<_> = tally.stems().map(|each| (each.stem, each.language, each.times)).collect();
        counts.sort_unstable();
        let same = counts.chunk_by(|one, other| one.0 == other.0);
        let in_all = same.map(|same| (same[0].0, ALL, same.iter().map(|each| each.2).sum()));
        let in_all: Vec<_> = in_all.collect();
        let mut words: Vec<_> = tally.sizes().iter().map(|size| (size.language, size.words)).collect();
        words.push((ALL, tally.words()));
        Self::counted(counts.into_iter().chain(in_all), &words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_stems_have_their_share_and_others_the_least() {
        let text = format!("the cat sat {}", "the words wording ".repeat(1_000_000));
        let rates = StemRates::count([text.as_str(), "The"]);
        let stem = |word: &str| Fingerprinter::plain().word(word.as_bytes());
        assert!((rates.rate(stem("the")) - 1.0 / 3.0).abs() < 1e-2);
        assert!((rates.rate(stem("words")) - 1.0 / 3.0).abs() < 2e-2);
        assert!((rates.rate(stem("cat")) - LEAST).abs() < 1e-12);
        assert!(rates.rate(stem("which")) > LEAST && rates.rate(stem("dans")) <= LEAST); // as usual in English
        let packed = rates.pack();
        let again = StemRates::unpack(&packed).unwrap();
        assert_eq!(again.pack(), packed);
        assert!((again.rate(stem("the")) - rates.rate(stem("the"))).abs() < f64::EPSILON);
        assert!(StemRates::unpack(&packed[1..]).is_err());
        assert!(StemRates::default().is_empty());
    }

    #[test]
    fn words_of_one_language_are_common_in_it() {
        let stem = |word: &str| Fingerprinter::plain().word(word.as_bytes());
        let texts = ["the words ".repeat(2_000_000), "les dans ".repeat(50_000), "les mots ".repeat(5)];
        let rates = StemRates::count(texts.iter().map(String::as_str));
        assert!((rates.rate(stem("les")) - 0.255).abs() < 0.01); // 100,010 words, and 100,000 as usual
        assert!((rates.rate(stem("the")) - 0.489).abs() < 0.01);
        assert!((rates.rate(stem("mots")) - LEAST).abs() < f64::EPSILON);
    }

    #[test]
    fn of_very_many_the_highest_are_packed() {
        let rates = StemRates::of((0..MOST as u64 + 3).map(|stem| (stem, 0.5 - stem as f64 * 1e-6)));
        let packed = StemRates::unpack(&rates.pack()).unwrap();
        assert_eq!(packed.len(), MOST);
        assert!(packed.rate(MOST as u64 - 1) > LEAST && packed.rate(MOST as u64) <= LEAST);
    }
}
