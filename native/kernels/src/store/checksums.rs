//! Checksums of bytes that are looked at where they lie, block by block, when a block is first looked at.
//!
//! A mapped file of any size opens at once, so it cannot be read whole to see whether it is what was written. Instead
//! each block of 4 KiB has a checksum. These follow the content as a table, whose blocks have checksums of their own in
//! the next table, and so on to a table of one block; the checksum of that, the root, is kept by whoever opens the
//! file. So no byte is used that was not compared. The first look at a block costs its checksum and, mostly, no other;
//! a bit remembers that the block is intact, and later looks cost that bit. Two threads may compare the same block,
//! with the same outcome.
//!
//! It is CRC-32, as in gzip, from the library that already reads gzip, which computes it by carry-less multiplication.
//! Of 4 KiB it finds every change of up to three bits or within 32 neighbouring ones, and all but one in 2^32 of any
//! others. It guards against accidents, not against people: whoever means harm can compute checksums, too.

use std::cmp::Ordering;
use std::io::{self, Write};
use std::ops::{Range, RangeInclusive};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use zlib_rs::crc32::crc32;

pub const BLOCK: usize = 4096;
const SUM: usize = 4;
const NONE: usize = usize::MAX;

/// The checksum of a few bytes.
pub fn checksum(bytes: &[u8]) -> u32 {
    crc32(0, bytes)
}

/// Bytes that are handed out in parts, each only if it is intact.
pub trait Parts {
    fn length(&self) -> usize;

    /// None if there is no such part, or it is damaged; whoever holds the bytes remembers that they are damaged.
    fn part(&self, range: Range<usize>) -> Option<&[u8]>;
}

impl<B: AsRef<[u8]>> Parts for B {
    fn length(&self) -> usize {
        self.as_ref().len()
    }

    #[inline]
    fn part(&self, range: Range<usize>) -> Option<&[u8]> {
        self.as_ref().get(range)
    }
}

/// Content, or a table of checksums, and the number of its first block among all blocks.
#[derive(Clone, Debug)]
struct Level {
    range: Range<usize>,
    first: usize,
}

impl Level {
    fn blocks(&self) -> usize {
        self.range.len().div_ceil(BLOCK)
    }

    fn block(&self, number: usize) -> Range<usize> {
        let begin = self.range.start + number * BLOCK;
        begin..self.range.end.min(begin + BLOCK)
    }
}

/// The content, and each table there must be for it; None if no file can be so long.
fn levels(content: Range<usize>) -> Option<Vec<Level>> {
    let mut levels = vec![Level { range: content, first: 0 }];
    loop {
        let last = levels.last()?;
        let blocks = last.blocks();
        if blocks <= 1 {
            return Some(levels);
        }
        let begin = last.range.end;
        let next = Level { range: begin..begin.checked_add(blocks * SUM)?, first: last.first + blocks };
        levels.push(next);
    }
}

/// Where the last table for content that lies there ends; None if no file can be so long.
pub fn end(content: Range<usize>) -> Option<usize> {
    Some(levels(content)?.last()?.range.end)
}

/// Appends the tables for the content, which is what `bytes` have from `begin` on, and returns the root.
pub fn append(bytes: &mut Vec<u8>, begin: usize) -> u32 {
    let mut level = Level { range: begin..bytes.len(), first: 0 };
    while level.blocks() > 1 {
        let end = level.range.end;
        for number in 0..level.blocks() {
            let sum = checksum(&bytes[level.block(number)]);
            bytes.extend_from_slice(&sum.to_le_bytes());
        }
        level.range = end..bytes.len();
    }
    checksum(&bytes[level.range])
}

/// Writes content on its way to a file, and makes its checksums meanwhile.
pub struct Summing<W> {
    out: W,
    block: Vec<u8>,
    /// The checksums of the blocks that are full.
    sums: Vec<u8>,
    written: usize,
}

impl<W: Write> Summing<W> {
    pub fn new(out: W) -> Self {
        Self { out, block: Vec::with_capacity(BLOCK), sums: Vec::new(), written: 0 }
    }

    /// How many bytes of content there are so far.
    pub fn written(&self) -> usize {
        self.written
    }

    /// Writes the tables behind the content, as [`append`] does, and returns the root.
    pub fn finish(mut self) -> io::Result<u32> {
        if self.written <= BLOCK {
            self.out.flush()?;
            return Ok(checksum(&self.block));
        }
        if !self.block.is_empty() {
            self.sums.extend_from_slice(&checksum(&self.block).to_le_bytes());
        }
        let root = append(&mut self.sums, 0);
        self.out.write_all(&self.sums)?;
        self.out.flush()?;
        Ok(root)
    }
}

impl<W: Write> Write for Summing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A full block waits for its successor: if there is none, its checksum is the root.
        if self.block.len() == BLOCK {
            self.sums.extend_from_slice(&checksum(&self.block).to_le_bytes());
            self.block.clear();
        }
        let taken = bytes.len().min(BLOCK - self.block.len());
        self.out.write_all(&bytes[..taken])?;
        self.block.extend_from_slice(&bytes[..taken]);
        self.written += taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A file that is shorter or longer than its content and the tables for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongLength {
    Short,
    Long,
}

/// Remembers which blocks were compared with their checksums, and compares the others when they are asked for. The
/// bytes are given with each question; they must always be the same.
#[derive(Debug)]
pub struct Checksums {
    content: Range<usize>,
    levels: Vec<Level>,
    root: u32,
    /// A bit for each block.
    intact: Vec<AtomicU64>,
    /// The first block that was found not to be.
    damaged: AtomicUsize,
}

impl Checksums {
    /// For content in this range, with the tables of checksums behind it up to `end`, where a file of that content
    /// ends.
    pub fn new(content: Range<usize>, root: u32, end: usize) -> Result<Self, WrongLength> {
        let levels = levels(content.clone()).ok_or(WrongLength::Short)?;
        match levels.last().map_or(0, |level| level.range.end).cmp(&end) {
            Ordering::Less => return Err(WrongLength::Long),
            Ordering::Equal => (),
            Ordering::Greater => return Err(WrongLength::Short),
        }
        let blocks: usize = levels.iter().map(Level::blocks).sum();
        let intact = (0..blocks.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(Self { content, levels, root, intact, damaged: AtomicUsize::new(NONE) })
    }

    /// A part of the content, if it is all there and intact; a damaged block is remembered.
    #[inline]
    pub fn part<'a>(&self, bytes: &'a [u8], range: Range<usize>) -> Option<&'a [u8]> {
        let Range { start, end } = self.content;
        if range.is_empty() || range.start < start || range.end > end {
            return range.is_empty().then_some(&[]);
        }
        let (first, last) = ((range.start - start) / BLOCK, (range.end - 1 - start) / BLOCK);
        let known = self.is_known(first) && (first == last || first + 1 == last && self.is_known(last));
        (known || self.check_all(bytes, first..=last)).then(|| bytes.get(range))?
    }

    /// The number of a block that is damaged, if one was found.
    pub fn damaged(&self) -> Option<usize> {
        Some(self.damaged.load(Relaxed)).filter(|&block| block != NONE)
    }

    /// Compares every block, also those that were compared before; returns the number of one that is damaged.
    pub fn verify(&self, bytes: &[u8]) -> Result<(), usize> {
        self.intact.iter().for_each(|bits| bits.store(0, Relaxed));
        for (level, range) in self.levels.iter().enumerate().rev() {
            for number in 0..range.blocks().max(1) {
                if !self.check(bytes, level, number) {
                    return Err(self.damaged().unwrap_or(number));
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn is_known(&self, block: usize) -> bool {
        self.intact.get(block / 64).is_some_and(|bits| bits.load(Relaxed) >> (block % 64) & 1 == 1)
    }

    #[cold]
    fn check_all(&self, bytes: &[u8], mut blocks: RangeInclusive<usize>) -> bool {
        blocks.all(|number| self.check(bytes, 0, number))
    }

    /// Compares a block of a level, and before it the one that holds its checksum, unless that was done.
    fn check(&self, bytes: &[u8], level: usize, number: usize) -> bool {
        let Some(here) = self.levels.get(level) else { return false };
        let block = here.first + number;
        if self.is_known(block) {
            return true;
        }
        let expected = match self.levels.get(level + 1) {
            None => Some(self.root),
            Some(above) => {
                let at = above.range.start + number * SUM;
                if !self.check(bytes, level + 1, number * SUM / BLOCK) {
                    return false;
                }
                bytes.get(at..at + SUM).and_then(|sum| sum.first_chunk()).map(|sum| u32::from_le_bytes(*sum))
            }
        };
        let found = bytes.get(here.block(number)).map(checksum);
        if found.is_none() || found != expected {
            _ = self.damaged.compare_exchange(NONE, block, Relaxed, Relaxed);
            return false;
        }
        if let Some(bits) = self.intact.get(block / 64) {
            bits.fetch_or(1 << (block % 64), Relaxed);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGIN: usize = 13;

    fn file(length: usize) -> (Vec<u8>, u32) {
        let mut bytes: Vec<u8> = (0..BEGIN + length).map(|i| (i * i / 7 + i / 256) as u8).collect();
        let root = append(&mut bytes, BEGIN);
        (bytes, root)
    }

    fn open(length: usize, root: u32) -> Checksums {
        let content = BEGIN..BEGIN + length;
        Checksums::new(content.clone(), root, end(content).unwrap()).unwrap()
    }

    const LENGTHS: [usize; 9] =
        [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 1024 * BLOCK, 1024 * BLOCK + 1, 1025 * BLOCK + 77];

    #[test]
    fn what_was_written_is_what_is_found() {
        for length in LENGTHS {
            let (bytes, root) = file(length);
            let sums = Checksums::new(BEGIN..BEGIN + length, root, bytes.len()).unwrap();
            let tables = if length <= BLOCK { 1 } else { 2 + usize::from(length > 1024 * BLOCK) };
            assert_eq!(sums.levels.len(), tables, "{length}");
            for begin in (0..length).step_by(997) {
                for size in [0, 1, 8, 5000, 9000] {
                    let range = BEGIN + begin..BEGIN + (begin + size).min(length);
                    assert_eq!(sums.part(&bytes, range.clone()), Some(&bytes[range]));
                }
            }
            assert_eq!((sums.verify(&bytes), sums.damaged()), (Ok(()), None));
            for outside in [0..1, BEGIN - 1..BEGIN + 1, BEGIN + length..BEGIN + length + 1, 0..usize::MAX] {
                assert_eq!(sums.part(&bytes, outside), None);
            }
        }
    }

    #[test]
    fn what_is_written_piece_by_piece_is_the_same() {
        for length in LENGTHS {
            let (bytes, root) = file(length);
            for piece in [1, 20, BLOCK, 5000] {
                if length / piece > 100_000 {
                    continue;
                }
                let mut written = bytes[..BEGIN].to_vec();
                let mut summing = Summing::new(&mut written);
                bytes[BEGIN..BEGIN + length].chunks(piece).for_each(|each| summing.write_all(each).unwrap());
                assert_eq!(summing.written(), length);
                assert_eq!(summing.finish().unwrap(), root, "{length} by {piece}");
                assert!(written == bytes, "{length} by {piece}");
            }
        }
    }

    #[test]
    fn every_flipped_bit_is_found_where_it_is() {
        for length in [1, 700, BLOCK, 2 * BLOCK + 100] {
            let (bytes, root) = file(length);
            for at in BEGIN..bytes.len() {
                let mut broken = bytes.clone();
                broken[at] ^= 1 << (at % 8);
                let sums = open(length, root);
                assert!(sums.verify(&broken).is_err(), "{at}");
                let sums = open(length, root);
                for begin in (BEGIN..BEGIN + length).step_by(64) {
                    let part = begin..(begin + 64).min(BEGIN + length);
                    let read = sums.part(&broken, part.clone());
                    // Given out as it was, or not at all.
                    assert!(read.is_none_or(|read| read == &bytes[part.clone()]));
                    if part.contains(&at) {
                        assert_eq!((read, sums.damaged()), (None, Some((at - BEGIN) / BLOCK)));
                    }
                }
            }
        }
    }

    #[test]
    fn other_blocks_than_the_damaged_ones_can_be_had() {
        let length = 1030 * BLOCK;
        let (mut bytes, root) = file(length);
        bytes[BEGIN + 5 * BLOCK] ^= 1;
        let table = BEGIN + length;
        bytes[table + BLOCK] ^= 1; // the checksum of block 1024, and so of all in that table's second block
        let sums = open(length, root);
        let reads = |block: usize| {
            let at = BEGIN + block * BLOCK;
            sums.part(&bytes, at..at + 9).is_some()
        };
        let unreadable: Vec<usize> = (0..1030).filter(|&block| !reads(block)).collect();
        assert_eq!(unreadable, [5, 1024, 1025, 1026, 1027, 1028, 1029]);
        assert_eq!(sums.damaged(), Some(5));
        let across = BEGIN + 5 * BLOCK - 4;
        assert_eq!(sums.part(&bytes, across..across + 8), None);
    }

    #[test]
    fn swapped_zeroed_and_missing_blocks_are_found() {
        let (bytes, root) = file(8 * BLOCK);
        let mut swapped = bytes.clone();
        swapped[BEGIN..BEGIN + BLOCK].copy_from_slice(&bytes[BEGIN + BLOCK..BEGIN + 2 * BLOCK]);
        swapped[BEGIN + BLOCK..BEGIN + 2 * BLOCK].copy_from_slice(&bytes[BEGIN..BEGIN + BLOCK]);
        let mut both = swapped.clone(); // with their checksums
        let table = BEGIN + 8 * BLOCK;
        both[table..table + 8].rotate_left(4);
        let mut zeroed = bytes.clone();
        zeroed[BEGIN + 2 * BLOCK..].fill(0);
        for broken in [&swapped[..], &both, &zeroed, &bytes[..BEGIN + BLOCK], &[]] {
            assert!(open(8 * BLOCK, root).verify(broken).is_err());
            let sums = open(8 * BLOCK, root);
            let parts = (0..8).map(|block| BEGIN + block * BLOCK..BEGIN + (block + 1) * BLOCK);
            parts.for_each(|part| assert!(sums.part(broken, part.clone()).is_none_or(|read| read == &bytes[part])));
        }
    }

    #[test]
    fn a_file_ends_where_its_tables_do() {
        for (content, end, expected) in [
            (0..BLOCK, BLOCK, None),
            (0..BLOCK, BLOCK + 1, Some(WrongLength::Long)),
            (0..BLOCK, BLOCK - 1, Some(WrongLength::Short)),
            (0..2 * BLOCK, 2 * BLOCK + 8, None),
            (0..2 * BLOCK, 2 * BLOCK + 9, Some(WrongLength::Long)),
            (0..2 * BLOCK, 2 * BLOCK, Some(WrongLength::Short)),
            (0..usize::MAX, usize::MAX, Some(WrongLength::Short)), // nor is any longer than there are numbers
            (0..usize::MAX / 2, 99, Some(WrongLength::Short)),
        ] {
            assert_eq!(Checksums::new(content, 0, end).err(), expected);
        }
    }
}
