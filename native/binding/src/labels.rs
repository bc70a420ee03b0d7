//! Sets of labels for Python: the hashes of chunks, a set made of hashes, and a set that is asked about a page.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::path::PathBuf;

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};
use unquilt_kernels::analyses::reuse::chunks::{ComparedBy, Cutter, Sameness};
use unquilt_kernels::analyses::reuse::origins::OurPages;
use unquilt_kernels::flow::contract::{ParameterValue, Value};
use unquilt_kernels::store::gathering::{GatheredHashes, HashGathering, FILTER_BYTES};
use unquilt_kernels::store::labels::{pack, Hash, Labels as Set, Meaning};
use unquilt_kernels::store::origins::{LabelOrigin, PageName};
use unquilt_kernels::store::sections::Unreadable;
use unquilt_kernels::text::points::spans;

use crate::columns::Buffers;
use crate::filters::{unreadable, Held};

fn to_python(fault: Unreadable) -> PyErr {
    unreadable(fault, "set of labels")
}

fn sameness(by: &str) -> PyResult<Sameness> {
    let by = Sameness::from_value(&Value::Choice(by.to_owned()));
    by.ok_or_else(|| PyValueError::new_err("chunks are compared by text, raw or words"))
}

fn misplaced() -> PyErr {
    PyValueError::new_err("chunks are not where they should be")
}

/// A set of the hashes of chunks, of files and of stop chunks, each 20 bytes after the other, in any order.
#[pyfunction]
pub fn pack_labels<'py>(
    py: Python<'py>,
    header: &[u8],
    chunks: &[u8],
    files: &[u8],
    stops: &[u8],
) -> PyResult<Bound<'py, PyBytes>> {
    let packed = py.detach(|| pack(header, [chunks, files, stops].map(|hashes| hashes.as_chunks().0.to_vec())));
    let packed = packed.ok_or_else(|| PyValueError::new_err("there are too many labels for one set"))?;
    Ok(PyBytes::new(py, &packed))
}

/// Hashes that become a set, of which not all need be in memory.
#[pyclass]
pub struct LabelGathering {
    gathering: Option<HashGathering>,
    gathered: Option<GatheredHashes>,
}

/// It is sorted once, and written then.
fn out_of_turn() -> PyErr {
    PyValueError::new_err("labels are added, then sorted, then written")
}

/// Trouble with files is an `OSError`.
fn stored(error: io::Error) -> PyErr {
    if error.raw_os_error().is_some() {
        error.into()
    } else {
        crate::to_python(error)
    }
}

#[pymethods]
impl LabelGathering {
    /// What a label takes in memory while the filter is made.
    #[classattr]
    const FILTER_BYTES: usize = FILTER_BYTES;

    /// Sorts within `memory` bytes, with files in `folder`.
    #[new]
    fn new(memory: usize, folder: PathBuf) -> Self {
        Self { gathering: Some(HashGathering::new(memory, &folder)), gathered: None }
    }

    /// Adds hashes of chunks (0), files (1) or stop chunks (2), each 20 bytes after the other.
    fn add(&mut self, py: Python<'_>, part: usize, hashes: &[u8]) -> PyResult<()> {
        let gathering = self.gathering.as_mut().filter(|_| part <= 2).ok_or_else(out_of_turn)?;
        py.detach(|| gathering.add(part, hashes.as_chunks().0.iter().copied())).map_err(stored)
    }

    /// Adds the hashes of a part of a set.
    fn add_set(&mut self, py: Python<'_>, labels: &Labels, part: usize) -> PyResult<()> {
        let gathering = self.gathering.as_mut().filter(|_| part <= 2).ok_or_else(out_of_turn)?;
        let hashes = labels.set.hashes(part).map_err(to_python)?;
        py.detach(|| gathering.add(part, hashes)).map_err(stored)
    }

    /// Adds what a set knows of where its labels are from, with or without files.
    fn add_origins(&mut self, py: Python<'_>, labels: &Labels, files: bool) -> PyResult<()> {
        let gathering = self.gathering.as_mut().ok_or_else(out_of_turn)?;
        py.detach(|| gathering.add_origins(&labels.set, files)).map_err(stored)
    }

    /// Adds the hashes of the chunks of some documents that are longer than `min_length` and say something, and of
    /// their files if there are some, with the pages that they are from. `compared` has the hashes of chunks, or with
    /// `words` the texts; `ids` and `urls` are those of the documents.
    #[allow(clippy::too_many_arguments)]
    fn add_pages(
        &mut self,
        py: Python<'_>,
        chunks: Buffers,
        trivial: Buffers,
        compared: Buffers,
        words: bool,
        min_length: usize,
        ids: Buffers,
        urls: Buffers,
        files: Option<&[u8]>,
    ) -> PyResult<()> {
        let gathering = self.gathering.as_mut().ok_or_else(out_of_turn)?;
        let (chunks, trivial, compared) = (chunks.column()?, trivial.column()?, compared.column()?);
        let (ids, urls) = (ids.column()?, urls.column()?);
        let files = files.map(|files| files.as_chunks::<20>().0);
        let mut cutter = Cutter::new(min_length);
        let added = py.detach(|| {
            for row in 0..chunks.len() {
                let text = if words { compared.text(row) } else { Cow::Borrowed("") };
                let by = match words {
                    true => ComparedBy::Words(&text),
                    false => ComparedBy::Hashes(compared.bytes(row).unwrap_or_default()),
                };
                let [spanned, trivial] = [chunks, trivial].map(|column| column.bytes(row).unwrap_or_default());
                let (mut places, mut characters) = (Vec::new(), 0);
                let cut = cutter.cut(spans(spanned), trivial, by, |chunk| {
                    characters += chunk.length() as u64;
                    let (begin, end) = (chunk.begin as u32, chunk.end as u32);
                    places.push((chunk.hash, LabelOrigin { page: 0, begin, end }));
                });
                if cut.is_none() {
                    return Ok(false);
                }
                gathering.add(0, places.iter().map(|(hash, _)| *hash))?;
                if let Some(file) = files.and_then(|files| files.get(row)) {
                    gathering.add(1, [*file])?;
                    places.push((*file, LabelOrigin::of_file(0)));
                }
                let (id, url) = (ids.bytes(row).unwrap_or_default(), urls.bytes(row).unwrap_or_default());
                gathering.add_page(&PageName { characters, id, url }, places)?;
            }
            Ok(true)
        });
        match added {
            Ok(true) => Ok(()),
            Ok(false) => Err(misplaced()),
            Err(error) => Err(stored(error)),
        }
    }

    /// Sorts what was added, without chunks and files that are in one of the sets `gone`; returns how many chunks, files
    /// and stop chunks there are.
    fn sort(&mut self, py: Python<'_>, gone: Vec<PyRef<'_, Labels>>) -> PyResult<Vec<usize>> {
        let gathering = self.gathering.take().ok_or_else(out_of_turn)?;
        let sets: Vec<&Set<Held>> = gone.iter().map(|labels| &labels.set).collect();
        let gathered = py.detach(|| gathering.sort(&sets)).map_err(stored)?;
        let counts = gathered.counts();
        self.gathered = Some(gathered);
        Ok(counts)
    }

    /// Writes the set into a file, which is there and empty.
    fn write(&self, py: Python<'_>, header: &[u8], path: PathBuf) -> PyResult<()> {
        let gathered = self.gathered.as_ref().ok_or_else(out_of_turn)?;
        py.detach(|| gathered.write(header, &mut File::options().write(true).open(path)?)).map_err(stored)
    }
}

/// The hashes of the chunks of some documents that are longer than `min_length` and say something, one after the other,
/// in the order of the documents. `compared` has the hashes of chunks, or with `words` the texts.
#[pyfunction]
pub fn chunk_hashes<'py>(
    py: Python<'py>,
    chunks: Buffers,
    trivial: Buffers,
    compared: Buffers,
    words: bool,
    min_length: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut cutter = Cutter::new(min_length);
    let mut found = Vec::new();
    let (chunks, trivial, compared) = (chunks.column()?, trivial.column()?, compared.column()?);
    let whole = py.detach(|| {
        (0..chunks.len()).all(|row| {
            let text = if words { compared.text(row) } else { Cow::Borrowed("") };
            let by = match words {
                true => ComparedBy::Words(&text),
                false => ComparedBy::Hashes(compared.bytes(row).unwrap_or_default()),
            };
            let [spanned, trivial] = [chunks, trivial].map(|column| column.bytes(row).unwrap_or_default());
            cutter.cut(spans(spanned), trivial, by, |chunk| found.extend_from_slice(&chunk.hash)).is_some()
        })
    });
    whole.then(|| PyBytes::new(py, &found)).ok_or_else(misplaced)
}

/// A set in a buffer such as a memory map.
#[pyclass(frozen)]
pub struct Labels {
    set: Set<Held>,
}

#[pymethods]
impl Labels {
    #[new]
    fn new(buffer: PyBuffer<u8>) -> PyResult<Self> {
        let set = Set::new(Held::new(buffer)?).map_err(to_python)?;
        set.check_filter().map_err(to_python)?;
        Ok(Self { set })
    }

    fn header<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, self.set.header().map_err(to_python)?))
    }

    /// How many chunks, files and stop chunks there are.
    #[getter]
    fn counts(&self) -> [usize; 3] {
        self.set.counts()
    }

    /// The hashes of chunks (0), files (1) or stop chunks (2), one after the other, in order.
    fn hashes<'py>(&self, py: Python<'py>, part: usize) -> PyResult<Bound<'py, PyBytes>> {
        if part > 2 {
            return Err(PyIndexError::new_err("a set has three parts"));
        }
        let hashes: Vec<u8> = self.set.hashes(part).map_err(to_python)?.flatten().collect();
        Ok(PyBytes::new(py, &hashes))
    }

    /// How many pages it has labels of, if it knows where they are from.
    #[getter]
    fn pages(&self) -> Option<usize> {
        self.set.origins().map(|origins| origins.pages())
    }

    /// Id and URL of some of these pages, from one number to another.
    fn name_pages(&self, begin: usize, end: usize) -> PyResult<Vec<(String, String)>> {
        let named = self.set.origins().map(|origins| {
            (begin..end.min(origins.pages())).map(|page| {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                origins.page(page).map(|page| (text(page.id), text(page.url)))
            })
        });
        let named: Option<Vec<_>> = named.into_iter().flatten().collect();
        named.ok_or_else(|| to_python(self.set.fault()))
    }

    /// Id and URL of the pages that a chunk or a file is from, and where it begins and ends there.
    fn find_origins(&self, sha1: &[u8], file: bool) -> PyResult<Vec<(String, String, u32, u32)>> {
        let hash: &Hash = sha1.try_into().map_err(|_| PyValueError::new_err("a SHA-1 has 20 bytes"))?;
        let Some(origins) = self.set.origins() else { return Ok(Vec::new()) };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let found = origins.of(hash, file).and_then(|found| {
            found
                .map(|at| origins.page(at.page as usize).map(|p| (text(p.id), text(p.url), at.begin, at.end)))
                .collect::<Option<Vec<_>>>()
        });
        found.ok_or_else(|| to_python(self.set.fault()))
    }

    /// Compares all of the set with its checksums.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.set.verify()).map_err(to_python)
    }

    /// What there is of this set in a page, whose text and columns of chunks are as `extract` gives them, and the hash
    /// of its content: how many chunks remain, how many are stop chunks, begin, end and hash of those that are labelled,
    /// whether the file is, and the page of ours that most of it is from with how many of its chunks.
    #[allow(clippy::too_many_arguments)]
    fn page<'py>(
        &self,
        py: Python<'py>,
        utf8: &[u8],
        begins: &[u8],
        ends: &[u8],
        raws: &[u8],
        texts: &[u8],
        trivial: &[u8],
        content: &[u8],
        by: &str,
        min_length: usize,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let compared = match sameness(by)? {
            Sameness::Text => ComparedBy::Hashes(texts),
            Sameness::Raw => ComparedBy::Hashes(raws),
            Sameness::Words => {
                let text = simdutf8::basic::from_utf8(utf8);
                ComparedBy::Words(text.map_err(|_| PyValueError::new_err("the bytes are no UTF-8"))?)
            }
        };
        let number = |four: &[u8; 4]| u32::from_le_bytes(*four) as usize;
        let places = begins.as_chunks().0.iter().map(number).zip(ends.as_chunks().0.iter().map(number));
        let (mut chunks, mut stopped, mut fault) = (0_u64, 0, None);
        let mut matched: Vec<(usize, usize, Hash)> = Vec::new();
        let mut ours = OurPages::default();
        let mut lost = false;
        let rest = Cutter::new(min_length).cut(places, trivial, compared, |chunk| match self.set.chunk(&chunk.hash) {
            Ok(Meaning::Stop) => stopped += 1,
            Ok(Meaning::Nothing) => chunks += 1,
            Ok(Meaning::Label) => {
                chunks += 1;
                matched.push((chunk.begin, chunk.end, chunk.hash));
                lost |= ours.add(&self.set, &chunk.hash, chunk.length()).is_err();
            }
            Err(other) => fault = Some(other),
        });
        if let Some(fault) = fault {
            return Err(to_python(fault));
        }
        let page = rest.ok_or_else(misplaced)?;
        let stop_chunks: u64 = stopped + page.passed;
        let content: &Hash = content.try_into().map_err(|_| PyValueError::new_err("a SHA-1 has 20 bytes"))?;
        let file = self.set.file(content).map_err(to_python)? && !page.trivial;
        let ours = ours.choose(&self.set, file.then_some(content), matched.len() as u64);
        let Some(ours) = ours.ok().filter(|_| !lost) else { return Err(to_python(self.set.fault())) };
        let ours = ours.map(|(name, chunks)| (String::from_utf8_lossy(name).into_owned(), chunks));
        let rows = matched.iter().map(|(begin, end, hash)| (*begin, *end, PyBytes::new(py, hash)));
        (chunks, stop_chunks, PyList::new(py, rows.collect::<Vec<_>>())?, file, ours).into_pyobject(py)
    }
}

/// How much an object matters, by its length and by how many sites and documents have it.
#[pyfunction]
pub fn weigh(length: u64, sites: u64, documents: u64) -> u64 {
    unquilt_kernels::analyses::reuse::objects::weigh(length, sites, documents)
}
