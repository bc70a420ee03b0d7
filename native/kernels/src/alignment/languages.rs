//! StemRates for texts without a collection: the common stems of some languages, as Debian's documentation has them.
//!
//! Of a stem that several languages have, the highest rate counts, so that nobody need know what language a text is in:
//! a stem held to be commoner than it is counts for less, and misleads nobody. `benchmarks/common_stems.py` makes the
//! table: a line for each language, stems and their shares per 100,000 words.

use std::sync::OnceLock;

use crate::alignment::rates::StemRates;
use crate::text::fingerprint::Fingerprinter;

const TABLE: &str = include_str!("common_stems.txt");
const PER: u64 = 100_000;

/// The rates of all languages in the table.
pub fn usual() -> &'static StemRates {
    static RATES: OnceLock<StemRates> = OnceLock::new();
    RATES.get_or_init(|| {
        let print = Fingerprinter::plain();
        let counts = TABLE.lines().flat_map(|line| {
            let entries: Vec<&str> = line.split(' ').skip(1).collect();
            let stem = |entry: &[&str]| (print.word(entry[0].as_bytes()), entry[1].parse().unwrap_or(0));
            entries.chunks_exact(2).map(stem).collect::<Vec<(u64, u64)>>()
        });
        StemRates::of(counts, PER)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alignment::rates::LEAST;

    #[test]
    fn every_entry_of_the_table_is_a_stem_and_a_share() {
        for line in TABLE.lines() {
            let entries: Vec<&str> = line.split(' ').skip(1).collect();
            assert!(entries.len() > 100, "{line}");
            for entry in entries.chunks(2) {
                assert!(entry[0].chars().count() <= 5, "{entry:?}");
                assert!(entry[1].parse::<u64>().is_ok_and(|share| share < PER), "{entry:?}");
            }
        }
    }

    #[test]
    fn words_of_languages_are_common_and_others_are_not() {
        let rate = |stem: &str| usual().rate(Fingerprinter::plain().word(stem.as_bytes()));
        for stem in ["the", "und", "les", "的", "dans", "nicht"] {
            assert!(rate(stem) > 1e-3, "{stem}");
        }
        assert!((rate("zebra") - LEAST).abs() < f64::EPSILON);
    }
}
