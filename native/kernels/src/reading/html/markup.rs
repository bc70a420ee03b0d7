//! HTML to tokens, after the tokenizer of the WHATWG standard.
//!
//! Names, values and text are slices of the source, as they stand there: in any case, with character references
//! ([`crate::reading::html::references`]), NULs and CRs. Nothing is allocated for a token, and each byte is looked at a
//! bounded number of times, whatever the input. In the standard, the parser tells the tokenizer how to go on (raw text
//! after `<script>`, CDATA sections inside `<svg>`). Here whoever reads the tokens does so, by [`Tokenizer::enter`] and
//! [`Tokenizer::foreign`].

use memchr::{memchr, memchr2, memmem};

use crate::reading::html::lanes;

/// A piece of markup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    Text(Text<'a>),
    /// A start tag; its attributes are those of [`Tokenizer::attributes`] until the next token.
    Start(Start<'a>),
    /// An end tag, by its name.
    End(&'a str),
    /// A comment, or what the standard takes for one (`<?…>`, `<!…>`, `</ …>`).
    Comment(&'a str),
    Doctype,
}

/// Characters, from the byte `begin` of the source on; `&` begins a reference where `references` says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text<'a> {
    pub text: &'a str,
    pub begin: usize,
    pub references: bool,
}

/// The name of a start tag, and whether it ends in `/>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start<'a> {
    pub name: &'a str,
    pub closed: bool,
}

/// An attribute as it stands in the source; of several with one name, the first counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute<'a> {
    pub name: &'a str,
    pub value: &'a str,
}

/// How the content of an element is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content<'a> {
    /// Markup and text.
    Data,
    /// Text up to the end tag of this name, with references or without.
    Text { name: &'a str, references: bool },
    /// Text up to the `</script` that ends it: one behind `<!-- <script` may not.
    Script,
    /// Text up to the end of the source.
    Plain,
}

/// Reads tokens from a source.
pub struct Tokenizer<'a> {
    source: &'a str,
    at: usize,
    began: usize,
    content: Content<'a>,
    attributes: Vec<Attribute<'a>>,
    /// Whether the next token stands inside `<svg>` or `<math>`, where there are CDATA sections.
    pub foreign: bool,
}

/// What the standard calls white space, and CR, which it replaces by LF before tokens are read.
const SPACE: u8 = 1;
/// `/` or `>`, which end the names of tags, as white space does.
const MARK: u8 = 2;
/// `=`, which ends the names of attributes too.
const EQUALS: u8 = 4;

/// What bytes do inside tags.
static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    classes[b' ' as usize] = SPACE;
    classes[b'\t' as usize] = SPACE;
    classes[b'\n' as usize] = SPACE;
    classes[b'\r' as usize] = SPACE;
    classes[b'\x0c' as usize] = SPACE;
    classes[b'/' as usize] = MARK;
    classes[b'>' as usize] = MARK;
    classes[b'=' as usize] = EQUALS;
    classes
};

#[inline]
fn is(byte: u8, classes: u8) -> bool {
    CLASSES[usize::from(byte)] & classes != 0
}

/// Where a name ends that goes on at `at`: at a byte of these classes. Eight bytes are looked at together, for white
/// space and other controls, `/`, and `<` to `?`, among which `=` and `>` are.
#[inline]
fn find_name_end(bytes: &[u8], mut at: usize, classes: u8) -> Option<usize> {
    while let Some(word) = lanes::load(bytes, at) {
        let marks = lanes::below(word, 0x21) | lanes::equal(word, b'/') | lanes::similar(word, b'<', 3);
        at += lanes::first(marks);
        if marks != 0 {
            if is(bytes[at], classes) {
                return Some(at);
            }
            at += 1;
        }
    }
    bytes[at..].iter().position(|&byte| is(byte, classes)).map(|length| at + length)
}

impl<'a> Tokenizer<'a> {
    pub fn new(source: &'a str) -> Self {
        Self { source, at: 0, began: 0, content: Content::Data, attributes: Vec::new(), foreign: false }
    }

    /// Where the next token begins.
    pub fn place(&self) -> usize {
        self.at
    }

    /// Where the tag read last begins.
    pub fn began(&self) -> usize {
        self.began
    }

    /// The attributes of the start tag read last.
    pub fn attributes(&self) -> &[Attribute<'a>] {
        &self.attributes
    }

    /// Says how what follows is read, after a start tag.
    pub fn enter(&mut self, content: Content<'a>) {
        self.content = content;
    }

    /// The next token, None at the end of the source. A tag that is cut off by the end of the source is no token.
    #[inline(always)] // called for every token, in one place
    pub fn next_token(&mut self) -> Option<Token<'a>> {
        if self.content != Content::Data {
            if let Some(text) = self.content_text() {
                return Some(text);
            }
        }
        let bytes = self.source.as_bytes();
        loop {
            let begin = self.at;
            let open = find_markup(bytes, begin);
            if open > begin {
                return Some(self.text(open, true));
            }
            match (bytes.get(open + 1)?, bytes.get(open + 2)) {
                (b'/', Some(b'>')) => self.at = open + 3,
                (b'/', Some(letter)) if letter.is_ascii_alphabetic() => {
                    self.began = open;
                    let (name, _) = self.tag(open + 2)?;
                    return Some(Token::End(name));
                }
                (b'/', _) => return Some(self.bogus_comment(open + 2)),
                (b'?', _) => return Some(self.bogus_comment(open + 1)),
                (b'!', _) => return Some(self.declaration(open + 2)),
                _ => {
                    self.began = open;
                    let (name, closed) = self.tag(open + 1)?;
                    return Some(Token::Start(Start { name, closed }));
                }
            }
        }
    }

    fn text(&mut self, end: usize, references: bool) -> Token<'a> {
        let begin = std::mem::replace(&mut self.at, end);
        Token::Text(Text { text: &self.source[begin..end], begin, references })
    }

    /// The text of an element that holds nothing else, if it is not empty.
    fn content_text(&mut self) -> Option<Token<'a>> {
        let bytes = self.source.as_bytes();
        let (end, references) = match std::mem::replace(&mut self.content, Content::Data) {
            Content::Text { name, references } => (find_end_tag(bytes, self.at, name.as_bytes()), references),
            Content::Script => (find_script_end(bytes, self.at), false),
            Content::Plain => (bytes.len(), false),
            Content::Data => return None,
        };
        (end > self.at).then(|| self.text(end, references))
    }

    /// Reads the tag whose name begins at `begin`: its name, and whether it ends in `/>`. None if the source ends
    /// before.
    fn tag(&mut self, begin: usize) -> Option<(&'a str, bool)> {
        let bytes = self.source.as_bytes();
        self.attributes.clear();
        self.at = bytes.len();
        let mut at = find_name_end(bytes, begin, SPACE | MARK)?;
        let name = &self.source[begin..at];
        loop {
            match *bytes.get(at)? {
                b'>' => {
                    self.at = at + 1;
                    return Some((name, false));
                }
                b'/' if bytes.get(at + 1) == Some(&b'>') => {
                    self.at = at + 2;
                    return Some((name, true));
                }
                byte if is(byte, SPACE | MARK) => at += 1,
                _ => at = self.attribute(at)?,
            }
        }
    }

    /// Reads the attribute that begins at `begin`; returns where the tag goes on. None if the source ends before.
    fn attribute(&mut self, begin: usize) -> Option<usize> {
        let bytes = self.source.as_bytes();
        // The first character belongs to the name, even if it is `=`.
        let name_end = find_name_end(bytes, begin + 1, SPACE | MARK | EQUALS)?;
        let name = &self.source[begin..name_end];
        let mut at = skip_spaces(bytes, name_end)?;
        let mut value = "";
        if bytes[at] == b'=' {
            at = skip_spaces(bytes, at + 1)?;
            let quote = bytes[at];
            if matches!(quote, b'"' | b'\'') {
                let end = lanes::find(quote, bytes, at + 1)?;
                value = &self.source[at + 1..end];
                at = end + 1;
            } else if quote != b'>' {
                let end = at + bytes[at..].iter().position(|&byte| is(byte, SPACE) || byte == b'>')?;
                value = &self.source[at..end];
                at = end;
            }
        }
        self.attributes.push(Attribute { name, value });
        Some(at)
    }

    /// What begins with `<!`: a comment, the doctype, or a CDATA section.
    fn declaration(&mut self, begin: usize) -> Token<'a> {
        let rest = &self.source.as_bytes()[begin..];
        if rest.starts_with(b"--") {
            return self.comment(begin + 2);
        }
        if rest.get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"doctype")) {
            self.bogus_comment(begin); // a doctype ends at the next `>`, too
            return Token::Doctype;
        }
        if self.foreign && rest.starts_with(b"[CDATA[") {
            self.at = begin + 7;
            let end = memmem::find(&rest[7..], b"]]>").map(|length| self.at + length);
            let text = self.text(end.unwrap_or(self.source.len()), false);
            self.at += if end.is_some() { 3 } else { 0 };
            return text;
        }
        self.bogus_comment(begin)
    }

    fn bogus_comment(&mut self, begin: usize) -> Token<'a> {
        let end = memchr(b'>', &self.source.as_bytes()[begin..]).map(|length| begin + length);
        let text = &self.source[begin..end.unwrap_or(self.source.len())];
        self.at = end.map_or(self.source.len(), |end| end + 1);
        Token::Comment(text)
    }

    /// Up to `-->` or `--!>`; `<!-->` and `<!--->` are whole comments. A comment that is cut off ends with the source.
    fn comment(&mut self, begin: usize) -> Token<'a> {
        let rest = &self.source[begin..];
        let bytes = rest.as_bytes();
        for close in memchr::memchr_iter(b'>', bytes) {
            let inside = &rest[..close];
            let text = match inside {
                "" | "-" => Some(""),
                _ => inside.strip_suffix("--").or_else(|| inside.strip_suffix("--!")),
            };
            if let Some(text) = text {
                self.at = begin + close + 1;
                return Token::Comment(text);
            }
        }
        self.at = self.source.len();
        Token::Comment(["--!", "--", "-"].iter().find_map(|end| rest.strip_suffix(end)).unwrap_or(rest))
    }
}

/// Where the next tag, comment or declaration begins; any other `<` is text.
#[inline]
fn find_markup(bytes: &[u8], begin: usize) -> usize {
    let mut at = begin;
    while let Some(found) = lanes::find(b'<', bytes, at) {
        at = found;
        match bytes.get(at + 1) {
            Some(b'/') if at + 2 == bytes.len() => at += 1,
            Some(b'!' | b'/' | b'?' | b'a'..=b'z' | b'A'..=b'Z') => return at,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[inline]
fn skip_spaces(bytes: &[u8], at: usize) -> Option<usize> {
    bytes[at..].iter().position(|&byte| !is(byte, SPACE)).map(|spaces| at + spaces)
}

/// Whether `bytes` begin with this tag name, in any case, and with what ends it.
fn begins_with_name(bytes: &[u8], name: &[u8]) -> bool {
    bytes.len() > name.len() && bytes[..name.len()].eq_ignore_ascii_case(name) && is(bytes[name.len()], SPACE | MARK)
}

fn find_end_tag(bytes: &[u8], begin: usize, name: &[u8]) -> usize {
    memchr::memchr_iter(b'<', &bytes[begin..])
        .map(|length| begin + length)
        .find(|at| bytes.get(at + 1) == Some(&b'/') && begins_with_name(&bytes[at + 2..], name))
        .unwrap_or(bytes.len())
}

/// Where the end tag of a script is. Inside `<!--` … `-->`, a `<script` takes the next `</script` for itself.
fn find_script_end(bytes: &[u8], begin: usize) -> usize {
    let mut at = begin;
    let mut escaped = None; // inside `<!--`: where its dashes are
    let mut doubly = false;
    loop {
        let next = match escaped {
            None => memchr(b'<', &bytes[at..]),
            Some(_) => memchr2(b'<', b'>', &bytes[at..]),
        };
        let Some(found) = next.map(|length| at + length) else { return bytes.len() };
        let rest = &bytes[found..];
        at = found + 1;
        if let (b'>', Some(dashes)) = (rest[0], escaped) {
            if bytes[dashes..found].ends_with(b"--") {
                escaped = None;
                doubly = false;
            }
        } else if rest.starts_with(b"</") && begins_with_name(&rest[2..], b"script") {
            if !doubly {
                return found;
            }
            doubly = false;
        } else if escaped.is_some() {
            doubly |= begins_with_name(&rest[1..], b"script");
        } else if rest.starts_with(b"<!--") {
            escaped = Some(found + 2);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::reading::html::references::{reference, unescape, Reference};

    /// Tokens as the standard has them: names in lower case, references replaced, attributes by name, text put
    /// together.
    #[derive(Debug, PartialEq)]
    enum Plain {
        Text(String),
        Start(String, BTreeMap<String, String>, bool),
        End(String),
        Comment(String),
        Doctype,
    }

    const RAW: [&str; 6] = ["style", "xmp", "iframe", "noembed", "noframes", "noscript"];

    fn content(name: &str) -> Content<'_> {
        match name.to_ascii_lowercase().as_str() {
            "title" | "textarea" => Content::Text { name, references: true },
            "script" => Content::Script,
            "plaintext" => Content::Plain,
            lower if RAW.contains(&lower) => Content::Text { name, references: false },
            _ => Content::Data,
        }
    }

    fn add_text(tokens: &mut Vec<Plain>, more: &str) {
        match tokens.last_mut() {
            Some(Plain::Text(text)) => text.push_str(more),
            _ if more.is_empty() => {}
            _ => tokens.push(Plain::Text(more.to_owned())),
        }
    }

    fn unescape_text(text: &str) -> String {
        let (mut plain, mut rest) = (String::new(), text);
        while let Some(at) = rest.find('&') {
            plain.push_str(&rest[..at]);
            let found = reference(&rest.as_bytes()[at..], false);
            let Reference { first, second, length } =
                found.unwrap_or(Reference { first: '&', second: None, length: 1 });
            plain.push(first);
            plain.extend(second);
            rest = &rest[at + length..];
        }
        plain + rest
    }

    fn ours(source: &str) -> Vec<Plain> {
        let mut tokens = Tokenizer::new(source);
        let mut found = Vec::new();
        while let Some(token) = tokens.next_token() {
            match token {
                Token::Text(Text { text, begin, references }) => {
                    assert_eq!(&source[begin..begin + text.len()], text);
                    add_text(&mut found, &if references { unescape_text(text) } else { text.to_owned() });
                }
                Token::Start(Start { name, closed }) => {
                    let mut attributes = BTreeMap::new();
                    for attribute in tokens.attributes() {
                        let name = attribute.name.to_ascii_lowercase();
                        attributes.entry(name).or_insert_with(|| unescape(attribute.value).into_owned());
                    }
                    found.push(Plain::Start(name.to_ascii_lowercase(), attributes, closed));
                    tokens.enter(content(name));
                }
                Token::End(name) => found.push(Plain::End(name.to_ascii_lowercase())),
                Token::Comment(text) => found.push(Plain::Comment(text.to_owned())),
                Token::Doctype => found.push(Plain::Doctype),
            }
        }
        found
    }

    fn theirs(source: &str) -> Vec<Plain> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut tokens = html5gum::Tokenizer::new(source);
        let mut found = Vec::new();
        while let Some(Ok(token)) = tokens.next() {
            match token {
                html5gum::Token::String(string) => add_text(&mut found, &text(&string)),
                html5gum::Token::StartTag(tag) => {
                    let name = text(&tag.name);
                    match content(&name) {
                        Content::Data => {}
                        Content::Text { references: true, .. } => tokens.set_state(html5gum::State::RcData),
                        Content::Text { references: false, .. } => tokens.set_state(html5gum::State::RawText),
                        Content::Script => tokens.set_state(html5gum::State::ScriptData),
                        Content::Plain => tokens.set_state(html5gum::State::PlainText),
                    }
                    let attributes = tag.attributes.iter().map(|(name, value)| (text(name), text(value))).collect();
                    found.push(Plain::Start(name, attributes, tag.self_closing));
                }
                html5gum::Token::EndTag(tag) => found.push(Plain::End(text(&tag.name))),
                html5gum::Token::Comment(comment) => found.push(Plain::Comment(text(&comment))),
                html5gum::Token::Doctype(_) => found.push(Plain::Doctype),
                html5gum::Token::Error(_) => {}
            }
        }
        found
    }

    const PIECES: &[&str] = &[
        "<",
        ">",
        "/",
        "!",
        "-",
        "--",
        "-->",
        "--!>",
        "<!--",
        "<!-",
        "<!",
        "<!>",
        "</",
        "</>",
        "<?",
        "?>",
        "=",
        "\"",
        "'",
        " ",
        "\n",
        "\t",
        "\x0c",
        "a",
        "b",
        "é",
        "漢",
        "x y",
        "&",
        "&amp",
        "&amp;",
        "&notit;",
        "&notin;",
        "&#65;",
        "&#x",
        "&#",
        "&#150",
        ";",
        "<a",
        "<a ",
        "<A href=",
        "<b>",
        "</b>",
        "</A>",
        "</a b=c>",
        "<br/>",
        "<br / >",
        " a=1",
        " A='2'",
        " b=\"&copy=3&copy;\"",
        " c",
        " =d",
        " e= f",
        "<script>",
        "<SCRIPT",
        "</script",
        "</script>",
        "<script ",
        "<style>",
        "</style>",
        "</STYLE ",
        "<title>",
        "</title>",
        "</title/",
        "<textarea>",
        "</textarea>",
        "<xmp>",
        "</xmp>",
        "<noscript>",
        "</noscript>",
        "<noframes>",
        "</noframes>",
        "<iframe>",
        "</iframe>",
        "<plaintext>",
        "<!DOCTYPE html>",
        "<!doctype",
        "<![CDATA[",
        "]]>",
        "[CDATA[",
        "<svg>",
        "</svg>",
        "<1",
        "<é",
    ];

    /// A small generator of numbers (splitmix64): the same every time.
    fn draw(state: &mut u64) -> usize {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as usize
    }

    #[test]
    fn nasty_markup_is_read_as_html5gum_reads_it() {
        let mut state = 1;
        for _ in 0..40_000 {
            let length = draw(&mut state) % 14;
            let source: String = (0..length).map(|_| PIECES[draw(&mut state) % PIECES.len()]).collect();
            assert_eq!(ours(&source), theirs(&source), "{source:?}");
        }
    }

    #[test]
    fn cdata_sections_are_text_in_foreign_elements_only() {
        let text = |text, begin| Some(Token::Text(Text { text, begin, references: false }));
        let mut tokens = Tokenizer::new("<![CDATA[a<b>]]&]]]><![CDATA[]]>");
        tokens.foreign = true;
        assert_eq!(tokens.next_token(), text("a<b>]]&]", 9));
        tokens.foreign = false;
        assert_eq!(tokens.next_token(), Some(Token::Comment("[CDATA[]]")));
        let mut tokens = Tokenizer::new("<![CDATA[a");
        tokens.foreign = true;
        assert_eq!(tokens.next_token(), text("a", 9));
        assert_eq!(tokens.next_token(), None);
    }
}
