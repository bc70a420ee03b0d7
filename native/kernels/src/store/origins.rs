//! Where labels are from: for each labelled chunk and file the pages of ours that have it, and the place on each.
//!
//! Two sections of a set of labels (see labels.rs):
//!
//! ```text
//! origins               a sorted map (see sorted_map.rs) from the SHA-1 of a chunk or file to pages and places: number
//!                       of a page, begin and end in it, big-endian, 4 bytes each; a file has 0 and 0. Of a chunk that
//!                       a page has several times, the first place
//! pages                 how many there are; where the record of each ends; the records: the length of the page in
//!                       characters of labelled chunks (8 bytes), the length of its id (4 bytes), its id, its URL
//! ```
//!
//! It costs 32 bytes for each chunk or file of a page, and about 30 bytes, id and URL for each page.

use std::io::{self, Write};

use crate::store::checksums::Parts;
use crate::store::labels::Hash;
use crate::store::sorted_map::SortedMap;

pub const VALUE: usize = 12;
const NUMBER: usize = 8;
const LEAD: usize = NUMBER + 4;

/// A place of a label: a page, and where the chunk begins and ends there in code points; 0 and 0 for a whole file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LabelOrigin {
    pub page: u32,
    pub begin: u32,
    pub end: u32,
}

impl LabelOrigin {
    pub fn of_file(page: u32) -> Self {
        Self { page, begin: 0, end: 0 }
    }

    pub fn is_file(&self) -> bool {
        self.end == 0
    }

    pub fn pack(&self) -> [u8; VALUE] {
        let mut packed = [0; VALUE];
        for (four, number) in packed.chunks_exact_mut(4).zip([self.page, self.begin, self.end]) {
            four.copy_from_slice(&number.to_be_bytes());
        }
        packed
    }

    pub fn unpack(packed: &[u8; VALUE]) -> Self {
        let number = |at: usize| packed[at..].first_chunk().map_or(0, |four| u32::from_be_bytes(*four));
        Self { page: number(0), begin: number(4), end: number(8) }
    }
}

/// A page of ours: how many characters its labelled chunks have, its id, and its URL, which is empty if it has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageName<'a> {
    pub characters: u64,
    pub id: &'a [u8],
    pub url: &'a [u8],
}

impl<'a> PageName<'a> {
    /// Its URL, or its id if it has none.
    pub fn name(&self) -> &'a [u8] {
        if self.url.is_empty() {
            self.id
        } else {
            self.url
        }
    }
}

/// Pages of a set in the making; about 20 bytes, id and URL of each are in memory.
#[derive(Default)]
pub struct PageNames {
    ends: Vec<u64>,
    records: Vec<u8>,
}

impl PageNames {
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    pub fn add(&mut self, page: &PageName<'_>) {
        self.records.extend_from_slice(&page.characters.to_le_bytes());
        self.records.extend_from_slice(&(page.id.len() as u32).to_le_bytes());
        self.records.extend_from_slice(page.id);
        self.records.extend_from_slice(page.url);
        self.ends.push(self.records.len() as u64);
    }

    /// Writes the section of a file.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&(self.ends.len() as u64).to_le_bytes())?;
        self.ends.iter().try_for_each(|end| out.write_all(&end.to_le_bytes()))?;
        out.write_all(&self.records)
    }
}

/// The origins of a set, looked at where they lie.
pub struct Origins<P> {
    map: SortedMap<P, 20, VALUE>,
    pages: P,
    count: usize,
}

impl<P: Parts> Origins<P> {
    /// Costs the same for a set of any size. None if the sections are damaged.
    pub fn new(map: P, pages: P) -> Option<Self> {
        let count = number(&pages, 0)?;
        let least = count.checked_add(1)?.checked_mul(NUMBER)?;
        (least <= pages.length()).then_some(())?;
        Some(Self { map: SortedMap::new(map)?, pages, count })
    }

    /// How many pages there are.
    pub fn pages(&self) -> usize {
        self.count
    }

    /// The pages that have a chunk, or a file, in order. None if some of what there is to look at is damaged.
    pub fn of<'a>(&'a self, hash: &'a Hash, file: bool) -> Option<impl Iterator<Item = LabelOrigin> + 'a> {
        let found = self.map.values(hash)?.map(LabelOrigin::unpack);
        Some(found.filter(move |origin| origin.is_file() == file && (origin.page as usize) < self.count))
    }

    /// All of them with their hashes, in order.
    pub fn all(&self) -> Option<impl Iterator<Item = (Hash, LabelOrigin)> + '_> {
        Some(self.map.entries()?.map(|(hash, value)| (hash, LabelOrigin::unpack(&value))))
    }

    /// A page by its number.
    pub fn page(&self, page: usize) -> Option<PageName<'_>> {
        if page >= self.count {
            return None;
        }
        let records = NUMBER * (self.count + 1);
        let begin = if page == 0 { 0 } else { number(&self.pages, NUMBER * page)? };
        let end = number(&self.pages, NUMBER * (page + 1))?;
        if begin > end {
            return None;
        }
        let record = self.pages.part(records.checked_add(begin)?..records.checked_add(end)?)?;
        let (characters, rest) = record.split_first_chunk::<NUMBER>()?;
        let (length, names) = rest.split_first_chunk::<{ LEAD - NUMBER }>()?;
        let (id, url) = names.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        Some(PageName { characters: u64::from_le_bytes(*characters), id, url })
    }

    /// Whether all of it is as it is written.
    pub fn verify(&self) -> bool {
        let pages = (0..self.count).all(|page| self.page(page).is_some());
        pages && self.map.verify() && self.all().is_some_and(|mut all| all.all(|(_, o)| (o.page as usize) < self.count))
    }
}

fn number<P: Parts>(bytes: &P, at: usize) -> Option<usize> {
    let number = bytes.part(at..at.checked_add(NUMBER)?)?.first_chunk().map(|eight| u64::from_le_bytes(*eight))?;
    usize::try_from(number).ok()
}
