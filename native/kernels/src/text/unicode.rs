//! What each character is to the word splitter, and how it folds.
//!
//! Letters and digits make words, marks extend them, and letters of scripts written without spaces are words of their
//! own. All of it comes from one Unicode version, the one of the ICU4X data we build with ([`UNICODE_VERSION`]).
//!
//! Looking a character up in four ICU tables for each letter of a corpus would cost more than everything else, so the
//! answers are kept in pages of 256 characters, made on first use (1 kB each).

use std::borrow::Cow;
use std::sync::OnceLock;

use icu_casemap::CaseMapper;
use icu_normalizer::ComposingNormalizerBorrowed;
use icu_properties::props::{GeneralCategory, Script};
use icu_properties::CodePointMapData;

/// The Unicode version of the data behind [`look_up`] and [`fold`]; the crates are pinned to it.
pub const UNICODE_VERSION: &str = "18.0.0";

/// Stands in a word for a character that nobody sees (see [`seen`](crate::text::seen)): belongs to the word as a mark
/// does, and is no part of its spelling. A character that Unicode sets aside for such uses, and no text should have.
pub const FILLER: char = '\u{fdd0}';

/// The part a character plays in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Class {
    /// Ends a word and belongs to none.
    Separator = 0,
    /// Letter or digit of a script written with spaces: words are runs of these.
    Letter = 1,
    /// Combining mark: belongs to the character before it.
    Mark = 2,
    /// Letter of a script written without spaces: a word by itself, with its marks.
    Single = 3,
}

/// One character's class and, where it is `simple`, its folded form.
#[derive(Clone, Copy)]
pub struct Character(u32);

impl Character {
    const SIMPLE: u32 = 4;

    pub fn class(self) -> Class {
        match self.0 & 3 {
            0 => Class::Separator,
            1 => Class::Letter,
            2 => Class::Mark,
            _ => Class::Single,
        }
    }

    /// The folded character, if this one folds to a single character whatever stands around it: a word of such
    /// characters is folded one by one, without normalising.
    pub fn simple(self) -> Option<char> {
        if self.0 & Self::SIMPLE == 0 {
            None
        } else {
            char::from_u32(self.0 >> 8)
        }
    }
}

type Page = [Character; 256];

static PAGES: [OnceLock<Box<Page>>; 0x1100] = [const { OnceLock::new() }; 0x1100];

/// What `c` is to the word splitter.
#[inline]
pub fn look_up(c: char) -> Character {
    let code = c as usize;
    PAGES[code >> 8].get_or_init(|| make_page(code as u32 & !0xff))[code & 0xff]
}

/// Whether `c` is a decimal digit, of any script.
pub fn is_digit(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_digit();
    }
    CodePointMapData::<GeneralCategory>::new().get(c) == GeneralCategory::DecimalNumber
}

/// A text without what fills its words, for people to read.
pub fn without_filler(text: &str) -> Cow<'_, str> {
    if text.contains(FILLER) {
        Cow::Owned(text.replace(FILLER, ""))
    } else {
        Cow::Borrowed(text)
    }
}

/// The form in which words are compared: NFC, then full case folding, then NFC again, since folding may undo the first.
/// What fills a word is left out.
pub fn fold(word: &str) -> String {
    let composer = ComposingNormalizerBorrowed::new_nfc();
    let spelled = without_filler(word);
    let composed = composer.normalize(&spelled);
    let folded = CaseMapper::new().fold_string(&composed);
    match composer.normalize(&folded) {
        Cow::Borrowed(text) => text.to_owned(),
        Cow::Owned(text) => text,
    }
}

fn make_page(first: u32) -> Box<Page> {
    let mut page = Box::new([Character(0); 256]);
    for (entry, code) in page.iter_mut().zip(first..) {
        if let Some(c) = char::from_u32(code) {
            *entry = classify(c);
        }
    }
    page
}

fn classify(c: char) -> Character {
    let class = class_of(c);
    if matches!(class, Class::Separator | Class::Mark) || !inert(c) {
        return Character(class as u32);
    }
    let mut text = [0; 4];
    let folded = CaseMapper::new().fold_string(c.encode_utf8(&mut text));
    let mut characters = folded.chars();
    match (characters.next(), characters.next()) {
        (Some(only), None) if inert(only) && class_of(only) == class => {
            Character(class as u32 | Character::SIMPLE | (only as u32) << 8)
        }
        _ => Character(class as u32),
    }
}

fn class_of(c: char) -> Class {
    if c == FILLER {
        return Class::Mark;
    }
    match CodePointMapData::<GeneralCategory>::new().get(c) {
        GeneralCategory::UppercaseLetter
        | GeneralCategory::LowercaseLetter
        | GeneralCategory::TitlecaseLetter
        | GeneralCategory::ModifierLetter
        | GeneralCategory::OtherLetter
        | GeneralCategory::DecimalNumber => match CodePointMapData::<Script>::new().get(c) {
            Script::Han
            | Script::Hiragana
            | Script::Katakana
            | Script::Thai
            | Script::Lao
            | Script::Khmer
            | Script::Myanmar => Class::Single,
            _ => Class::Letter,
        },
        GeneralCategory::NonspacingMark | GeneralCategory::SpacingMark | GeneralCategory::EnclosingMark => Class::Mark,
        _ => Class::Separator,
    }
}

/// Whether NFC leaves `c` alone next to any letter. Only asked of letters and digits; the blocks left out hold the few
/// letters that compose with the letter before them (conjoining jamo, Kirat Rai), or are too rare to matter.
fn inert(c: char) -> bool {
    let block =
        matches!(c as u32, 0..=0x10ff | 0x1e00..=0x1fff | 0x2c00..=0xa7ff | 0xac00..=0xd7a3 | 0x20000..=0x3ffff);
    let mut text = [0; 4];
    block && ComposingNormalizerBorrowed::new_nfc().is_normalized(c.encode_utf8(&mut text))
}

/// Appends what [`fold`] makes of a word; faster, since few words need more than a look at each character.
#[inline]
pub fn append_folded(to: &mut Vec<u8>, word: &str) {
    let begin = to.len();
    if word.is_ascii() {
        to.extend_from_slice(word.as_bytes());
        to[begin..].make_ascii_lowercase();
        return;
    }
    for c in word.chars() {
        if c == FILLER {
            continue;
        }
        let Some(folded) = look_up(c).simple() else {
            to.truncate(begin);
            to.extend_from_slice(fold(word).as_bytes());
            return;
        };
        to.extend_from_slice(folded.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes() {
        for (c, class) in [
            ('a', Class::Letter),
            ('7', Class::Letter),
            ('_', Class::Separator),
            ('²', Class::Separator),
            ('ß', Class::Letter),
            ('\u{301}', Class::Mark),
            ('漢', Class::Single),
            ('か', Class::Single),
            ('カ', Class::Single),
            ('ー', Class::Letter), // Script=Common
            ('ก', Class::Single),
            ('한', Class::Letter),
            ('\u{20000}', Class::Single),
            ('🙂', Class::Separator),
        ] {
            assert_eq!(look_up(c).class(), class, "{c:?}");
        }
    }

    #[test]
    fn simple_characters_fold_as_words_do() {
        for code in 0..=0x10ffff {
            let Some(c) = char::from_u32(code) else { continue };
            if let Some(folded) = look_up(c).simple() {
                assert_eq!(fold(&c.to_string()), folded.to_string(), "{c:?}");
                assert_eq!(fold(&format!("a{c}가")), format!("a{folded}가"), "{c:?}");
                let mut appended = b"x".to_vec();
                append_folded(&mut appended, &format!("A{c}가"));
                assert_eq!(appended, format!("xa{folded}가").into_bytes(), "{c:?}");
            }
        }
    }

    #[test]
    fn folding_is_full_and_canonical() {
        for word in ["Straße", "e\u{301}", "\u{212a}elvin", "ABC9", "ΐ"] {
            let mut appended = Vec::new();
            append_folded(&mut appended, word);
            assert_eq!(appended, fold(word).into_bytes());
        }
        assert_eq!(fold("Straße"), "strasse");
        assert_eq!(fold("STRASSE"), "strasse");
        assert_eq!(fold("e\u{301}"), "é");
        assert_eq!(fold("Ὀδυσσεύς"), fold("ὈΔΥΣΣΕΎΣ"));
        assert_eq!(fold("\u{212a}"), "k");
    }
}
