//! From texts to the tokens of their sentences, or to grams.

use std::num::NonZeroUsize;

use super::{WindowPlace, IN_A, IN_B};
use crate::documents::copies::{CopyColumns, CopyReader};
use crate::flow::columns::{Binary, Numbers, Strings};
use crate::flow::contract::{Port, Side, WrongParameter};
use crate::flow::fields::{Damaged, Rest};
use crate::flow::kernel::{Done, Map, Output};
use crate::sketches::lexicon::Lexicon;
use crate::sketches::spots::{Primary, Spots};
use crate::text::fingerprint::{Fingerprinter, Slide};
use crate::text::points::spans;
use crate::text::sentences::Sentences;
use crate::text::words::words;
use crate::{choice, columns, contract, parameters, row};

choice! {
    /// What a sentence is told by.
    pub enum Scheme { Imatch = "imatch", Shingles = "shingles", Spotsigs = "spotsigs" }
}

parameters! {
    pub struct SentenceSigning {
        signature: Scheme,
        /// Words in a shingle.
        n: NonZeroUsize,
        /// Words in the chain behind an antecedent, and how far from one to the next.
        chain: NonZeroUsize,
        distance: NonZeroUsize,
        /// Words: the antecedents of spot signatures, the primary ones being stop words for chains; for I-Match those that count or, unless `listed`, those that do not.
        lexicon: Side,
        listed: bool,
        a: String,
        b: String,
    }
}

columns! {
    /// Documents with names and chunks.
    pub struct NamedPages<'a> {
        doc: Numbers<'a>, id: Strings<'a>, url: Strings<'a>, file: Strings<'a>, text: Strings<'a>, chunks: Binary<'a>,
    }
}

row! {
    /// Of a token: a document that has it, and the number of the sentence there.
    pub struct TokenPlace { doc: u32, sentence: u32 }
}

row! {
    /// Of a document: the collections that it belongs to, and the code of its servers.
    pub struct PageRow<'a> { side: u8, servers: Rest<'a> }
}

row! {
    /// Of a token: the signatures of the sentence, sorted.
    pub struct SignatureSet<'a> { signatures: Rest<'a> }
}

/// Two collections, each told by a pattern of names; without patterns, all documents belong to both.
pub struct Collections {
    a: String,
    b: String,
}

impl Collections {
    pub fn new(a: String, b: String) -> Self {
        Self { a, b }
    }

    pub fn side(&self, pages: &NamedPages<'_>, row: usize, out: &mut Output) -> u8 {
        if self.a.is_empty() && self.b.is_empty() {
            return IN_A | IN_B;
        }
        let names = [pages.id.at(row), pages.url.at(row), pages.file.at(row)];
        let bit = |pattern: &str, bit| if names.iter().any(|name| matches(pattern, name)) { bit } else { 0 };
        let side = bit(&self.a, IN_A) | bit(&self.b, IN_B);
        out.count("documents_in_a", u64::from(side & IN_A != 0));
        out.count("documents_in_b", u64::from(side & IN_B != 0));
        side
    }
}

/// Whether a name begins as the pattern says, in which `*` stands for anything.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}

/// Makes the signatures of sentences; keeps its buffers.
struct Signer {
    parameters: SentenceSigning,
    lexicon: Lexicon<Side>,
    spots: Spots<Side>,
    print: Fingerprinter,
    words: Vec<u64>,
    bytes: Vec<u8>,
    set: Vec<u64>,
}

impl Signer {
    /// The signatures of a sentence, sorted, each once.
    fn sign(&mut self, sentence: &str) -> &[u64] {
        let Self { parameters, lexicon, spots, print, words: found, bytes, set } = self;
        found.clear();
        set.clear();
        if parameters.signature != Scheme::Spotsigs {
            words(sentence, print, |_, _, word| found.push(word));
        }
        let mut hash = |chosen: &mut dyn Iterator<Item = u64>| {
            bytes.clear();
            chosen.for_each(|word| bytes.extend_from_slice(&word.to_be_bytes()));
            print.bytes(bytes)
        };
        match parameters.signature {
            Scheme::Imatch => {
                set.extend(found.iter().filter(|&&word| lexicon.rank(word).is_some() == parameters.listed));
                set.sort_unstable();
                set.dedup();
                if !set.is_empty() {
                    let all = hash(&mut set.iter().copied());
                    set.clear();
                    set.push(all);
                }
            }
            Scheme::Shingles if found.len() < parameters.n.get() => set.push(hash(&mut found.iter().copied())),
            Scheme::Shingles => {
                set.extend(found.windows(parameters.n.get()).map(|shingle| hash(&mut shingle.iter().copied())));
            }
            Scheme::Spotsigs => set.append(spots.of(sentence)),
        }
        set.sort_unstable();
        set.dedup();
        set
    }
}

/// Map: the token of each sentence, a fingerprint of its set of signatures; the documents; and, where sentences of
/// different tokens can match, the sets themselves. A sentence without signatures has no token, and matches none.
pub struct SentenceTokens {
    signer: Signer,
    sentences: Sentences,
    collections: Collections,
}

contract! {
    map SentenceTokens = "sentence tokens";
    new(parameters: SentenceSigning) = {
        let lexicon = Lexicon::new(parameters.lexicon.clone()).map_err(|fault| WrongParameter(fault.to_string()))?;
        let collections = Collections::new(parameters.a.clone(), parameters.b.clone());
        let spots = Spots::new(parameters.lexicon.clone(), Primary::StopWords, parameters.chain, parameters.distance);
        let spots = spots.map_err(|fault| WrongParameter(fault.to_string()))?;
        let ([words, set], bytes) = ([const { Vec::new() }; 2], Vec::new());
        let signer = Signer { parameters, lexicon, spots, print: Fingerprinter::plain(), words, bytes, set };
        Ok(Self { signer, sentences: Sentences::default(), collections })
    };
    reads NamedPages<'a>, beside Option<CopyColumns<'a>>;
    keeps "the sentences of one document";
    const SENTENCES: Port<TokenPlace> = Port::hashes(0, "sentences");
    const PAGES: Port<PageRow<'static>> = Port::documents(1, "pages");
    const SETS: Port<SignatureSet<'static>> = Port::hashes(2, "sets").when_not("signature", "imatch");
}

impl Map for SentenceTokens {
    fn batch<'a>(&mut self, pages: NamedPages<'a>, beside: Option<CopyColumns<'a>>, out: &mut Output) -> Done {
        let mut copies = CopyReader::new(beside);
        let print = Fingerprinter::plain();
        let mut bytes = Vec::new();
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row) as u32;
            let Some(code) = copies.code(doc) else { continue };
            let side = self.collections.side(&pages, row, out);
            if side == 0 {
                continue;
            }
            let text = pages.text.at(row);
            let found = self.sentences.of(&text, spans(pages.chunks.at(row))).ok_or(Damaged("chunks"))?;
            out.row(&Self::PAGES, u64::from(doc), PageRow { side, servers: Rest(code) });
            out.count("sentences", found.len() as u64);
            for (sentence, range) in (0..).zip(found) {
                let set = self.signer.sign(&text[range]);
                if set.is_empty() {
                    out.count("sentences_without_signature", 1);
                    continue;
                }
                out.count("signatures", set.len() as u64);
                bytes.clear();
                set.iter().for_each(|signature| bytes.extend_from_slice(&signature.to_be_bytes()));
                let token = print.bytes(&bytes);
                out.row(&Self::SENTENCES, token, TokenPlace { doc, sentence });
                if self.signer.parameters.signature != Scheme::Imatch {
                    out.row(&Self::SETS, token, SignatureSet { signatures: Rest(&bytes) });
                }
            }
            out.relieve();
        }
        Ok(())
    }
}

parameters! {
    pub struct GramTelling { k: NonZeroUsize, a: String, b: String }
}

/// Map: all grams of texts, each as a window of its words.
pub struct GramPlaces {
    k: usize,
    collections: Collections,
}

contract! {
    map GramPlaces = "gram places";
    new(GramTelling { k, a, b }) = Ok(Self { k: k.get(), collections: Collections::new(a, b) });
    reads NamedPages<'a>, beside Option<CopyColumns<'a>>;
    keeps "one gram";
    const WINDOWS: Port<WindowPlace<'static>> = Port::hashes(0, "windows");
}

impl Map for GramPlaces {
    fn batch<'a>(&mut self, pages: NamedPages<'a>, beside: Option<CopyColumns<'a>>, out: &mut Output) -> Done {
        let mut copies = CopyReader::new(beside);
        let print = Fingerprinter::plain();
        let mut slide = Slide::new(&print, self.k);
        for row in 0..pages.doc.len() {
            let doc = pages.doc.at(row) as u32;
            let Some(code) = copies.code(doc) else { continue };
            let side = self.collections.side(&pages, row, out);
            if side == 0 {
                continue;
            }
            slide.clear();
            let mut unit = 0;
            words(&pages.text.at(row), &print, |_, _, word| {
                if let Some(gram) = slide.push(word) {
                    out.row(&Self::WINDOWS, gram, WindowPlace { doc, unit, side, servers: Rest(code) });
                    unit += 1;
                    if unit % (1 << 16) == 0 {
                        out.relieve();
                    }
                }
            });
            out.relieve();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, name, expected) in [
            ("susp/", "susp/1.txt", true),
            ("susp/", "src/1.txt", false),
            ("*/susp/", "pan/susp/1.txt", true),
            ("http*example", "https://www.example.org", true),
            ("*a*b", "b a", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
