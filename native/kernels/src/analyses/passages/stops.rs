//! Runs of sentences that very many documents share: named once each, not pair by pair.

use crate::flow::columns::{Along, Binary, Numbers, Strings};
use crate::flow::contract::Port;
use crate::flow::fields::Damaged;
use crate::flow::kernel::{Done, Group, Map, Output, Rows};
use crate::text::points::count_points;
use crate::text::points::spans;
use crate::text::sentences::Sentences;
use crate::text::unicode::without_filler;
use crate::{columns, contract, row};

row! {
    /// Of a run of stop sentences: a document that has it, from which sentence on, and how many sentences it has.
    pub struct StopRun { doc: u32, first: u32, sentences: u32 }
}

row! {
    /// Of the lowest document that has it: a run of stop sentences, and how many documents have it.
    pub struct StopGroup { first: u64, sentences: u64, documents: u64 }
}

/// Group by run: how many documents have it. One that a single document has is part of others', and left out.
pub struct StopGroups;

contract! {
    group StopGroups = "stop groups";
    new() = Ok(Self);
    key Hash of [StopRun];
    keeps "one run";
    const GROUPS: Port<StopGroup> = Port::documents(0, "groups");
}

impl Group for StopGroups {
    fn key(&mut self, _: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let (mut lowest, mut last, mut documents) = (None, None, 0);
        while let Some((_, tail)) = rows.next() {
            let run = StopRun::take(tail)?;
            documents += u64::from(last.replace(run.doc) != Some(run.doc));
            lowest.get_or_insert(run);
        }
        if let (Some(StopRun { doc, first, sentences }), 2..) = (lowest, documents) {
            let group = StopGroup { first: first.into(), sentences: sentences.into(), documents };
            out.row(&Self::GROUPS, u64::from(doc), group);
        }
        Ok(())
    }
}

columns! {
    /// Documents with their chunks.
    pub struct ChunkedTexts<'a> { doc: Numbers<'a>, text: Strings<'a>, chunks: Binary<'a> }
}

columns! {
    /// Runs by the lowest document that has them.
    pub struct StopGroupColumns<'a> {
        doc: Numbers<'a>, first: Numbers<'a>, sentences: Numbers<'a>, documents: Numbers<'a>,
    }
}

row! {
    /// Of the lowest document that has it: where a run of stop sentences is, how many they are, how many documents have
    /// it, and what it says.
    pub struct StopText<'a> { begin: u64, end: u64, sentences: u64, documents: u64, text: &'a [u8] }
}

/// Map: what runs of stop sentences say.
#[derive(Default)]
pub struct StopTexts {
    sentences: Sentences,
}

contract! {
    map StopTexts = "stop texts";
    new() = Ok(Self::default());
    reads ChunkedTexts<'a>, beside StopGroupColumns<'a>;
    keeps "the sentences of one document";
    const TEXTS: Port<StopText<'static>> = Port::documents(0, "texts");
}

impl StopTexts {
    /// Characters of a run that are shown.
    const SHOWN: usize = 1000;
}

impl Map for StopTexts {
    fn batch<'a>(&mut self, pages: ChunkedTexts<'a>, groups: StopGroupColumns<'a>, out: &mut Output) -> Done {
        let mut along = Along::new(groups.doc);
        for row in 0..pages.doc.len() {
            let asked = along.rows(pages.doc.at(row));
            if asked.is_empty() {
                continue;
            }
            let text = pages.text.at(row);
            let found = self.sentences.of(&text, spans(pages.chunks.at(row))).ok_or(Damaged("chunks"))?;
            for at in asked {
                let (first, sentences) = (groups.first.at(at) as usize, groups.sentences.at(at));
                let run = found.get(first..first + sentences as usize).ok_or(Damaged("stop groups"))?;
                let (Some(begin), Some(end)) = (run.first(), run.last()) else { continue };
                let said = &text[begin.start..end.end];
                let points = count_points(&text.as_bytes()[..begin.start]) as u64;
                let mut shown: String = without_filler(said).split_whitespace().collect::<Vec<_>>().join(" ");
                if let Some((cut, _)) = shown.char_indices().nth(Self::SHOWN) {
                    shown.truncate(cut);
                    shown.push('…');
                }
                let stop = StopText {
                    begin: points,
                    end: points + count_points(said.as_bytes()) as u64,
                    sentences,
                    documents: groups.documents.at(at),
                    text: shown.as_bytes(),
                };
                out.row(&Self::TEXTS, pages.doc.at(row), stop);
            }
        }
        Ok(())
    }
}
