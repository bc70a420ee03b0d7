//! Arrow buffers to kernel columns and back, without copying on the way in.

use std::io;

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use unquilt_kernels::flow::columns::{Batch, Column};
use unquilt_kernels::flow::fields::Kind;
use unquilt_kernels::flow::tables::Filled;

/// A column as Python hands it over: its kind, its number of rows, and Arrow's buffers from row 0.
///
/// `("number", rows, values, None, None)` with 64-bit values, or
/// `("bytes", rows, data, offsets, validity)` with 64-bit offsets.
#[derive(FromPyObject)]
pub struct Buffers(String, usize, Option<PyBuffer<i8>>, Option<PyBuffer<i8>>, Option<PyBuffer<i8>>);

impl Buffers {
    pub fn column(&self) -> io::Result<Column<'_>> {
        let Self(kind, rows, data, offsets, valid) = self;
        match kind.as_str() {
            "number" => Ok(Column::Numbers(words(data.as_ref(), *rows)?)),
            "bytes" => {
                let column = Column::Bytes {
                    offsets: if *rows == 0 { &[0] } else { words(offsets.as_ref(), *rows + 1)? },
                    data: bytes(data.as_ref()),
                    valid: valid.as_ref().map(|valid| bytes(Some(valid))),
                };
                check(&column, *rows)?;
                Ok(column)
            }
            other => Err(io::Error::other(format!("no such kind of column: {other}"))),
        }
    }
}

/// Columns by name, as kernels read them.
pub type NamedBuffers = Vec<(String, Buffers)>;

pub fn batch(columns: &NamedBuffers) -> io::Result<Batch<'_>> {
    let columns = columns.iter().map(|(name, buffers)| Ok((name.as_str(), buffers.column()?)));
    Ok(Batch { columns: columns.collect::<io::Result<_>>()? })
}

/// Arrow buffers never change while they are held, so they may be read without the interpreter's lock.
fn bytes(buffer: Option<&PyBuffer<i8>>) -> &[u8] {
    match buffer {
        Some(buffer) if buffer.is_c_contiguous() && buffer.len_bytes() > 0 => {
            // SAFETY: the buffer is contiguous, lives as long as the slice that borrows from it, and Arrow does not
            // change it.
            unsafe { std::slice::from_raw_parts(buffer.buf_ptr().cast(), buffer.len_bytes()) }
        }
        _ => &[],
    }
}

fn words(buffer: Option<&PyBuffer<i8>>, count: usize) -> io::Result<&[i64]> {
    let bytes = bytes(buffer);
    // SAFETY: any 8 bytes are a number. If the bytes do not begin at a multiple of 8, `before` is not empty: an error.
    let (before, words, _) = unsafe { bytes.align_to::<i64>() };
    if before.is_empty() && words.len() >= count {
        Ok(&words[..count])
    } else {
        Err(io::Error::other("a column's buffer is too short or not aligned"))
    }
}

fn check(column: &Column<'_>, rows: usize) -> io::Result<()> {
    let Column::Bytes { offsets, data, valid } = column else { return Ok(()) };
    let inside = offsets.first().is_some_and(|&first| first >= 0)
        && offsets.is_sorted()
        && offsets.last().is_some_and(|&last| last as usize <= data.len())
        && valid.is_none_or(|bits| bits.len() * 8 >= rows);
    if inside {
        Ok(())
    } else {
        Err(io::Error::other("a column's offsets do not fit its data"))
    }
}

pub fn kinds(fields: &[String]) -> PyResult<Vec<Kind>> {
    let kind = |field: &String| {
        Kind::named(field).ok_or_else(|| PyValueError::new_err(format!("no such kind of field: {field}")))
    };
    fields.iter().map(kind).collect()
}

/// Columns for `pyarrow.Array.from_buffers`: (rows, nulls, validity, offsets or None, data) each; the first is the key.
/// They are copied, and each is given back before the next.
pub fn filled<'py>(py: Python<'py>, columns: Vec<Filled>, kinds: &[Kind]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for (number, column) in columns.into_iter().enumerate() {
        let strings = number > 0 && matches!(kinds[number - 1], Kind::Bytes { .. } | Kind::Fixed(_));
        let offsets = strings.then(|| {
            let bytes: Vec<u8> = column.offsets.iter().flat_map(|offset| offset.to_le_bytes()).collect();
            PyBytes::new(py, if bytes.is_empty() { &[0; 8] } else { &bytes })
        });
        let valid = (column.nulls > 0).then(|| PyBytes::new(py, &column.valid));
        list.append((column.rows, column.nulls, valid, offsets, PyBytes::new(py, &column.data)))?;
    }
    Ok(list)
}
