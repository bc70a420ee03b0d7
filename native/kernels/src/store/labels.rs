//! Labels: SHA-1s of chunks and of files that are looked for, and of chunks that are passed over, in one file that is
//! mapped into memory.
//!
//! It has five sections, or seven (see sections.rs):
//!
//! ```text
//! header                JSON: how chunks were cut, thresholds; of no concern here
//! chunks                the labelled chunks, a sorted map of 20-byte keys without values (see sorted_map.rs)
//! files                 the labelled files, the same
//! stops                 the stop chunks, the same
//! filter                the first 8 bytes of all labelled chunks and stop chunks, in a binary fuse filter: its
//!                       descriptor of 20 bytes, then one byte for about 0.9 of a key
//! origins, pages        in sets that know where their labels are from, which are of version 2 (see origins.rs)
//! ```
//!
//! Answers come from the maps alone, and are exact. The filter says of 99.6 % of other hashes that they are in neither,
//! from three bytes instead of two or three cache lines. A filter that is damaged would hide labels; so whoever opens
//! a file compares its filter first ([`Labels::check_filter`]), and a kernel relies on that.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use xorf::{BinaryFuse8, BinaryFuse8Ref, DmaSerializable, Filter, FilterRef};

use crate::store::checksums::Parts;
use crate::store::origins::Origins;
use crate::store::sections::{Format, Packing, Section, Sections, Unreadable};
use crate::store::sorted_map::{self, SortedMap};

pub const FORMAT: Format = Format { magic: b"unquilt labels\n\0", version: 1, sections: 5 };
/// Of sets that know where their labels are from.
pub const WITH_ORIGINS: Format = Format { version: 2, sections: 7, ..FORMAT };
const DESCRIPTOR: usize = <BinaryFuse8 as DmaSerializable>::DESCRIPTOR_LEN;

pub type Hash = [u8; 20];

/// What a hash is to a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    Stop,
    Label,
    Nothing,
}

/// Puts a set together, of hashes in any order, some of which may be there twice. None for more keys than a filter can
/// hold, which is some billions.
pub fn pack(header: &[u8], parts: [Vec<Hash>; 3]) -> Option<Vec<u8>> {
    let [chunks, files, stops] = parts.map(|mut hashes| {
        hashes.sort_unstable();
        hashes.dedup();
        hashes
    });
    let filter = LabelsFilter::new(chunks.iter().chain(&stops).map(leading).collect())?;
    let mut file = Packing::new(FORMAT);
    file.section(|out| out.extend_from_slice(header));
    for hashes in [&chunks, &files, &stops] {
        file.section(|out| sorted_map::append(out, hashes.iter().map(|hash| (*hash, []))));
    }
    file.section(|out| {
        out.extend_from_slice(&filter.descriptor());
        out.extend_from_slice(filter.0.dma_fingerprints());
    });
    Some(file.seal())
}

/// The filter of a set in the making.
pub struct LabelsFilter(BinaryFuse8);

impl LabelsFilter {
    /// Of the first 8 bytes of all chunks and stop chunks, in any order. None if there are too many.
    pub fn new(mut keys: Vec<u64>) -> Option<Self> {
        keys.sort_unstable();
        keys.dedup();
        BinaryFuse8::try_from(&keys).ok().map(Self)
    }

    fn descriptor(&self) -> [u8; DESCRIPTOR] {
        let mut descriptor = [0; DESCRIPTOR];
        self.0.dma_copy_descriptor_to(&mut descriptor);
        descriptor
    }

    /// Writes the section of a file.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.descriptor())?;
        out.write_all(self.0.dma_fingerprints())
    }
}

#[inline]
pub fn leading(hash: &Hash) -> u64 {
    hash.first_chunk().map_or(0, |eight| u64::from_be_bytes(*eight))
}

/// A set, looked at where it lies.
pub struct Labels<B> {
    file: Arc<Sections<B>>,
    header: Section<B>,
    maps: [SortedMap<Section<B>, 20, 0>; 3],
    filter: Section<B>,
    descriptor: [u8; DESCRIPTOR],
    origins: Option<Origins<Section<B>>>,
}

impl<B: AsRef<[u8]>> Labels<B> {
    /// Costs the same for a set of any size.
    pub fn new(bytes: B) -> Result<Self, Unreadable> {
        let version = bytes.as_ref().get(FORMAT.magic.len()..).and_then(|rest| rest.first_chunk());
        let with_origins = version == Some(&WITH_ORIGINS.version.to_le_bytes());
        let file = Arc::new(Sections::new(bytes, if with_origins { WITH_ORIGINS } else { FORMAT })?);
        let map = |number| SortedMap::new(Section::new(&file, number)).ok_or_else(|| file.fault());
        let maps = [map(1)?, map(2)?, map(3)?];
        let (header, filter) = (Section::new(&file, 0), Section::new(&file, 4));
        let Some(&descriptor) = filter.part(0..DESCRIPTOR).and_then(<[u8]>::first_chunk) else {
            return Err(file.fault());
        };
        if !fits(&descriptor, filter.length() - DESCRIPTOR) {
            return Err(Unreadable::Damaged);
        }
        let origins = match with_origins {
            true => Some(Origins::new(Section::new(&file, 5), Section::new(&file, 6)).ok_or_else(|| file.fault())?),
            false => None,
        };
        Ok(Self { file, header, maps, filter, descriptor, origins })
    }

    pub fn header(&self) -> Result<&[u8], Unreadable> {
        self.header.part(0..self.header.length()).ok_or_else(|| self.file.fault())
    }

    /// How many chunks, files and stop chunks there are.
    pub fn counts(&self) -> [usize; 3] {
        [0, 1, 2].map(|number: usize| self.maps[number].count())
    }

    /// What the hash of a chunk is to this set: a stop chunk is one also if it is labelled.
    #[inline]
    pub fn chunk(&self, hash: &Hash) -> Result<Meaning, Unreadable> {
        if !self.may_have(hash) {
            return Ok(Meaning::Nothing);
        }
        Ok(if self.has(2, hash)? {
            Meaning::Stop
        } else if self.has(0, hash)? {
            Meaning::Label
        } else {
            Meaning::Nothing
        })
    }

    /// Whether the filter does not rule a chunk out.
    #[inline]
    fn may_have(&self, hash: &Hash) -> bool {
        let fingerprints = self.filter.unchecked(DESCRIPTOR..self.filter.length());
        BinaryFuse8Ref::from_dma(&self.descriptor, fingerprints).contains(&leading(hash))
    }

    /// Whether a file is labelled.
    pub fn file(&self, hash: &Hash) -> Result<bool, Unreadable> {
        self.has(1, hash)
    }

    /// Whether a chunk (0), file (1) or stop chunk (2) is there.
    pub fn has(&self, map: usize, hash: &Hash) -> Result<bool, Unreadable> {
        let mut found = false;
        self.maps[map].find(hash, |_| found = true).ok_or_else(|| self.file.fault())?;
        Ok(found)
    }

    /// The hashes of chunks (0), files (1) or stop chunks (2), in order.
    pub fn hashes(&self, part: usize) -> Result<impl Iterator<Item = Hash> + '_, Unreadable> {
        let entries = self.maps[part.min(2)].entries().ok_or_else(|| self.file.fault())?;
        Ok(entries.map(|(hash, _)| hash))
    }

    /// Where labels are from, if the set knows.
    pub fn origins(&self) -> Option<&Origins<Section<B>>> {
        self.origins.as_ref()
    }

    /// Why origins had no answer.
    pub fn fault(&self) -> Unreadable {
        self.file.fault()
    }

    /// Compares the filter with its checksums.
    pub fn check_filter(&self) -> Result<(), Unreadable> {
        self.filter.part(0..self.filter.length()).map(drop).ok_or_else(|| self.file.fault())
    }

    /// Compares all of the file with its checksums, and what is in it with what [`pack`] makes.
    pub fn verify(&self) -> Result<(), Unreadable> {
        self.file.verify()?;
        // What a map has in order is found there; it is looked for just if the filter knows it.
        let known = |part| self.hashes(part).map(|mut all| all.all(|hash| self.may_have(&hash)));
        let origins = self.origins.as_ref().is_none_or(Origins::verify);
        if self.maps.iter().all(SortedMap::verify) && origins && known(0)? && known(2)? {
            Ok(())
        } else {
            Err(Unreadable::Damaged)
        }
    }
}

/// Whether a filter of so many bytes can have this descriptor: whatever key it is asked for, it looks at bytes that
/// are there.
fn fits(descriptor: &[u8; DESCRIPTOR], length: usize) -> bool {
    let number =
        |range: Range<usize>| descriptor[range].first_chunk().map_or(0, |four| u64::from(u32::from_le_bytes(*four)));
    let (segment, mask, starts) = (number(8..12), number(12..16), number(16..20));
    let whole = segment.is_power_of_two() && mask == segment - 1 && starts.is_multiple_of(segment);
    whole && starts > 0 && starts + 2 * segment <= (length as u64).min(u64::from(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha1::{Digest, Sha1};

    fn hash(number: u32) -> Hash {
        Sha1::digest(number.to_le_bytes()).into()
    }

    fn set(count: u32) -> Vec<u8> {
        let some = |step: usize| (0..count).rev().step_by(step).map(hash).collect();
        pack(b"{}", [some(1), some(2), some(5)]).unwrap()
    }

    fn open(bytes: &[u8]) -> Result<Labels<&[u8]>, Unreadable> {
        Labels::new(bytes)
    }

    #[test]
    fn what_was_put_in_is_found() {
        for count in [0, 1, 2, 3, 40, 5000] {
            let bytes = set(count);
            let labels = open(&bytes).map_err(|_| ()).unwrap();
            assert_eq!(labels.header(), Ok(&b"{}"[..]));
            assert_eq!(labels.counts(), [count, count.div_ceil(2), count.div_ceil(5)].map(|part| part as usize));
            for number in 0..count {
                let back = count - 1 - number;
                let expected = if back.is_multiple_of(5) { Meaning::Stop } else { Meaning::Label };
                assert_eq!(labels.chunk(&hash(number)), Ok(expected));
                assert_eq!(labels.file(&hash(number)), Ok(back.is_multiple_of(2)));
            }
            for number in count..count + 2000 {
                assert_eq!(labels.chunk(&hash(number)), Ok(Meaning::Nothing));
                assert_eq!(labels.file(&hash(number)), Ok(false));
            }
            assert!(labels.hashes(0).unwrap().is_sorted());
            assert_eq!((labels.verify(), labels.check_filter()), (Ok(()), Ok(())));
        }
    }

    #[test]
    fn hashes_that_begin_alike_are_told_apart() {
        let like = |last: u8| {
            let mut hash = hash(7);
            hash[19] ^= last;
            hash
        };
        let bytes = pack(b"", [vec![like(0), like(1), like(0)], vec![], vec![like(2)]]).unwrap();
        let labels = open(&bytes).map_err(|_| ()).unwrap();
        let meanings = [0, 1, 2, 3].map(|last| labels.chunk(&like(last)).unwrap());
        assert_eq!(meanings, [Meaning::Label, Meaning::Label, Meaning::Stop, Meaning::Nothing]);
        assert_eq!(labels.counts(), [2, 0, 1]);
    }

    #[test]
    fn every_flipped_bit_is_refused_or_of_no_concern() {
        let bytes = set(300);
        for at in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] ^= 1 << (at % 8);
            let Ok(labels) = open(&broken) else { continue };
            assert!(labels.verify().is_err(), "{at}");
            if labels.check_filter().is_ok() {
                for number in (0..300).step_by(7) {
                    assert!(labels.chunk(&hash(number)) != Ok(Meaning::Nothing), "{at}");
                }
            }
        }
        for length in 0..bytes.len() {
            assert!(open(&bytes[..length]).is_err());
        }
    }

    #[test]
    fn descriptors_that_lead_outside_are_refused() {
        let make = |segment: u32, mask: u32, starts: u32| {
            let mut descriptor = [0; DESCRIPTOR];
            for (at, number) in [(8, segment), (12, mask), (16, starts)] {
                descriptor[at..at + 4].copy_from_slice(&number.to_le_bytes());
            }
            descriptor
        };
        assert!(fits(&make(4, 3, 8), 16));
        for (segment, mask, starts, length) in
            [(4, 3, 8, 15), (4, 7, 8, 16), (3, 2, 9, 99), (4, 3, 6, 99), (0, 0, 0, 99), (4, 3, !3, 99)]
        {
            assert!(!fits(&make(segment, mask, starts), length), "{segment} {mask} {starts}");
        }
    }
}
