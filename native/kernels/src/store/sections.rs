//! A file of several sections, each byte of which has a checksum.
//!
//! ```text
//! magic                 16 bytes: what kind of file it is
//! version, sections     4 bytes each
//! lengths               of the sections, 8 bytes each
//! root, checksum        of all that follows (see checksums.rs), and of all before; 4 bytes each
//! sections              one after the other
//! checksums             of the sections, by blocks of 4 KiB
//! ```
//!
//! Numbers are little-endian, and read byte by byte, so nothing has to be aligned. To open a file costs the same
//! whatever its size: a block is compared with its checksum when it is first looked at, so a damaged file gives the
//! bytes of the intact one or none. Checksums can be crafted, so what a section says is still input that has to be
//! checked.

use std::ops::Range;
use std::sync::Arc;

use crate::store::checksums::{self, checksum, Checksums, Parts, WrongLength};

const LENGTHS: usize = 24;
const SUMS: usize = 8;

/// What files of one kind have in common.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    pub magic: &'static [u8; 16],
    pub version: u32,
    pub sections: usize,
}

impl Format {
    /// Where the first section begins.
    pub const fn lead(&self) -> usize {
        LENGTHS + 8 * self.sections + SUMS
    }
}

/// Why a file is not of the kind that it should be, or not any more.
#[derive(Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// It is of another kind.
    Foreign,
    Version(u32),
    CutShort,
    /// What it says cannot be, though its checksums agree.
    Damaged,
    /// Its first bytes do not match their checksum.
    Lead,
    /// The block of this number does not match its checksum.
    Block(usize),
}

/// A file that is being made, section by section.
pub struct Packing {
    format: Format,
    bytes: Vec<u8>,
    lengths: Vec<usize>,
}

impl Packing {
    pub fn new(format: Format) -> Self {
        Self { format, bytes: vec![0; format.lead()], lengths: Vec::new() }
    }

    /// The next section: what `fill` appends.
    pub fn section(&mut self, fill: impl FnOnce(&mut Vec<u8>)) {
        let begin = self.bytes.len();
        fill(&mut self.bytes);
        self.lengths.push(self.bytes.len() - begin);
    }

    /// The file, when it has all its sections.
    pub fn seal(self) -> Vec<u8> {
        let Self { format, mut bytes, lengths } = self;
        let root = checksums::append(&mut bytes, format.lead());
        let lead = lead(format, &lengths, root);
        bytes[..lead.len()].copy_from_slice(&lead);
        bytes
    }
}

/// What stands before the sections of these lengths, with the root of their checksums.
pub fn lead(format: Format, lengths: &[usize], root: u32) -> Vec<u8> {
    debug_assert_eq!(lengths.len(), format.sections);
    let mut lead = Vec::with_capacity(format.lead());
    lead.extend_from_slice(format.magic);
    lead.extend_from_slice(&format.version.to_le_bytes());
    lead.extend_from_slice(&(format.sections as u32).to_le_bytes());
    lengths.iter().for_each(|&length| lead.extend_from_slice(&(length as u64).to_le_bytes()));
    lead.extend_from_slice(&root.to_le_bytes());
    lead.extend_from_slice(&checksum(&lead).to_le_bytes());
    lead
}

/// A file, looked at where it lies.
pub struct Sections<B> {
    bytes: B,
    checksums: Checksums,
    ranges: Vec<Range<usize>>,
}

impl<B: AsRef<[u8]>> Sections<B> {
    /// Costs the same for a file of any size.
    pub fn new(bytes: B, format: Format) -> Result<Self, Unreadable> {
        let all = bytes.as_ref();
        let lead = &all[..format.lead().min(all.len())];
        if !lead.starts_with(format.magic) {
            return Err(Unreadable::Foreign);
        }
        let number =
            |at: usize| lead.get(at..).and_then(|rest| rest.first_chunk()).map(|four| u32::from_le_bytes(*four));
        match number(16).ok_or(Unreadable::CutShort)? {
            version if version == format.version => (),
            other => return Err(Unreadable::Version(other)),
        }
        let (Some(lengths), Some((sealed, sum))) = (lead.get(LENGTHS..format.lead() - SUMS), lead.split_last_chunk())
        else {
            return Err(Unreadable::CutShort);
        };
        if lead.len() < format.lead() {
            return Err(Unreadable::CutShort);
        }
        if checksum(sealed) != u32::from_le_bytes(*sum) {
            return Err(Unreadable::Lead);
        }
        let (count, root) = (number(20), number(format.lead() - SUMS).unwrap_or_default());
        if count.map(|count| count as usize) != Some(format.sections) {
            return Err(Unreadable::Damaged);
        }
        let (mut at, mut ranges) = (format.lead(), Vec::with_capacity(format.sections));
        for length in lengths.as_chunks().0 {
            let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| Unreadable::CutShort)?;
            let end = at.checked_add(length).ok_or(Unreadable::CutShort)?;
            ranges.push(at..end);
            at = end;
        }
        let checksums = Checksums::new(format.lead()..at, root, all.len()).map_err(|wrong| match wrong {
            WrongLength::Short => Unreadable::CutShort,
            WrongLength::Long => Unreadable::Damaged,
        })?;
        Ok(Self { bytes, checksums, ranges })
    }

    /// Whether nothing was found to be damaged so far. Asked after a [`Section`] was used, which does not say.
    pub fn intact(&self) -> Result<(), Unreadable> {
        self.checksums.damaged().map_or(Ok(()), |block| Err(Unreadable::Block(block)))
    }

    /// Why there was no answer: a damaged block, if one was found, or else a file that says what cannot be.
    #[cold]
    pub fn fault(&self) -> Unreadable {
        self.intact().err().unwrap_or(Unreadable::Damaged)
    }

    /// Compares every block with its checksum.
    pub fn verify(&self) -> Result<(), Unreadable> {
        self.checksums.verify(self.bytes.as_ref()).map_err(Unreadable::Block)
    }
}

/// One section of a file, which is held as long as the section is.
pub struct Section<B> {
    file: Arc<Sections<B>>,
    range: Range<usize>,
}

impl<B> Section<B> {
    /// The section of a number; an empty one, if there are fewer.
    pub fn new(file: &Arc<Sections<B>>, number: usize) -> Self {
        let range = file.ranges.get(number).cloned().unwrap_or_default();
        Self { file: Arc::clone(file), range }
    }
}

impl<B: AsRef<[u8]>> Section<B> {
    /// Some bytes as they are, for those who had them compared before; none if the section ends before them.
    #[inline]
    pub fn unchecked(&self, range: Range<usize>) -> &[u8] {
        let all = self.file.bytes.as_ref().get(self.range.clone());
        all.and_then(|all| all.get(range)).unwrap_or_default()
    }
}

impl<B> Clone for Section<B> {
    fn clone(&self) -> Self {
        Self { file: Arc::clone(&self.file), range: self.range.clone() }
    }
}

impl<B: AsRef<[u8]>> Parts for Section<B> {
    fn length(&self) -> usize {
        self.range.len()
    }

    #[inline]
    fn part(&self, range: Range<usize>) -> Option<&[u8]> {
        if range.end > self.range.len() {
            return None;
        }
        let begin = self.range.start;
        self.file.checksums.part(self.file.bytes.as_ref(), begin + range.start..begin + range.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: Format = Format { magic: b"unquilt test   \0", version: 3, sections: 3 };

    fn file() -> Vec<u8> {
        let mut packing = Packing::new(FORMAT);
        packing.section(|out| out.extend_from_slice(b"first"));
        packing.section(|_| ());
        packing.section(|out| out.extend((0..9000_u32).map(|i| (i * i / 7) as u8)));
        packing.seal()
    }

    fn open(bytes: &[u8]) -> Result<Arc<Sections<&[u8]>>, Unreadable> {
        Sections::new(bytes, FORMAT).map(Arc::new)
    }

    #[test]
    fn sections_are_what_was_put_in() {
        let bytes = file();
        let file = open(&bytes).map_err(|_| ()).unwrap();
        let [first, second, third, none] = [0, 1, 2, 3].map(|number| Section::new(&file, number));
        assert_eq!([&first, &second, &third, &none].map(Parts::length), [5, 0, 9000, 0]);
        assert_eq!(first.part(1..4), Some(&b"irs"[..]));
        assert_eq!(second.part(0..0), Some(&[][..]));
        assert_eq!(third.clone().part(7..8500), Some(&bytes[FORMAT.lead() + 12..FORMAT.lead() + 8505]));
        // What lies in another section is not in this one.
        assert_eq!((first.part(3..6), second.part(0..1), third.part(8999..9001)), (None, None, None));
        assert_eq!((file.verify(), file.intact(), file.fault()), (Ok(()), Ok(()), Unreadable::Damaged));
    }

    #[test]
    fn every_length_but_its_own_is_refused() {
        let bytes = file();
        for length in 0..bytes.len() {
            let expected = if length < FORMAT.magic.len() { Unreadable::Foreign } else { Unreadable::CutShort };
            assert_eq!(open(&bytes[..length]).err(), Some(expected), "{length}");
        }
        assert_eq!(open(&[&bytes[..], &[0]].concat()).err(), Some(Unreadable::Damaged));
    }

    #[test]
    fn other_versions_are_refused() {
        let bytes = file();
        let older = [(1, Unreadable::Version(1)), (2, Unreadable::Version(2))];
        for (version, expected) in older.into_iter().chain([0, 4].map(|n| (n, Unreadable::Version(n.into())))) {
            let mut other = bytes.clone();
            other[FORMAT.magic.len()] = version;
            assert_eq!(open(&other).err(), Some(expected));
        }
        let fewer = Format { sections: 2, ..FORMAT };
        assert_eq!(Sections::new(&bytes, fewer).err(), Some(Unreadable::Lead));
    }

    #[test]
    fn every_flipped_bit_is_refused_or_not_given_out() {
        let bytes = file();
        for at in (0..bytes.len()).filter(|at| *at < 200 || at % 7 == 0) {
            let mut broken = bytes.clone();
            broken[at] ^= 1 << (at % 8);
            let Ok(file) = open(&broken) else { continue };
            assert!(at >= FORMAT.lead(), "{at}");
            let third = Section::new(&file, 2);
            for begin in (0..9000).step_by(900) {
                let part = third.part(begin..begin + 900);
                let expected = &bytes[FORMAT.lead() + 5 + begin..][..900];
                assert!(part.is_none_or(|part| part == expected), "{at}");
            }
            assert!(matches!(file.verify(), Err(Unreadable::Block(_))), "{at}");
            assert!(matches!(file.fault(), Unreadable::Block(_)), "{at}");
        }
    }
}
