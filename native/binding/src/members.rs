//! Compressed files for Python: their members, and the checkpoints from which a gzip file can be read on.

use std::io;
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

/// An `OSError` that names the file.
fn to_python(py: Python<'_>, error: io::Error, path: &Path) -> PyErr {
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
    fn open<M: members::Members + 'static>(
        path: &Bound<'_, PyAny>,
        open: impl FnOnce(&Path) -> io::Result<M> + Send,
    ) -> PyResult<Self> {
        let (py, path) = (path.py(), to_path(path)?);
        match py.detach(|| open(&path)) {
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
    fn new(path: &Bound<'_, PyAny>, begin: u64, checkpoint: Option<&[u8]>) -> PyResult<PyClassInitializer<Self>> {
        let file = Members::open(path, |path| match checkpoint {
            Some(checkpoint) if !checkpoint.is_empty() => gzip::Gunzip::resume(path, checkpoint),
            _ => gzip::Gunzip::open(path, begin),
        })?;
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
        let file = Members::open(path, |path| zstd::Unzstd::open(path, begin))?;
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
