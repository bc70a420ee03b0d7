//! Bytes to text, whatever their encoding is called.
//!
//! In this order: a byte order mark decides. Then what the server declared, then, for HTML, what the page declares in
//! its first 1024 bytes. Then the bytes themselves: UTF-16 by its NULs, UTF-8 if they (nearly) are, else a guess
//! ([`chardetng`]). A declaration may be wrong: if more than a few characters cannot be decoded with it, the guess is
//! tried too, and whichever decodes more characters is taken. What cannot be decoded becomes U+FFFD. Never fails;
//! linear; UTF-8 that is valid is not copied.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, REPLACEMENT, UTF_16BE, UTF_16LE, UTF_8, WINDOWS_1252, X_USER_DEFINED};

use crate::reading::html::markup::{Attribute, Content, Start, Token, Tokenizer};

/// How much of a page is searched for a declaration, as browsers do.
const PRESCAN: usize = 1024;
/// How many bytes decide whether a text is UTF-16 without a mark.
const SAMPLE: usize = 1 << 12;
/// How many bytes, from the first beyond ASCII on, the guess is made from.
const GUESS: usize = 1 << 20;
/// A decoding is doubted when more than one in this many of its characters beyond ASCII had to be replaced.
const DOUBT: usize = 8;

/// The text of `raw`, and the name of its encoding. `declared` is what the server said, if it did.
pub fn decode<'a>(raw: &'a [u8], declared: Option<&str>, html: bool) -> (Cow<'a, str>, &'static str) {
    if let Some(marked) = decode_marked(raw) {
        return marked;
    }
    let declared = declared.and_then(find_encoding).or_else(|| if html { prescan(raw) } else { None });
    let Some(declared) = declared.filter(|encoding| !is_utf_16(encoding) || is_possible_utf_16(raw)) else {
        return decode_detected(raw);
    };
    if let Some(encoding) = detect_utf_16(raw).filter(|_| !is_utf_16(declared)) {
        return (decode_as(raw, encoding), encoding.name());
    }
    let text = decode_as(raw, declared);
    if matches!(text, Cow::Borrowed(_)) || count_faults(&text) == 0 {
        return (text, declared.name());
    }
    if simdutf8::basic::from_utf8(raw).is_ok() {
        return (decode_as(raw, UTF_8), UTF_8.name());
    }
    if fits(&text) {
        return (text, declared.name());
    }
    let detected = decode_detected(raw);
    if count_faults(&detected.0) < count_faults(&text) {
        detected
    } else {
        (text, declared.name())
    }
}

/// By byte order mark. UTF-32 first: its little-endian mark begins with that of UTF-16.
fn decode_marked(raw: &[u8]) -> Option<(Cow<'_, str>, &'static str)> {
    if let Some(rest) = raw.strip_prefix(b"\xff\xfe\0\0") {
        return Some((Cow::Owned(decode_utf_32(rest, u32::from_le_bytes)), "UTF-32LE"));
    }
    if let Some(rest) = raw.strip_prefix(b"\0\0\xfe\xff") {
        return Some((Cow::Owned(decode_utf_32(rest, u32::from_be_bytes)), "UTF-32BE"));
    }
    let (encoding, mark) = Encoding::for_bom(raw)?;
    Some((decode_as(&raw[mark..], encoding), encoding.name()))
}

fn decode_utf_32(raw: &[u8], number: fn([u8; 4]) -> u32) -> String {
    let character = |bytes: &[u8]| bytes.try_into().ok().and_then(|bytes| char::from_u32(number(bytes)));
    raw.chunks(4).map(|bytes| character(bytes).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

fn decode_as<'a>(raw: &'a [u8], encoding: &'static Encoding) -> Cow<'a, str> {
    if encoding == UTF_8 {
        if let Ok(text) = simdutf8::basic::from_utf8(raw) {
            return Cow::Borrowed(text);
        }
    }
    encoding.decode_without_bom_handling(raw).0
}

/// By the bytes alone.
fn decode_detected(raw: &[u8]) -> (Cow<'_, str>, &'static str) {
    if let Some(encoding) = detect_utf_16(raw) {
        return (decode_as(raw, encoding), encoding.name());
    }
    let text = decode_as(raw, UTF_8);
    // Valid is enough: a U+FFFD that stands in it is no fault of ours.
    if matches!(text, Cow::Borrowed(_)) || fits(&text) || is_cut_short(raw) {
        return (text, UTF_8.name());
    }
    let begin = Encoding::ascii_valid_up_to(raw).saturating_sub(2); // the guess wants to see what stands before
    let end = raw.len().min(begin + GUESS);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(&raw[begin..end], end == raw.len());
    let encoding = detector.guess(None, Utf8Detection::Deny);
    (decode_as(raw, encoding), encoding.name())
}

/// Whether this is UTF-8 but for its last character, of which the end is missing.
fn is_cut_short(raw: &[u8]) -> bool {
    std::str::from_utf8(raw).is_err_and(|error| error.error_len().is_none())
}

fn count_faults(text: &str) -> usize {
    memchr::memmem::find_iter(text.as_bytes(), "\u{fffd}").count()
}

/// Whether so few characters were replaced that the encoding need not be doubted.
fn fits(text: &str) -> bool {
    let faults = count_faults(text);
    faults == 0 || faults * DOUBT <= text.bytes().filter(|byte| *byte >= 0xc0).count()
}

/// The encoding of a label; None for those that browsers refuse to decode.
fn find_encoding(label: &str) -> Option<&'static Encoding> {
    let label = label.trim_matches(|c: char| c.is_ascii_whitespace() || matches!(c, '"' | '\'' | ';' | ','));
    match Encoding::for_label(label.as_bytes())? {
        encoding if encoding == REPLACEMENT => None,
        encoding if encoding == X_USER_DEFINED => Some(WINDOWS_1252),
        encoding => Some(encoding),
    }
}

fn is_utf_16(encoding: &'static Encoding) -> bool {
    encoding == UTF_16LE || encoding == UTF_16BE
}

/// Text in UTF-16 has spaces and line ends, so NULs; or else bytes that are no UTF-8.
fn is_possible_utf_16(raw: &[u8]) -> bool {
    memchr::memchr(0, raw).is_some() || simdutf8::basic::from_utf8(raw).is_err()
}

/// UTF-16 without a mark: one in eight characters at least is of ASCII or Latin-1, and so has a NUL on one side, and
/// there are (next to) none on the other.
fn detect_utf_16(raw: &[u8]) -> Option<&'static Encoding> {
    let pairs = &raw[..raw.len().min(SAMPLE)];
    let nuls = |side| pairs.iter().skip(side).step_by(2).filter(|&&byte| byte == 0).count();
    let (even, odd) = (nuls(0), nuls(1));
    let least = (pairs.len() / 16).max(2);
    if odd >= least && even * 8 <= odd {
        Some(UTF_16LE)
    } else if even >= least && odd * 8 <= even {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// What a page declares about itself: `<meta charset>`, `<meta http-equiv=content-type>` or `<?xml encoding?>`. One that
/// says UTF-16 there cannot be right: it could not have been read.
fn prescan(raw: &[u8]) -> Option<&'static Encoding> {
    let head = encoding_rs::mem::decode_latin1(&raw[..raw.len().min(PRESCAN)]);
    let mut tokens = Tokenizer::new(&head);
    while let Some(token) = tokens.next_token() {
        let found = match token {
            Token::Start(tag) if tag.name.eq_ignore_ascii_case("meta") => declared_in_meta(tokens.attributes()),
            Token::Start(Start { name, .. }) => {
                match name.to_ascii_lowercase().as_str() {
                    "script" => tokens.enter(Content::Script),
                    "style" | "title" | "noscript" => tokens.enter(Content::Text { name, references: false }),
                    _ => {}
                }
                None
            }
            Token::Comment(comment) if comment.starts_with("?xml") => {
                comment.split_once("encoding").and_then(|(_, rest)| value_after_equals(rest)).and_then(find_encoding)
            }
            _ => None,
        };
        if let Some(encoding) = found {
            return Some(if is_utf_16(encoding) { UTF_8 } else { encoding });
        }
    }
    None
}

fn declared_in_meta(attributes: &[Attribute<'_>]) -> Option<&'static Encoding> {
    let find = |name| attributes.iter().find(|attribute| attribute.name.eq_ignore_ascii_case(name));
    if let Some(charset) = find("charset") {
        return find_encoding(charset.value);
    }
    find("http-equiv").filter(|kind| kind.value.eq_ignore_ascii_case("content-type"))?;
    let content = find("content")?.value.to_ascii_lowercase();
    content.split("charset").skip(1).find_map(value_after_equals).and_then(find_encoding)
}

/// The value in `="value"`, quoted or up to white space or a semicolon.
fn value_after_equals(text: &str) -> Option<&str> {
    let value = text.trim_start().strip_prefix('=')?.trim_start();
    match value.chars().next()? {
        quote @ ('"' | '\'') => value[1..].split(quote).next(),
        _ => value.split(|c: char| c.is_ascii_whitespace() || c == ';').next(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw: &[u8], declared: Option<&str>, html: bool, text: &str, encoding: &str) {
        let (found, name) = decode(raw, declared, html);
        assert_eq!((&*found, name), (text, encoding), "{raw:?} {declared:?}");
    }

    #[test]
    fn marks_come_first() {
        check(b"\xef\xbb\xbf\xc3\xa9", Some("latin1"), true, "é", "UTF-8");
        check(b"\xff\xfeh\0i\0", Some("utf-8"), true, "hi", "UTF-16LE");
        check(b"\xfe\xff\0h\0i", None, false, "hi", "UTF-16BE");
        check(b"\xff\xfe\0\0h\0\0\0\x00\xf6\x01\0\0", None, false, "h\u{1f600}\u{fffd}", "UTF-32LE");
        check(b"\0\0\xfe\xff\0\0\0h\0\x11\0\0", None, false, "h\u{fffd}", "UTF-32BE");
    }

    #[test]
    fn then_declarations() {
        let page = b"<!-- <meta charset=big5> --><meta charset='windows-1251'>\xcf";
        check(b"\xe9", Some(" \"ISO-8859-1\"; "), false, "é", "windows-1252");
        check(&page[57..], Some("koi8-r"), true, "о", "KOI8-R");
        let (text, name) = decode(page, None, true);
        assert!(text.ends_with('П') && name == "windows-1251");
        let (_, name) = decode(page, Some("nonsense\u{e9}"), true);
        assert_eq!(name, "windows-1251");
        for (head, expected) in [
            ("<meta http-equiv=Content-Type content='text/html; charset = \"Shift_JIS\" '>", "Shift_JIS"),
            ("<meta content='text/html;charset=gbk;x' http-equiv=content-type>", "GBK"),
            ("<meta name=charset content='charset=gbk'>", "UTF-8"),
            ("<?xml version='1.0' encoding='EUC-JP'?>", "EUC-JP"),
            ("<meta charset=utf-16le>", "UTF-8"),
            ("<meta charset=nonsense><meta charset=big5>", "Big5"),
            ("<script>'<meta charset=big5>'</script>", "UTF-8"),
            ("<meta charset=big5", "UTF-8"),
        ] {
            assert_eq!(decode(head.as_bytes(), None, true).1, expected, "{head}");
            assert_eq!(decode(head.as_bytes(), None, false).1, "UTF-8");
        }
    }

    #[test]
    fn then_the_bytes() {
        check("naïve 漢字".as_bytes(), None, false, "naïve 漢字", "UTF-8");
        assert!(matches!(decode("naïve".as_bytes(), Some("utf8"), true).0, Cow::Borrowed(_)));
        let wide: Vec<u8> = "<p>hé 漢字".encode_utf16().flat_map(u16::to_be_bytes).collect();
        check(&wide, None, true, "<p>hé 漢字", "UTF-16BE");
        check(b"a\0b", None, false, "a\0b", "UTF-8");
        let (russian, ..) =
            encoding_rs::WINDOWS_1251.encode("Съешь же ещё этих мягких французских булок, да выпей чаю");
        assert_eq!(decode(&russian, None, false).1, "windows-1251");
    }

    #[test]
    fn doubts() {
        let utf8 = "Grüße, déjà vu, naïveté, Übermaß, œuvre".as_bytes();
        let broken = [utf8, b"\xe2\x82"].concat();
        for declared in [None, Some("utf-8")] {
            check(&broken, declared, false, "Grüße, déjà vu, naïveté, Übermaß, œuvre\u{fffd}", "UTF-8");
        }
        check(b"caf\xe9 \xe0 la cr\xe8me", Some("utf-8"), false, "café à la crème", "windows-1252");
        check(b"plain", Some("utf-16"), false, "plain", "UTF-8");
        check(b"plain", Some("hz-gb-2312"), false, "plain", "UTF-8");
    }
}
