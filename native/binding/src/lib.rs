//! The Python face of the kernels: names become kernels, buffers become columns, errors become exceptions. No logic.

mod alignments;
mod built;
mod columns;
mod filters;
mod kernels;
mod labels;
mod members;
mod pages;
mod texts;

use std::collections::BTreeMap;
use std::io;

use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyList};
use unquilt_kernels::alignment::languages::ALL;
use unquilt_kernels::flow::kernel::{Counter, FaultIn, Output};
use unquilt_kernels::flow::rows::{Malformed, Spread};
use unquilt_kernels::flow::sorter::Sorter;
use unquilt_kernels::flow::spill::SpillError;
use unquilt_kernels::flow::tables::Store;
use unquilt_kernels::text::unicode::UNICODE_VERSION;

use crate::columns::{batch, filled, kinds, NamedBuffers};

/// The ports of a kernel as Python says them: (partitions, number of keys or 0 for fingerprints).
type Ports = Vec<(u32, u64)>;

fn spreads(ports: &Ports) -> Vec<Spread> {
    let spread = |&(partitions, keys): &(u32, u64)| match keys {
        0 => Spread::hashes(partitions),
        _ => Spread::numbers(partitions, keys),
    };
    ports.iter().map(spread).collect()
}

create_exception!(
    _core,
    DamagedRowsError,
    PyValueError,
    "Rows or columns that are not what a kernel reads: which kernel, and what."
);

/// What Python code raised in a sink comes back as itself, a spill file's trouble as an `OSError` with its path.
fn to_python(error: io::Error) -> PyErr {
    let error = match error.downcast::<PyErr>() {
        Ok(raised) => return raised,
        Err(error) => error,
    };
    let error = match error.downcast::<SpillError>() {
        Ok(SpillError { cause, path }) => {
            return PyOSError::new_err((cause.raw_os_error(), cause.to_string(), path.display().to_string()))
        }
        Err(error) => error,
    };
    match error.downcast::<FaultIn>() {
        Ok(fault) => DamagedRowsError::new_err(fault.to_string()),
        Err(error) => PyValueError::new_err(error.to_string()),
    }
}

/// Calls `sink(port, partition, block)` in Python.
fn python_sink(sink: &Py<PyAny>) -> impl FnMut(usize, usize, &[u8]) -> io::Result<()> + '_ {
    move |port, partition, block| {
        Python::attach(|py| sink.call1(py, (port, partition, PyBytes::new(py, block))).map(drop))
            .map_err(io::Error::other)
    }
}

/// Counters as `{name: (how, value)}`, `how` being "sum" or "greatest".
fn to_dict<'py>(py: Python<'py>, counters: &BTreeMap<&'static str, Counter>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, counter) in counters {
        match counter {
            Counter::Sum(value) => dict.set_item(name, ("sum", value))?,
            Counter::Greatest(value) => dict.set_item(name, ("greatest", value))?,
        }
    }
    Ok(dict)
}

/// How many bytes of a task's budget the ports together may hold before they pass their blocks on, and as many again
/// for the tables that a kernel gathers: a quarter, but enough for blocks that are worth moving.
fn share(budget: usize) -> usize {
    (budget / 4).clamp(1 << 20, 32 << 20)
}

/// Runs the map kernel `name` over one batch; blocks go to `sink(port, partition, bytes)`. Returns the counters.
#[pyfunction]
fn run_map<'py>(
    py: Python<'py>,
    name: &str,
    parameters: &Bound<'py, PyDict>,
    ports: Ports,
    columns: NamedBuffers,
    beside: Option<NamedBuffers>,
    sink: Py<PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut kernel = kernels::map(name, parameters)?;
    let counters = py.detach(|| {
        let mut sink = python_sink(&sink);
        let beside = beside.as_ref().map(batch).transpose()?;
        let mut out = Output::new(&spreads(&ports), share(usize::MAX), &mut sink);
        let done = kernel.batch(&batch(&columns)?, beside.as_ref(), &mut out);
        done.map_err(|fault| fault.of(kernel.name()))?;
        out.close()
    });
    to_dict(py, &counters.map_err(to_python)?)
}

/// One partition of a group: push its blocks, then run a kernel over the sorted rows, or take them as columns.
#[pyclass]
struct Partition {
    /// Who will read it: named if a block is damaged.
    kernel: String,
    budget: usize,
    sorter: Option<Sorter<PyBackedBytes>>,
}

impl Partition {
    fn take(&mut self) -> PyResult<Sorter<PyBackedBytes>> {
        self.sorter.take().ok_or_else(|| PyValueError::new_err("this partition has been run"))
    }
}

#[pymethods]
impl Partition {
    #[new]
    fn new(kernel: String, budget: usize, spill: std::path::PathBuf) -> Self {
        Self { kernel, budget, sorter: Some(Sorter::new(budget, spill)) }
    }

    fn push(&mut self, py: Python<'_>, table: u8, block: PyBackedBytes) -> PyResult<()> {
        let mut sorter = self.take()?;
        let (sorter, result) = py.detach(move || {
            let result = sorter.push(table, block);
            (sorter, result)
        });
        self.sorter = Some(sorter);
        result.map_err(|error| match error.downcast::<Malformed>() {
            Ok(_) => DamagedRowsError::new_err(format!("kernel {}: a block is damaged", self.kernel)),
            Err(error) => to_python(error),
        })
    }

    /// Runs the group kernel that it is for; blocks go to `sink(port, partition, bytes)`. Returns the counters.
    fn run<'py>(
        &mut self,
        py: Python<'py>,
        parameters: &Bound<'py, PyDict>,
        ports: Ports,
        sink: Py<PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let full = share(self.budget);
        let mut kernel = kernels::group(&self.kernel, parameters, full)?;
        let sorter = self.take()?;
        let counters = py.detach(|| {
            let mut sink = python_sink(&sink);
            let mut out = Output::new(&spreads(&ports), full, &mut sink);
            sorter.feed(&mut *kernel, &mut out)?;
            out.close()
        });
        to_dict(py, &counters.map_err(to_python)?)
    }

    /// The sorted rows as columns: key first, then the fields of the tails, which are of these kinds.
    fn columns<'py>(&mut self, py: Python<'py>, fields: Vec<String>) -> PyResult<Bound<'py, PyList>> {
        let kinds = kinds(&fields)?;
        let mut store = Store::new(kinds.clone());
        let sorter = self.take()?;
        let result = py.detach(|| sorter.feed(&mut store, &mut Output::none()));
        result.map_err(to_python)?;
        filled(py, store.columns, &kinds)
    }
}

/// unquilt's compiled core.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("UNICODE_VERSION", UNICODE_VERSION)?;
    module.add_function(wrap_pyfunction!(built::build, module)?)?;
    module.add_function(wrap_pyfunction!(kernels::contracts, module)?)?;
    module.add_class::<kernels::MappedFile>()?;
    module.add("DamagedRowsError", module.py().get_type::<DamagedRowsError>())?;
    module.add_function(wrap_pyfunction!(run_map, module)?)?;
    module.add_function(wrap_pyfunction!(alignments::align, module)?)?;
    module.add_function(wrap_pyfunction!(alignments::stem_rates, module)?)?;
    module.add_function(wrap_pyfunction!(alignments::pack_stems, module)?)?;
    module.add_function(wrap_pyfunction!(alignments::pack_rates, module)?)?;
    module.add_function(wrap_pyfunction!(alignments::stems, module)?)?;
    module.add_function(wrap_pyfunction!(alignments::usual_stems, module)?)?;
    module.add("ALL_LANGUAGES", ALL)?;
    module.add_function(wrap_pyfunction!(texts::words, module)?)?;
    module.add_function(wrap_pyfunction!(texts::sentences, module)?)?;
    module.add_function(wrap_pyfunction!(texts::is_notice, module)?)?;
    module.add_function(wrap_pyfunction!(texts::grams, module)?)?;
    module.add_function(wrap_pyfunction!(texts::gram_columns, module)?)?;
    module.add_function(wrap_pyfunction!(texts::measure, module)?)?;
    module.add_function(wrap_pyfunction!(texts::signatures, module)?)?;
    module.add_function(wrap_pyfunction!(texts::term_columns, module)?)?;
    module.add_function(wrap_pyfunction!(texts::pack_lexicon, module)?)?;
    module.add_function(wrap_pyfunction!(texts::shingles, module)?)?;
    module.add_function(wrap_pyfunction!(texts::supers, module)?)?;
    module.add_function(wrap_pyfunction!(texts::sample, module)?)?;
    module.add_function(wrap_pyfunction!(texts::gram_sequence, module)?)?;
    module.add_function(wrap_pyfunction!(texts::primitive, module)?)?;
    module.add_function(wrap_pyfunction!(texts::polynomials, module)?)?;
    module.add_function(wrap_pyfunction!(pages::decode, module)?)?;
    module.add_function(wrap_pyfunction!(pages::join_chunks, module)?)?;
    module.add_function(wrap_pyfunction!(pages::paragraphs, module)?)?;
    module.add_function(wrap_pyfunction!(pages::sources, module)?)?;
    module.add_function(wrap_pyfunction!(pages::extract, module)?)?;
    module.add_function(wrap_pyfunction!(pages::see, module)?)?;
    module.add_function(wrap_pyfunction!(pages::locate, module)?)?;
    module.add_function(wrap_pyfunction!(members::gzip_index, module)?)?;
    module.add_class::<members::Members>()?;
    module.add_class::<members::Gunzip>()?;
    module.add_class::<members::Unzstd>()?;
    module.add_function(wrap_pyfunction!(filters::bucket_keys, module)?)?;
    module.add_function(wrap_pyfunction!(filters::pack_prototypes, module)?)?;
    module.add_class::<filters::Prototypes>()?;
    module.add("SpoiledSetError", module.py().get_type::<filters::SpoiledSetError>())?;
    module.add_class::<labels::LabelGathering>()?;
    module.add_function(wrap_pyfunction!(labels::pack_labels, module)?)?;
    module.add_function(wrap_pyfunction!(labels::chunk_hashes, module)?)?;
    module.add_function(wrap_pyfunction!(labels::weigh, module)?)?;
    module.add_class::<labels::Labels>()?;
    module.add_class::<Partition>()
}
