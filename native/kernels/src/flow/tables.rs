//! Table rows: between the columns that people see and the rows that kernels exchange.
//!
//! The first column is the key, the others follow in the tail: numbers and reals as 8 big-endian bytes (numbers are
//! never negative, so that they sort), strings as a 4-byte length and their bytes, [`NULL`] for none.

use crate::flow::kernel::{Column, GroupKernel, MapKernel, Output, Rows};
use crate::flow::rows::{take_bytes, take_u64};

const NULL: u32 = u32::MAX;

/// The type of a field in a tail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Number,
    Real,
    Bytes,
}

pub fn put_number(tail: &mut Vec<u8>, value: u64) {
    tail.extend_from_slice(&value.to_be_bytes());
}

pub fn put_real(tail: &mut Vec<u8>, value: f64) {
    put_number(tail, value.to_bits());
}

pub fn put_bytes(tail: &mut Vec<u8>, value: Option<&[u8]>) {
    let length = value.map_or(NULL, |bytes| bytes.len() as u32);
    tail.extend_from_slice(&length.to_be_bytes());
    tail.extend_from_slice(value.unwrap_or_default());
}

/// Map: the columns of a table as rows, keyed by the first, which has numbers.
pub struct Select;

impl MapKernel for Select {
    fn batch(&mut self, columns: &[Column<'_>], _: &[Column<'_>], out: &mut Output) {
        let Some((first, others)) = columns.split_first() else { return };
        let mut tail = Vec::new();
        for row in 0..first.len() {
            tail.clear();
            for column in others {
                match column {
                    Column::Numbers(values) => put_number(&mut tail, values[row] as u64),
                    Column::Bytes { .. } => put_bytes(&mut tail, column.bytes(row)),
                }
            }
            out.ports[0].row(first.number(row), &tail);
        }
    }
}

/// Group: to each row of the second table, the fields of the first table's one row of that key. Rows without it are
/// dropped. Keeps one row.
#[derive(Default)]
pub struct LookUp {
    found: Vec<u8>,
}

impl GroupKernel for LookUp {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) {
        let mut there = false;
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                self.found.clear();
                self.found.extend_from_slice(tail);
                there = true;
            } else if there {
                let joined = [&self.found, tail].concat();
                out.ports[0].row(key, &joined);
            }
        }
    }
}

/// A column being filled; what Arrow wants.
#[derive(Default)]
pub struct Filled {
    /// Values of numbers and reals, data of strings.
    pub data: Vec<u8>,
    pub offsets: Vec<i64>,
    pub valid: Vec<u8>,
    pub nulls: usize,
    pub rows: usize,
}

impl Filled {
    fn push_word(&mut self, word: u64) {
        self.data.extend_from_slice(&word.to_le_bytes());
        self.rows += 1;
    }

    fn push_bytes(&mut self, value: Option<&[u8]>) {
        if self.offsets.is_empty() {
            self.offsets.push(0);
        }
        if self.rows.is_multiple_of(8) {
            self.valid.push(0);
        }
        match value {
            Some(bytes) => {
                self.data.extend_from_slice(bytes);
                self.valid[self.rows / 8] |= 1 << (self.rows % 8);
            }
            None => self.nulls += 1,
        }
        self.offsets.push(self.data.len() as i64);
        self.rows += 1;
    }
}

/// Group: the sorted rows as columns, key first. Keeps all rows of its partition.
pub struct Store {
    kinds: Vec<Kind>,
    pub columns: Vec<Filled>,
    pub damaged: bool,
}

impl Store {
    pub fn new(kinds: Vec<Kind>) -> Self {
        let columns = (0..=kinds.len()).map(|_| Filled::default()).collect();
        Self { kinds, columns, damaged: false }
    }

    fn push(&mut self, key: u64, mut tail: &[u8]) -> Option<()> {
        self.columns[0].push_word(key);
        for (kind, column) in self.kinds.iter().zip(&mut self.columns[1..]) {
            match kind {
                Kind::Number | Kind::Real => column.push_word(take_u64(&mut tail)?),
                Kind::Bytes => {
                    let length = u32::from_be_bytes(*take_bytes(&mut tail, 4)?.first_chunk()?);
                    column.push_bytes(if length == NULL {
                        None
                    } else {
                        Some(take_bytes(&mut tail, length as usize)?)
                    });
                }
            }
        }
        tail.is_empty().then_some(())
    }
}

impl GroupKernel for Store {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, _: &mut Output) {
        while let Some((_, tail)) = rows.next() {
            self.damaged |= self.push(key, tail).is_none();
        }
    }
}
