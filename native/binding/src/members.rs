//! Compressed files for Python: their members, and the checkpoints from which a gzip file can be read on.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use unquilt_kernels::reading::gzip;
use unquilt_kernels::reading::members;
use unquilt_kernels::reading::zstd;

/// The most bytes of a buffer that is kept between calls of `read`.
const KEPT: usize = 1 << 20;

/// A path as Python says it: text, bytes or path-like.
fn to_path(path: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    path.py().import("os")?.call_method1("fsdecode", (path,))?.extract()
}

/// A file that Python reads, such as one at a store.
struct PythonFile(Py<PyAny>);

/// What Python raised goes through the core as it is, and comes out again in `to_python`.
fn through(error: PyErr) -> io::Error {
    io::Error::other(error)
}

impl Read for PythonFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let read = self.0.bind(py).call_method1("read", (out.len(),))?;
            let bytes = read.cast::<PyBytes>()?.as_bytes();
            out[..bytes.len()].copy_from_slice(bytes);
            Ok(bytes.len())
        })
        .map_err(through)
    }
}

impl Seek for PythonFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (offset, whence) = match to {
            SeekFrom::Start(offset) => (i128::from(offset), 0),
            SeekFrom::Current(offset) => (i128::from(offset), 1),
            SeekFrom::End(offset) => (i128::from(offset), 2),
        };
        Python::attach(|py| self.0.bind(py).call_method1("seek", (offset, whence))?.extract()).map_err(through)
    }
}

impl members::Bytes for PythonFile {
    fn size(&self) -> io::Result<u64> {
        Python::attach(|py| self.0.bind(py).getattr("size")?.extract()).map_err(through)
    }
}

/// An `OSError` that names the file.
fn to_python(py: Python<'_>, error: io::Error, path: &Path) -> PyErr {
    let error = match error.downcast::<PyErr>() {
        Ok(raised) => return raised,
        Err(error) => error,
    };
    let Some(number) = error.raw_os_error() else { return PyValueError::new_err(error.to_string()) };
    match py.import("os").and_then(|os| os.call_method1("strerror", (number,))) {
        Ok(message) => PyOSError::new_err((number, message.unbind(), path.as_os_str().to_owned())),
        Err(error) => error,
    }
}

/// The members of a compressed file, one after the other; broken ones end early.
#[pyclass(subclass)]
pub struct Members {
    path: PathBuf,
    open: Option<Box<dyn members::Members>>,
    buffer: Vec<u8>,
}

impl Members {
    /// Opens a path, or an object that reads bytes, at a byte or at a checkpoint.
    fn open<C: members::Codec>(file: &Bound<'_, PyAny>, begin: u64) -> PyResult<Self>
    where
        members::Unpacked<C>: members::Members + 'static,
    {
        if file.hasattr("readinto")? {
            let (name, own) = (file.getattr("name")?.extract::<PathBuf>()?, file.clone().unbind());
            let input = members::Input::of(Box::new(PythonFile(own)));
            return Self::made(file.py(), name, || members::Unpacked::<C>::over(input, begin));
        }
        let path = to_path(file)?;
        Self::made(file.py(), path.clone(), || members::Unpacked::<C>::open(&path, begin))
    }

    fn made<M: members::Members + 'static>(
        py: Python<'_>,
        path: PathBuf,
        open: impl FnOnce() -> io::Result<M> + Send,
    ) -> PyResult<Self> {
        match py.detach(open) {
            Ok(file) => Ok(Self { path, open: Some(Box::new(file)), buffer: Vec::new() }),
            Err(error) => Err(to_python(py, error, &path)),
        }
    }

    fn file(&self) -> PyResult<&dyn members::Members> {
        self.open.as_deref().ok_or_else(|| PyValueError::new_err("this file has been closed"))
    }

    /// Does something with the file, without holding up Python.
    fn with<T: Send>(
        &mut self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn members::Members, &mut Vec<u8>) -> io::Result<T> + Send,
    ) -> PyResult<T> {
        self.file()?;
        let (open, buffer) = (&mut self.open, &mut self.buffer);
        let result = py.detach(|| open.as_deref_mut().map(|file| work(file, buffer)).transpose());
        match result {
            Ok(done) => done.ok_or_else(|| PyValueError::new_err("this file has been closed")),
            Err(error) => Err(to_python(py, error, &self.path)),
        }
    }
}

/// The members of a gzip file.
#[pyclass(extends = Members)]
pub struct Gunzip;

#[pymethods]
impl Gunzip {
    #[new]
    #[pyo3(signature = (path, begin = 0, checkpoint = None))]
    fn new(
        py: Python<'_>,
        path: &Bound<'_, PyAny>,
        begin: u64,
        checkpoint: Option<&[u8]>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let file = match checkpoint {
            Some(checkpoint) if !checkpoint.is_empty() => {
                let path = to_path(path)?;
                Members::made(py, path.clone(), || gzip::Gunzip::resume(&path, checkpoint))?
            }
            _ => Members::open::<gzip::Gzip>(path, begin)?,
        };
        Ok(PyClassInitializer::from(file).add_subclass(Self))
    }
}

/// The frames of a zstd file.
#[pyclass(extends = Members)]
pub struct Unzstd;

#[pymethods]
impl Unzstd {
    #[new]
    #[pyo3(signature = (path, begin = 0))]
    fn new(path: &Bound<'_, PyAny>, begin: u64) -> PyResult<PyClassInitializer<Self>> {
        let file = Members::open::<zstd::Zstd>(path, begin)?;
        Ok(PyClassInitializer::from(file).add_subclass(Self))
    }
}

#[pymethods]
impl Members {
    #[getter]
    fn member(&self) -> PyResult<u64> {
        Ok(self.file()?.member())
    }

    #[getter]
    fn consumed(&self) -> PyResult<u64> {
        Ok(self.file()?.consumed())
    }

    #[getter]
    fn fault(&self) -> PyResult<Option<(&'static str, &str)>> {
        Ok(self.file()?.fault().map(|fault| (fault.reason, fault.detail.as_str())))
    }

    #[getter]
    fn skipped(&self) -> PyResult<Option<(u64, u64)>> {
        Ok(self.file()?.skipped())
    }

    /// The next `size` bytes of the member, fewer only where it ends. The buffer grows with what is decoded.
    fn read<'py>(&mut self, py: Python<'py>, size: usize) -> PyResult<Bound<'py, PyBytes>> {
        let filled = self.with(py, |file, buffer| {
            let mut filled = 0;
            loop {
                if filled == buffer.len() {
                    buffer.resize((2 * filled).max(KEPT / 16), 0);
                }
                let end = buffer.len().min(size);
                let made = file.read(&mut buffer[filled..end])?;
                filled += made;
                if filled < end || filled == size {
                    return Ok(filled);
                }
            }
        })?;
        let bytes = PyBytes::new(py, &self.buffer[..filled]);
        self.buffer.truncate(KEPT);
        self.buffer.shrink_to(KEPT);
        Ok(bytes)
    }

    #[pyo3(signature = (prefix = b"".as_slice(), stop = None))]
    fn next_member(&mut self, py: Python<'_>, prefix: &[u8], stop: Option<u64>) -> PyResult<bool> {
        self.with(py, |file, _| file.next_member(prefix, stop.unwrap_or(u64::MAX)))
    }

    #[pyo3(signature = (begin, prefix = b"".as_slice(), stop = None))]
    fn find_member(&mut self, py: Python<'_>, begin: u64, prefix: &[u8], stop: Option<u64>) -> PyResult<bool> {
        self.with(py, |file, _| file.find_member(begin, prefix, stop.unwrap_or(u64::MAX)))
    }

    fn close(&mut self) {
        self.open = None;
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&mut self, _error: &Bound<'_, PyAny>) {
        self.close();
    }
}

type Point<'py> = (u64, Bound<'py, PyBytes>);

/// Checkpoints about every `span` bytes of a file's stream, as (offset, checkpoint), and the length of the stream.
#[pyfunction]
pub fn gzip_index<'py>(py: Python<'py>, path: &Bound<'py, PyAny>, span: u64) -> PyResult<(Vec<Point<'py>>, u64)> {
    let path = to_path(path)?;
    let index = py.detach(|| gzip::index(&path, span)).map_err(|error| to_python(py, error, &path))?;
    let points = index.points.iter().map(|(offset, checkpoint)| (*offset, PyBytes::new(py, checkpoint)));
    Ok((points.collect(), index.size))
}
