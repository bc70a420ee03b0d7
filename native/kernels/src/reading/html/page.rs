//! What a corpus keeps of a page: its visible text in chunks, and its links. One pass over the source, linear.
//!
//! **Visible** is all text but comments, what [`elements`](crate::reading::html::elements) calls unseen (scripts,
//! styles, titles, templates, what stands in for something that browsers show: `noscript`, `iframe`, `object`, `audio`,
//! `video`, `canvas` …; `select`, `datalist` and `textarea`, whose text belongs to forms; `title`, `desc` and
//! `metadata` of SVG, annotations of MathML), elements with the attribute `hidden`, dialogs that are not open, and what a
//! simple style hides (see [`css`](crate::reading::html::css)); words that are hidden so are counted. An element ends at
//! its end tag, at that of an element around it, or, where end tags may be left out, at the next of its kind. `html` and `body` are always seen: pages hide them until their scripts have run.
//!
//! **White space** (Unicode's, no-break spaces too) becomes one space; so does the edge of a form control (`button`,
//! `input`, `select`, `textarea`), which stands apart from the words around it. `<br>` ends a line, without white space
//! around it. In `pre`, `listing`, `xmp` and `plaintext` lines stay as they are. NULs are dropped.
//!
//! **Chunks** end where a block element (`div`, `p`, `li`, `td` …) begins or ends, and at a blank line (two `<br>`, an
//! empty line of a `pre`). They have no white space around them, and a blank line between them, so that the paragraphs
//! of the text are the chunks of the page. The raw chunk is the source from its first to its last character, with the
//! markup between.
//!
//! **Links** are what `href` of `a` and `area` leads to, seen or not: resolved against the first `<base href>` and the
//! URL of the page, http and https only, without fragment, distinct, in order of first appearance. A link to the page
//! itself (empty, or a fragment alone) is none. They are bounded in number and in bytes, since 10,000 links of two
//! letters under a `<base>` of 50 kB would become 500 MB: see [`MOST_LINKS`] and [`most_link_bytes`].

use std::collections::{HashMap, HashSet};

use memchr::{memchr2, memmem};
use url::Url;

use crate::reading::html::css::{colour, Look, Paint, Sheet};
use crate::reading::html::elements::{self, Element, Stack, BLOCK, BOX, VOID};
use crate::reading::html::lanes;
use crate::reading::html::markup::{self, Attribute, Content, Start, Token, Tokenizer};
use crate::reading::html::references::{reference, unescape};
use crate::reading::paragraphs::{is_white, Chunks};
use crate::text::fingerprint::Fingerprinter;
use crate::text::points::count_points;
use crate::text::words::words;

/// Bytes of the longest `href` that counts as a link.
pub const LONGEST_LINK: usize = 1 << 16;

/// The most links that are kept of a page: more than the longest lists that people publish, such as indices of all
/// packages of a language.
pub const MOST_LINKS: usize = 1 << 20;

/// The most bytes that the links of a page of so many bytes may have together, copies and links that lead to no page
/// included.
///
/// A link takes about 20 bytes of source even in the densest list (`<a href=ab>ab</a>`), so only links of more than 320
/// bytes on average, all of them relative, come to sixteen times the source; short names under a URL of 100 bytes come
/// to some five times. The 64 MiB are what a page may have by default.
pub fn most_link_bytes(source: usize) -> usize {
    ((1 << 20) + source.saturating_mul(16)).min(1 << 26)
}

/// What is kept of a page.
pub struct Page {
    pub text: String,
    pub chunks: Chunks,
    pub links: Vec<String>,
    /// Whether it has more links than are kept.
    pub more_links: bool,
    /// Tags and runs of text.
    pub nodes: usize,
    /// The most elements that were open at the same time.
    pub depth: usize,
    /// Words that a style or an attribute hides, and where texts with them begin and end in the source.
    pub hidden: u64,
    pub hidden_places: Vec<u32>,
}

/// Reads a page that was found at `url`; `keep` what is hidden by a style or an attribute.
pub fn extract(source: &str, url: Option<&str>, keep: bool) -> Page {
    let styles = Styles::of(source, keep);
    let mut tokens = Tokenizer::new(source);
    let mut stack = Stack::new(styles.page);
    let (mut hidden, mut hidden_places) = (0, Vec::new());
    let mut text = Text::new(source);
    let mut hrefs = Hrefs::default();
    let mut nodes = 0;
    while let Some(token) = tokens.next_token() {
        nodes += 1;
        match token {
            Token::Text(run) => {
                if stack.seen() {
                    text.run(run, stack.pre());
                } else if stack.hidden() {
                    hidden_places.extend([run.begin as u32, (run.begin + run.text.len()) as u32]);
                    words(&unescape(run.text), &Fingerprinter::plain(), |_, _, _| hidden += 1);
                }
            }
            Token::Start(Start { name, closed }) => {
                let (element, flags) = elements::look_up(name);
                hrefs.collect(element, tokens.attributes());
                if stack.make_room(element, flags) {
                    text.end_chunk();
                }
                if flags & BOX != 0 && stack.seen() && !stack.pre() {
                    text.space();
                }
                let foreign = stack.foreign() || matches!(element, Element::Svg | Element::Math);
                let empty = if foreign { closed } else { flags & VOID != 0 };
                if empty {
                    if stack.seen() && element == Element::Br {
                        text.end_line(stack.pre());
                    } else if stack.seen() && flags & BLOCK != 0 {
                        text.end_chunk();
                    }
                    continue;
                }
                let (concealed, look) = styles.look(name, element, tokens.attributes(), stack.look());
                let seen = stack.push(name, element, flags, concealed, look);
                if seen && flags & BLOCK != 0 {
                    text.end_chunk();
                }
                if !foreign {
                    tokens.enter(content(name, element));
                }
                tokens.foreign = stack.foreign();
            }
            Token::End(name) => {
                let (element, flags) = elements::look_up(name);
                let ended = stack.close(name, element);
                if flags & BOX != 0 && stack.seen() && !stack.pre() {
                    text.space();
                }
                // Two end tags mean something without a start tag.
                if element == Element::Br && stack.seen() {
                    text.end_line(stack.pre());
                } else if ended.unwrap_or(element == Element::P && stack.seen()) {
                    text.end_chunk();
                }
                tokens.foreign = stack.foreign();
            }
            Token::Comment(_) | Token::Doctype => nodes -= 1,
        }
    }
    text.end_chunk();
    let (links, more_links) = hrefs.resolve(url, most_link_bytes(source.len()));
    Page { text: text.text, chunks: text.chunks, links, more_links, nodes, depth: stack.deepest, hidden, hidden_places }
}

/// How an element's content is read by a browser that runs scripts, for which `noscript` is raw text.
pub fn content(name: &str, element: Element) -> Content<'_> {
    match element {
        Element::Title | Element::Textarea => Content::Text { name, references: true },
        Element::Style | Element::Xmp | Element::Iframe | Element::Noembed | Element::Noframes | Element::Noscript => {
            Content::Text { name, references: false }
        }
        Element::Script => Content::Script,
        Element::Plaintext => Content::Plain,
        _ => Content::Data,
    }
}

fn find<'a>(attributes: &[Attribute<'a>], name: &str) -> Option<&'a str> {
    attributes.iter().find(|attribute| attribute.name.eq_ignore_ascii_case(name)).map(|attribute| attribute.value)
}

/// The styles of a page.
struct Styles {
    sheet: Sheet,
    page: Look,
    keep: bool,
}

impl Styles {
    /// Those of its own `<style>` elements, wherever they stand: rules count for what is before them, too.
    fn of(source: &str, keep: bool) -> Self {
        let linked = memmem::find(source.as_bytes(), b"stylesheet").is_some();
        let mut sheet = Sheet::default();
        let last = [&b"<style"[..], b"<STYLE"].iter().filter_map(|tag| memmem::rfind(source.as_bytes(), tag)).max();
        let mut tokens = Tokenizer::new(source);
        let mut inside = false;
        while !keep && last.is_some_and(|last| tokens.place() <= last || inside) {
            match tokens.next_token() {
                Some(Token::Start(Start { name, .. })) => {
                    let (element, _) = elements::look_up(name);
                    let media = find(tokens.attributes(), "media").map(str::to_ascii_lowercase);
                    let screen = media.is_none_or(|media| media.contains("screen") || media.contains("all"));
                    inside = element == Element::Style && screen;
                    tokens.enter(content(name, element));
                }
                Some(Token::Text(run)) => {
                    if std::mem::take(&mut inside) {
                        sheet.read(run.text);
                    }
                }
                Some(_) => inside = false,
                None => break,
            }
        }
        let page = Look::page(linked || sheet.paints_elsewhere);
        Self { sheet, page, keep }
    }

    /// Whether an element and all inside it is hidden, and how it looks inside an element that looks so.
    #[inline]
    fn look(&self, name: &str, element: Element, attributes: &[Attribute<'_>], around: Look) -> (bool, Look) {
        let closed = element == Element::Dialog && !self.keep && find(attributes, "open").is_none();
        if self.keep || attributes.is_empty() && self.sheet.is_empty() {
            return (closed, around);
        }
        let inline = find(attributes, "style").map(unescape);
        let (id, classes) = (find(attributes, "id"), find(attributes, "class"));
        let mut style = self.sheet.style(name, id.unwrap_or_default(), classes.unwrap_or_default(), inline.as_deref());
        let paint = |attribute: &str| find(attributes, attribute).map(|value| colour(value).unwrap_or(Paint::Unknown));
        style.paint(paint("color").filter(|_| name.eq_ignore_ascii_case("font")), paint("bgcolor"));
        style.paint(None, find(attributes, "background").map(|_| Paint::Unknown));
        let look = around.with(style, element == Element::A);
        if matches!(element, Element::Html | Element::Body) {
            return (false, look.shown());
        }
        (closed || style.conceals() || find(attributes, "hidden").is_some(), look)
    }
}

/// The text of a page as it grows, and its chunks.
struct Text<'a> {
    source: &'a str,
    text: String,
    chunks: Chunks,
    /// Code points of `text` up to `counted`.
    points: usize,
    counted: usize,
    /// Where the chunk being made begins in `text` and in the source.
    open: Option<(usize, usize)>,
    /// Where its last character that is no white space ends in `text` and in the source.
    solid: usize,
    raw_end: usize,
    /// Where its last line begins in `text`.
    line: usize,
    /// Whether single spaces are all the white space that it has.
    even: bool,
}

impl<'a> Text<'a> {
    fn new(source: &'a str) -> Self {
        Self {
            source,
            text: String::new(),
            chunks: Chunks::default(),
            points: 0,
            counted: 0,
            open: None,
            solid: 0,
            raw_end: 0,
            line: 0,
            even: true,
        }
    }

    fn run(&mut self, run: markup::Text<'_>, pre: bool) {
        let markup::Text { text: run, begin, references } = run;
        let bytes = run.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let plain = plain_length(&bytes[at..]);
            if plain > 0 {
                self.push(&run[at..at + plain], begin + at, begin + at + plain);
                at += plain;
                continue;
            }
            if !pre && bytes[at].is_ascii_whitespace() {
                at += bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                self.space();
                continue;
            }
            if bytes[at] == b'&' && references {
                if let Some(found) = reference(&bytes[at..], false) {
                    for c in std::iter::once(found.first).chain(found.second) {
                        self.character(c, begin + at, begin + at + found.length, pre);
                    }
                    at += found.length;
                    continue;
                }
            }
            let Some(c) = run[at..].chars().next() else { break };
            // CR LF is one line end.
            let length = if bytes[at..].starts_with(b"\r\n") { 2 } else { c.len_utf8() };
            self.character(c, begin + at, begin + at + length, pre);
            at += length;
        }
    }

    #[inline]
    fn character(&mut self, c: char, begin: usize, end: usize, pre: bool) {
        match c {
            '\0' => {}
            _ if !is_white(c) => self.push(c.encode_utf8(&mut [0; 4]), begin, end),
            _ if !pre => self.space(),
            '\n' | '\r' => self.end_line(true),
            _ if self.open.is_some() => {
                self.text.push(c);
                self.even = false;
            }
            _ => {}
        }
    }

    /// Adds text that neither begins nor ends with white space, and has only single spaces inside.
    #[inline]
    fn push(&mut self, solid: &str, begin: usize, end: usize) {
        if self.open.is_none() {
            if !self.text.is_empty() {
                self.text.push_str("\n\n");
            }
            self.line = self.text.len();
            self.even = true;
            self.open = Some((self.text.len(), begin));
        }
        self.text.push_str(solid);
        self.solid = self.text.len();
        self.raw_end = end;
    }

    #[inline]
    fn space(&mut self) {
        if self.open.is_some() && self.solid == self.text.len() {
            self.text.push(' ');
        }
    }

    /// Ends the line; a line that is blank ends the chunk.
    fn end_line(&mut self, pre: bool) {
        if self.open.is_none() {
            return;
        }
        if self.solid <= self.line {
            return self.end_chunk();
        }
        if !pre {
            self.text.truncate(self.solid);
        }
        self.text.push('\n');
        self.line = self.text.len();
        self.even = false;
    }

    fn end_chunk(&mut self) {
        let Some((begin, raw_begin)) = self.open.take() else { return };
        self.text.truncate(self.solid);
        let begins = self.points + count_points(&self.text.as_bytes()[self.counted..begin]);
        let chunk = &self.text[begin..];
        self.points = begins + count_points(chunk.as_bytes());
        self.counted = self.text.len();
        self.chunks.push(begins, self.points, &self.source.as_bytes()[raw_begin..self.raw_end], chunk, self.even);
    }
}

/// Bytes that may need a closer look: controls and spaces, `&`, and the first bytes of characters that may be white
/// space.
static CLOSER: [bool; 256] = {
    let mut closer = [false; 256];
    let mut byte = 0;
    while byte <= 0x20 {
        closer[byte] = true;
        byte += 1;
    }
    closer[b'&' as usize] = true;
    closer[0xc2] = true;
    closer[0xe1] = true;
    closer[0xe2] = true;
    closer[0xe3] = true;
    closer
};

/// How many bytes can be taken as they are: those that need no closer look, and single spaces between them.
#[inline]
fn plain_length(bytes: &[u8]) -> usize {
    let closer = |at: usize| bytes.get(at).is_none_or(|&byte| CLOSER[usize::from(byte)]);
    let mut at = 0;
    if closer(0) {
        return 0;
    }
    loop {
        while let (Some(word), Some(next)) = (lanes::load(bytes, at), lanes::load(bytes, at + 1)) {
            let spaces = lanes::equal(word, b' ') & lanes::equal(next, b' ');
            let marks = lanes::below(word, 0x20) | lanes::equal(word, b'&') | lanes::beyond_ascii(word) | spaces;
            at += lanes::first(marks);
            if marks != 0 {
                break;
            }
        }
        while !closer(at) {
            at += 1;
        }
        if bytes.get(at) != Some(&b' ') || closer(at + 1) {
            break;
        }
        at += 2;
    }
    // Eight bytes at a time, a space may have been passed that other white space follows.
    if bytes[at - 1] == b' ' {
        at - 1
    } else {
        at
    }
}

/// The distinct values of `href`, not resolved yet: parsing URLs takes long, and pages repeat them.
#[derive(Default)]
struct Hrefs<'a> {
    base: Option<&'a str>,
    seen: HashSet<&'a str>,
    distinct: Vec<&'a str>,
    more: bool,
}

impl<'a> Hrefs<'a> {
    #[inline]
    fn collect(&mut self, element: Element, attributes: &[Attribute<'a>]) {
        match element {
            Element::A | Element::Area => {
                let Some(href) = find(attributes, "href").filter(|href| href.len() <= LONGEST_LINK) else { return };
                let href = without_fragment(href);
                if self.distinct.len() >= MOST_LINKS {
                    self.more |= !self.seen.contains(href);
                } else if self.seen.insert(href) {
                    self.distinct.push(href);
                }
            }
            Element::Base if self.base.is_none() => self.base = find(attributes, "href"),
            _ => {}
        }
    }

    /// The links, of no more than `most` bytes, and whether there are more.
    fn resolve(self, url: Option<&str>, most: usize) -> (Vec<String>, bool) {
        let page = url.and_then(|url| Url::parse(url).ok());
        let based = self.base.and_then(|href| Url::options().base_url(page.as_ref()).parse(&unescape(href)).ok());
        let base = based.or(page);
        let mut links = HashMap::new();
        let mut bytes = 0;
        let mut more = self.more;
        for (number, href) in self.distinct.into_iter().enumerate() {
            let href = unescape(href);
            let href = href.split('#').next().unwrap_or_default().trim_matches(|c| c <= ' ');
            if href.is_empty() {
                continue;
            }
            let Ok(link) = Url::options().base_url(base.as_ref()).parse(href) else { continue };
            bytes += link.as_str().len();
            if bytes > most {
                more = true;
                break;
            }
            if matches!(link.scheme(), "http" | "https") {
                links.entry(String::from(link)).or_insert(number);
            }
        }
        let mut links: Vec<_> = links.into_iter().collect();
        links.sort_unstable_by_key(|(_, number)| *number);
        (links.into_iter().map(|(link, _)| link).collect(), more)
    }
}

/// A link up to its `#`, unless that may belong to a character reference.
fn without_fragment(href: &str) -> &str {
    match memchr2(b'#', b'&', href.as_bytes()) {
        Some(at) if href.as_bytes()[at] == b'#' => &href[..at],
        _ => href,
    }
}

#[cfg(test)]
mod tests {
    use sha1::{Digest, Sha1};

    use super::*;
    use crate::reading::paragraphs::paragraphs;

    fn text(source: &str) -> String {
        let page = extract(source, None, false);
        let found = paragraphs(&page.text);
        assert_eq!((found.begins, found.ends), (page.chunks.begins, page.chunks.ends), "{source}");
        assert_eq!(found.text, page.chunks.text, "{source}");
        page.text
    }

    #[test]
    fn chunks_and_lines() {
        for (source, expected) in [
            ("", ""),
            (" \n\u{a0}&nbsp; ", ""),
            ("a<b>b</b> c", "ab c"),
            (" a  \n\t b\u{a0}\u{2003}c&nbsp;&#32;d ", "a b c d"),
            ("a<p>b<p>c</p>d", "a\n\nb\n\nc\n\nd"),
            ("<div>a<span> b </span> c</div>d", "a b c\n\nd"),
            ("<table><tr><td>a<td>b<tr><th>c</table>d", "a\n\nb\n\nc\n\nd"),
            ("<ul><li>a<ul><li>b</ul>c<li>d</ul>", "a\n\nb\n\nc\n\nd"),
            ("a <br> b<br/>c</br>d", "a\nb\nc\nd"),
            ("a<br>\n<br>b<br>&nbsp;<br>c<br>", "a\n\nb\n\nc"),
            ("a<hr>b<wbr>c<img>d", "a\n\nbcd"),
            ("a<button>b</button><button>c</button><input>d", "a b c d"),
            ("a\0b&#0;", "ab\u{fffd}"),
            ("<pre>\n  a\r\n\tb \r\r c  d \n</pre>e  f", "a\n\tb\n\nc  d\n\ne f"),
            ("<pre>a <br>  b&#10;&#13;c</pre>", "a \n  b\n\nc"),
            ("<pre>a\u{85}b\u{b}\n\u{a0}\nc</pre>", "a\u{85}b\n\nc"),
            ("<xmp> a <b>&amp;\n</xmp><plaintext>b</plaintext>", "a <b>&amp;\n\nb</plaintext>"),
            ("&lt;p&gt; &amp &eacute;", "<p> & é"),
            ("a</div>b</p>c", "ab\n\nc"),
            ("1 < 2 <3", "1 < 2 <3"),
        ] {
            assert_eq!(text(source), expected, "{source}");
        }
    }

    #[test]
    fn what_is_seen() {
        for (source, expected) in [
            ("<head><title>a</title><style>b</style></head>c", "c"),
            ("a<script>'<p>'</script>b<noscript><p>c</noscript>d", "abd"),
            ("a<!-- b --><?c?><!d>e", "ae"),
            ("a<template><p>b</template>c<iframe>d</iframe>e", "ace"),
            ("a<video>b<p>c</video>d<object>e<p>f</object>g", "adg"),
            ("a<select><option>b<option>c</select>d<textarea><p>e</textarea>f", "a d f"),
            ("<p>a<p hidden>b<p>c", "a\n\nc"),
            ("a<div HIDDEN>b<div>c</div>d</div>e", "ae"),
            ("<div>a<span hidden>b<i>c</div>d", "a\n\nd"),
            ("<ul><li>a<li style='color:red; DISPLAY : none !important'>b<ul><li>c</ul><li>d</ul>", "a\n\nd"),
            ("<table><tr><td style=display:none>a<td>b", "b"),
            ("<p style='display:none;display:block'>a<p style=x-display:none>b", "a\n\nb"),
            ("<img hidden>a<br hidden>b", "a\nb"),
            ("a<dialog>b</dialog>c<dialog open>d</dialog>", "ac\n\nd"),
            ("<html style=display:none><body hidden>a", "a"),
            ("<span hidden>a<div>b</span>c", "c"),
            ("<span>a<div hidden>b</span>c</div>d", "ad"),
            ("<div hidden><table><td>a</div>b</table>c</div>d", "d"),
            ("<svg><title>a<b>b</title><desc>c</desc><text>d</text><style>e</style></svg>f", "df"),
            ("<svg><path/><text>a</text><![CDATA[<b>]]></svg><![CDATA[c]]>", "a<b>"),
            ("<svg><p>a<script><b></script>c", "ac"),
            ("<math><mi>x</mi><annotation>y</annotation></math>", "x"),
        ] {
            assert_eq!(text(source), expected, "{source}");
        }
    }

    #[test]
    fn raw_chunks_are_source() {
        let page = extract("<p> A&amp;<b>b</b>&eacute; <i> </i><p>c<br> d", None, false);
        let sources = ["A&amp;<b>b</b>&eacute;", "c<br> d"];
        let expected: Vec<u8> = sources.iter().flat_map(Sha1::digest).collect();
        assert_eq!(page.chunks.raw, expected);
        assert_eq!(page.chunks.text, ["A&bé", "c d"].iter().flat_map(Sha1::digest).collect::<Vec<u8>>());
        assert_eq!((page.nodes, page.depth), (13, 2));
    }

    #[test]
    fn links() {
        let source = "<a href=b>x</a><a href='b#c'><a href=#d><a href=''><a href='/e?f&amp;g'><area href=//other.org>\
            <A HREF=' HTTPS://Example.COM/%7e/../h '><a href=mailto:i><a href=http://><a name=j><a href='b&#35;k'>";
        for (url, base, expected) in [
            (
                Some("http://example.org/a/x.html?y#z"),
                "",
                ["http://example.org/a/b", "http://example.org/e?f&g"].as_slice(),
            ),
            (None, "", &[]),
            (Some("file:///x"), "", &[]),
            (
                Some("nonsense"),
                "<base href='http://example.org/'>",
                &["http://example.org/b", "http://example.org/e?f&g"],
            ),
            (
                Some("http://example.org/"),
                "<base href=/q/r><base href=/s/>",
                &["http://example.org/q/b", "http://example.org/e?f&g"],
            ),
        ] {
            let other = url.is_some_and(|url| url.starts_with("http")) || !base.is_empty();
            let mut expected = expected.to_vec();
            expected.extend(if other { Some("http://other.org/") } else { None });
            expected.push("https://example.com/h");
            assert_eq!(extract(&format!("{base}{source}"), url, false).links, expected, "{url:?} {base}");
        }
        let long = format!("<a href='http://example.org/{}'>", "x".repeat(LONGEST_LINK));
        assert!(extract(&long, None, false).links.is_empty());
    }

    #[test]
    fn links_are_bounded() {
        let list = |count: usize| (0..count).map(|i| format!("<a href={i}>")).collect::<String>();
        for (base, count, kept) in [
            (format!("http://example.org/{}/", "x".repeat(100)), 10_000, 10_000),
            (format!("http://example.org/{}/", "x".repeat(50_000)), 10_000, 78),
            (format!("http://example.org/{}/", "x".repeat(2_000_000)), 10, 10),
            (String::from("http://example.org/"), MOST_LINKS + 2, MOST_LINKS),
            (String::from("http://example.org/"), MOST_LINKS, MOST_LINKS),
        ] {
            let source = format!("<base href={base}>{}<a href=1>", list(count));
            let page = extract(&source, None, false);
            let bytes: usize = page.links.iter().map(String::len).sum();
            assert_eq!((page.links.len(), page.more_links), (kept, kept < count), "{count} under {}", base.len());
            assert!(bytes <= most_link_bytes(source.len()));
        }
    }

    #[test]
    fn links_that_lead_nowhere_are_bounded_too() {
        let hrefs: String = (0..100).map(|i| format!("<a href={}a>", "./".repeat(i))).collect();
        let page = extract(&format!("<base href=ftp://example.org/{}/>{hrefs}", "x".repeat(1 << 20)), None, false);
        assert!(page.links.is_empty() && page.more_links);
    }
}
