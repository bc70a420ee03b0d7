//! A text with its words as a reader sees them.
//!
//! Words can be written with characters that nobody sees, or that are taken for others: a soft hyphen or a zero-width
//! space inside a word, fullwidth or mathematical letters, Cyrillic letters in an English word. [`see`] restores such
//! words, in one pass over the text and one over the words that only the whole page can decide. The text that it makes
//! has **as many code points as the one it is given**, so that places in one are places in the other:
//!
//! - a default-ignorable character in a word or at its edge becomes [`FILLER`], which is no part of its spelling;
//! - a compatibility form of one letter or digit becomes that letter or digit;
//! - a letter that looks like one of another script becomes that one, if all of the word can be made of one script.
//!
//! docs/definitions.md 1.7 has the rules. Texts without such characters, which are almost all, are only looked through.

use std::ops::Range;
use std::sync::OnceLock;

use icu_normalizer::ComposingNormalizerBorrowed;
use icu_properties::props::{DefaultIgnorableCodePoint, GeneralCategory, Script};
use icu_properties::{CodePointMapData, CodePointSetData};
use memchr::memchr;

use crate::text::look_alikes::LOOK_ALIKES;
use crate::text::unicode::{self, Class, FILLER};

/// A text as it is seen, where that differs from how it is written.
pub struct SeenText {
    pub text: String,
    /// Words that were restored and have more than one letter; those left out that are written so by custom.
    pub restored: u64,
}

/// More characters than any word has. What is longer stays as it is, so that memory is bounded.
const LONGEST: usize = 1 << 12;

/// So many words with Greek letters for Latin ones make a page on which no Greek letter is a symbol.
const MANY: u64 = 3;

/// Scripts that letters may be mapped to: each is the place of a target in [`LOOK_ALIKES`].
const LATIN: u8 = 0;
const GREEK: u8 = 1;
const CYRILLIC: u8 = 2;
const TARGETS: u8 = 3;
/// All other scripts of letters.
const OTHER: u8 = 3;
/// Of characters that belong to no script, such as digits.
const NONE: u8 = 7;

/// What a character is to the words around it.
#[derive(Clone, Copy)]
struct Sign {
    /// What it is a form of; itself, if it is none.
    plain: char,
    class: Class,
    script: u8,
    /// Its place in [`LOOK_ALIKES`], counted from 1.
    alike: u16,
    flags: u8,
}

/// Nobody sees it.
const IGNORABLE: u8 = 1;
/// A circled or squared letter: a symbol that is read as a letter inside a word only.
const SYMBOL: u8 = 1 << 1;
/// A wide or narrow form, as East Asian pages have them.
const WIDE: u8 = 1 << 2;
/// A joiner, which many scripts need.
const JOINER: u8 = 1 << 3;
/// Whether a text that has it must be read word by word.
const MATTERS: u8 = 1 << 4;
/// Of the scripts of East Asia.
const EAST_ASIAN: u8 = 1 << 5;
const SMALL: u8 = 1 << 6;

type Page = [Sign; 256];

static PAGES: [OnceLock<Box<Page>>; 0x1100] = [const { OnceLock::new() }; 0x1100];

#[inline]
fn sign(c: char) -> Sign {
    let code = c as usize;
    PAGES[code >> 8].get_or_init(|| make_page(code as u32 & !0xff))[code & 0xff]
}

fn make_page(first: u32) -> Box<Page> {
    let nothing = Sign { plain: '\0', class: Class::Separator, script: NONE, alike: 0, flags: 0 };
    let mut page = Box::new([nothing; 256]);
    for (entry, code) in page.iter_mut().zip(first..) {
        if let Some(c) = char::from_u32(code) {
            *entry = make_sign(c);
        }
    }
    page
}

fn make_sign(c: char) -> Sign {
    if matches!(c, '\u{3164}' | '\u{ffa0}') {
        // Hangul fillers are letters to Unicode, and blanks to a reader.
        return Sign { plain: ' ', class: Class::Separator, script: NONE, alike: 0, flags: MATTERS };
    }
    let class = unicode::look_up(c).class();
    let mut flags = 0;
    let part_of_syllable = matches!(c, '\u{115f}' | '\u{1160}');
    if CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c) && !part_of_syllable || c == FILLER {
        flags |= IGNORABLE | MATTERS;
        if matches!(c, '\u{200c}' | '\u{200d}') {
            flags |= JOINER;
        }
    }
    let plain = plain_form(c);
    if plain != c {
        flags |= MATTERS;
        flags |= if class == Class::Separator { SYMBOL } else { 0 };
        flags |= if matches!(c, '\u{ff00}'..='\u{ffef}') { WIDE } else { 0 };
    }
    let script = CodePointMapData::<Script>::new().get(plain);
    if matches!(script, Script::Han | Script::Hiragana | Script::Katakana | Script::Hangul) {
        flags |= EAST_ASIAN;
    }
    if CodePointMapData::<GeneralCategory>::new().get(plain) == GeneralCategory::LowercaseLetter {
        flags |= SMALL;
    }
    let script = match script {
        _ if class == Class::Mark || flags & IGNORABLE != 0 => NONE,
        Script::Common | Script::Inherited | Script::Unknown => NONE,
        Script::Latin => LATIN,
        Script::Greek => GREEK,
        Script::Cyrillic => CYRILLIC,
        _ => OTHER,
    };
    let alike = LOOK_ALIKES.binary_search_by_key(&plain, |row| row.0).map_or(0, |at| at as u16 + 1);
    // A text with letters that pass for Latin ones, or of the scripts whose letters are mapped, is read word by word.
    if alike > 0 && script != LATIN || matches!(script, GREEK | CYRILLIC) {
        flags |= MATTERS;
    }
    Sign { plain, class, script, alike, flags }
}

/// The letter or digit that a character is a wide, narrow, mathematical, circled, squared or presentation form of.
/// Forms that stand for several letters stay; so do superscripts, which are letters of their own (`1ª`, `tʰ`), Hangul,
/// whose forms are parts of syllables, and signs such as ℵ and ℹ.
fn plain_form(c: char) -> char {
    let letters = matches!(
        c as u32,
        0x2102 | 0x210a..=0x2134 | 0x213c..=0x2149
            | 0xfb20..=0xfb29 | 0xfb50..=0xfdcf | 0xfdf0..=0xfdff | 0xfe70..=0xfeff
            | 0xff10..=0xff9f
            | 0x1d400..=0x1d7ff | 0x1ee00..=0x1eeff | 0x1ccd6..=0x1ccf9 | 0x1fbf0..=0x1fbf9
            | 0x24b6..=0x24e9 | 0x1f12b..=0x1f149
    );
    if !letters {
        return c;
    }
    let mut buffer = [0; 4];
    let written = c.encode_utf8(&mut buffer);
    if ComposingNormalizerBorrowed::new_nfc().normalize(written) != *written {
        return c; // a canonical form, which every word is folded from
    }
    let normal = ComposingNormalizerBorrowed::new_nfkc().normalize(written);
    let mut characters = normal.chars();
    let (Some(only), None) = (characters.next(), characters.next()) else { return c };
    match unicode::look_up(only).class() {
        Class::Separator => c,
        _ if unicode::look_up(c).class() == Class::Separator && !only.is_ascii_alphabetic() => c,
        _ => only,
    }
}

/// The letter of a target script that a sign looks like.
#[inline]
fn alike(sign: Sign, target: u8) -> Option<char> {
    let row = LOOK_ALIKES.get(usize::from(sign.alike).checked_sub(1)?)?;
    Some(row.1[usize::from(target)]).filter(|&letter| letter != '\0')
}

/// The text as a reader sees it; none if it is the same.
pub fn see(text: &str) -> Option<SeenText> {
    if !has_any_that_matters(text) {
        return None;
    }
    let mut reader = Reader { circled: has_circled_words(text), ..Reader::default() };
    reader.read(text);
    reader.finish()
}

/// Whether a text must be read word by word.
fn has_any_that_matters(text: &str) -> bool {
    let mut at = 0;
    while let Some(next) = next_beyond_ascii(text, at) {
        let Some(c) = text[next..].chars().next() else { break };
        if sign(c).flags & MATTERS != 0 {
            return true;
        }
        at = next + c.len_utf8();
    }
    false
}

/// Whether two circled or squared letters stand side by side: then all of them are letters, and none is a sign.
fn has_circled_words(text: &str) -> bool {
    let (mut at, mut last) = (0, None);
    while let Some(next) = next_beyond_ascii(text, at) {
        let Some(c) = text[next..].chars().next() else { break };
        at = next + c.len_utf8();
        if sign(c).flags & SYMBOL != 0 {
            if last == Some(next) {
                return true;
            }
            last = Some(at);
        }
    }
    false
}

/// Where the next character beyond ASCII stands.
#[inline]
fn next_beyond_ascii(text: &str, at: usize) -> Option<usize> {
    let rest = &text.as_bytes()[at..];
    let (blocks, _) = rest.as_chunks::<16>();
    let passed = 16 * blocks.iter().take_while(|block| block.is_ascii()).count();
    rest[passed..].iter().position(|byte| !byte.is_ascii()).map(|length| at + passed + length)
}

/// A word that can be of several scripts, which is decided when all of the page is known.
struct Undecided {
    /// Where it stands in the text that is made.
    place: Range<usize>,
    /// The line, by its number in [`Reader::lines`].
    line: usize,
    /// The scripts that it can be of, one bit each.
    possible: u8,
    /// Its own script, if all of its letters are of one.
    own: Option<u8>,
    letters: u64,
    /// The script of its other part, if it is made of a Latin one and this one: on a page of this script, it stays.
    part: Option<u8>,
    /// Whether it has one Greek letter, which may be a symbol: it becomes Latin only on a page with many such words.
    symbol: bool,
    /// Whether it was restored by what else it is written with.
    counts: bool,
}

#[derive(Default)]
struct Reader {
    out: String,
    /// The word being read: what is written, what it is, and what it becomes.
    word: Vec<(char, Sign, char)>,
    undecided: Vec<Undecided>,
    /// For each line with a word that was read: the scripts that are surely there, one bit each.
    lines: Vec<u8>,
    /// Letters of words that are surely of a script.
    letters: [u64; 4],
    east_asian: u64,
    /// Scripts whose letters stand in words of another one.
    disguising: u8,
    /// Latin words with Greek letters that are no symbols.
    greek_for_latin: u64,
    restored: u64,
    /// Restored words with wide forms only.
    wide: u64,
    changed: bool,
    /// Whether circled and squared letters are letters all over the page.
    circled: bool,
}

impl Reader {
    fn read(&mut self, text: &str) {
        let bytes = text.as_bytes();
        self.out.reserve(text.len());
        self.lines.push(0);
        let mut at = 0;
        while let Some(next) = next_beyond_ascii(text, at) {
            // ASCII up to the word in which the next other character stands.
            let begin =
                at + bytes[at..next].iter().rposition(|b| !b.is_ascii_alphanumeric()).map_or(0, |last| last + 1);
            self.plain(&text[at..begin]);
            at = self.one(text, begin);
        }
        self.plain(&text[at..]);
    }

    /// Takes over ASCII.
    fn plain(&mut self, text: &str) {
        if memchr(b'\n', text.as_bytes()).is_some() {
            self.lines.push(0);
        }
        self.letters[usize::from(LATIN)] += text.bytes().filter(u8::is_ascii_alphabetic).count() as u64;
        self.out.push_str(text);
    }

    /// Reads the word that begins at `begin`, or the character there that begins none; returns where it ends.
    fn one(&mut self, text: &str, begin: usize) -> usize {
        self.word.clear();
        let mut end = begin;
        for c in text[begin..].chars() {
            let sign = sign(c);
            let continues = match sign.class {
                Class::Letter | Class::Mark => true,
                Class::Separator => sign.flags & (IGNORABLE | SYMBOL) != 0,
                Class::Single => false,
            };
            if !continues {
                break;
            }
            end += c.len_utf8();
            if self.word.len() <= LONGEST {
                self.word.push((c, sign, sign.plain));
            }
        }
        if self.word.is_empty() {
            return self.single(text, begin);
        }
        if self.word.len() > LONGEST {
            self.out.push_str(&text[begin..end]);
        } else {
            self.restore();
        }
        end
    }

    /// A character that is no part of a longer word: a letter of a script without spaces, with the marks that nobody
    /// sees, or none at all.
    fn single(&mut self, text: &str, begin: usize) -> usize {
        let mut characters = text[begin..].chars();
        let Some(c) = characters.next() else { return text.len() };
        let sign = sign(c);
        let mut end = begin + c.len_utf8();
        self.east_asian += u64::from(sign.flags & EAST_ASIAN != 0);
        self.letters[usize::from(OTHER)] += u64::from(sign.class == Class::Single);
        self.changed |= sign.plain != c;
        self.out.push(sign.plain);
        if sign.class != Class::Single {
            return end;
        }
        for c in characters {
            let next = self::sign(c);
            // The halfwidth voicing marks are letters, and become marks behind a kana.
            let voices = next.plain != c && unicode::look_up(next.plain).class() == Class::Mark;
            if next.class != Class::Mark && next.flags & IGNORABLE == 0 && !voices {
                break;
            }
            let seen = if next.flags & IGNORABLE != 0 { FILLER } else { next.plain };
            self.changed |= seen != c;
            self.out.push(seen);
            end += c.len_utf8();
        }
        end
    }

    /// Restores the word that was read.
    fn restore(&mut self) {
        // A symbol at its edge, if that is the only one, and ignorable characters there, do not belong to it.
        let circled = self.circled;
        let symbols = self.word.iter().filter(|(_, sign, _)| sign.flags & SYMBOL != 0).count();
        let belongs = |(_, sign, _): &(char, Sign, char)| match sign.class {
            Class::Letter => true,
            _ => sign.flags & SYMBOL != 0 && (circled || symbols > 1),
        };
        let letter = |each: &(char, Sign, char)| belongs(each) && unicode::look_up(each.2).class() != Class::Mark;
        let (Some(first), Some(last)) = (self.word.iter().position(letter), self.word.iter().rposition(letter)) else {
            return self.write(false);
        };
        let mut counts = false;
        let mut before = NONE;
        let (mut scripts, mut letters, mut lettered, mut wide) = (0_u8, 0, 0, true);
        for (at, (c, sign, seen)) in self.word.iter_mut().enumerate() {
            // Marks that nobody sees belong to the word behind its last letter, too.
            let inside = first <= at && at <= last || at > last && sign.class == Class::Mark;
            if sign.flags & IGNORABLE != 0 {
                *seen = FILLER; // at the edges of the word, too: nobody sees it there
                let custom = sign.flags & JOINER != 0 && before == OTHER;
                if inside && *seen != *c && !custom {
                    (counts, wide) = (true, false);
                }
                continue;
            }
            if !inside {
                *seen = *c;
                continue;
            }
            if *seen != *c {
                counts = true;
                wide &= sign.flags & WIDE != 0;
            }
            if sign.class != Class::Mark {
                letters += 1;
                lettered += u64::from(sign.script != NONE);
                before = sign.script;
                scripts |= 1 << sign.script;
                self.east_asian += u64::from(sign.flags & EAST_ASIAN != 0);
            }
        }
        let counts = counts && letters > 1;
        let scripts = scripts & !(1 << NONE);
        if scripts == 0 || scripts == 1 << LATIN {
            self.letters[usize::from(LATIN)] += lettered;
            self.count(counts, wide);
            return self.write(true);
        }
        let possible = self.possible(first, last);
        if scripts.count_ones() == 1 {
            let own = scripts.trailing_zeros() as u8;
            let alone = letters == 1 && own != CYRILLIC;
            if possible & 1 << LATIN == 0 || alone && own != GREEK {
                self.settle(own, lettered);
                self.count(counts, wide);
                return self.write(true);
            }
            let word =
                Undecided { possible: 1 << LATIN, own: Some(own), symbol: alone, ..self.undecided(letters, counts) };
            return self.decide_later(word, first, last);
        }
        let formula = self.is_formula(scripts, first, last);
        if formula && possible & 1 << LATIN != 0 {
            let word = Undecided { possible: 1 << LATIN, symbol: true, ..self.undecided(letters, counts) };
            return self.decide_later(word, first, last);
        }
        if possible == 0 || formula {
            // A word of two scripts by right. Its letters that pass for no Latin ones say which script is there.
            let line = self.lines.len() - 1;
            for (_, sign, _) in &self.word[first..=last] {
                if sign.script < 4 && sign.script != LATIN && alike(*sign, LATIN).is_none() {
                    self.lines[line] |= 1 << sign.script;
                }
            }
            self.count(counts, wide);
            return self.write(true);
        }
        if possible.count_ones() > 1 {
            let word = Undecided { possible, own: None, ..self.undecided(letters, counts) };
            return self.decide_later(word, first, last);
        }
        let target = possible.trailing_zeros() as u8;
        self.settle(target, lettered);
        let part = if target == LATIN { self.other_part(first, last) } else { None };
        if part.is_some() {
            let word = Undecided { possible, part, ..self.undecided(letters, counts) };
            return self.decide_later(word, first, last);
        }
        self.disguising |= scripts & !(1 << target);
        self.greek_for_latin += u64::from(target == LATIN && scripts & 1 << GREEK != 0);
        for (_, sign, seen) in &mut self.word[first..=last] {
            if sign.script != target {
                *seen = alike(*sign, target).unwrap_or(*seen);
            }
        }
        self.count(letters > 1, false);
        self.write(true);
    }

    /// The scripts that all letters of the word can be of.
    fn possible(&self, first: usize, last: usize) -> u8 {
        let letters = || self.word[first..=last].iter().map(|(_, sign, _)| *sign).filter(|sign| sign.script != NONE);
        let fits = |target: &u8| {
            // Latin letters side by side are a part of the word by right, as in SMSка.
            let ours = |pair: &[Sign]| pair.iter().all(|sign| sign.script == LATIN);
            let compound = *target != LATIN && letters().collect::<Vec<_>>().windows(2).any(ours);
            letters().any(|sign| sign.script == *target || *target == LATIN)
                && !compound
                && letters().all(|sign| sign.script == *target || alike(sign, *target).is_some())
        };
        (0..TARGETS).filter(fits).fold(0, |possible, target| possible | 1 << target)
    }

    /// The script of one part of a word, Greek or Cyrillic, whose other part is Latin: that of its ending, as in PDFа.
    fn other_part(&self, first: usize, last: usize) -> Option<u8> {
        let mut scripts: Vec<u8> = self.word[first..=last].iter().map(|(_, sign, _)| sign.script).collect();
        scripts.retain(|&script| script != NONE);
        scripts.dedup();
        match scripts[..] {
            [LATIN, script @ (GREEK | CYRILLIC)] | [script @ (GREEK | CYRILLIC), LATIN] => Some(script),
            _ => None,
        }
    }

    /// Whether a word is Latin with one Greek letter that is small and at its edge, digits aside, as in TNFα and
    /// PPARγ2, or looks like no Latin one, as in Σi.
    fn is_formula(&self, scripts: u8, first: usize, last: usize) -> bool {
        let mut letters = self.word[first..=last].iter().map(|(_, sign, _)| sign).filter(|sign| sign.script != NONE);
        let small = |sign: Option<&Sign>| sign.is_some_and(|sign| sign.script == GREEK && sign.flags & SMALL != 0);
        let at_edge = small(letters.clone().next()) || small(letters.clone().next_back());
        let mut greek = letters.by_ref().filter(|sign| sign.script == GREEK);
        scripts == 1 << LATIN | 1 << GREEK
            && greek.next().is_some_and(|sign| at_edge || alike(*sign, LATIN).is_none())
            && greek.next().is_none()
    }

    /// Notes that a word is surely of this script.
    fn settle(&mut self, script: u8, letters: u64) {
        self.letters[usize::from(script)] += letters;
        if let Some(line) = self.lines.last_mut() {
            *line |= 1 << script;
        }
    }

    fn count(&mut self, counts: bool, wide: bool) {
        self.restored += u64::from(counts && !wide);
        self.wide += u64::from(counts && wide);
    }

    /// A word of the line being read, of which nothing else is known.
    fn undecided(&self, letters: u64, counts: bool) -> Undecided {
        let line = self.lines.len() - 1;
        Undecided { place: 0..0, line, possible: 0, own: None, letters, part: None, symbol: false, counts }
    }

    fn decide_later(&mut self, mut word: Undecided, first: usize, last: usize) {
        let size = |part: &[(char, Sign, char)]| part.iter().map(|each| each.2.len_utf8()).sum::<usize>();
        let begin = self.out.len() + size(&self.word[..first]);
        word.place = begin..begin + size(&self.word[first..=last]);
        self.undecided.push(word);
        self.write(true);
    }

    /// Appends the word, as it is seen or as it is written.
    fn write(&mut self, seen: bool) {
        for &(c, _, becomes) in &self.word {
            let c = if seen { becomes } else { c };
            self.out.push(c);
        }
        self.changed |= seen && self.word.iter().any(|&(c, _, becomes)| c != becomes);
    }

    /// Decides the words that were left open.
    fn finish(mut self) -> Option<SeenText> {
        let most = self.letters.iter().max().copied().unwrap_or(0);
        let page = self.letters.iter().position(|&letters| letters == most).unwrap_or(0) as u8;
        let mut text = String::with_capacity(self.out.len());
        let mut at = 0;
        for at in 0..self.undecided.len() {
            let word = &self.undecided[at];
            if word.own.is_some() || word.symbol {
                continue;
            }
            if let Some(target) = self.target(word, page) {
                let scripts = word.scripts(&self.out) & !(1 << target);
                self.disguising |= scripts;
                self.greek_for_latin += u64::from(target == LATIN && scripts & 1 << GREEK != 0);
            }
        }
        for word in &self.undecided {
            let target = self.target(word, page);
            text.push_str(&self.out[at..word.place.start]);
            at = word.place.end;
            let mut differs = false;
            for c in self.out[word.place.clone()].chars() {
                let sign = sign(c);
                let becomes = target.filter(|&target| sign.script != target).and_then(|target| alike(sign, target));
                differs |= becomes.is_some();
                text.push(becomes.unwrap_or(c));
            }
            self.changed |= differs;
            self.restored += u64::from(word.counts || differs && word.letters > 1);
        }
        text.push_str(&self.out[at..]);
        // East Asian pages have wide forms by custom.
        if 2 * self.east_asian < self.letters.iter().sum::<u64>() {
            self.restored += self.wide;
        }
        self.changed.then_some(SeenText { text, restored: self.restored })
    }

    /// The script that a word is of, as far as it must be changed for that.
    fn target(&self, word: &Undecided, page: u8) -> Option<u8> {
        let is_not_in_line = |script: u8| self.lines[word.line] & 1 << script == 0;
        match word.own {
            // A Greek letter that may be a symbol: none is one where many Latin words are written with such letters.
            _ if word.symbol => {
                let disguised = page == LATIN && self.greek_for_latin >= MANY && is_not_in_line(GREEK);
                disguised.then_some(LATIN)
            }
            // All of one script: disguised if the page is Latin, letters of this script stand in Latin words, and
            // nothing in the line is surely of it.
            Some(own) => {
                let disguised = page == LATIN && self.disguising & 1 << own != 0 && is_not_in_line(own);
                disguised.then_some(LATIN)
            }
            None if word.part == Some(page) => None,
            // Of several scripts: of the one that is surely in the line, else of that of the page.
            None => {
                let sure = self.lines[word.line] & word.possible & !(1 << LATIN);
                let page = 1_u8.checked_shl(page.into()).unwrap_or(0) & word.possible;
                let chosen = [sure, page, word.possible].into_iter().find(|&scripts| scripts != 0)?;
                Some(chosen.trailing_zeros() as u8)
            }
        }
    }
}

impl Undecided {
    fn scripts(&self, out: &str) -> u8 {
        out[self.place.clone()].chars().fold(0, |found, c| found | 1 << sign(c).script) & !(1 << NONE)
    }
}
