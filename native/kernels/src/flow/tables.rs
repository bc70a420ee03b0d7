//! From the columns of tables to the rows that kernels exchange, and back.
//!
//! The first column is the key, the others are the fields of the tail.

use crate::contract;
use crate::flow::columns::{Batch, Column, NoColumn};
use crate::flow::contract::{Port, Shape};
use crate::flow::fields::{Damaged, FieldCodec, Kind, Raw};
use crate::flow::kernel::{Done, Group, GroupKernel, Map, Output, Rows};
use crate::flow::rows::{take_bytes, take_doc, take_u64};

/// Map: the columns of a table as rows, keyed by the first, which has documents.
pub struct Select;

contract! {
    map Select = "select";
    new() = Ok(Self);
    reads Batch<'a>;
    const ROWS: Port<Raw<'static>> = Port::documents(0, "rows").shaped(Shape::Selected);
}

impl Map for Select {
    fn batch<'a>(&mut self, reads: Batch<'a>, (): (), out: &mut Output) -> Done {
        let Some(((_, Column::Numbers(keys)), others)) = reads.columns.split_first() else {
            return Err(NoColumn::NO_KEY.into());
        };
        let mut tail = Vec::new();
        for (row, &key) in keys.iter().enumerate() {
            tail.clear();
            for (_, column) in others {
                match column {
                    Column::Numbers(values) => (values[row] as u64).put(&mut tail),
                    Column::Bytes { .. } => column.bytes(row).put(&mut tail),
                }
            }
            out.row(&Self::ROWS, key as u64, Raw(&tail));
        }
        Ok(())
    }
}

/// Group: each row of the second table, behind the fields of the one row that the first table has for that key. Rows
/// for whose key the first table has none are dropped.
#[derive(Default)]
pub struct LookUp {
    joined: Vec<u8>,
}

contract! {
    group LookUp = "look up";
    new() = Ok(Self::default());
    key Doc of shapes [Shape::Any, Shape::Any];
    keeps "one row";
    const ROWS: Port<Raw<'static>> = Port::documents(0, "rows").shaped(Shape::OfTables(&[0, 1]));
}

impl Group for LookUp {
    fn key(&mut self, key: u64, rows: &mut dyn Rows, out: &mut Output) -> Done {
        let mut found = None;
        while let Some((table, tail)) = rows.next() {
            if table == 0 {
                self.joined.clear();
                self.joined.extend_from_slice(tail);
                found = Some(tail.len());
            } else if let Some(length) = found {
                self.joined.truncate(length);
                self.joined.extend_from_slice(tail);
                out.row(&Self::ROWS, key, Raw(&self.joined));
            }
        }
        Ok(())
    }
}

/// A column that is being filled, as the buffers that Arrow wants.
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

    /// A number, or the bits of a real one; null is a zero that does not count.
    fn push_optional(&mut self, word: Option<u64>) {
        self.note(word.is_some());
        self.push_word(word.unwrap_or_default());
    }

    fn push_bytes(&mut self, value: Option<&[u8]>) {
        if self.offsets.is_empty() {
            self.offsets.push(0);
        }
        self.note(value.is_some());
        self.data.extend_from_slice(value.unwrap_or_default());
        self.offsets.push(self.data.len() as i64);
        self.rows += 1;
    }

    /// Notes whether the row that comes next has a value.
    fn note(&mut self, there: bool) {
        if self.rows.is_multiple_of(8) {
            self.valid.push(0);
        }
        self.valid[self.rows / 8] |= u8::from(there) << (self.rows % 8);
        self.nulls += usize::from(!there);
    }
}

/// The sorted rows as columns, key first. Keeps all rows of its partition.
pub struct Store {
    kinds: Vec<Kind>,
    pub columns: Vec<Filled>,
}

impl Store {
    /// For tails of fields of these kinds.
    pub fn new(kinds: Vec<Kind>) -> Self {
        let columns = (0..=kinds.len()).map(|_| Filled::default()).collect();
        Self { kinds, columns }
    }

    fn push(&mut self, key: u64, mut tail: &[u8]) -> Option<()> {
        self.columns[0].push_word(key);
        for (kind, column) in self.kinds.iter().zip(&mut self.columns[1..]) {
            match *kind {
                Kind::Number | Kind::Real => column.push_word(take_u64(&mut tail)?),
                Kind::NumberOrNull | Kind::RealOrNull => {
                    column.push_optional(<Option<u64> as FieldCodec>::take(&mut tail, 0)?);
                }
                Kind::Doc => column.push_word(take_doc(&mut tail)?.into()),
                Kind::Small => column.push_word(u8::take(&mut tail, 0)?.into()),
                Kind::Bytes { .. } => column.push_bytes(<Option<&[u8]> as FieldCodec>::take(&mut tail, 0)?),
                Kind::Fixed(width) => column.push_bytes(Some(take_bytes(&mut tail, width)?)),
                Kind::Rest | Kind::Text { .. } => return None,
            }
        }
        tail.is_empty().then_some(())
    }
}

impl GroupKernel for Store {
    fn name(&self) -> &'static str {
        "store"
    }

    fn key(&mut self, key: u64, rows: &mut dyn Rows, _: &mut Output) -> Done {
        while let Some((_, tail)) = rows.next() {
            self.push(key, tail).ok_or(Damaged("a table"))?;
        }
        Ok(())
    }

    fn finish(&mut self, _: &mut Output) {}
}
