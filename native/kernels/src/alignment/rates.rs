//! How often stems stand in a collection: those that are common in it.
//!
//! Shares add up to one, so no more than ten thousand stems have one of at least 1e-4. All others are held to have
//! this one: of rare stems, the two texts say more than any collection. So rates are small enough to be sent along with
//! kernels, 12 bytes a stem.

use hashbrown::HashTable;

use crate::alignment::stems::each_stem;
use crate::text::fingerprint::Fingerprinter;
use crate::text::slots::mixed;

/// A rate below this is no less than this.
pub const LEAST: f64 = 1e-4;
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
    /// From (stem, how often it stands) and the number of all words.
    pub fn of(counts: impl IntoIterator<Item = (u64, u64)>, words: u64) -> Self {
        let mut rates = Self::default();
        for (stem, count) in counts {
            rates.add(stem, (count as f64 + 0.5) / words.max(1) as f64);
        }
        rates
    }

    /// The share of words of the collection that have this stem, at least [`LEAST`].
    #[inline]
    pub fn rate(&self, stem: u64) -> f64 {
        self.common.find(mixed(stem), |known| known.0 == stem).map_or(LEAST, |known| known.1)
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
        let mut counts: HashTable<(u64, u64)> = HashTable::new();
        let mut words = 0;
        for text in texts {
            each_stem(text, &print, |_, _, stem| {
                words += 1;
                let known = counts.entry(mixed(stem), |known| known.0 == stem, |known| mixed(known.0));
                known.or_insert((stem, 0)).into_mut().1 += 1;
            });
        }
        Self::of(counts.iter().copied(), words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_stems_have_their_share_and_others_the_least() {
        let text = format!("the cat sat {}", "the words wording ".repeat(10_000));
        let rates = StemRates::count([text.as_str(), "The"]);
        let stem = |word: &str| Fingerprinter::plain().word(word.as_bytes());
        assert!((rates.rate(stem("the")) - 1.0 / 3.0).abs() < 1e-3);
        assert!((rates.rate(stem("words")) - 1.0 / 3.0).abs() < 1e-3);
        assert!((rates.rate(stem("cat")) - LEAST).abs() < 1e-12);
        assert_eq!(rates.len(), 3);
        let packed = rates.pack();
        let again = StemRates::unpack(&packed).unwrap();
        assert_eq!(again.pack(), packed);
        assert!((again.rate(stem("the")) - rates.rate(stem("the"))).abs() < f64::EPSILON);
        assert!(StemRates::unpack(&packed[1..]).is_err());
        assert!(StemRates::default().is_empty());
    }
}
