//! Places inside a gzip file where decoding can begin.

use std::io;
use std::path::Path;

use zlib_rs::{compress_bound, compress_slice, decompress_slice, DeflateConfig, InflateConfig, ReturnCode};

use super::format::Sum;
use super::Gunzip;
use crate::reading::inflate::WINDOW;
use crate::reading::members::{Members, BLOCK};

/// Where decoding can begin again: between two blocks of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    pub member: u64,
    /// The next byte of the file; `bits` of the one before are still to be read.
    pub position: u64,
    pub bits: u8,
    pub sum: Sum,
    pub frontier: u64,
    pub repeated: u64,
    pub window: Vec<u8>,
}

impl Checkpoint {
    pub fn pack(&self) -> Vec<u8> {
        let mut packed = Vec::new();
        for number in [self.member, self.position, self.frontier, self.repeated] {
            packed.extend_from_slice(&number.to_le_bytes());
        }
        packed.extend_from_slice(&self.sum.crc.to_le_bytes());
        packed.extend_from_slice(&self.sum.length.to_le_bytes());
        packed.push(self.bits);
        let mut window = vec![0; compress_bound(self.window.len())];
        packed.extend_from_slice(compress_slice(&mut window, &self.window, DeflateConfig::default()).0);
        packed
    }

    pub fn unpack(packed: &[u8]) -> Option<Self> {
        let mut rest = packed;
        let mut number = || {
            let (first, others) = rest.split_first_chunk::<8>()?;
            rest = others;
            Some(u64::from_le_bytes(*first))
        };
        let (member, position, frontier, repeated) = (number()?, number()?, number()?, number()?);
        let sums = number()?;
        let (&bits, compressed) = rest.split_first()?;
        let mut window = vec![0; WINDOW];
        let (window, code) = decompress_slice(&mut window, compressed, InflateConfig::default());
        let valid = code == ReturnCode::Ok && bits < 8 && position > 0;
        valid.then(|| Self {
            member,
            position,
            bits,
            sum: Sum { crc: sums as u32, length: (sums >> 32) as u32 },
            frontier,
            repeated,
            window: window.to_vec(),
        })
    }
}

/// Where the decoded stream of a file can be entered: (offset in the stream, checkpoint), and how long the stream is.
pub struct Index {
    pub points: Vec<(u64, Vec<u8>)>,
    pub size: u64,
}

/// Decodes a file once, and makes a checkpoint as soon as possible after each `span` bytes of its stream.
///
/// The stream is that of all members; after a fault, it goes on at the next one on a new line: if the byte before is not
/// `\n`, one is put between. The first point is the beginning of the file, with an empty checkpoint.
pub fn index(path: &Path, span: u64) -> io::Result<Index> {
    let mut gunzip = Gunzip::open(path, 0)?;
    gunzip.codec.between = true;
    let mut points = vec![(0, Vec::new())];
    let mut due = span.max(1);
    let (mut size, mut last, mut broken) = (0, b'\n', false);
    let mut block = vec![0; BLOCK];
    loop {
        while gunzip.end.is_none() {
            let checkpoint = if size >= due && !broken { gunzip.checkpoint() } else { None };
            let made = gunzip.step(&mut block)?;
            if made == 0 {
                continue;
            }
            // Only where bytes follow: whoever begins there could not know whether a fault needs a new line.
            if let Some(checkpoint) = checkpoint {
                points.push((size, checkpoint));
                due = size + span.max(1);
            }
            size += made as u64 + u64::from(broken && last != b'\n');
            (last, broken) = (block[made - 1], false);
        }
        broken |= gunzip.fault.is_some();
        let more = gunzip.next_member(b"", u64::MAX)?;
        broken |= gunzip.skipped.is_some();
        if !more {
            return Ok(Index { points, size });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_are_packed_and_unpacked() {
        let point = Checkpoint {
            member: 7,
            position: 1 << 40,
            bits: 5,
            sum: Sum { crc: u32::MAX, length: 3 },
            frontier: 9,
            repeated: 11,
            window: (0..WINDOW).map(|i| i as u8).collect(),
        };
        let packed = point.pack();
        assert_eq!(Checkpoint::unpack(&packed).as_ref(), Some(&point));
        for end in 0..packed.len() {
            assert_eq!(Checkpoint::unpack(&packed[..end]), None);
        }
        let empty = Checkpoint { window: Vec::new(), ..point };
        assert_eq!(Checkpoint::unpack(&empty.pack()), Some(empty));
    }
}
