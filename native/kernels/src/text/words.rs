//! Splits text into words and fingerprints each on the way.
//!
//! A word is a maximal run of letters and digits with the marks that follow them; in scripts written without spaces
//! each character with its marks is a word. ASCII, which is most of most corpora, is classified 64 bytes at a time: a
//! bit for each byte says whether it belongs to a word, and words begin and end where the bits change. Other
//! characters, and the words they stand in, go through the tables of [`unicode`]. Linear in the text, no allocation per
//! word but for the rare one that needs real normalisation.

use crate::text::fingerprint::Fingerprinter;
use crate::text::unicode::{self, Class, FILLER};

const WINDOW: usize = 64;

/// Calls `emit(begin, end, fingerprint)` for each word of `text`, in order; offsets in bytes.
pub fn words(text: &str, print: &Fingerprinter, mut emit: impl FnMut(usize, usize, u64)) {
    let bytes = text.as_bytes();
    let mut folded = Vec::new();
    let mut open = None; // where the word begins that reaches into the current window
    let mut base = 0;
    while base < bytes.len() {
        let (letters, others) = classify(&bytes[base..]);
        let ascii = others.trailing_zeros(); // how many bytes of the window come before the first that is not
        let mut edges = letters ^ (letters << 1 | u64::from(open.is_some()));
        if ascii < u64::BITS {
            edges &= (1 << ascii) - 1;
        }
        while edges != 0 {
            let edge = base + edges.trailing_zeros() as usize;
            edges &= edges - 1;
            match open.take() {
                Some(begin) => emit(begin, edge, print.ascii_word(bytes, begin, edge)),
                None => open = Some(edge),
            }
        }
        base += ascii as usize;
        if ascii < u64::BITS {
            base = any_script(text, open.take().unwrap_or(base), base, print, &mut folded, &mut emit);
        }
    }
    if let Some(begin) = open {
        emit(begin, bytes.len(), print.ascii_word(bytes, begin, bytes.len()));
    }
}

/// The words from `begin` on, of any script; `other`, in the first word or right at `begin`, is where the first
/// character beyond ASCII stands. Returns where ASCII goes on, outside a word.
fn any_script(
    text: &str,
    begin: usize,
    other: usize,
    print: &Fingerprinter,
    folded: &mut Vec<u8>,
    emit: &mut impl FnMut(usize, usize, u64),
) -> usize {
    let mut at = begin;
    while let Some(c) = text[at..].chars().next().filter(|c| at <= other || !c.is_ascii()) {
        let first = unicode::look_up(c);
        let mut end = at + c.len_utf8();
        if !matches!(first.class(), Class::Letter | Class::Single) {
            at = end;
            continue;
        }
        let mut simple = push_folded(folded, c, first);
        loop {
            if first.class() == Class::Letter {
                let rest = &text.as_bytes()[end..];
                let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
                folded.extend(rest[..length].iter().map(u8::to_ascii_lowercase)); // without the tables
                end += length;
            }
            let Some(next) = text[end..].chars().next().filter(|next| !next.is_ascii()) else { break };
            let character = unicode::look_up(next);
            match character.class() {
                Class::Mark => simple &= next == FILLER,
                Class::Letter if first.class() == Class::Letter => simple &= push_folded(folded, next, character),
                _ => break,
            }
            end += next.len_utf8();
        }
        let fingerprint =
            if simple { print.word(folded) } else { print.word(unicode::fold(&text[at..end]).as_bytes()) };
        emit(at, end, fingerprint);
        folded.clear();
        at = end;
    }
    at
}

#[inline]
fn push_folded(folded: &mut Vec<u8>, c: char, character: unicode::Character) -> bool {
    if c.is_ascii() {
        folded.push(c.to_ascii_lowercase() as u8);
        return true;
    }
    let Some(lower) = character.simple() else { return false };
    folded.extend_from_slice(lower.encode_utf8(&mut [0; 4]).as_bytes());
    true
}

/// Bit masks of up to 64 bytes: which are ASCII letters or digits, which are not ASCII.
#[inline]
fn classify(bytes: &[u8]) -> (u64, u64) {
    match bytes.first_chunk::<WINDOW>() {
        Some(window) => classify_window(window),
        None => {
            let mut window = [0; WINDOW];
            window[..bytes.len()].copy_from_slice(bytes);
            classify_window(&window)
        }
    }
}

/// SSE2 belongs to every x86-64; wider registers gain nothing here (the edges cost more than the masks).
#[cfg(target_arch = "x86_64")]
#[inline]
fn classify_window(window: &[u8; WINDOW]) -> (u64, u64) {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8,
        _mm_sub_epi8,
    };
    let (mut letters, mut others) = (0, 0);
    for part in 0..4 {
        // SAFETY: SSE2 is part of the target, and the 16 bytes read lie inside the window.
        unsafe {
            let within = |x: __m128i, first: u8, count: u8| {
                let shifted = _mm_sub_epi8(x, _mm_set1_epi8(first as i8));
                _mm_cmpeq_epi8(_mm_min_epu8(shifted, _mm_set1_epi8(count as i8 - 1)), shifted)
            };
            let x = _mm_loadu_si128(window.as_ptr().add(16 * part).cast());
            let small = _mm_or_si128(x, _mm_set1_epi8(0x20));
            let word = _mm_or_si128(within(x, b'0', 10), within(small, b'a', 26));
            letters |= u64::from(_mm_movemask_epi8(word) as u16) << (16 * part);
            others |= u64::from(_mm_movemask_epi8(x) as u16) << (16 * part);
        }
    }
    (letters, others)
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn classify_window(window: &[u8; WINDOW]) -> (u64, u64) {
    classify_bytes(window)
}

/// What [`classify_window`] computes, byte by byte; used where there is no SSE2.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn classify_bytes(window: &[u8; WINDOW]) -> (u64, u64) {
    window.iter().rev().fold((0, 0), |(letters, others), byte| {
        (letters << 1 | u64::from(byte.is_ascii_alphanumeric()), others << 1 | u64::from(!byte.is_ascii()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        words(text, &Fingerprinter::plain(), |begin, end, _| found.push(&text[begin..end]));
        found
    }

    fn fingerprints(text: &str) -> Vec<u64> {
        let mut found = Vec::new();
        words(text, &Fingerprinter::plain(), |_, _, fingerprint| found.push(fingerprint));
        found
    }

    #[test]
    fn cases() {
        let long = "x".repeat(200);
        for (text, expected) in [
            ("", vec![]),
            (" \t\n", vec![]),
            ("a", vec!["a"]),
            ("snake_case it's 3.14", vec!["snake", "case", "it", "s", "3", "14"]),
            ("naïve Straße", vec!["naïve", "Straße"]),
            ("e\u{301}te \u{301}x", vec!["e\u{301}te", "x"]),
            ("abc漢字def", vec!["abc", "漢", "字", "def"]),
            ("か\u{3099}き", vec!["か\u{3099}", "き"]),
            ("한국어 x", vec!["한국어", "x"]),
            ("a\u{200d}b", vec!["a", "b"]),
            ("x² y", vec!["x", "y"]),
            (long.as_str(), vec![long.as_str()]),
        ] {
            assert_eq!(spans(text), expected, "{text:?}");
        }
    }

    #[test]
    fn words_are_the_same_wherever_a_window_begins() {
        for shift in 0..140 {
            let text = format!("{}one Two\u{301} three 漢字 four", ".".repeat(shift));
            assert_eq!(spans(&text), ["one", "Two\u{301}", "three", "漢", "字", "four"], "{shift}");
            assert_eq!(fingerprints(&text)[0], fingerprints("ONE")[0]);
            assert_eq!(fingerprints(&text)[1], fingerprints("tWO\u{301} ...")[0]);
        }
    }

    #[test]
    fn equal_after_folding() {
        assert_eq!(fingerprints("Straße"), fingerprints("STRASSE"));
        assert_eq!(fingerprints("É"), fingerprints("e\u{301}"));
        assert_ne!(fingerprints("resume"), fingerprints("resumé"));
    }

    #[test]
    fn windows_are_classified_byte_by_byte() {
        for start in 0..=255_u8 {
            let mut window = [0; WINDOW];
            window.iter_mut().enumerate().for_each(|(i, byte)| *byte = start.wrapping_add((i * 7) as u8));
            assert_eq!(classify_window(&window), classify_bytes(&window));
        }
    }
}
