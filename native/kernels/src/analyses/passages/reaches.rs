//! Runs extended over sentences that are no seeds: stop sentences, and those that repeat themselves in a document.
//!
//! Every other sentence that matches at the end of a run is part of a seed, so the run does not end there. So the first
//! document of a pair sends along the tokens around a run up to the next sentence of that other kind, and no more.

use std::num::NonZeroUsize;

use super::diagonals::{chain, merge, Chain, Diagonal, FoundRun, Run};
use super::pages::{unpack, PageTokens, Token};
use crate::flow::contract::Port;
use crate::flow::fields::{Damaged, Rest};
use crate::flow::kernel::{Beginning, Done, Group, Output, Rows, Stretches};
use crate::{contract, parameters, row};

row! {
    /// Of the second document of a pair: the first, a diagonal, and the tokens of the first document around it: so many
    /// before it, the nearest first, and those behind.
    pub struct Reach<'a> { a: u32, i: u32, j: u32, units: u32, documents: u32, before: u32, tokens: Rest<'a> }
}

/// Where the sentence of this number stands among the tokens of a document.
fn find(tokens: &[Token], sentence: u32) -> Option<usize> {
    tokens.binary_search_by_key(&sentence, |token| token.0).ok()
}

/// The tokens from a sentence on, upwards or downwards, one sentence after the other.
fn from(tokens: &[Token], sentence: Option<u32>, up: bool) -> impl Iterator<Item = &Token> {
    let at = sentence.and_then(|sentence| find(tokens, sentence));
    let (forth, back) = match at {
        Some(at) if up => (&tokens[at..], &tokens[..0]),
        Some(at) => (&tokens[..0], &tokens[..=at]),
        None => (&tokens[..0], &tokens[..0]),
    };
    let mut expected = sentence.unwrap_or_default();
    forth.iter().chain(back.iter().rev()).take_while(move |token| {
        let next = token.0 == expected;
        expected = if up { expected.wrapping_add(1) } else { expected.wrapping_sub(1) };
        next
    })
}

/// Group by first document: each of its runs with the tokens around it that are no seeds.
#[derive(Default)]
pub struct Reaches {
    bytes: Vec<u8>,
}

contract! {
    group Reaches = "reaches";
    new() = Ok(Self::default());
    key Doc of [PageTokens<'static>, Run];
    keeps "the tokens of one document";
    const REACHES: Port<Reach<'static>> = Port::documents(0, "reaches");
}

impl Group for Reaches {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut tokens = Vec::new();
        let mut unread = None;
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                unread = Some(tail.to_vec());
                continue;
            }
            if let Some(packed) = unread.take() {
                tokens = unpack(PageTokens::take(&packed)?.marks)?; // only of documents that have runs
            }
            let Run { b, i, j, units, documents } = Run::take(tail)?;
            self.bytes.clear();
            let mut append = |sentence, up| {
                let others = from(&tokens, sentence, up).take_while(|token| token.2 != 0);
                let before = self.bytes.len();
                others.for_each(|token| self.bytes.extend_from_slice(&token.1.to_be_bytes()));
                ((self.bytes.len() - before) / 8) as u32
            };
            let before = append(i.checked_sub(1), false);
            append(i.checked_add(units), true);
            let tokens = Rest(&self.bytes);
            out.row(&Self::REACHES, u64::from(b), Reach { a: key as u32, i, j, units, documents, before, tokens });
            out.relieve();
        }
        Ok(())
    }
}

parameters! {
    pub struct Extending { gap: u64, gamma: NonZeroUsize, single: bool }
}

/// Group by second document: its runs with each other document, extended as far as tokens match, and chained; those of
/// enough sentences, or each of their sentences by itself.
pub struct Extended {
    gap: u32,
    gamma: usize,
    single: bool,
}

contract! {
    group Extended = "extended";
    new(Extending { gap, gamma, single }) = Ok(Self {
        gap: u32::try_from(gap).unwrap_or(u32::MAX), gamma: gamma.get(), single,
    });
    key Doc of [PageTokens<'static>, Reach<'static>];
    keeps "the tokens of one document, and the runs of one pair";
    const FOUND: Port<FoundRun> = Port::documents(0, "found");
}

impl Extended {
    fn extend(reach: &Reach<'_>, tokens: &[Token]) -> Result<Diagonal, Damaged> {
        let (around, []) = reach.tokens.0.as_chunks::<8>() else { return Err(Damaged("Reach")) };
        let (before, behind) = around.split_at_checked(reach.before as usize).ok_or(Damaged("Reach"))?;
        let count = |around: &[[u8; 8]], sentence, up| {
            let others = from(tokens, sentence, up).map(|token| token.1);
            around.iter().zip(others).take_while(|(one, other)| u64::from_be_bytes(**one) == *other).count() as u32
        };
        let more = count(before, reach.j.checked_sub(1), false);
        let units = reach.units + more + count(behind, reach.j.checked_add(reach.units), true);
        Ok(Diagonal { i: reach.i - more, j: reach.j - more, units, documents: reach.documents })
    }
}

impl Group for Extended {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let packed = match rows.next() {
            Some((0, tail)) => tail.to_vec(),
            _ => return Err(Damaged("PageTokens").into()),
        };
        if rows.peek().is_none() {
            return Ok(());
        }
        let tokens = unpack(PageTokens::take(&packed)?.marks)?;
        let mut pairs = Stretches::new(rows, Beginning::First(4));
        let mut diagonals = Vec::new();
        while pairs.begin() {
            diagonals.clear();
            let mut a = 0;
            while let Some(tail) = pairs.tail() {
                let reach = Reach::take(tail)?;
                a = reach.a;
                diagonals.push(Self::extend(&reach, &tokens)?);
            }
            merge(&mut diagonals);
            let mut send = |found: &Chain| {
                FoundRun::of(a, key as u32, found).into_iter().for_each(|(doc, run)| out.row(&Self::FOUND, doc, run));
            };
            for found in chain(&mut diagonals, self.gap).iter().filter(|chain| chain.matched as usize >= self.gamma) {
                if self.single {
                    found.units().for_each(|unit| send(&unit));
                } else {
                    send(found);
                }
            }
        }
        Ok(())
    }
}
