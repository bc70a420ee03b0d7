//! A file with a buffer in which one can look ahead, and a little back.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

pub const BLOCK: usize = 1 << 20;
/// How far one can look ahead: at the longest header of a gzip member, and at the largest block of a zstd frame.
pub const AHEAD: usize = 1 << 18;

/// What an `Input` is read from: a file of this machine, or one at a store.
pub trait Bytes: Read + Seek + Send + Sync {
    fn size(&self) -> io::Result<u64>;
}

impl Bytes for File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }
}

pub struct Input {
    file: Box<dyn Bytes>,
    buffer: Vec<u8>,
    /// The part of the buffer that is still to be read.
    begin: usize,
    end: usize,
    /// Where in the file that part begins.
    pub position: u64,
    exhausted: bool,
}

impl Input {
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self::of(Box::new(File::open(path)?)))
    }

    pub fn of(file: Box<dyn Bytes>) -> Self {
        let buffer = vec![0; BLOCK + AHEAD];
        Self { file, buffer, begin: 0, end: 0, position: 0, exhausted: false }
    }

    /// The next bytes of the file: at least `size` of them (at most `AHEAD`), unless it ends before.
    pub fn ahead(&mut self, size: usize) -> io::Result<&[u8]> {
        if self.end - self.begin < size && !self.exhausted {
            self.buffer.copy_within(self.begin..self.end, 0);
            (self.begin, self.end) = (0, self.end - self.begin);
        }
        while self.end < self.begin + size && !self.exhausted {
            match self.file.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.exhausted = true,
                Ok(size) => self.end += size,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(&self.buffer[self.begin..self.end])
    }

    /// Goes past bytes that have been seen ahead.
    pub fn skip(&mut self, size: usize) {
        self.begin += size;
        self.position += size as u64;
    }

    pub fn seek(&mut self, position: u64) -> io::Result<()> {
        let buffered = self.position - self.begin as u64;
        if (buffered..=buffered + self.end as u64).contains(&position) {
            self.begin = (position - buffered) as usize;
        } else {
            self.file.seek(SeekFrom::Start(position))?;
            (self.begin, self.end, self.exhausted) = (0, 0, false);
        }
        self.position = position;
        Ok(())
    }

    /// The bytes at some other place of the file, as many as there are; one stays where one is.
    pub fn peek(&mut self, position: u64, bytes: &mut [u8]) -> io::Result<usize> {
        let buffered = self.position - self.begin as u64;
        let mut seen = 0;
        self.file.seek(SeekFrom::Start(position))?;
        while seen < bytes.len() {
            match self.file.read(&mut bytes[seen..]) {
                Ok(0) => break,
                Ok(size) => seen += size,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.file.seek(SeekFrom::Start(buffered + self.end as u64))?;
        Ok(seen)
    }

    pub fn size(&self) -> io::Result<u64> {
        self.file.size()
    }
}
