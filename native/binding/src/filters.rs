//! Sets of prototypes for Python: the buckets of texts, a set made of them, and a set that is asked.

use std::sync::{Mutex, PoisonError};

use pyo3::buffer::PyBuffer;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyDict, PyTuple};
use unquilt_kernels::sketches::signer::Signer;
use unquilt_kernels::store::prototypes::{pack, Prototypes as Set};
use unquilt_kernels::store::sections::{Section, Unreadable};

use crate::columns::Buffers;
use crate::kernels::signer;
use crate::texts::see;

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

/// A set of prototypes: first those of `base`, if one is given (which must have been verified), then those with these
/// ids and these keys, the keys as `bucket_keys` returns them.
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
        let base = base.map(|base| &base.set);
        let (mut pairs, mut owner) = (Vec::new(), base.map_or(0, Set::count) as u32);
        for (keys, counts) in keys.iter().zip(&counts) {
            let mut keys = numbers(keys).into_iter();
            for count in numbers(counts) {
                pairs.extend(keys.by_ref().take(count as usize).map(|key| (key, owner)));
                owner += 1;
            }
        }
        pack(header, lexicon, base, pairs, ids.iter().map(|id| id.as_bytes()))
    });
    let packed = packed.map_err(to_python)?;
    Ok(PyBytes::new(py, &packed))
}

create_exception!(
    _core,
    SpoiledSetError,
    PyValueError,
    "A set that has to be built anew, and why: it \"is damaged …\"."
);

fn to_python(fault: Unreadable) -> PyErr {
    unreadable(fault, "set of prototypes")
}

/// Why a file is not what it should be, as an exception.
pub fn unreadable(fault: Unreadable, what: &str) -> PyErr {
    let sum = "does not match its checksum";
    match fault {
        Unreadable::Foreign => PyValueError::new_err(format!("it is no {what}")),
        Unreadable::Version(version) => {
            PyValueError::new_err(format!("its format is {version}, and this unquilt reads another"))
        }
        Unreadable::CutShort => PyValueError::new_err("it is cut short"),
        Unreadable::Damaged => SpoiledSetError::new_err("is damaged"),
        Unreadable::Lead => SpoiledSetError::new_err(format!("is damaged: its beginning {sum}")),
        Unreadable::Block(block) => SpoiledSetError::new_err(format!("is damaged: block {block} {sum}")),
    }
}

/// A buffer that nobody writes to, such as a memory map, held for as long as anything looks at it.
pub struct Held(PyBuffer<u8>);

impl Held {
    pub fn new(buffer: PyBuffer<u8>) -> PyResult<Self> {
        if buffer.is_c_contiguous() {
            Ok(Self(buffer))
        } else {
            Err(PyValueError::new_err("its bytes do not lie side by side"))
        }
    }
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        if self.0.len_bytes() == 0 {
            return &[];
        }
        // SAFETY: the buffer is contiguous and held by `self`; whoever gives it promises not to write to it.
        unsafe { std::slice::from_raw_parts(self.0.buf_ptr().cast(), self.0.len_bytes()) }
    }
}

/// A set of prototypes in a buffer, and what signs the texts that are looked up in it. Once a block of it was found to
/// be damaged, every look-up is an error.
#[pyclass(frozen)]
pub struct Prototypes {
    set: Set<Held>,
    parameters: Py<PyDict>,
    /// Signers that nobody uses at the moment. They are kept, as a mail is signed in microseconds, and to make a signer
    /// takes some, too.
    idle: Mutex<Vec<Signer<Section<Held>>>>,
}

/// A signer that has read a text of more bytes is not kept, because its buffers have grown with the text.
const LONG: usize = 1 << 20;

impl Prototypes {
    fn signer(&self, py: Python<'_>) -> PyResult<Signer<Section<Held>>> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.map_or_else(|| signer(self.parameters.bind(py), self.set.lexicon_in_place()), Ok)
    }

    /// The ids of the prototypes that share a bucket with a text; none if the text has no buckets.
    fn near(&self, signer: &mut Signer<Section<Held>>, text: &str) -> Result<Option<Vec<String>>, Unreadable> {
        let (mut owners, mut signed, mut found) = (Vec::new(), false, Ok(()));
        signer.keys(text, |key| {
            signed = true;
            if found.is_ok() {
                found = self.set.find(key, |owner| owners.push(owner));
            }
        });
        self.set.intact()?; // signatures may lack words of a damaged lexicon
        found?;
        owners.sort_unstable();
        owners.dedup();
        let mut ids = Vec::with_capacity(owners.len());
        let numbers = owners.iter().map(|&owner| owner as usize);
        self.set.ids(numbers, |id| ids.push(String::from_utf8_lossy(id).into_owned()))?;
        Ok(signed.then_some(ids))
    }
}

#[pymethods]
impl Prototypes {
    /// The parameters are those of the kernel "shingles" or "signatures".
    #[new]
    fn new(py: Python<'_>, buffer: PyBuffer<u8>, parameters: Py<PyDict>) -> PyResult<Self> {
        let set = Set::new(Held::new(buffer)?).map_err(to_python)?;
        let this = Self { set, parameters, idle: Mutex::default() };
        let first = this.signer(py);
        this.set.intact().map_err(to_python)?;
        this.idle.lock().unwrap_or_else(PoisonError::into_inner).push(first?);
        Ok(this)
    }

    /// The header of the set in a buffer.
    #[staticmethod]
    fn header(py: Python<'_>, buffer: PyBuffer<u8>) -> PyResult<Bound<'_, PyBytes>> {
        let set = Set::new(Held::new(buffer)?).map_err(to_python)?;
        Ok(PyBytes::new(py, set.header().map_err(to_python)?))
    }

    /// How many prototypes there are.
    #[getter]
    fn count(&self) -> usize {
        self.set.count()
    }

    fn lexicon<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, self.set.lexicon().map_err(to_python)?))
    }

    /// Compares all of the set with its checksums.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.set.verify()).map_err(to_python)
    }

    /// The ids of the prototypes that share a bucket with a text, in their order; None if the text has no buckets.
    #[pyo3(name = "match", signature = (text, *, plain = false))]
    fn match_text(&self, py: Python<'_>, text: &str, plain: bool) -> PyResult<Option<Vec<String>>> {
        let mut signer = self.signer(py)?;
        py.detach(|| {
            let found = self.near(&mut signer, &see(text, plain));
            if text.len() <= LONG {
                self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(signer);
            }
            found.map_err(to_python)
        })
    }
}
