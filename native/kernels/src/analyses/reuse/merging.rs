//! Maps: the results for parts of a corpus as rows of the whole, in which the documents of a part come behind those of
//! the parts before it.

use crate::analyses::reuse::contents::Contained;
use crate::analyses::reuse::histograms::Tally;
use crate::analyses::reuse::neighbourhoods::{Share, SumColumns, Summed};
use crate::flow::columns::{Numbers, Strings};
use crate::flow::contract::{shape, Key, Port, PortInfo, Shape, WrongParameter};
use crate::flow::kernel::{Done, Group, Map, Output, Rows};
use crate::text::fingerprint::Fingerprinter;
use crate::{columns, row, told};

told! {
    /// How many of a part's documents are pages; how many pages of other parts come before these, and how many
    /// documents before the others (JavaScript, CSS, robots.txt), which come behind all pages.
    pub struct Shift { pages: u64, offset: u64, other_offset: u64 }
}

impl Shift {
    /// The number in the whole of a document of the part.
    pub fn renumber(&self, doc: u64) -> u64 {
        if doc < self.pages {
            self.offset + doc
        } else {
            self.other_offset + (doc - self.pages)
        }
    }
}

row! {
    /// Of a document: its id and URL, and what it contains.
    pub struct NamedContent<'a> {
        id: &'a [u8],
        url: Option<&'a [u8]>,
        chunks: u64,
        stop_chunks: u64,
        matched: u64,
        share: u64,
        file: bool,
    }
}

/// Map: what documents contain, renumbered.
pub struct ShiftedContents {
    shift: Shift,
}

impl ShiftedContents {
    const CONTENTS: Port<NamedContent<'static>> = Port::documents(0, "contents");
}

impl Map for ShiftedContents {
    const NAME: &'static str = "shifted contents";
    const PORTS: &'static [PortInfo] = &[Self::CONTENTS.info()];
    const KEEPS: &'static str = "nothing";
    type Told = Shift;
    type Reads<'a> = Contained<'a>;
    type Beside<'a> = ();

    fn new(shift: Shift) -> Result<Self, WrongParameter> {
        Ok(Self { shift })
    }

    fn batch<'a>(&mut self, pages: Contained<'a>, (): (), out: &mut Output) -> Done {
        for row in 0..pages.doc.len() {
            let content = NamedContent {
                id: pages.id.bytes(row).unwrap_or_default(),
                url: pages.url.bytes(row),
                chunks: pages.chunks.at(row),
                stop_chunks: pages.stop_chunks.at(row),
                matched: pages.matched.at(row),
                share: pages.share.at(row),
                file: pages.file.at(row) != 0,
            };
            out.row(&Self::CONTENTS, self.shift.renumber(pages.doc.at(row)), content);
        }
        Ok(())
    }
}

/// Group: the documents of all parts. Counts shares, as [`Contents`](crate::analyses::reuse::contents::Contents) does.
pub struct GatheredContents;

impl GatheredContents {
    const CONTENTS: Port<NamedContent<'static>> = Port::documents(0, "contents");
}

impl Group for GatheredContents {
    const NAME: &'static str = "gathered contents";
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = &[shape::<NamedContent<'static>>()];
    const PORTS: &'static [PortInfo] = &[Self::CONTENTS.info()];
    const KEEPS: &'static str = "nothing";
    const REPEATED: bool = true;
    type Told = ();

    fn new((): (), _: usize) -> Result<Self, WrongParameter> {
        Ok(Self)
    }

    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        while let Some((_, tail)) = rows.next() {
            let content = NamedContent::take(tail)?;
            Share::of(1, content.chunks, content.matched, content.share).count(out);
            out.row(&Self::CONTENTS, key, content);
        }
        Ok(())
    }
}

/// Map: the sums of neighbourhoods, by prefix, to be added up again.
pub struct ShiftedSums {
    shift: Shift,
}

impl ShiftedSums {
    const PREFIXES: Port<Summed<'static>> = Port::hashes(0, "prefixes");
}

impl Map for ShiftedSums {
    const NAME: &'static str = "shifted sums";
    const PORTS: &'static [PortInfo] = &[Self::PREFIXES.info()];
    const KEEPS: &'static str = "nothing";
    type Told = Shift;
    type Reads<'a> = SumColumns<'a>;
    type Beside<'a> = ();

    fn new(shift: Shift) -> Result<Self, WrongParameter> {
        Ok(Self { shift })
    }

    fn batch<'a>(&mut self, sums: SumColumns<'a>, (): (), out: &mut Output) -> Done {
        let print = Fingerprinter::plain();
        for row in 0..sums.first.len() {
            let prefix = sums.prefix.bytes(row).unwrap_or_default();
            let [documents, chunks, matched, contained] =
                [sums.documents, sums.chunks, sums.matched, sums.contained].map(|column| column.at(row));
            let (level, first) = (sums.level.at(row), self.shift.renumber(sums.first.at(row)));
            let summed = Summed { prefix, level, first, documents, chunks, matched, contained };
            out.row(&Self::PREFIXES, print.bytes(prefix), summed);
        }
        Ok(())
    }
}

columns! {
    /// How many URLs have how many components.
    pub struct PathLengths<'a> { components: Numbers<'a>, what: Strings<'a>, count: Numbers<'a> }
}

/// Map: numbers of URLs, to be added up again.
pub struct PathCounts;

impl PathCounts {
    const PATHS: Port<Tally<'static>> = Port::hashes(0, "paths");
}

impl Map for PathCounts {
    const NAME: &'static str = "path counts";
    const PORTS: &'static [PortInfo] = &[Self::PATHS.info()];
    const KEEPS: &'static str = "nothing";
    type Told = ();
    type Reads<'a> = PathLengths<'a>;
    type Beside<'a> = ();

    fn new((): ()) -> Result<Self, WrongParameter> {
        Ok(Self)
    }

    fn batch<'a>(&mut self, paths: PathLengths<'a>, (): (), out: &mut Output) -> Done {
        for row in 0..paths.components.len() {
            let what = paths.what.bytes(row).unwrap_or_default();
            out.row(&Self::PATHS, paths.components.at(row), Tally { what, count: paths.count.at(row) });
        }
        Ok(())
    }
}
