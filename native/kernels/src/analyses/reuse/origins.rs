//! Which page of ours a document has text of, and where on our pages labelled chunks and files stand.

use std::collections::HashMap;

use crate::analyses::reuse::objects::KIND_NAMES;
use crate::analyses::reuse::places::{open, MISPLACED, SPOILED};
use crate::flow::columns::{Binary, Numbers, Strings};
use crate::flow::contract::{Port, Side};
use crate::flow::fields::Damaged;
use crate::flow::kernel::{Done, Map, Output};
use crate::store::labels::{Hash, Labels};
use crate::store::origins::LabelOrigin;
use crate::{columns, contract, parameters, row};

/// A chunk that more pages of ours have does not tell which of them it was taken from.
const MOST_PAGES: usize = 64;

/// The labelled chunks of a document by the pages of ours that have them.
#[derive(Default)]
pub struct OurPages {
    /// Characters and number of the chunks that each has.
    found: HashMap<u32, (u64, u64)>,
    /// The first page that has a chunk of a template, and how many chunks are of templates.
    template: Option<(u32, u64)>,
    seen: Vec<u32>,
}

impl OurPages {
    /// Takes a labelled chunk of so many characters into account.
    pub fn add<B: AsRef<[u8]>>(&mut self, labels: &Labels<B>, hash: &Hash, length: usize) -> Result<(), Damaged> {
        let Some(origins) = labels.origins() else { return Ok(()) };
        self.seen.clear();
        let pages = origins.of(hash, false).ok_or(SPOILED)?.map(|origin| origin.page);
        self.seen.extend(pages.take(MOST_PAGES + 1));
        if self.seen.len() > MOST_PAGES {
            self.template.get_or_insert((self.seen[0], 0)).1 += 1;
            return Ok(());
        }
        for page in &self.seen {
            let (characters, chunks) = self.found.entry(*page).or_default();
            *characters += length as u64;
            *chunks += 1;
        }
        Ok(())
    }

    /// The page of ours that a document has most of, and how many chunks of it; of several, the page of which that is
    /// the largest share, and then the first. Forgets the document.
    pub fn choose<'a, B: AsRef<[u8]>>(
        &mut self,
        labels: &'a Labels<B>,
        file: Option<&Hash>,
        matched: u64,
    ) -> Result<Option<(&'a [u8], u64)>, Damaged> {
        let Some(origins) = labels.origins() else { return Ok(None) };
        let whole = match file {
            Some(file) => origins.of(file, true).ok_or(SPOILED)?.next().map(|origin| (origin.page, matched)),
            None => None,
        };
        let most = self.found.values().map(|(characters, _)| *characters).max();
        let mut best: Option<(u64, u32, u64)> = None;
        for (page, (characters, chunks)) in self.found.drain() {
            if Some(characters) == most {
                let of = origins.page(page as usize).ok_or(SPOILED)?.characters;
                if best.is_none_or(|(least, first, _)| (of, page) < (least, first)) {
                    best = Some((of, page, chunks));
                }
            }
        }
        let template = self.template.take();
        let chosen = whole.or(best.map(|(_, page, chunks)| (page, chunks))).or(template);
        match chosen {
            Some((page, chunks)) => Ok(Some((origins.page(page as usize).ok_or(SPOILED)?.name(), chunks))),
            None => Ok(None),
        }
    }
}

parameters! {
    /// The labels.
    pub struct Labelling { labels: Side }
}

columns! {
    /// Labelled objects that were found.
    pub struct FoundObjects<'a> {
        first: Numbers<'a>,
        begin: Numbers<'a>,
        kind: Strings<'a>,
        sha1: Binary<'a>,
        documents: Numbers<'a>,
        sites: Numbers<'a>,
        length: Numbers<'a>,
        example: Strings<'a>,
    }
}

row! {
    /// Of the first document that has it: an object, the first page of ours that it is from, and where it stands there.
    pub struct ObjectOrigin<'a> {
        begin: u64,
        kind: &'a [u8],
        sha1: &'a [u8; 20],
        ours: &'a [u8],
        ours_begin: u64,
        ours_end: u64,
        ours_pages: u64,
        documents: u64,
        sites: u64,
        length: u64,
        example: &'a [u8],
    }
}

/// Map, of objects: where on our pages they stand; nothing of those of which the labels do not know it.
pub struct ObjectOrigins {
    labels: Labels<Side>,
}

contract! {
    map ObjectOrigins = "object origins";
    new(Labelling { labels }) = Ok(Self { labels: open(labels)? });
    reads FoundObjects<'a>;
    const ORIGINS: Port<ObjectOrigin<'static>> = Port::documents(0, "origins");
}

impl Map for ObjectOrigins {
    fn batch<'a>(&mut self, objects: FoundObjects<'a>, (): (), out: &mut Output) -> Done {
        let Some(origins) = self.labels.origins() else { return Ok(()) };
        for row in 0..objects.first.len() {
            let sha1: &Hash = objects.sha1.at(row).try_into().map_err(|_| MISPLACED)?;
            let kind = objects.kind.bytes(row).unwrap_or_default();
            let mut found = origins.of(sha1, kind == KIND_NAMES[1]).ok_or(SPOILED)?;
            let Some(LabelOrigin { page, begin, end }) = found.next() else { continue };
            let first = objects.first.at(row);
            let row = ObjectOrigin {
                begin: objects.begin.at(row),
                kind,
                sha1,
                ours: origins.page(page as usize).ok_or(SPOILED)?.name(),
                ours_begin: begin.into(),
                ours_end: end.into(),
                ours_pages: 1 + found.count() as u64,
                documents: objects.documents.at(row),
                sites: objects.sites.at(row),
                length: objects.length.at(row),
                example: objects.example.bytes(row).unwrap_or_default(),
            };
            out.row(&Self::ORIGINS, first, row);
        }
        out.relieve();
        Ok(())
    }
}
