//! HTML to tokens, after the tokenizer of the WHATWG standard.
//!
//! Names, values and text are slices of the source, as they stand there: in any case, with character references
//! ([`crate::references`]), NULs and CRs. Nothing is allocated for a token, and each byte is looked at a bounded number
//! of times, whatever the input. Where the standard's parser tells its tokenizer how to go on (raw text after `<script>`,
//! CDATA sections inside `<svg>`), whoever reads the tokens does so here.

use memchr::{memchr, memchr2, memmem};

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
    /// Text up to `</script`, where `<!-- <script` may hide one.
    Script,
    /// Text up to the end of the source.
    Plain,
}

/// Reads tokens from a source.
pub struct Tokenizer<'a> {
    source: &'a str,
    at: usize,
    content: Content<'a>,
    attributes: Vec<Attribute<'a>>,
    /// Whether the next token stands inside `<svg>` or `<math>`, where there are CDATA sections.
    pub foreign: bool,
}

/// White space of the standard; CR too, which it would have replaced by LF before.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c')
}

fn ends_name(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b'/' | b'>')
}

impl<'a> Tokenizer<'a> {
    pub fn new(source: &'a str) -> Self {
        Self { source, at: 0, content: Content::Data, attributes: Vec::new(), foreign: false }
    }

    /// The attributes of the start tag read last.
    pub fn attributes(&self) -> &[Attribute<'a>] {
        &self.attributes
    }

    /// Says how what follows is read, after a start tag.
    pub fn enter(&mut self, content: Content<'a>) {
        self.content = content;
    }

    /// The next token, None at the end of the source. A tag that the source breaks off is none.
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
                    let (name, _) = self.tag(open + 2)?;
                    return Some(Token::End(name));
                }
                (b'/', _) => return Some(self.bogus_comment(open + 2)),
                (b'?', _) => return Some(self.bogus_comment(open + 1)),
                (b'!', _) => return Some(self.declaration(open + 2)),
                _ => {
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

    /// Reads the tag whose name begins at `begin`: its name, and whether it ends in `/>`. None if the source ends before.
    fn tag(&mut self, begin: usize) -> Option<(&'a str, bool)> {
        let bytes = self.source.as_bytes();
        self.attributes.clear();
        self.at = bytes.len();
        let mut at = begin + bytes[begin..].iter().position(|&byte| ends_name(byte))?;
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
                byte if is_space(byte) || byte == b'/' => at += 1,
                _ => at = self.attribute(at)?,
            }
        }
    }

    /// Reads the attribute that begins at `begin`; returns where the tag goes on. None if the source ends before.
    fn attribute(&mut self, begin: usize) -> Option<usize> {
        let bytes = self.source.as_bytes();
        // The first character belongs to the name, even if it is `=`.
        let name_end = begin + 1 + bytes[begin + 1..].iter().position(|&byte| ends_name(byte) || byte == b'=')?;
        let name = &self.source[begin..name_end];
        let mut at = skip_spaces(bytes, name_end)?;
        let mut value = "";
        if bytes[at] == b'=' {
            at = skip_spaces(bytes, at + 1)?;
            let quote = bytes[at];
            if matches!(quote, b'"' | b'\'') {
                let end = at + 1 + memchr(quote, &bytes[at + 1..])?;
                value = &self.source[at + 1..end];
                at = end + 1;
            } else if quote != b'>' {
                let end = at + bytes[at..].iter().position(|&byte| is_space(byte) || byte == b'>')?;
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
            self.bogus_comment(begin); // ends alike
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

    /// Up to `-->` or `--!>`; `<!-->` and `<!--->` are whole comments. What the source breaks off ends there.
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
    while let Some(length) = memchr(b'<', &bytes[at..]) {
        at += length;
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
    bytes[at..].iter().position(|&byte| !is_space(byte)).map(|spaces| at + spaces)
}

/// Whether `bytes` begin with this tag name, in any case, and with what ends it.
fn begins_with_name(bytes: &[u8], name: &[u8]) -> bool {
    bytes.len() > name.len() && bytes[..name.len()].eq_ignore_ascii_case(name) && ends_name(bytes[name.len()])
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
    let mut escaped = None; // where the dashes of the `<!--` are that we are in
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
