//! Reading for Python: the text of bytes, the paragraphs of a text, what is kept of a page, the parts of a URL.

use std::borrow::Cow;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};
use unquilt_kernels::reading::charset;
use unquilt_kernels::reading::html::page;
use unquilt_kernels::reading::html::sources as source_chunks;
use unquilt_kernels::reading::paragraphs as kernel;
use unquilt_kernels::reading::paragraphs::Chunks;
use unquilt_kernels::reading::transfer;
use unquilt_kernels::reading::urls;
use unquilt_kernels::text::seen;

/// Text comes as bytes of UTF-8, so that it is encoded once. Offsets are 32-bit numbers, so it must not be longer than
/// these can say.
fn text(utf8: &[u8]) -> PyResult<&str> {
    if utf8.len() > i32::MAX as usize {
        return Err(PyValueError::new_err("a text of more than 2 GiB"));
    }
    simdutf8::basic::from_utf8(utf8).map_err(|_| PyValueError::new_err("the bytes are no UTF-8"))
}

/// The bytes of begins, ends, raw digests and text digests. A page of short chunks has many times its size of them, so
/// each is freed as soon as it is copied.
fn columns<'py>(py: Python<'py>, chunks: Chunks) -> PyResult<[Bound<'py, PyBytes>; 5]> {
    let integers = |values: Vec<i32>| {
        PyBytes::new_with(py, 4 * values.len(), |bytes| {
            let slots = bytes.as_chunks_mut().0.iter_mut();
            slots.zip(values).for_each(|(slot, value)| *slot = value.to_le_bytes());
            Ok(())
        })
    };
    let digests = |bytes: Vec<u8>| PyBytes::new(py, &bytes);
    let (raws, texts) = (digests(chunks.raw), digests(chunks.text));
    Ok([integers(chunks.begins)?, integers(chunks.ends)?, raws, texts, integers(chunks.trivial)?])
}

/// The text of `raw` as UTF-8 (the same object where it is that already) and the name of its encoding.
#[pyfunction]
pub fn decode<'py>(
    py: Python<'py>,
    raw: Bound<'py, PyBytes>,
    declared: Option<&Bound<'py, PyString>>,
    html: bool,
) -> PyResult<Bound<'py, PyTuple>> {
    let label = declared.and_then(|declared| declared.to_str().ok()); // a label with lone surrogates names no encoding
    let bytes = raw.as_bytes();
    let (text, encoding) = py.detach(|| charset::decode(bytes, label, html));
    match text {
        Cow::Borrowed(text) if text.len() == bytes.len() => (raw, encoding).into_pyobject(py),
        text => (PyBytes::new(py, text.as_bytes()), encoding).into_pyobject(py),
    }
}

/// The chunks of an HTTP body put together and whether they are all there; None if there are none.
#[pyfunction]
pub fn join_chunks<'py>(py: Python<'py>, body: &[u8]) -> Option<(Bound<'py, PyBytes>, bool)> {
    let (joined, whole) = py.detach(|| transfer::join_chunks(body))?;
    Some((PyBytes::new(py, &joined), whole))
}

/// The paragraphs of a text: begins and ends (32-bit integers), SHA-1 of each raw and with white space collapsed, and the
/// numbers of those that say nothing.
#[pyfunction]
pub fn paragraphs<'py>(py: Python<'py>, utf8: &[u8]) -> PyResult<Bound<'py, PyTuple>> {
    let chunks = py.detach(|| text(utf8).map(kernel::paragraphs))?;
    PyTuple::new(py, columns(py, chunks)?)
}

/// The chunks of the source of a page, all bytes of it, as `paragraphs` gives them.
#[pyfunction]
pub fn sources<'py>(py: Python<'py>, utf8: &[u8]) -> PyResult<Bound<'py, PyTuple>> {
    let chunks = py.detach(|| text(utf8).map(source_chunks::cut))?;
    PyTuple::new(py, columns(py, chunks)?)
}

/// What is kept of a page: its text, the five columns of its chunks, its links, whether it has more links than these,
/// how many nodes it has, how deep they are nested, how many words are hidden, and where (begins and ends in the source,
/// 32-bit integers); these are in the text with `keep_hidden`.
#[pyfunction]
#[pyo3(signature = (utf8, url = None, *, keep_hidden = false))]
pub fn extract<'py>(
    py: Python<'py>,
    utf8: &[u8],
    url: Option<&Bound<'py, PyString>>,
    keep_hidden: bool,
) -> PyResult<Bound<'py, PyTuple>> {
    let url = url.and_then(|url| url.to_str().ok());
    let page = py.detach(|| text(utf8).map(|source| page::extract(source, url, keep_hidden)))?;
    let [begins, ends, raw, texts, trivial] = columns(py, page.chunks)?;
    let content = PyBytes::new(py, page.text.as_bytes());
    let places: Vec<u8> = page.hidden_places.iter().flat_map(|place| place.to_le_bytes()).collect();
    let facts = (page.links, page.more_links, page.nodes, page.depth, page.hidden, PyBytes::new(py, &places));
    let (links, more_links, nodes, depth, hidden, places) = facts;
    (content, begins, ends, raw, texts, trivial, links, more_links, nodes, depth, hidden, places).into_pyobject(py)
}

/// A text as a reader sees it, the number of its words that were restored for that, and the digests of its chunks as
/// they are seen and the numbers of those that say nothing; None if it is the same. Chunks are given by begins, ends and digests, as `paragraphs` does.
#[pyfunction]
pub fn see<'py>(
    py: Python<'py>,
    utf8: &[u8],
    begins: &[u8],
    ends: &[u8],
    texts: &[u8],
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    let number = |four: &[u8; 4]| u32::from_le_bytes(*four) as usize;
    let places = begins.as_chunks().0.iter().map(number).zip(ends.as_chunks().0.iter().map(number));
    let found = py.detach(|| {
        let text = text(utf8)?;
        let Some(seen) = seen::see(text) else { return Ok(None) };
        let digests = kernel::chunks_as_seen(text, &seen.text, places, texts);
        let digests = digests.ok_or_else(|| PyValueError::new_err("chunks must be in the text, one behind the other"));
        digests.map(|(digests, trivial)| Some((seen, digests, trivial)))
    })?;
    let columns = found.map(|(seen, digests, trivial)| {
        let trivial: Vec<u8> = trivial.iter().flat_map(|number| number.to_le_bytes()).collect();
        let (text, digests) = (PyBytes::new(py, seen.text.as_bytes()), PyBytes::new(py, &digests));
        (text, seen.restored, digests, PyBytes::new(py, &trivial)).into_pyobject(py)
    });
    columns.transpose()
}

/// The host of a URL, the number of components of its path, and how often the most frequent of them occurs.
#[pyfunction]
pub fn locate(url: &Bound<'_, PyString>) -> (Option<String>, u32, u32) {
    let location = url.to_str().map(urls::locate).unwrap_or_default(); // a URL with lone surrogates has no host
    (location.host, location.components, location.repeats)
}
