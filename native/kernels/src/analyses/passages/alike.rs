//! Sentences that are alike, though not the same: pairs of tokens whose sets of signatures have a Jaccard coefficient of
//! at least τ, found without comparing all with all.
//!
//! In any order of signatures that is the same for all sets, two sets with J ≥ τ share one of the first s - ⌈τs⌉ + 1 of
//! each (Chaudhuri, Ganti and Kaushik, ICDE 2006; Bayardo, Ma and Srikant, WWW 2007). The rarest come first here, so most
//! sentences meet nobody. Each pair is compared where the first signature that both have brings it together, and
//! nowhere else. Signatures of more than `max_df` different sentences bring nobody together.

use super::seeds::{most_times, pack_place, pair_key, pair_places, unpack, Listed, Pairing, WindowSeed};
use super::signatures::SignatureSet;
use super::WindowPlace;
use crate::flow::contract::Port;
use crate::flow::fields::{Damaged, FieldCodec, Rest};
use crate::flow::kernel::{Done, Group, Output, Rows};
use crate::sketches::imatch::ceil_share;
use crate::text::fingerprint::Fingerprinter;
use crate::{contract, parameters, row};

row! {
    /// Of a signature: a token whose set has it.
    pub struct InSet { token: u64 }
}

/// Group by token: its signatures.
pub struct SentenceSets;

contract! {
    group SentenceSets = "sentence sets";
    new() = Ok(Self);
    key Hash of [SignatureSet<'static>];
    const SIGNATURES: Port<InSet> = Port::hashes(0, "signatures");
}

impl Group for SentenceSets {
    fn key(&mut self, token: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        // All rows of a token have the same set.
        if let Some((_, tail)) = rows.next() {
            for signature in SignatureSet::take(tail)?.signatures.0.as_chunks::<8>().0 {
                out.row(&Self::SIGNATURES, u64::from_be_bytes(*signature), InSet { token });
            }
        }
        Ok(())
    }
}

parameters! {
    /// Signatures of more sentences bring nobody together.
    pub struct Commonness { max_df: usize }
}

row! {
    /// Of a token: how many tokens have one of its signatures (no more than one above the limit), and the signature.
    pub struct CountedSignature { sentences: u32, signature: u64 }
}

/// Group by signature: how many tokens have it.
pub struct SignatureCounts {
    max_df: usize,
    waiting: Vec<u64>,
}

contract! {
    group SignatureCounts = "signature counts";
    new(Commonness { max_df }) = Ok(Self { max_df, waiting: Vec::new() });
    key Hash of [InSet];
    keeps "max_df tokens";
    const COUNTS: Port<CountedSignature> = Port::hashes(0, "counts");
}

impl Group for SignatureCounts {
    fn key(&mut self, signature: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.waiting.clear();
        let mut count = 0;
        let mut send = |tokens: &mut Vec<u64>, sentences: usize| {
            for token in tokens.drain(..) {
                out.row(&Self::COUNTS, token, CountedSignature { sentences: sentences as u32, signature });
            }
        };
        while let Some((_, tail)) = rows.next() {
            count += 1;
            self.waiting.push(InSet::take(tail)?.token);
            if count > self.max_df {
                send(&mut self.waiting, self.max_df + 1);
            }
        }
        send(&mut self.waiting, count);
        Ok(())
    }
}

parameters! {
    pub struct Likeness { tau: f64, max_df: usize }
}

row! {
    /// Of a signature: a token, and its whole set, the rarest signatures first (as [`CountedSignature`]).
    pub struct RarestFirst<'a> { token: u64, set: Rest<'a> }
}

/// Group by token: its rarest signatures, each with the whole set.
#[derive(Default)]
pub struct SentencePrefixes {
    tau: f64,
    max_df: usize,
    set: Vec<u8>,
}

contract! {
    group SentencePrefixes = "sentence prefixes";
    new(Likeness { tau, max_df }) = Ok(Self { tau, max_df, set: Vec::new() });
    key Hash of [CountedSignature];
    keeps "the signatures of one sentence";
    const PREFIXES: Port<RarestFirst<'static>> = Port::hashes(0, "prefixes");
}

impl Group for SentencePrefixes {
    fn key(&mut self, token: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.set.clear();
        let mut signatures = Vec::new();
        while let Some((_, tail)) = rows.next() {
            let CountedSignature { sentences, signature } = CountedSignature::take(tail)?;
            signatures.push((sentences as usize, signature));
            self.set.extend_from_slice(tail);
        }
        let size = signatures.len();
        let prefix = size + 1 - ceil_share(self.tau, size).clamp(1, size);
        for &(sentences, signature) in &signatures[..prefix] {
            if (2..=self.max_df).contains(&sentences) {
                out.row(&Self::PREFIXES, signature, RarestFirst { token, set: Rest(&self.set) });
            }
        }
        out.relieve();
        Ok(())
    }
}

/// A set of signatures as [`SentencePrefixes`] sends it: what it has of each sorts as the order of signatures does.
type Set = Vec<[u8; 12]>;

/// How many signatures two sets share, if `first` is the first of them.
fn shared(one: &Set, other: &Set, first: u64) -> Option<usize> {
    let (mut left, mut right, mut both) = (0, 0, 0);
    while let (Some(a), Some(b)) = (one.get(left), other.get(right)) {
        if a == b {
            if both == 0 && a[4..] != first.to_be_bytes() {
                return None;
            }
            both += 1;
        }
        (left, right) = (left + usize::from(a <= b), right + usize::from(b <= a));
    }
    (both > 0).then_some(both)
}

row! {
    /// Of the window of a token: a pair of tokens that are alike, and whether it is the second of them.
    pub struct AlikeEdge { edge: u64, second: u8 }
}

/// Group by signature: pairs of its tokens that are alike, those for which it is the first that both have.
pub struct AlikeSentences {
    tau: f64,
    max_df: usize,
    print: Fingerprinter,
    compared: u64,
    alike: u64,
}

contract! {
    group AlikeSentences = "alike sentences";
    new(Likeness { tau, max_df }) = Ok(Self {
        tau, max_df, print: Fingerprinter::plain(), compared: 0, alike: 0,
    });
    key Hash of [RarestFirst<'static>];
    keeps "the sets of max_df sentences";
    const EDGES: Port<AlikeEdge> = Port::hashes(0, "edges");
}

impl Group for AlikeSentences {
    fn key(&mut self, signature: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut found: Vec<(u64, Set)> = Vec::new();
        while let Some((_, tail)) = rows.next() {
            let RarestFirst { token, set } = RarestFirst::take(tail)?;
            let (set, []) = set.0.as_chunks::<12>() else { return Err(Damaged("RarestFirst").into()) };
            found.push((token, set.to_vec()));
        }
        debug_assert!(found.len() <= self.max_df);
        found.sort_unstable_by_key(|(token, set)| (set.len(), *token));
        for (at, (one, short)) in found.iter().enumerate() {
            for (other, long) in &found[at + 1..] {
                if (short.len() as f64 / long.len() as f64) < self.tau {
                    break; // those behind are longer still
                }
                self.compared += 1;
                let Some(both) = shared(short, long, signature) else { continue };
                if both as f64 / (short.len() + long.len() - both) as f64 >= self.tau {
                    let edge = self.print.bytes(&(u128::from(*one) << 64 | u128::from(*other)).to_be_bytes());
                    for (token, second) in [(one, 0), (other, 1)] {
                        out.row(&Self::EDGES, self.print.bytes(&token.to_be_bytes()), AlikeEdge { edge, second });
                    }
                    self.alike += 1;
                }
            }
            out.relieve();
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Output) {
        out.count("compared_sentences", self.compared);
        out.count("alike_sentences", self.alike);
    }
}

row! {
    /// Of a pair of tokens that are alike: whether these are the places of the second, and the places.
    pub struct AlikePlaces<'a> { second: u8, places: Rest<'a> }
}

/// Group by the window of one token: its places, to each pair that it is part of.
pub struct AlikeWindows {
    most_times: usize,
    edges: Vec<AlikeEdge>,
    places: Vec<u8>,
}

contract! {
    group AlikeWindows = "alike windows";
    new(Pairing { all_diagonals }) = Ok(Self {
        most_times: most_times(all_diagonals), edges: Vec::new(), places: Vec::new(),
    });
    key Hash of [AlikeEdge, WindowPlace<'static>];
    keeps "the places of a sentence in max_df documents, and the sentences that are like it";
    const PLACES: Port<AlikePlaces<'static>> = Port::hashes(0, "places");
}

impl Group for AlikeWindows {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        self.edges.clear();
        self.places.clear();
        let (mut last, mut times) = (None, 0);
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                self.edges.push(AlikeEdge::take(tail)?);
                continue;
            }
            if self.edges.is_empty() {
                return Ok(());
            }
            let place = WindowPlace::take(tail)?;
            times = if last.replace(place.doc) == Some(place.doc) { times + 1 } else { 1 };
            if times <= self.most_times {
                pack_place(&mut self.places, &place, 0);
            }
        }
        if !self.places.is_empty() {
            for &AlikeEdge { edge, second } in &self.edges {
                out.row(&Self::PLACES, edge, AlikePlaces { second, places: Rest(&self.places) });
                out.relieve();
            }
        }
        Ok(())
    }
}

/// Group by pair of tokens that are alike: to each pair of documents that have them, where.
pub struct AlikeSeeds(Fingerprinter, bool);

contract! {
    group AlikeSeeds = "alike seeds";
    new(Pairing { all_diagonals }) = Ok(Self(Fingerprinter::plain(), all_diagonals));
    key Hash of [AlikePlaces<'static>];
    keeps "the places of two sentences";
    const SEEDS: Port<WindowSeed> = Port::hashes(0, "seeds");
}

impl Group for AlikeSeeds {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut sides: [Vec<u8>; 2] = [Vec::new(), Vec::new()];
        while let Some((_, tail)) = rows.next() {
            let AlikePlaces { second, places } = AlikePlaces::take(tail)?;
            sides[usize::from(second != 0)] = places.0.to_vec();
        }
        let read = |packed| unpack(packed).ok_or(Damaged("AlikePlaces"));
        let (one, other): (Vec<Listed<'_>>, Vec<Listed<'_>>) = (read(&sides[0])?, read(&sides[1])?);
        let in_both = one.iter().filter(|listed| other.binary_search_by_key(&listed.doc, |each| each.doc).is_ok());
        let documents = (one.len() + other.len() - in_both.count()) as u32;
        for first in &one {
            for second in other.iter().filter(|second| second.doc != first.doc) {
                let (low, high) = if first.doc < second.doc { (first, second) } else { (second, first) };
                let Some((a, b)) = low.pair(high) else { continue };
                let key = pair_key(&self.0, a.doc, b.doc);
                for (i, j) in pair_places(a, b, self.1) {
                    let (i, j) = (i as u32, j as u32);
                    out.row(&Self::SEEDS, key, WindowSeed { a: a.doc, b: b.doc, i, j, windows: 1, documents });
                }
            }
            out.relieve();
        }
        Ok(())
    }
}

const _: usize = <u32 as FieldCodec>::WIDTH + <u64 as FieldCodec>::WIDTH - 12; // the width of what sets are made of

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_at_the_first_they_share() {
        let set = |signatures: &[u64]| -> Set {
            let entry = |signature: &u64| {
                let mut entry = [0; 12];
                entry[4..].copy_from_slice(&signature.to_be_bytes());
                entry
            };
            signatures.iter().map(entry).collect()
        };
        let (one, other) = (set(&[1, 3, 5, 7]), set(&[2, 3, 5, 8, 9]));
        assert_eq!(shared(&one, &other, 3), Some(2));
        assert_eq!(shared(&one, &other, 5), None);
        assert_eq!(shared(&one, &set(&[4]), 4), None);
    }
}
