//! Brings rows with equal keys together: sorts a partition's blocks by (key, table, tail), within a memory budget.
//!
//! In memory, a row is its key and the number of its run: 16 bytes; the runs' tails lie together, so that looking one
//! up stays in cache. Keys of a partition lie evenly in a narrow range, so one counting pass by their leading bits and
//! an insertion sort of what is left put them in order; both are stable, so rows of equal keys stay in the order of
//! their blocks. Tails mostly begin with a document, and blocks are taken in the order of their first tails, so the
//! rows of a key mostly stand in the order of their tails already; whether they do is checked once per run, not per
//! row.
//!
//! What exceeds the budget is sorted and spilled, and the spilled runs are merged row by row: a key may be larger than
//! memory, and a kernel that keeps few rows of it streams through the rest.

use std::cell::RefCell;
use std::io;
use std::path::PathBuf;

use crate::flow::kernel::{GroupKernel, Output, Rows};
use crate::flow::rows::Runs;
use crate::flow::spill::{Merge, SpillFile, SpilledRow};

/// One row in memory: its key and its run, by number.
#[derive(Clone, Copy, Default)]
struct Row {
    key: u64,
    run: u32,
}

/// The tails of runs, one after the other, each with the number of its table before it.
#[derive(Default)]
struct Tails {
    bytes: Vec<u8>,
    /// Where each ends; not needed as long as all are of one length, which spares a look-up.
    ends: Vec<usize>,
    length: Option<usize>,
}

impl Tails {
    fn push(&mut self, table: u8, tail: &[u8]) {
        if self.ends.is_empty() {
            self.length = Some(1 + tail.len());
        }
        self.length = self.length.filter(|&length| length == 1 + tail.len());
        self.bytes.push(table);
        self.bytes.extend_from_slice(tail);
        self.ends.push(self.bytes.len());
    }

    /// Table and tail together, as they are ordered.
    #[inline]
    fn get(&self, run: u32) -> &[u8] {
        let run = run as usize;
        match self.length {
            Some(length) => &self.bytes[run * length..][..length],
            None => &self.bytes[if run == 0 { 0 } else { self.ends[run - 1] }..self.ends[run]],
        }
    }
}

/// Takes the blocks of one partition, then feeds a kernel key by key.
pub struct Sorter<B> {
    budget: usize,
    spill: PathBuf,
    blocks: Vec<(u8, B)>,
    held: Memory,
    spilled: Vec<SpillFile>,
}

impl<B: AsRef<[u8]>> Sorter<B> {
    /// `budget` in bytes, for blocks and the rows unpacked from them; spill files go to `spill`, which must exist.
    pub fn new(budget: usize, spill: impl Into<PathBuf>) -> Self {
        Self { budget, spill: spill.into(), blocks: Vec::new(), held: Memory::default(), spilled: Vec::new() }
    }

    /// Adds a block of the group's table number `table`. May sort and spill what it holds.
    pub fn push(&mut self, table: u8, block: B) -> io::Result<()> {
        let needed = Memory::of(block.as_ref())?;
        if self.held.plus(&needed).bytes() > self.budget && !self.blocks.is_empty() {
            self.spill()?;
        }
        self.held = self.held.plus(&needed);
        self.blocks.push((table, block));
        Ok(())
    }

    /// Shows every key with its rows to `kernel`, in order.
    pub fn feed(mut self, kernel: &mut dyn GroupKernel, out: &mut Output) -> io::Result<()> {
        if self.spilled.is_empty() {
            Sorted::new(self.blocks, &self.held)?.feed(kernel, out)
        } else {
            if !self.blocks.is_empty() {
                self.spill()?;
            }
            out.count("spilled", self.spilled.iter().map(|file| file.bytes).sum());
            Merge::new(&self.spilled)?.feed(kernel, out)
        }
    }

    fn spill(&mut self) -> io::Result<()> {
        let sorted = Sorted::new(std::mem::take(&mut self.blocks), &std::mem::take(&mut self.held))?;
        self.spilled.push(SpillFile::write(&self.spill, sorted.iter())?);
        Ok(())
    }
}

/// What blocks take, and the rows unpacked from them.
#[derive(Clone, Copy, Default)]
struct Memory {
    blocks: usize,
    runs: usize,
    tails: usize,
    rows: usize,
}

impl Memory {
    fn of(block: &[u8]) -> io::Result<Self> {
        let mut needed = Self { blocks: block.len(), ..Self::default() };
        for run in Runs(block) {
            let (tail, keys) = run.map_err(io::Error::other)?;
            needed.runs += 1;
            needed.tails += 1 + tail.len();
            needed.rows += keys.len() / 8;
        }
        Ok(needed)
    }

    fn plus(&self, other: &Self) -> Self {
        Self {
            blocks: self.blocks + other.blocks,
            runs: self.runs + other.runs,
            tails: self.tails + other.tails,
            rows: self.rows + other.rows,
        }
    }

    /// Rows count twice, since they are sorted from one array into another.
    fn bytes(&self) -> usize {
        self.blocks + self.tails + self.runs * size_of::<usize>() + self.rows * 2 * size_of::<Row>()
    }
}

thread_local! {
    /// Memory for rows, used again from partition to partition: fresh pages would cost as much as the sorting.
    static SPARE: RefCell<[Vec<Row>; 2]> = const { RefCell::new([Vec::new(), Vec::new()]) };
}

/// The rows of some blocks, in order.
struct Sorted {
    tails: Tails,
    rows: Vec<Row>,
    /// Whether runs stand in the order of (table, tail), so that the rows of each key do, too.
    ordered: bool,
}

impl Sorted {
    fn new<B: AsRef<[u8]>>(mut blocks: Vec<(u8, B)>, needed: &Memory) -> io::Result<Self> {
        // Blocks arrive as tasks finish. In the order of their first tails, they are mostly in that of their documents.
        blocks.sort_by(|a, b| (a.0, first_tail(a.1.as_ref())).cmp(&(b.0, first_tail(b.1.as_ref()))));
        let [rows, mut sorted] = SPARE.take();
        let mut this = Self { tails: Tails::default(), rows, ordered: true };
        this.rows.clear();
        this.rows.reserve_exact(needed.rows); // a vector that grows as it is filled would take up to three times as much
        this.tails.bytes.reserve_exact(needed.tails);
        this.tails.ends.reserve_exact(needed.runs);
        this.unpack(&blocks)?;
        drop(blocks);
        sorted.clear();
        sorted.reserve_exact(this.rows.len());
        sorted.resize(this.rows.len(), Row::default());
        scatter(&mut this.rows, &mut sorted);
        SPARE.set([Vec::new(), std::mem::replace(&mut this.rows, sorted)]);
        if !this.ordered {
            this.order_ties();
        }
        Ok(this)
    }

    fn unpack<B: AsRef<[u8]>>(&mut self, blocks: &[(u8, B)]) -> io::Result<()> {
        for (table, block) in blocks {
            for run in Runs(block.as_ref()) {
                let (tail, keys) = run.map_err(io::Error::other)?;
                let run = u32::try_from(self.tails.ends.len()).map_err(io::Error::other)?;
                self.tails.push(*table, tail);
                self.ordered &= run == 0 || self.tails.get(run - 1) <= self.tails.get(run);
                self.rows.extend(keys.as_chunks().0.iter().map(|&key| Row { key: u64::from_le_bytes(key), run }));
            }
        }
        Ok(())
    }

    fn order_ties(&mut self) {
        let (rows, tails) = (&mut self.rows, &self.tails);
        let mut same: Vec<(u64, u32)> = Vec::new();
        for ties in rows.chunk_by_mut(|a, b| a.key == b.key).filter(|ties| ties.len() > 1) {
            // Most tails differ within their first bytes: comparing those spares a look at the rest.
            same.clear();
            same.extend(ties.iter().map(|row| (first_bytes(tails.get(row.run)), row.run)));
            same.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| tails.get(a.1).cmp(tails.get(b.1))));
            ties.iter_mut().zip(&same).for_each(|(row, &(_, run))| row.run = run);
        }
    }

    #[inline]
    fn at(&self, run: u32) -> (u8, &[u8]) {
        let (&table, tail) = self.tails.get(run).split_first().unwrap_or((&0, &[]));
        (table, tail)
    }

    /// Each row, to be written.
    fn iter(&self) -> impl Iterator<Item = SpilledRow<'_>> {
        self.rows.iter().map(|&Row { key, run }| {
            let (table, tail) = self.at(run);
            SpilledRow { key, table, run, tail }
        })
    }

    /// Looks at the tails of the next rows. Each is somewhere else in memory: so they are fetched together, and not one
    /// after the other, each when a kernel asks for it.
    fn fetch(&self, rows: &[Row]) {
        std::hint::black_box(rows.iter().fold(0, |sum, row| {
            let tail = self.tails.get(row.run);
            sum ^ tail.first().unwrap_or(&0) ^ tail.last().unwrap_or(&0)
        }));
    }

    fn feed(&self, kernel: &mut dyn GroupKernel, out: &mut Output) -> io::Result<()> {
        let (mut at, mut fetched) = (0, 0);
        for same in self.rows.chunk_by(|a, b| a.key == b.key) {
            if at + same.len() > fetched {
                fetched = (at + same.len().max(AHEAD)).min(self.rows.len());
                self.fetch(&self.rows[at..fetched]);
            }
            at += same.len();
            let rows = &mut Same { sorted: self, rows: same.iter() };
            kernel.key(same[0].key, rows, out).map_err(|fault| fault.of(kernel.name()))?;
            out.flush()?;
        }
        kernel.finish(out);
        out.flush()
    }
}

impl Drop for Sorted {
    fn drop(&mut self) {
        SPARE.with_borrow_mut(|[rows, _]| *rows = std::mem::take(&mut self.rows));
    }
}

/// So many rows are fetched together: as many as the processor can wait for at a time, and a few more.
const AHEAD: usize = 32;

/// The first eight bytes as a number, with zeros behind fewer: such numbers are in the order of the bytes.
fn first_bytes(bytes: &[u8]) -> u64 {
    let mut first = [0; 8];
    let length = bytes.len().min(8);
    first[..length].copy_from_slice(&bytes[..length]);
    u64::from_be_bytes(first)
}

fn first_tail(block: &[u8]) -> &[u8] {
    Runs(block).next().and_then(Result::ok).map_or(&[], |(tail, _)| tail)
}

/// The rows of one key, in memory.
struct Same<'a> {
    sorted: &'a Sorted,
    rows: std::slice::Iter<'a, Row>,
}

impl Rows for Same<'_> {
    #[inline]
    fn next(&mut self) -> Option<(u8, &[u8])> {
        self.rows.next().map(|row| self.sorted.at(row.run))
    }

    #[inline]
    fn peek(&mut self) -> Option<(u8, &[u8])> {
        self.rows.as_slice().first().map(|row| self.sorted.at(row.run))
    }

    #[inline]
    fn left(&self) -> Option<usize> {
        Some(self.rows.len())
    }
}

/// Below this many rows, insertion sort wins.
const FEW: usize = 20;
/// Buckets that are written to at the same time: one cache line each stays in the second-level cache.
const MOST_BITS: u32 = 11;

/// Stable sort by key, from `rows` into `sorted`, quick for keys that spread evenly between the least and the greatest.
/// Both slices are of one length; `rows` is used up.
fn scatter(rows: &mut [Row], sorted: &mut [Row]) {
    let (least, greatest) = rows.iter().fold((u64::MAX, 0), |(low, high), row| (low.min(row.key), high.max(row.key)));
    if rows.len() <= FEW || least == greatest {
        sorted.copy_from_slice(rows);
        return insertion_sort(sorted);
    }
    // About four rows to a bucket, unless there are too many; never more buckets than keys there could be.
    let spread = 64 - (greatest - least).leading_zeros();
    let bits = (rows.len().ilog2() - 1).clamp(1, MOST_BITS).min(spread);
    let bucket = |row: &Row| ((row.key - least) >> (spread - bits)) as usize;
    let mut ends = [0_u32; 1 << MOST_BITS];
    let ends = &mut ends[..1 << bits];
    rows.iter().for_each(|row| ends[bucket(row)] += 1);
    let mut sum = 0;
    for end in ends.iter_mut() {
        sum += std::mem::replace(end, sum);
    }
    for row in rows.iter() {
        let place = &mut ends[bucket(row)];
        sorted[*place as usize] = *row;
        *place += 1;
    }
    let mut begin = 0;
    for end in ends.iter().map(|&end| end as usize) {
        if end - begin <= FEW {
            insertion_sort(&mut sorted[begin..end]);
        } else {
            rows[begin..end].copy_from_slice(&sorted[begin..end]);
            scatter(&mut rows[begin..end], &mut sorted[begin..end]);
        }
        begin = end;
    }
}

fn insertion_sort(rows: &mut [Row]) {
    for i in 1..rows.len() {
        let row = rows[i];
        let mut at = i;
        while at > 0 && rows[at - 1].key > row.key {
            rows[at] = rows[at - 1];
            at -= 1;
        }
        rows[at] = row;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::kernel::{Counter, Done};
    use crate::flow::rows::{Spread, Writer};

    /// Writes down all it sees.
    #[derive(Default)]
    struct Witness(Vec<(u64, u8, Vec<u8>)>, usize);

    impl GroupKernel for Witness {
        fn name(&self) -> &'static str {
            "witness"
        }

        fn key(&mut self, key: u64, rows: &mut dyn Rows, _: &mut Output) -> Done {
            self.1 += 1;
            let next = rows.peek().map(|(table, tail)| (table, tail.to_vec()));
            assert_eq!(next, rows.peek().map(|(table, tail)| (table, tail.to_vec())));
            let mut first = true;
            while let Some((table, tail)) = rows.next() {
                assert!(!std::mem::take(&mut first) || next == Some((table, tail.to_vec())));
                self.0.push((key, table, tail.to_vec()));
            }
            assert!(rows.peek().is_none());
            Ok(())
        }

        fn finish(&mut self, _: &mut Output) {}
    }

    struct Lcg(u64);

    impl Lcg {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % bound
        }
    }

    fn check(make: impl Fn(&mut Lcg) -> (u64, u8, Vec<u8>), count: usize, blocks: usize, budget: usize) {
        let mut random = Lcg(7);
        let mut expected = Vec::new();
        let folder = std::env::temp_dir();
        let mut sorter = Sorter::new(budget, &folder);
        for _ in 0..blocks {
            let mut writers = [Writer::new(Spread::hashes(1)), Writer::new(Spread::hashes(1))];
            for _ in 0..count / blocks {
                let (key, table, tail) = make(&mut random);
                writers[usize::from(table)].row(key, &tail);
                expected.push((key, table, tail));
            }
            for (table, writer) in writers.iter().enumerate() {
                writer.blocks().into_iter().for_each(|block| sorter.push(table as u8, block).unwrap());
            }
        }
        expected.sort();
        let mut witness = Witness::default();
        sorter.feed(&mut witness, &mut Output::none()).unwrap();
        assert_eq!(witness.0.len(), expected.len());
        assert!(witness.0 == expected);
        let mut keys: Vec<u64> = expected.iter().map(|row| row.0).collect();
        keys.dedup();
        assert_eq!(witness.1, keys.len());
    }

    #[test]
    fn rows_meet_in_order_in_memory_and_spilled() {
        for budget in [usize::MAX, 100_000, 2_000] {
            let hash = |r: &mut Lcg| r.below(1 << 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            check(|r| (hash(r), 0, vec![1, 2]), 5_000, 7, budget);
            check(|r| (r.below(50), r.below(2) as u8, vec![r.below(3) as u8; r.below(4) as usize]), 5_000, 7, budget);
            check(|r| (r.below(3) * (u64::MAX / 2), 0, r.below(9).to_be_bytes().to_vec()), 5_000, 5, budget);
            check(|_| (42, 0, vec![]), 1_000, 3, budget);
            check(|r| (1 << r.below(64), 1, vec![]), 3_000, 2, budget);
        }
    }

    #[test]
    fn long_tails_are_spilled_once() {
        let (tails, keys) = ([vec![b'a'; 1_000], vec![b'b'; 2_000]], Vec::from_iter(0..500));
        let folder = std::env::temp_dir();
        let mut sorter = Sorter::new(20_000, &folder);
        for tail in &tails {
            let mut writer = Writer::new(Spread::hashes(1));
            writer.run(&keys, tail);
            writer.blocks().into_iter().for_each(|block| sorter.push(0, block).unwrap());
        }
        let mut witness = Witness::default();
        let mut nowhere = |_: usize, _: usize, _: &[u8]| Ok(());
        let mut out = Output::new(&[], 0, &mut nowhere);
        sorter.feed(&mut witness, &mut out).unwrap();
        let expected: Vec<_> =
            keys.iter().flat_map(|&key| tails.iter().map(move |tail| (key, 0, tail.clone()))).collect();
        assert!(witness.0 == expected);
        let Some(&Counter::Sum(spilled)) = out.close().unwrap().get("spilled") else { panic!("nothing was spilled") };
        assert!(spilled < 1_000 * 20 + 3_000, "{spilled}");
    }

    #[test]
    fn nothing_in_nothing_out() {
        let mut witness = Witness::default();
        Sorter::<Vec<u8>>::new(0, "unused").feed(&mut witness, &mut Output::none()).unwrap();
        assert!(witness.0.is_empty());
    }

    #[test]
    fn damaged_blocks_are_refused() {
        assert!(Sorter::new(0, "unused").push(0, vec![200, 1]).is_err());
    }
}
