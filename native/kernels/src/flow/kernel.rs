//! What a kernel is: a small machine that turns columns or sorted rows into rows.
//!
//! Kernels start no threads, read no clock and touch no file; what they keep between calls is bounded by what each
//! says of itself. Engines give them a batch or a partition and move the blocks that come out.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;

use crate::flow::rows::{Spread, Writer};

/// A column of a batch of table rows.
#[derive(Clone, Copy)]
pub enum Column<'a> {
    Numbers(&'a [i64]),
    /// Strings or bytes: the offsets of all values and one past the last, the data, and a bit mask of non-null values.
    Bytes {
        offsets: &'a [i64],
        data: &'a [u8],
        valid: Option<&'a [u8]>,
    },
}

impl<'a> Column<'a> {
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Bytes { offsets, .. } => offsets.len().saturating_sub(1),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number at `row`; 0 in a column of bytes.
    pub fn number(&self, row: usize) -> u64 {
        match self {
            Self::Numbers(values) => values[row] as u64,
            Self::Bytes { .. } => 0,
        }
    }

    /// The bytes at `row`, none for null or in a column of numbers.
    pub fn bytes(&self, row: usize) -> Option<&'a [u8]> {
        match *self {
            Self::Numbers(_) => None,
            Self::Bytes { offsets, data, valid } => {
                let there = valid.is_none_or(|bits| bits[row / 8] >> (row % 8) & 1 == 1);
                there.then(|| &data[offsets[row] as usize..offsets[row + 1] as usize])
            }
        }
    }

    /// The text at `row`, empty for null. Bytes that are no UTF-8, against Arrow's contract, part words and lose nothing
    /// else.
    pub fn text(&self, row: usize) -> Cow<'a, str> {
        String::from_utf8_lossy(self.bytes(row).unwrap_or_default())
    }
}

/// The rows that stand beside a batch, by document, read along in ascending order.
pub struct Along<'a> {
    documents: Column<'a>,
    at: usize,
}

impl<'a> Along<'a> {
    /// Of the column of documents.
    pub fn new(documents: Column<'a>) -> Self {
        Self { documents, at: 0 }
    }

    /// The rows of `doc`.
    pub fn rows(&mut self, doc: u64) -> std::ops::Range<usize> {
        while self.at < self.documents.len() && self.documents.number(self.at) < doc {
            self.at += 1;
        }
        let begin = self.at;
        while self.at < self.documents.len() && self.documents.number(self.at) == doc {
            self.at += 1;
        }
        begin..self.at
    }
}

/// Turns a batch of a table, and the rows of a kept table that stand beside it, into rows.
pub trait MapKernel {
    /// `beside` has the rows of the other table whose first column lies between the first and last number of the
    /// batch's first column; empty if there is no other table.
    fn batch(&mut self, columns: &[Column<'_>], beside: &[Column<'_>], out: &mut Output);
}

/// The rows of one key, in the order of (table, tail).
pub trait Rows {
    fn next(&mut self) -> Option<(u8, &[u8])>;

    /// How many rows are left, if that is known without reading them.
    fn left(&self) -> Option<usize> {
        None
    }
}

/// Turns rows that share a key into other rows.
pub trait GroupKernel {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output);

    /// After the last key of the partition.
    fn finish(&mut self, _out: &mut Output) {}
}

/// Takes blocks out of an [`Output`] that has grown: (port, partition, block).
pub type Sink<'a> = &'a mut dyn FnMut(usize, usize, &[u8]) -> io::Result<()>;

/// What a kernel emits: rows on numbered ports, and counters that add up over all tasks.
pub struct Output<'a> {
    pub ports: Vec<Writer>,
    counters: BTreeMap<&'static str, Counter>,
    sink: Option<Sink<'a>>,
    full: usize,
    fault: Option<io::Error>,
}

/// An integer that folds over all tasks, in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    Sum(u64),
    Greatest(u64),
}

impl<'a> Output<'a> {
    /// A port that holds more than `full` bytes passes its blocks on.
    pub fn new(ports: &[Spread], full: usize, sink: Sink<'a>) -> Self {
        let ports = ports.iter().map(|&spread| Writer::new(spread)).collect();
        Self { ports, counters: BTreeMap::new(), sink: Some(sink), full, fault: None }
    }

    /// For kernels that emit nothing.
    pub fn none() -> Self {
        Self { ports: Vec::new(), counters: BTreeMap::new(), sink: None, full: 0, fault: None }
    }

    #[inline]
    pub fn count(&mut self, name: &'static str, by: u64) {
        if let Counter::Sum(sum) = self.counters.entry(name).or_insert(Counter::Sum(0)) {
            *sum += by;
        }
    }

    pub fn greatest(&mut self, name: &'static str, value: u64) {
        if let Counter::Greatest(greatest) = self.counters.entry(name).or_insert(Counter::Greatest(0)) {
            *greatest = value.max(*greatest);
        }
    }

    /// Hands on the blocks of ports that are full.
    #[inline]
    pub fn flush(&mut self) -> io::Result<()> {
        if self.ports.iter().any(|port| port.bytes() > self.full) {
            self.drain(self.full)?;
        }
        Ok(())
    }

    /// The same in the middle of a batch; what goes wrong shows when it is closed.
    pub fn relieve(&mut self) {
        if self.fault.is_none() {
            self.fault = self.flush().err();
        }
    }

    /// Hands on all blocks and returns the counters.
    pub fn close(mut self) -> io::Result<BTreeMap<&'static str, Counter>> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        self.drain(0)?;
        Ok(self.counters)
    }

    fn drain(&mut self, above: usize) -> io::Result<()> {
        let Some(sink) = self.sink.as_mut() else { return Ok(()) };
        for (number, port) in self.ports.iter_mut().enumerate().filter(|(_, port)| port.bytes() > above) {
            port.drain(|partition, block| sink(number, partition, block))?;
        }
        Ok(())
    }
}
