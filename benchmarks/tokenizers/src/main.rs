//! `tokenizers FILE ROUNDS`: the pages of a file, each followed by a NUL, are read by each tokenizer in turn, round after
//! round. Prints a line for each round and tokenizer: its name, seconds of processor time, bytes of text, links.

use std::fs;
use std::time::Duration;

use html5gum::{State, Token, Tokenizer};
use lol_html::{doc_text, element, HtmlRewriter, Settings};
use unquilt_kernels::reading::html::page;

type Reader = fn(&str) -> (usize, usize);

const READERS: [(&str, Reader); 3] = [("ours", ours), ("html5gum", html5gum), ("lol_html", lol_html)];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (path, rounds) = (arguments.next().expect("FILE"), arguments.next().expect("ROUNDS"));
    let bytes = fs::read_to_string(path).expect("a file of UTF-8");
    let pages: Vec<&str> = bytes.split_terminator('\0').collect();
    for _ in 0..rounds.parse().expect("a number of rounds") {
        for (name, read) in READERS {
            let begin = processor_time();
            let sums = pages.iter().map(|page| read(page)).fold((0, 0), |sum, found| (sum.0 + found.0, sum.1 + found.1));
            println!("{name} {} {} {}", (processor_time() - begin).as_secs_f64(), sums.0, sums.1);
        }
    }
}

/// Text, chunks with their digests, and links: all that is kept of a page.
fn ours(page: &str) -> (usize, usize) {
    let found = page::extract(page, Some("http://example.org/"));
    (found.text.len(), found.links.len())
}

/// Tokens, no more. Told of elements whose content is no markup, as a tree builder would tell it.
fn html5gum(page: &str) -> (usize, usize) {
    let (mut text, mut links) = (0, 0);
    let mut tokens = Tokenizer::new(page);
    while let Some(Ok(token)) = tokens.next() {
        match token {
            Token::String(string) => text += string.len(),
            Token::StartTag(tag) => match &**tag.name {
                b"a" => links += 1,
                b"script" => tokens.set_state(State::ScriptData),
                b"style" => tokens.set_state(State::RawText),
                b"title" | b"textarea" => tokens.set_state(State::RcData),
                _ => (),
            },
            _ => (),
        }
    }
    (text, links)
}

/// Text as it stands, references and all, and links.
fn lol_html(page: &str) -> (usize, usize) {
    let (mut text, mut links) = (0, 0);
    let settings = Settings {
        document_content_handlers: vec![doc_text!(|found| {
            text += found.as_str().len();
            Ok(())
        })],
        element_content_handlers: vec![element!("a[href]", |_| {
            links += 1;
            Ok(())
        })],
        ..Settings::new()
    };
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| ());
    rewriter.write(page.as_bytes()).and_then(|()| rewriter.end()).expect("a page");
    (text, links)
}

fn processor_time() -> Duration {
    let ticks = fs::read_to_string("/proc/self/schedstat").expect("Linux");
    Duration::from_nanos(ticks.split(' ').next().and_then(|nanos| nanos.parse().ok()).expect("a number"))
}
