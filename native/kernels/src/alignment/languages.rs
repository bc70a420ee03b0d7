//! The languages of texts, by the common stems of some of them, and rates for texts without a collection.
//!
//! `benchmarks/common_stems.py` makes the table, of Debian's documentation: a line for each language, stems and their
//! shares per 100,000 words. A text is in the language in which its words have the greatest shares, if a tenth of them
//! have any; else texts go by script: by the block of 256 characters that most of their words begin in. So a language
//! need not be known for its pages to be told from others.
//!
//! For texts without a collection, the highest rate of all languages counts.

use std::sync::OnceLock;

use hashbrown::HashTable;

use crate::alignment::rates::StemRates;
use crate::text::fingerprint::Fingerprinter;
use crate::text::slots::mixed;

const TABLE: &str = include_str!("common_stems.txt");
/// Shares in the table are those of so many words.
pub const PER: f64 = 100_000.0;
/// Room for languages.
const MOST: usize = 32;
/// Scripts come behind the languages of the table.
const SCRIPTS: u32 = 256;
/// One word of so many must have a stem of the language.
const ENOUGH: u64 = 10;

/// The number of a line of the table, or 256 and the number of a block of characters.
pub type Language = u32;
/// In place of a language: all of them.
pub const ALL: Language = Language::MAX;

/// Calls `each(stem, language, share)` for each entry of the table.
pub fn each_usual(mut each: impl FnMut(u64, Language, u16)) {
    let print = Fingerprinter::plain();
    for (language, line) in TABLE.lines().enumerate() {
        let entries: Vec<&str> = line.split(' ').skip(1).collect();
        for entry in entries.chunks_exact(2) {
            each(print.word(entry[0].as_bytes()), language as Language, entry[1].parse().unwrap_or(0));
        }
    }
}

/// How often a stem stands in 100,000 words of a language, if it is in the table.
pub fn usual_share(stem: u64, language: Language) -> u16 {
    let known = shares().find(mixed(stem), |known| known.0 == stem);
    known.and_then(|known| known.1.get(language as usize)).copied().unwrap_or(0)
}

/// The rates of all languages in the table.
pub fn usual() -> &'static StemRates {
    static RATES: OnceLock<StemRates> = OnceLock::new();
    RATES.get_or_init(|| {
        let mut shares = Vec::new();
        each_usual(|stem, _, share| shares.push((stem, (f64::from(share) + 0.5) / PER)));
        StemRates::of(shares)
    })
}

/// Stems with their shares in each language.
type Shares = HashTable<(u64, [u16; MOST])>;

/// Of each stem of the table its shares.
fn shares() -> &'static Shares {
    static SHARES: OnceLock<Shares> = OnceLock::new();
    SHARES.get_or_init(|| {
        let mut shares = Shares::new();
        each_usual(|stem, language, share| {
            let known = shares.entry(mixed(stem), |known| known.0 == stem, |known| mixed(known.0));
            known.or_insert((stem, [0; MOST])).into_mut().1[language as usize] = share;
        });
        shares
    })
}

/// What the words of a text say about its language.
#[derive(Default)]
pub struct LanguageVotes {
    words: u64,
    /// Of each language the sum of the words' shares, and how many have one.
    languages: [(u64, u64); MOST],
    scripts: Vec<(u32, u64)>,
}

impl LanguageVotes {
    pub fn clear(&mut self) {
        self.words = 0;
        self.languages = [(0, 0); MOST];
        self.scripts.clear();
    }

    /// Counts a word, which begins at this byte of the text.
    #[inline]
    pub fn word(&mut self, text: &str, begin: usize) {
        self.words += 1;
        let byte = text.as_bytes()[begin];
        let block = if byte < 0x80 { 0 } else { text[begin..].chars().next().map_or(0, |c| c as u32 >> 8) };
        match self.scripts.iter_mut().find(|(known, _)| *known == block) {
            Some((_, times)) => *times += 1,
            None => self.scripts.push((block, 1)),
        }
    }

    /// Counts how often a stem stands in the text.
    #[inline]
    pub fn stem(&mut self, stem: u64, times: u64) {
        if let Some((_, shares)) = shares().find(mixed(stem), |known| known.0 == stem) {
            for ((sum, having), &share) in self.languages.iter_mut().zip(shares) {
                *sum += times * u64::from(share);
                *having += times * u64::from(share > 0);
            }
        }
    }

    pub fn words(&self) -> u64 {
        self.words
    }

    /// The language; of equal ones the first.
    pub fn language(&self) -> Language {
        let ranked = |&at: &usize| (self.languages[at].0, MOST - at);
        let best = (0..MOST).max_by_key(ranked).unwrap_or(0);
        if self.languages[best].1 * ENOUGH >= self.words {
            return best as Language;
        }
        let most = self.scripts.iter().max_by_key(|(block, times)| (*times, u32::MAX - block));
        SCRIPTS + most.map_or(0, |(block, _)| *block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alignment::rates::LEAST;

    #[test]
    fn every_entry_of_the_table_is_a_stem_and_a_share() {
        assert!(TABLE.lines().count() <= MOST);
        for line in TABLE.lines() {
            let entries: Vec<&str> = line.split(' ').skip(1).collect();
            assert!(entries.len() > 100, "{line}");
            for entry in entries.chunks(2) {
                assert!(entry[0].chars().count() <= 5, "{entry:?}");
                assert!(entry[1].parse::<u16>().is_ok(), "{entry:?}");
            }
        }
    }

    #[test]
    fn texts_are_in_a_language_or_in_a_script() {
        let language = |text: &str| {
            let print = Fingerprinter::plain();
            let mut votes = LanguageVotes::default();
            crate::alignment::stems::each_stem(text, &print, |word| {
                votes.word(text, word.begin);
                votes.stem(word.stem, 1);
            });
            votes.language()
        };
        let named = |name: &str| TABLE.lines().position(|line| line.starts_with(name)).unwrap() as u32;
        assert_eq!(language("The dog ran to the house and slept."), named("en "));
        assert_eq!(language("Der Hund lief in das Haus und schlief, und die Katze mit ihm."), named("de "));
        assert_eq!(language("狗跑进房子里，在那里用我的床睡着了。"), named("zh "));
        assert_eq!(language("Kissa juoksi taloon nukkumaan"), SCRIPTS);
        assert_eq!(language("สุนัขวิ่งเข้าไปในบ้าน"), SCRIPTS + 0xe);
        assert_eq!(language(""), 0);
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
