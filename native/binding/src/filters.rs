//! Sets of prototypes for Python: the buckets of texts, a set made of them, and a set that is asked.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyDict, PyTuple};
use unquilt_kernels::prototypes::{pack, Prototypes as Set, Unreadable};
use unquilt_kernels::signer::Signer;

use crate::columns::Buffers;
use crate::kernels::signer;

/// The keys of the buckets of each text of a column, one after the other, and how many each has: as the bytes of 64-bit
/// integers.
#[pyfunction]
pub fn bucket_keys<'py>(
    py: Python<'py>,
    texts: Buffers,
    parameters: &Bound<'py, PyDict>,
    lexicon: &[u8],
) -> PyResult<Bound<'py, PyTuple>> {
    let mut signer = signer(parameters, lexicon)?;
    let (keys, counts) = py.detach(|| {
        let (mut keys, mut counts) = (Vec::new(), Vec::new());
        texts.column().map(|column| {
            for row in 0..column.len() {
                let before = keys.len();
                signer.keys(&column.text(row), |key| keys.extend_from_slice(&key.to_le_bytes()));
                counts.extend_from_slice(&((keys.len() - before) as u64 / 8).to_le_bytes());
            }
            (keys, counts)
        })
    })?;
    (PyBytes::new(py, &keys), PyBytes::new(py, &counts)).into_pyobject(py)
}

/// A set of prototypes: those of `base`, if there is one, and texts of these ids with these keys, as `bucket_keys` has
/// them.
#[pyfunction]
#[pyo3(signature = (header, lexicon, ids, keys, counts, base = None))]
pub fn pack_prototypes<'py>(
    py: Python<'py>,
    header: &[u8],
    lexicon: &[u8],
    ids: Vec<PyBackedStr>,
    keys: Vec<PyBackedBytes>,
    counts: Vec<PyBackedBytes>,
    base: Option<&Prototypes>,
) -> PyResult<Bound<'py, PyBytes>> {
    let packed = py.detach(|| {
        let numbers = |bytes: &'_ PyBackedBytes| -> Vec<u64> {
            bytes.as_chunks().0.iter().map(|number| u64::from_le_bytes(*number)).collect()
        };
        let (mut pairs, mut owner) = (Vec::new(), 0);
        let mut all_ids: Vec<&[u8]> = Vec::new();
        if let Some(base) = base {
            let set = base.held.set()?;
            pairs.extend(set.pairs());
            owner = base.count as u32;
            all_ids.extend((0..base.count).map(|number| set.id(number, base.count).unwrap_or_default()));
        }
        all_ids.extend(ids.iter().map(|id| id.as_bytes()));
        for (keys, counts) in keys.iter().zip(&counts) {
            let mut keys = numbers(keys).into_iter();
            for count in numbers(counts) {
                pairs.extend(keys.by_ref().take(count as usize).map(|key| (key, owner)));
                owner += 1;
            }
        }
        Ok::<_, PyErr>(pack(header, lexicon, &mut pairs, all_ids.iter().copied()))
    })?;
    Ok(PyBytes::new(py, &packed))
}

/// A buffer that nobody writes to, such as a memory map, held for as long as anything looks at it.
struct Held(PyBuffer<u8>);

impl Held {
    fn new(buffer: PyBuffer<u8>) -> PyResult<Arc<Self>> {
        if buffer.is_c_contiguous() {
            Ok(Arc::new(Self(buffer)))
        } else {
            Err(PyValueError::new_err("its bytes do not lie side by side"))
        }
    }

    fn bytes(&self) -> &[u8] {
        if self.0.len_bytes() == 0 {
            return &[];
        }
        // SAFETY: the buffer is contiguous and held by `self`; whoever gives it promises not to write to it.
        unsafe { std::slice::from_raw_parts(self.0.buf_ptr().cast(), self.0.len_bytes()) }
    }

    fn set(&self) -> PyResult<Set<'_>> {
        Set::new(self.bytes()).map_err(|fault| {
            PyValueError::new_err(match fault {
                Unreadable::Foreign => "it is no set of prototypes".to_owned(),
                Unreadable::Version(version) => format!("its format is {version}, and this unquilt reads another"),
                Unreadable::CutShort => "it is cut short".to_owned(),
                Unreadable::Damaged => "it is damaged".to_owned(),
            })
        })
    }
}

/// The lexicon of a set.
struct Lexicon(Arc<Held>, Range<usize>);

impl AsRef<[u8]> for Lexicon {
    fn as_ref(&self) -> &[u8] {
        &self.0.bytes()[self.1.clone()]
    }
}

/// A set of `count` prototypes in a buffer, and what signs texts that are held against them.
#[pyclass(frozen)]
pub struct Prototypes {
    held: Arc<Held>,
    count: usize,
    parameters: Py<PyDict>,
    /// Signers that are not at work: to make one takes microseconds, and to sign a mail not many more.
    idle: Mutex<Vec<Signer<Lexicon>>>,
}

/// A signer that has seen a longer text is not kept: its buffers are as large.
const LONG: usize = 1 << 20;

impl Prototypes {
    fn signer(&self, py: Python<'_>) -> PyResult<Signer<Lexicon>> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.map_or_else(|| signer(self.parameters.bind(py), self.lexicon_part()?), Ok)
    }

    fn lexicon_part(&self) -> PyResult<Lexicon> {
        let range = self.held.set()?.lexicon_range();
        Ok(Lexicon(Arc::clone(&self.held), range))
    }
}

#[pymethods]
impl Prototypes {
    /// Parameters are those of the kernels "shingles" and "signatures".
    #[new]
    fn new(py: Python<'_>, buffer: PyBuffer<u8>, count: usize, parameters: Py<PyDict>) -> PyResult<Self> {
        let held = Held::new(buffer)?;
        if !held.set()?.has(count) {
            return Err(PyValueError::new_err("it is damaged"));
        }
        let this = Self { held, count, parameters, idle: Mutex::default() };
        let first = this.signer(py)?;
        this.idle.lock().unwrap_or_else(PoisonError::into_inner).push(first);
        Ok(this)
    }

    /// The header of the set in a buffer.
    #[staticmethod]
    fn header(py: Python<'_>, buffer: PyBuffer<u8>) -> PyResult<Bound<'_, PyBytes>> {
        Ok(PyBytes::new(py, Held::new(buffer)?.set()?.header))
    }

    fn lexicon<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, self.held.set()?.lexicon))
    }

    /// The ids of the prototypes that share a bucket with a text, in their order; None if it has none to share.
    #[pyo3(name = "match")]
    fn match_text(&self, py: Python<'_>, text: &str) -> PyResult<Option<Vec<String>>> {
        let set = self.held.set()?;
        let mut signer = self.signer(py)?;
        Ok(py.detach(|| {
            let (mut owners, mut signed) = (Vec::new(), false);
            signer.keys(text, |key| {
                signed = true;
                set.find(key, |owner| owners.push(owner));
            });
            if text.len() <= LONG {
                self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(signer);
            }
            owners.sort_unstable();
            owners.dedup();
            let ids = owners.iter().filter_map(|&owner| set.id(owner as usize, self.count));
            signed.then(|| ids.map(|id| String::from_utf8_lossy(id).into_owned()).collect())
        }))
    }
}
