//! Rows on their way from one kernel to the next, packed in blocks.
//!
//! A row is a 64-bit `key` and a `tail` of bytes; rows meet by key and are ordered by (key, table, tail) as unsigned
//! bytes. Whatever a kernel wants sorted stands at the front of the tail, big-endian.
//!
//! Keys are spread over partitions by *range*, so that the partitions' outputs, one after the other, are in the order
//! of the keys whatever their number. A block holds rows of one partition as runs of keys that share a tail:
//!
//! ```text
//! block = { length(tail) tail count key × count }*      lengths and counts as LEB128, keys as 8 little-endian bytes
//! ```
//!
//! The grams of a page all have the same tail (the page and its servers), so a gram costs 8 bytes and its share of one
//! short tail. The block is what engines move and never look into.

use std::cell::RefCell;

/// Appends `value` as LEB128.
#[inline]
pub fn put_varint(to: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

/// Takes a LEB128 number off the front of `from`.
#[inline]
pub fn take_varint(from: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = from.split_first()?;
        *from = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Takes `count` bytes off the front of `from`.
#[inline]
pub fn take_bytes<'a>(from: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = from.split_at_checked(count)?;
    *from = rest;
    Some(taken)
}

/// Takes a big-endian number off the front of `from`.
#[inline]
pub fn take_u64(from: &mut &[u8]) -> Option<u64> {
    let (taken, rest) = from.split_first_chunk()?;
    *from = rest;
    Some(u64::from_be_bytes(*taken))
}

/// Takes a document number off the front of `from`; tails that name a document begin with it.
#[inline]
pub fn take_doc(from: &mut &[u8]) -> Option<u32> {
    let (taken, rest) = from.split_first_chunk()?;
    *from = rest;
    Some(u32::from_be_bytes(*taken))
}

/// How the keys of a table spread over partitions: evenly over 0..`count`, or over all 64 bits.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    partitions: u64,
    /// Keys times this lie evenly in 0..2^64.
    scale: u64,
}

impl Spread {
    /// Fingerprints: any 64 bits are equally likely.
    pub fn hashes(partitions: u32) -> Self {
        Self { partitions: u64::from(partitions.max(1)), scale: 1 }
    }

    /// Dense numbers below `count`, such as documents. Larger keys would all go to the last partition.
    pub fn numbers(partitions: u32, count: u64) -> Self {
        Self { partitions: u64::from(partitions.max(1)), scale: u64::MAX / count.max(1) }
    }

    #[inline]
    pub fn partition(self, key: u64) -> usize {
        ((u128::from(key.saturating_mul(self.scale)) * u128::from(self.partitions)) >> 64) as usize
    }

    pub fn partitions(self) -> usize {
        self.partitions as usize
    }
}

/// The rows a kernel emits on one of its ports, packed into one growing block per partition.
pub struct Writer {
    spread: Spread,
    blocks: Vec<Vec<u8>>,
    /// Keys of the run being written, by partition; zero between runs.
    counts: Vec<u32>,
    touched: Vec<usize>,
    bytes: usize,
    rows: u64,
}

thread_local! {
    /// Buffers of writers that are gone, for the next one: fresh pages would cost as much as filling them.
    static SPARE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

impl Drop for Writer {
    fn drop(&mut self) {
        let empty = self.blocks.drain(..).filter(|block| block.capacity() > 0).map(|mut block| {
            block.clear();
            block
        });
        SPARE.with_borrow_mut(|spare| spare.extend(empty));
    }
}

impl Writer {
    pub fn new(spread: Spread) -> Self {
        let partitions = spread.partitions();
        let mut blocks = SPARE.take();
        blocks.resize(partitions, Vec::new());
        Self { spread, blocks, counts: vec![0; partitions], touched: Vec::new(), bytes: 0, rows: 0 }
    }

    /// Emits one row.
    #[inline]
    pub fn row(&mut self, key: u64, tail: &[u8]) {
        let block = &mut self.blocks[self.spread.partition(key)];
        let before = block.len();
        put_varint(block, tail.len() as u64);
        block.extend_from_slice(tail);
        block.push(1);
        block.extend_from_slice(&key.to_le_bytes());
        self.bytes += block.len() - before;
        self.rows += 1;
    }

    /// Emits a row for each key, all with the same tail.
    pub fn run(&mut self, keys: &[u64], tail: &[u8]) {
        for &key in keys {
            let partition = self.spread.partition(key);
            if self.counts[partition] == 0 {
                self.touched.push(partition);
            }
            self.counts[partition] += 1;
        }
        for &partition in &self.touched {
            let block = &mut self.blocks[partition];
            let before = block.len();
            let count = std::mem::take(&mut self.counts[partition]) as usize;
            put_varint(block, tail.len() as u64);
            block.extend_from_slice(tail);
            put_varint(block, count as u64);
            block.reserve(8 * count);
            self.bytes += block.len() - before;
        }
        for &key in keys {
            self.blocks[self.spread.partition(key)].extend_from_slice(&key.to_le_bytes());
        }
        self.touched.clear();
        self.bytes += 8 * keys.len();
        self.rows += keys.len() as u64;
    }

    /// Bytes held since the last [`drain`](Self::drain).
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Rows emitted so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Shows the blocks to `take`, by partition, and begins new ones; empty ones are left out, and their memory is given
    /// back: where rows come in the order of their keys, the blocks of all partitions would stay as large as they once
    /// were.
    pub fn drain<E>(&mut self, mut take: impl FnMut(usize, &[u8]) -> Result<(), E>) -> Result<(), E> {
        self.bytes = 0;
        for (partition, block) in self.blocks.iter_mut().enumerate() {
            if block.is_empty() {
                *block = Vec::new();
                continue;
            }
            take(partition, block)?;
            block.clear();
        }
        Ok(())
    }

    /// The blocks so far, copied.
    #[cfg(test)]
    pub fn blocks(&self) -> Vec<Vec<u8>> {
        self.blocks.iter().filter(|block| !block.is_empty()).cloned().collect()
    }
}

/// The runs of a block: tails and the bytes of their keys.
pub struct Runs<'a>(pub &'a [u8]);

impl<'a> Iterator for Runs<'a> {
    type Item = Result<(&'a [u8], &'a [u8]), Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let run = take_run(&mut self.0);
        if run.is_none() {
            self.0 = &[];
        }
        Some(run.ok_or(Malformed))
    }
}

fn take_run<'a>(from: &mut &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
    let length = take_varint(from)?;
    let tail = take_bytes(from, usize::try_from(length).ok()?)?;
    let count = take_varint(from)?;
    let keys = take_bytes(from, usize::try_from(count).ok()?.checked_mul(8)?)?;
    Some((tail, keys))
}

/// A block that no writer made: cut short, or of another version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a block of rows is damaged")
    }
}

impl std::error::Error for Malformed {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints() {
        for value in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            put_varint(&mut bytes, value);
            assert_eq!(take_varint(&mut bytes.as_slice()), Some(value));
            assert_eq!(take_varint(&mut &bytes[..bytes.len() - 1]), None);
        }
    }

    #[test]
    fn partitions_are_ranges_of_keys() {
        for partitions in [1, 2, 7, 64, 1000] {
            for (spread, keys) in [
                (Spread::numbers(partitions, 1), vec![0]),
                (Spread::numbers(partitions, 10_000), (0..10_000).collect()),
                (
                    Spread::hashes(partitions),
                    (0..=1000).map(|i| (u64::MAX / 1000).saturating_mul(i)).collect::<Vec<_>>(),
                ),
            ] {
                let placed: Vec<usize> = keys.iter().map(|&key| spread.partition(key)).collect();
                assert!(placed.is_sorted());
                assert!(placed.iter().all(|&partition| partition < partitions as usize));
            }
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut writer = Writer::new(Spread::numbers(3, 100));
        writer.run(&[5, 99, 6, 50], b"tail");
        writer.row(5, b"");
        assert_eq!(writer.rows(), 5);
        let total = writer.bytes();
        let blocks = writer.blocks();
        assert_eq!(blocks.iter().map(Vec::len).sum::<usize>(), total);
        let runs: Vec<_> = blocks.iter().flat_map(|block| Runs(block)).map(|run| run.unwrap()).collect();
        let key = |bytes: &[u8]| bytes.chunks(8).map(|key| key[0]).collect::<Vec<_>>();
        let found: Vec<_> = runs.iter().map(|(tail, keys)| (*tail, key(keys))).collect();
        assert_eq!(found, [(&b"tail"[..], vec![5, 6]), (b"", vec![5]), (b"tail", vec![50]), (b"tail", vec![99])]);
        for cut in 1..blocks[0].len() {
            let count = Runs(&blocks[0][..cut]).filter(Result::is_err).count();
            assert!(count == 1 || cut == 22, "{cut}");
        }
    }
}
