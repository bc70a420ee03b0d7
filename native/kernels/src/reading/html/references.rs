//! Character references of HTML: `&eacute;`, `&#233;`, `&#xE9;`.

use std::borrow::Cow;

use encoding_rs::WINDOWS_1252;
use htmlize::{BARE_ENTITY_MAX_LENGTH, ENTITIES, ENTITY_MAX_LENGTH, ENTITY_MIN_LENGTH};

/// What a reference stands for, one or two characters, and its length in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    pub first: char,
    pub second: Option<char>,
    pub length: usize,
}

/// The reference that `text` begins with, if it begins with one. In an attribute, a name without a semicolon is no
/// reference if a letter, a digit or `=` follows (`?a=1&copy=2`). In text it is one, and the longest name counts.
///
/// Looks at no more than the longest name, or at the digits of a number.
pub fn reference(text: &[u8], attribute: bool) -> Option<Reference> {
    if text.get(1) == Some(&b'#') {
        return numeric(text);
    }
    let longest = &text[..text.len().min(ENTITY_MAX_LENGTH)];
    let name = 1 + longest[1..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    if text.get(name) == Some(&b';') {
        if let Some(found) = named(&text[..=name]) {
            return Some(found);
        }
    }
    if attribute {
        let ends = text.get(name).is_none_or(|&next| !next.is_ascii_alphanumeric() && next != b'=');
        return if ends { named(&text[..name]) } else { None };
    }
    // No name that may lack its semicolon begins with another such name, so the first found is the longest.
    (ENTITY_MIN_LENGTH..=name.min(BARE_ENTITY_MAX_LENGTH)).find_map(|length| named(&text[..length]))
}

fn named(name: &[u8]) -> Option<Reference> {
    let expansion = std::str::from_utf8(ENTITIES.get(name)?).ok()?;
    let mut characters = expansion.chars();
    Some(Reference { first: characters.next()?, second: characters.next(), length: name.len() })
}

fn numeric(text: &[u8]) -> Option<Reference> {
    let (radix, digits) = if matches!(text.get(2), Some(b'x' | b'X')) { (16, 3) } else { (10, 2) };
    let mut length = digits;
    let mut code = 0_u32;
    while let Some(digit) = text.get(length).and_then(|&byte| char::from(byte).to_digit(radix)) {
        code = (code * radix + digit).min(0x11_0000);
        length += 1;
    }
    if length == digits {
        return None;
    }
    length += usize::from(text.get(length) == Some(&b';'));
    let first = match code {
        0 => char::REPLACEMENT_CHARACTER,
        // Whoever writes 128 to 159 means windows-1252, says the standard.
        0x80..=0x9f => WINDOWS_1252.decode_without_bom_handling(&[code as u8]).0.chars().next()?,
        _ => char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    Some(Reference { first, second: None, length })
}

/// The value of an attribute, its references replaced.
pub fn unescape(value: &str) -> Cow<'_, str> {
    let Some(mut at) = value.find('&') else { return Cow::Borrowed(value) };
    let mut plain = String::with_capacity(value.len());
    let mut copied = 0;
    loop {
        let length = match reference(&value.as_bytes()[at..], true) {
            Some(Reference { first, second, length }) => {
                plain.push_str(&value[copied..at]);
                plain.push(first);
                plain.extend(second);
                copied = at + length;
                length
            }
            None => 1,
        };
        match value[at + length..].find('&') {
            Some(next) => at += length + next,
            None => break,
        }
    }
    plain.push_str(&value[copied..]);
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_text() {
        for (text, expected) in [
            ("&", None),
            ("&;", None),
            ("& x", None),
            ("&amp;", Some(("&", 5))),
            ("&amp", Some(("&", 4))),
            ("&ampx", Some(("&", 4))),
            ("&amplify;", Some(("&", 4))),
            ("&notin;", Some(("∉", 7))),
            ("&notit;", Some(("¬", 4))),
            ("&nosuch;", None),
            ("&nGt;", Some(("≫\u{20d2}", 5))),
            ("&CounterClockwiseContourIntegral;x", Some(("∳", 33))),
            ("&#;", None),
            ("&#x;", None),
            ("&#65", Some(("A", 4))),
            ("&#65;B", Some(("A", 5))),
            ("&#x41g", Some(("A", 5))),
            ("&#150;", Some(("–", 6))),
            ("&#129;", Some(("\u{81}", 6))),
            ("&#0;", Some(("\u{fffd}", 4))),
            ("&#xd800;", Some(("\u{fffd}", 8))),
            ("&#99999999999999999999;", Some(("\u{fffd}", 23))),
        ] {
            let found = reference(text.as_bytes(), false)
                .map(|found| (std::iter::once(found.first).chain(found.second).collect::<String>(), found.length));
            assert_eq!(found.as_ref().map(|(spelt, length)| (spelt.as_str(), *length)), expected, "{text:?}");
        }
    }

    #[test]
    fn in_attributes() {
        for (value, expected) in [
            ("a", "a"),
            ("?a=1&amp;b=2&b&", "?a=1&b=2&b&"),
            ("?a=1&copy=2&copy&copy;&copy1", "?a=1&copy=2©©&copy1"),
            ("&notin&notit;&#233;t&#xE9", "&notin&notit;été"),
        ] {
            assert_eq!(unescape(value), expected);
        }
    }
}
