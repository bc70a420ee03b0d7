//! The objects of a corpus from those of its parts: where each stands is counted again, as if it had been found in one
//! pass, and what it says is taken from the part that has its first document.

use crate::analyses::reuse::contents::Occurrence;
use crate::analyses::reuse::examples::Object;
use crate::analyses::reuse::merging::Shift;
use crate::analyses::reuse::objects::{Found, FILE, KIND_NAMES};
use crate::analyses::reuse::standings::{split, Site, Stands};
use crate::flow::columns::{Binary, Numbers, Strings};
use crate::flow::contract::{shape, Key, Port, PortInfo, Shape, WrongParameter};
use crate::flow::fields::Damaged;
use crate::flow::kernel::{Done, Group, Map, Output, Rows};
use crate::store::labels::Hash;
use crate::{columns, row};

/// What is wrong if the tables of a part do not fit together.
const UNFIT: Damaged = Damaged("a part");

columns! {
    /// On which sites objects stand.
    pub struct ObjectSites<'a> {
        doc: Numbers<'a>,
        begin: Numbers<'a>,
        kind: Strings<'a>,
        end: Numbers<'a>,
        sha1: Binary<'a>,
        site: Binary<'a>,
        documents: Numbers<'a>,
        occurrences: Numbers<'a>,
    }
}

/// Map: where objects stand, by hash, to be counted again.
pub struct ShiftedSites {
    shift: Shift,
}

impl ShiftedSites {
    const CHUNKS: Port<Stands<'static>> = Port::hashes(0, "chunks");
    const FILES: Port<Stands<'static>> = Port::hashes(1, "files");
}

impl Map for ShiftedSites {
    const NAME: &'static str = "shifted sites";
    const PORTS: &'static [PortInfo] = &[Self::CHUNKS.info(), Self::FILES.info()];
    const KEEPS: &'static str = "nothing";
    type Told = Shift;
    type Reads<'a> = ObjectSites<'a>;
    type Beside<'a> = ();

    fn new(shift: Shift) -> Result<Self, WrongParameter> {
        Ok(Self { shift })
    }

    fn batch<'a>(&mut self, sites: ObjectSites<'a>, (): (), out: &mut Output) -> Done {
        let narrow = |column: Numbers<'a>, row| u32::try_from(column.at(row)).map_err(|_| UNFIT);
        for row in 0..sites.doc.len() {
            let number = self.shift.renumber(sites.doc.at(row));
            let doc = u32::try_from(number).map_err(|_| UNFIT)?;
            let site = match sites.site.at(row) {
                [] => Site::alone(number),
                site => u64::from_be_bytes(site.try_into().map_err(|_| UNFIT)?),
            };
            let hash: &Hash = sites.sha1.at(row).try_into().map_err(|_| UNFIT)?;
            let (key, rest) = split(hash);
            let (begin, end) = (narrow(sites.begin, row)?, narrow(sites.end, row)?);
            let length = end.checked_sub(begin).ok_or(UNFIT)?;
            let (documents, occurrences) = (narrow(sites.documents, row)?, narrow(sites.occurrences, row)?);
            let is_file = sites.kind.bytes(row) == Some(KIND_NAMES[usize::from(FILE)]);
            let port = if is_file { &Self::FILES } else { &Self::CHUNKS };
            out.row(port, key, Stands { rest, site, doc, begin, length, documents, occurrences });
        }
        Ok(())
    }
}

/// Group: where the objects of all parts stand, as one table.
pub struct GatheredSites;

impl GatheredSites {
    const STANDS: Port<Stands<'static>> = Port::hashes(0, "stands");
}

impl Group for GatheredSites {
    const NAME: &'static str = "gathered sites";
    const KEY: Key = Key::Hash;
    const TABLES: &'static [Shape] = &[shape::<Stands<'static>>()];
    const PORTS: &'static [PortInfo] = &[Self::STANDS.info()];
    const KEEPS: &'static str = "nothing";
    const REPEATED: bool = true;
    type Told = ();

    fn new((): (), _: usize) -> Result<Self, WrongParameter> {
        Ok(Self)
    }

    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        while let Some((_, tail)) = rows.next() {
            out.row(&Self::STANDS, key, Stands::take(tail)?);
        }
        Ok(())
    }
}

columns! {
    /// Objects of a part, and what they say.
    pub struct PartObjects<'a> {
        first: Numbers<'a>,
        begin: Numbers<'a>,
        kind: Strings<'a>,
        end: Numbers<'a>,
        sha1: Binary<'a>,
        notice: Numbers<'a>,
        page: Numbers<'a>,
        example: Strings<'a>,
    }
}

row! {
    /// Of the first document of an object in a part: the object, where it stands there, and what it says.
    pub struct Said<'a> { begin: u64, kind: u8, end: u64, sha1: &'a [u8; 20], notice: bool, page: bool, example: &'a [u8] }
}

/// Map: what objects say, by the first document of each in a part.
pub struct ShiftedObjects {
    shift: Shift,
}

impl ShiftedObjects {
    const SAID: Port<Said<'static>> = Port::documents(0, "said");
}

impl Map for ShiftedObjects {
    const NAME: &'static str = "shifted objects";
    const PORTS: &'static [PortInfo] = &[Self::SAID.info()];
    const KEEPS: &'static str = "nothing";
    type Told = Shift;
    type Reads<'a> = PartObjects<'a>;
    type Beside<'a> = ();

    fn new(shift: Shift) -> Result<Self, WrongParameter> {
        Ok(Self { shift })
    }

    fn batch<'a>(&mut self, objects: PartObjects<'a>, (): (), out: &mut Output) -> Done {
        for row in 0..objects.first.len() {
            let kind = objects.kind.bytes(row) == Some(KIND_NAMES[usize::from(FILE)]);
            let said = Said {
                sha1: objects.sha1.at(row).try_into().map_err(|_| UNFIT)?,
                kind: u8::from(kind),
                begin: objects.begin.at(row),
                end: objects.end.at(row),
                notice: objects.notice.at(row) != 0,
                page: objects.page.at(row) != 0,
                example: objects.example.bytes(row).unwrap_or_default(),
            };
            out.row(&Self::SAID, self.shift.renumber(objects.first.at(row)), said);
        }
        Ok(())
    }
}

/// Group by the first document: objects of the whole meet what the part with that document says of them.
pub struct GatheredObjects;

impl GatheredObjects {
    const OBJECTS: Port<Object<'static>> = Port::documents(0, "objects");
}

impl Group for GatheredObjects {
    const NAME: &'static str = "gathered objects";
    const KEY: Key = Key::Doc;
    const TABLES: &'static [Shape] = &[shape::<Found<'static>>(), shape::<Said<'static>>()];
    const PORTS: &'static [PortInfo] = &[Self::OBJECTS.info()];
    const KEEPS: &'static str = "the objects of one document";
    const REPEATED: bool = true;
    type Told = ();

    fn new((): (), _: usize) -> Result<Self, WrongParameter> {
        Ok(Self)
    }

    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut wanted: Vec<(u64, u8, Hash, [u64; 5])> = Vec::new();
        let mut left = 0_usize;
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                let Found { begin, kind, sha1, occurrences, documents, sites, length, weight, .. } = Found::take(tail)?;
                wanted.push((begin, kind, *sha1, [occurrences, documents, sites, length, weight]));
                left += 1;
                continue;
            }
            let Said { begin, kind, end, sha1, notice, page, example } = Said::take(tail)?;
            // Rows are sorted by place and kind, which come first in them.
            let Ok(at) = wanted.binary_search_by(|there| (there.0, there.1, &there.2).cmp(&(begin, kind, sha1))) else {
                continue; // another part has an earlier document of it
            };
            let [occurrences, documents, sites, length, weight] = wanted[at].3;
            let kind = KIND_NAMES[usize::from(kind.min(1))];
            let object =
                Object { begin, kind, end, sha1, occurrences, documents, sites, length, weight, notice, page, example };
            out.row(&Self::OBJECTS, key, object);
            left = left.checked_sub(1).ok_or(UNFIT)?;
        }
        if left > 0 {
            return Err(UNFIT.into());
        }
        Ok(())
    }
}

columns! {
    /// Where labelled chunks stand.
    pub struct Occurrences<'a> { doc: Numbers<'a>, begin: Numbers<'a>, end: Numbers<'a>, sha1: Binary<'a> }
}

/// Map: where labelled chunks stand, renumbered.
pub struct ShiftedOccurrences {
    shift: Shift,
}

impl ShiftedOccurrences {
    const OCCURRENCES: Port<Occurrence<'static>> = Port::documents(0, "occurrences");
}

impl Map for ShiftedOccurrences {
    const NAME: &'static str = "shifted occurrences";
    const PORTS: &'static [PortInfo] = &[Self::OCCURRENCES.info()];
    const KEEPS: &'static str = "nothing";
    type Told = Shift;
    type Reads<'a> = Occurrences<'a>;
    type Beside<'a> = ();

    fn new(shift: Shift) -> Result<Self, WrongParameter> {
        Ok(Self { shift })
    }

    fn batch<'a>(&mut self, found: Occurrences<'a>, (): (), out: &mut Output) -> Done {
        for row in 0..found.doc.len() {
            let (begin, end) = (found.begin.at(row), found.end.at(row));
            let sha1 = found.sha1.at(row).try_into().map_err(|_| UNFIT)?;
            out.row(&Self::OCCURRENCES, self.shift.renumber(found.doc.at(row)), Occurrence { begin, end, sha1 });
            out.relieve();
        }
        Ok(())
    }
}
