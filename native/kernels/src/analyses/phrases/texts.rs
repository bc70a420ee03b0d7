//! What popular phrases say, as one of the documents that have them writes it.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use crate::analyses::postings::Gramming;
use crate::flow::columns::{Along, Numbers, Texts};
use crate::flow::contract::Port;
use crate::flow::kernel::{Done, Map, Output};
use crate::text::fingerprint::Slide;
use crate::text::grams::circle;
use crate::text::slots::Multiply;
use crate::text::unicode::without_filler;
use crate::{columns, contract, row};

columns! {
    /// Phrases by the lowest document that has them.
    pub struct Phrases<'a> {
        doc: Numbers<'a>, gram: Numbers<'a>, documents: Numbers<'a>, sampled: Numbers<'a>, functions: Numbers<'a>,
    }
}

row! {
    /// Of a phrase: what it says, in how many documents it was sampled, how often, by how many functions it is popular,
    /// and the lowest of the documents.
    pub struct PopularPhrase<'a> { text: &'a [u8], documents: u64, sampled: u64, functions: u64, example: u64 }
}

/// Map: the texts of phrases, looked up in the documents that are named with them.
pub struct PhraseTexts(Gramming);

contract! {
    map PhraseTexts = "phrase texts";
    new(parameters: Gramming) = Ok(Self(parameters));
    reads Texts<'a>, beside Phrases<'a>;
    keeps "the words of one document";
    const PHRASES: Port<PopularPhrase<'static>> = Port::hashes(0, "phrases");
}

impl PhraseTexts {
    /// Longer phrases, of words as nobody writes them, are cut.
    const LONGEST: usize = 1000;
}

impl Map for PhraseTexts {
    fn batch<'a>(&mut self, pages: Texts<'a>, phrases: Phrases<'a>, out: &mut Output) -> Done {
        let k = self.0.k.get();
        let mut along = Along::new(phrases.doc);
        let (mut head, mut places) = (Vec::new(), Vec::new());
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row);
            let mut asked: HashMap<u64, usize, BuildHasherDefault<Multiply>> =
                along.rows(doc).map(|at| (phrases.gram.at(at), at)).collect();
            if asked.is_empty() {
                continue;
            }
            let text = pages.text.at(row);
            places.clear();
            let mut slide = Slide::new(&self.0.key, k);
            let mut found = Vec::new();
            let mut number = 0;
            circle(
                &text,
                &self.0.key,
                k,
                &mut head,
                |begin, end, word| {
                    places.push((begin, end));
                    word
                },
                |word| slide.push(word),
                |gram| {
                    found.extend(asked.remove(&gram).map(|at| (number, at)));
                    number += 1;
                },
            );
            for (number, at) in found {
                let written = write_phrase(&text, &places, number, k);
                let phrase = PopularPhrase {
                    text: written.as_bytes(),
                    documents: phrases.documents.at(at),
                    sampled: phrases.sampled.at(at),
                    functions: phrases.functions.at(at),
                    example: doc,
                };
                out.row(&Self::PHRASES, phrases.gram.at(at), phrase);
            }
        }
        Ok(())
    }
}

/// The k words from `number` on as they are written, white space collapsed; behind the last word comes the first.
fn write_phrase(text: &str, places: &[(usize, usize)], number: usize, k: usize) -> String {
    let (mut phrase, mut next, mut left) = (String::new(), number % places.len(), k);
    while left > 0 && phrase.len() <= PhraseTexts::LONGEST {
        let last = (next + left).min(places.len()) - 1;
        for part in text[places[next].0..places[last].1].split_whitespace() {
            if !phrase.is_empty() {
                phrase.push(' ');
            }
            phrase.push_str(&without_filler(part));
        }
        left -= last + 1 - next;
        next = 0;
    }
    if let Some((cut, _)) = phrase.char_indices().nth(PhraseTexts::LONGEST) {
        phrase.truncate(cut);
        phrase.push('…');
    }
    phrase
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_go_round() {
        let text = "One,  two\n three — four";
        let places = [(0, 3), (6, 9), (11, 16), (21, 25)];
        let write = |number, k| write_phrase(text, &places, number, k);
        assert_eq!(write(0, 2), "One, two");
        assert_eq!(write(1, 3), "two three — four");
        assert_eq!(write(3, 3), "four One, two");
        assert_eq!(write(2, 7), "three — four One, two three — four One");
        assert_eq!(write_phrase("a", &[(0, 1)], 0, 5), "a a a a a");
        assert_eq!(write_phrase(&"é".repeat(3000), &[(0, 6000)], 0, 1).chars().count(), PhraseTexts::LONGEST + 1);
    }
}
