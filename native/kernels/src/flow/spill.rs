//! Sorted rows on disk, for partitions that exceed their budget: written once, merged row by row, gone when dropped.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::flow::kernel::{GroupKernel, Output, Rows};
use crate::flow::rows::put_varint;

/// From so many bytes on, a tail that many keys share is written once.
const LONG: usize = 64;

/// A row on its way to disk. Rows of the same run have the same tail.
pub struct SpilledRow<'a> {
    pub key: u64,
    pub table: u8,
    pub run: u32,
    pub tail: &'a [u8],
}

/// A sorted run on disk: `key table 2·length(tail) tail` for each row, or `key table 2·length(tail)+1 place` if the tail
/// was written before, at that place. Removed when dropped.
pub struct SpillFile {
    path: PathBuf,
    pub bytes: u64,
}

impl SpillFile {
    /// Writes rows that come in order.
    pub fn write<'a>(folder: &Path, rows: impl Iterator<Item = SpilledRow<'a>>) -> io::Result<Self> {
        static NUMBER: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let path = folder.join(format!("sort-{}-{number}.spill", std::process::id()));
        let mut this = Self { path, bytes: 0 };
        this.fill(rows).map_err(|error| at_path(error, &this.path))?;
        Ok(this)
    }

    fn fill<'a>(&mut self, rows: impl Iterator<Item = SpilledRow<'a>>) -> io::Result<()> {
        let mut file = BufWriter::with_capacity(1 << 18, File::create(&self.path)?);
        let mut record = Vec::new();
        let mut written: HashMap<u32, u64> = HashMap::new();
        for SpilledRow { key, table, run, tail } in rows {
            record.clear();
            record.extend_from_slice(&key.to_le_bytes());
            record.push(table);
            let length = (tail.len() as u64) << 1;
            let before = if tail.len() >= LONG { written.get(&run) } else { None };
            if let Some(place) = before {
                put_varint(&mut record, length | 1);
                record.extend_from_slice(&place.to_le_bytes());
            } else {
                put_varint(&mut record, length);
                if tail.len() >= LONG {
                    written.insert(run, self.bytes + record.len() as u64);
                }
                record.extend_from_slice(tail);
            }
            file.write_all(&record)?;
            self.bytes += record.len() as u64;
        }
        file.flush()
    }
}

impl Drop for SpillFile {
    fn drop(&mut self) {
        // Nothing to be done about a file that is gone or held already.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// A spill file that could not be written or read.
#[derive(Debug)]
pub struct SpillError {
    pub cause: io::Error,
    pub path: PathBuf,
}

impl std::fmt::Display for SpillError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.cause, self.path.display())
    }
}

impl std::error::Error for SpillError {}

fn at_path(cause: io::Error, path: &Path) -> io::Error {
    io::Error::new(cause.kind(), SpillError { cause, path: path.to_owned() })
}

/// Reads a spilled run, one row ahead.
struct Cursor {
    file: BufReader<File>,
    path: PathBuf,
    /// Bytes of the file that are still to be read.
    left: u64,
    key: u64,
    table: u8,
    tail: Vec<u8>,
}

impl Cursor {
    /// Moves to the next row; false at the end. A file that is shorter than it was written is an error.
    fn advance(&mut self) -> io::Result<bool> {
        if self.left == 0 {
            return Ok(false);
        }
        self.read_row().map_err(|error| at_path(error, &self.path))?;
        Ok(true)
    }

    fn read_row(&mut self) -> io::Result<()> {
        let mut head = [0; 9];
        self.file.read_exact(&mut head)?;
        self.left = self.left.saturating_sub(head.len() as u64);
        let [key @ .., table] = head;
        (self.key, self.table) = (u64::from_le_bytes(key), table);
        let mut length = 0_usize;
        for shift in (0..64).step_by(7) {
            let mut byte = [0];
            self.file.read_exact(&mut byte)?;
            self.left = self.left.saturating_sub(1);
            length |= usize::from(byte[0] & 0x7f) << shift;
            if byte[0] < 0x80 {
                break;
            }
        }
        let (length, before) = (length >> 1, length & 1 == 1);
        self.tail.resize(length, 0);
        if before {
            let mut place = [0; 8];
            self.file.read_exact(&mut place)?;
            self.left = self.left.saturating_sub(place.len() as u64);
            return self.file.get_ref().read_exact_at(&mut self.tail, u64::from_le_bytes(place));
        }
        self.file.read_exact(&mut self.tail)?;
        self.left = self.left.saturating_sub(length as u64);
        Ok(())
    }

    fn rank(&self) -> (u64, u8, &[u8]) {
        (self.key, self.table, &self.tail)
    }
}

// Reversed, since the heap shows its greatest first.
impl Ord for Cursor {
    fn cmp(&self, other: &Self) -> Ordering {
        other.rank().cmp(&self.rank())
    }
}

impl PartialOrd for Cursor {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Cursor {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }
}

impl Eq for Cursor {}

/// Merges spilled runs.
pub struct Merge {
    cursors: BinaryHeap<Cursor>,
    /// The cursor whose row was shown last; it moves on when the next row is asked for.
    shown: Option<Cursor>,
    key: u64,
    failed: io::Result<()>,
}

impl Merge {
    pub fn new(files: &[SpillFile]) -> io::Result<Self> {
        let mut cursors = BinaryHeap::new();
        for file in files {
            let reader = File::open(&file.path).map_err(|error| at_path(error, &file.path))?;
            let mut cursor = Cursor {
                file: BufReader::with_capacity(1 << 17, reader),
                path: file.path.clone(),
                left: file.bytes,
                key: 0,
                table: 0,
                tail: Vec::new(),
            };
            if cursor.advance()? {
                cursors.push(cursor);
            }
        }
        Ok(Self { cursors, shown: None, key: 0, failed: Ok(()) })
    }

    pub fn feed(&mut self, kernel: &mut dyn GroupKernel, out: &mut Output) -> io::Result<()> {
        while let Some(first) = self.cursors.peek() {
            self.key = first.key;
            let done = kernel.key(self.key, self, out);
            while self.next().is_some() {} // rows that the kernel did not ask for
            std::mem::replace(&mut self.failed, Ok(()))?; // first, as a kernel that missed rows may complain of them
            done.map_err(|fault| fault.of(kernel.name()))?;
            out.flush()?;
        }
        kernel.finish(out);
        out.flush()
    }

    fn put_back(&mut self) -> io::Result<()> {
        if let Some(mut cursor) = self.shown.take() {
            if cursor.advance()? {
                self.cursors.push(cursor);
            }
        }
        Ok(())
    }
}

impl Rows for Merge {
    fn next(&mut self) -> Option<(u8, &[u8])> {
        self.peek()?;
        self.shown = self.cursors.pop();
        self.shown.as_ref().map(|cursor| (cursor.table, cursor.tail.as_slice()))
    }

    fn peek(&mut self) -> Option<(u8, &[u8])> {
        if let Err(error) = self.put_back() {
            self.failed = Err(error);
            self.cursors.clear();
        }
        let first = self.cursors.peek().filter(|first| first.key == self.key)?;
        Some((first.table, first.tail.as_slice()))
    }
}
