//! The source of a page in chunks: all bytes between the boundaries of its paragraphs, as Ardi and Heidemann compare them.
//!
//! A boundary is where the start tag of a block element begins, and where an end tag of one ends. It is also where an end
//! tag begins, unless the chunk begins with the start tag of the same name: `<p>one</div>` is a paragraph and the end of
//! what is around it. Inside scripts, styles, comments and the like there are no boundaries. So every byte belongs to one
//! chunk, tags, scripts, images and white space included, and what is not seen counts as what is seen. The paragraphs of
//! a page without any markup are those of a plain text.
//!
//! A chunk says nothing if it has fewer than two letters or digits besides the tags of blocks and line breaks, and the
//! names of other tags: `<p></p>`, `<p>&nbsp;</p>` and `</div>` say nothing; `<p><img src="pixel.gif">` says something.

use crate::reading::html::css::Look;
use crate::reading::html::elements::{self, Element, Stack, BLOCK, VOID};
use crate::reading::html::markup::{Start, Token, Tokenizer};
use crate::reading::html::page::content;
use crate::reading::html::references::unescape;
use crate::reading::paragraphs::{paragraphs, says, Chunks, LEAST};
use crate::text::points::count_points;

/// The chunks of the source of a page, in code points of it.
pub fn cut(source: &str) -> Chunks {
    let mut tokens = Tokenizer::new(source);
    let mut stack = Stack::new(Look::page(false));
    let mut cutter = Cutter { source, chunks: Chunks::default(), begin: 0, points: 0, said: 0, opened: None };
    let mut marked = false;
    while let Some(token) = tokens.next_token() {
        marked |= !matches!(token, Token::Text(_));
        match token {
            Token::Text(run) => match run.references {
                true => cutter.say(&unescape(run.text)),
                false => cutter.say(run.text),
            },
            Token::Comment(text) => cutter.say(text),
            Token::Doctype => {}
            Token::Start(Start { name, closed }) => {
                let (element, flags) = elements::look_up(name);
                if flags & BLOCK != 0 {
                    cutter.end(tokens.began());
                    cutter.opened = Some(element);
                } else if element != Element::Br {
                    tokens.attributes().iter().for_each(|attribute| cutter.say(attribute.value));
                }
                // Which elements are open matters only because text is read in another way inside some of them.
                stack.make_room(element, flags);
                let foreign = stack.foreign() || matches!(element, Element::Svg | Element::Math);
                if !(if foreign { closed } else { flags & VOID != 0 }) {
                    let look = stack.look();
                    stack.push(name, element, flags, false, look);
                    if !foreign {
                        tokens.enter(content(name, element));
                    }
                }
                tokens.foreign = stack.foreign();
            }
            Token::End(name) => {
                let (element, flags) = elements::look_up(name);
                stack.close(name, element);
                if flags & BLOCK != 0 {
                    if cutter.opened != Some(element) {
                        cutter.end(tokens.began());
                    }
                    cutter.end(tokens.place());
                }
                tokens.foreign = stack.foreign();
            }
        }
    }
    if !marked {
        return paragraphs(source);
    }
    cutter.end(source.len());
    cutter.chunks
}

struct Cutter<'a> {
    source: &'a str,
    chunks: Chunks,
    /// Where the chunk that is being cut begins, in bytes and in code points.
    begin: usize,
    points: usize,
    /// How many letters and digits it has, as far as it matters.
    said: usize,
    /// The block whose start tag it begins with.
    opened: Option<Element>,
}

impl Cutter<'_> {
    fn say(&mut self, text: &str) {
        if self.said < LEAST {
            self.said += says(text);
        }
    }

    /// Ends the chunk, unless it is empty.
    fn end(&mut self, end: usize) {
        let chunk = &self.source[self.begin..end];
        if chunk.is_empty() {
            return;
        }
        let points = self.points + count_points(chunk.as_bytes());
        self.chunks.add(self.points, points, chunk.as_bytes(), chunk, false, self.said < LEAST);
        (self.begin, self.points, self.said, self.opened) = (end, points, 0, None);
    }
}

#[cfg(test)]
mod tests {
    use sha1::{Digest, Sha1};

    use super::*;

    /// The chunks, those that say nothing in brackets.
    fn chunks(source: &str) -> Vec<String> {
        let found = cut(source);
        let points: Vec<char> = source.chars().collect();
        let spans = found.begins.iter().zip(&found.ends).enumerate();
        spans
            .map(|(number, (&begin, &end))| {
                let chunk: String = points[begin as usize..end as usize].iter().collect();
                assert_eq!(found.raw[20 * number..][..20], Sha1::digest(&chunk)[..], "{source}");
                if found.trivial.contains(&(number as i32)) {
                    format!("[{chunk}]")
                } else {
                    chunk
                }
            })
            .collect()
    }

    #[test]
    fn all_bytes_between_boundaries() {
        for (source, expected) in [
            ("", &[][..]),
            ("<p>one<p class=x>two", &["<p>one", "<p class=x>two"]),
            (
                "<div><p>one</p>\n<P ID=a>two</P></div>é",
                &["[<div>]", "<p>one</p>", "[\n]", "<P ID=a>two</P>", "[</div>]", "[é]"],
            ),
            ("<div><p>one</div>two</p>", &["[<div>]", "<p>one", "[</div>]", "two", "[</p>]"]),
            ("<p><script>ad('<p>')</script><p></p>", &["<p><script>ad('<p>')</script>", "[<p></p>]"]),
            (
                "<p>&nbsp;<br class=wide></p><p><img src=a.gif>",
                &["[<p>&nbsp;<br class=wide></p>]", "<p><img src=a.gif>"],
            ),
            ("<!doctype html><!-- <p> --><p>a<!-- bc -->", &["[<!doctype html><!-- <p> -->]", "<p>a<!-- bc -->"]),
            ("<svg><![CDATA[<p>ab]]></svg><hr>ab<p", &["<svg><![CDATA[<p>ab]]></svg>", "<hr>ab<p"]),
            ("<title><p>no</title><p hidden>yes</p >", &["<title><p>no</title>", "<p hidden>yes</p >"]),
            ("</><p>一二", &["[</>]", "<p>一二"]),
            ("no markup\n\n at all, 1 < 2\n", &["no markup", "at all, 1 < 2"]),
        ] {
            assert_eq!(chunks(source), expected, "{source}");
        }
    }
}
