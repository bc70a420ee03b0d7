//! Kernels by name: their contracts as Python reads them, and parameters of Python as kernels take them.

use std::path::PathBuf;

use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use unquilt_kernels::analyses::neardups::buckets::Sketching;
use unquilt_kernels::flow::columns::Reads;
use unquilt_kernels::flow::contract::{
    Contract, Given, KernelInput, Parameter, ParameterKind, Parameters, PortInfo, Shape, Side, Value, When,
    WrongParameter,
};
use unquilt_kernels::flow::fields::Field;
use unquilt_kernels::flow::kernel::{GroupKernel, Make, MapKernel};
use unquilt_kernels::registry;
use unquilt_kernels::sketches::imatch;
use unquilt_kernels::sketches::minwise::Family;
use unquilt_kernels::sketches::signer::{Signer, Supers};
use unquilt_kernels::store::checksums::Parts;
use unquilt_kernels::store::mapped::map_file;
use unquilt_kernels::text::fingerprint::Fingerprinter;

/// Makes the map kernel of this name.
pub fn map(name: &str, given: &Bound<'_, PyDict>) -> PyResult<Box<dyn MapKernel>> {
    match registry::find(name).map(|entry| (entry.contract, entry.make)) {
        Some((contract, Make::Map(make))) => make(&values(given, contract.parameters)?).map_err(wrong),
        _ => Err(PyValueError::new_err(format!("there is no map kernel {name}"))),
    }
}

/// Makes the group kernel of this name, which may hold `room` bytes if it gathers.
pub fn group(name: &str, given: &Bound<'_, PyDict>, room: usize) -> PyResult<Box<dyn GroupKernel>> {
    match registry::find(name).map(|entry| (entry.contract, entry.make)) {
        Some((contract, Make::Group(make))) => make(&values(given, contract.parameters)?, room).map_err(wrong),
        _ => Err(PyValueError::new_err(format!("there is no group kernel {name}"))),
    }
}

fn wrong(fault: WrongParameter) -> PyErr {
    PyValueError::new_err(fault.0)
}

/// The values of parameters, each of the kind that it is declared to be.
fn values(given: &Bound<'_, PyDict>, parameters: &'static [Parameter]) -> PyResult<Given> {
    parameters.iter().map(|&Parameter { name, kind }| Ok((name, value(given, name, kind)?))).collect()
}

fn value(given: &Bound<'_, PyDict>, name: &str, kind: ParameterKind) -> PyResult<Value> {
    Ok(match kind {
        ParameterKind::Flag => Value::Flag(get(given, name)?),
        ParameterKind::Number => Value::Number(get(given, name)?),
        ParameterKind::Positive => Value::Positive(get(given, name)?),
        ParameterKind::Small => Value::Small(get(given, name)?),
        ParameterKind::Real => Value::Real(get(given, name)?),
        ParameterKind::Numbers => Value::Numbers(get(given, name)?),
        ParameterKind::Reals => Value::Reals(get(given, name)?),
        ParameterKind::Text => Value::Text(get(given, name)?),
        ParameterKind::Choice(_) => Value::Choice(get(given, name)?),
        ParameterKind::Key => Value::Key(get::<Option<Vec<u8>>>(given, name)?.as_deref().map(key).transpose()?),
        ParameterKind::Side => {
            let mapped: Bound<'_, MappedFile> = get(given, name)?;
            Value::Side(mapped.get().side.clone())
        }
    })
}

pub fn get<'py, T: for<'a> FromPyObject<'a, 'py>>(given: &Bound<'py, PyDict>, name: &str) -> PyResult<T> {
    let value = given.get_item(name)?.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
    value.extract().map_err(|_| PyValueError::new_err(format!("kernel parameter {name} has the wrong type")))
}

/// A file that is mapped into memory for as long as this, or a kernel that was given it, lives.
#[pyclass(frozen)]
pub struct MappedFile {
    side: Side,
}

#[pymethods]
impl MappedFile {
    #[new]
    fn new(path: PathBuf) -> PyResult<Self> {
        Ok(Self { side: map_file(&path)? })
    }

    fn __len__(&self) -> usize {
        self.side.as_ref().len()
    }
}

/// What each kernel says of itself, as a dict.
#[pyfunction]
pub fn contracts(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for entry in registry::KERNELS {
        list.append(describe(py, &entry.contract)?)?;
    }
    Ok(list)
}

fn describe<'py>(py: Python<'py>, contract: &Contract) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("name", contract.name)?;
    dict.set_item("keeps", contract.keeps)?;
    match contract.input {
        KernelInput::Columns { reads, beside, only } => {
            dict.set_item("reads", columns(py, reads)?)?;
            dict.set_item("beside", columns(py, beside)?)?;
            let only = only.iter().map(|(column, when)| (*column, condition(when)));
            dict.set_item("only", only.collect::<Vec<_>>())?;
        }
        KernelInput::Tables { key, shapes, repeated } => {
            dict.set_item("key", key.name())?;
            dict.set_item("tables", shapes.iter().map(|&each| shape(py, each)).collect::<PyResult<Vec<_>>>()?)?;
            dict.set_item("repeated", repeated)?;
        }
    }
    let parameters = contract.parameters.iter().map(|&Parameter { name, kind }| match kind {
        ParameterKind::Choice(words) => (name, kind.name(), words.to_vec()),
        _ => (name, kind.name(), Vec::new()),
    });
    dict.set_item("parameters", parameters.collect::<Vec<_>>())?;
    dict.set_item("ports", contract.ports.iter().map(|each| port(py, each)).collect::<PyResult<Vec<_>>>()?)?;
    Ok(dict)
}

fn fields(fields: &[Field]) -> Vec<(&'static str, String)> {
    fields.iter().map(|field| (field.name, field.kind.name())).collect()
}

/// Columns as (which, fields): which are "nothing", "fields", "optional" or "any".
fn columns(py: Python<'_>, reads: Reads) -> PyResult<Bound<'_, PyAny>> {
    let (which, named): (_, &[Field]) = match reads {
        Reads::Nothing => ("nothing", &[]),
        Reads::Fields(fields) => ("fields", fields),
        Reads::Optional(fields) => ("optional", fields),
        Reads::Any => ("any", &[]),
    };
    Ok((which, fields(named)).into_pyobject(py)?.into_any())
}

/// A shape as (which, fields or tables): which are "fields", "any", "ending", "selected" or "tables".
fn shape(py: Python<'_>, shape: Shape) -> PyResult<Bound<'_, PyAny>> {
    let (which, named): (_, &[Field]) = match shape {
        Shape::Fields(fields) => ("fields", fields),
        Shape::EndingIn(fields) => ("ending", fields),
        Shape::Any => ("any", &[]),
        Shape::Selected => ("selected", &[]),
        Shape::OfTables(tables) => return Ok(("tables", tables.to_vec()).into_pyobject(py)?.into_any()),
    };
    Ok((which, fields(named)).into_pyobject(py)?.into_any())
}

fn port<'py>(py: Python<'py>, port: &PortInfo) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("name", port.name)?;
    dict.set_item("key", port.key.name())?;
    dict.set_item("shape", shape(py, port.shape)?)?;
    dict.set_item("when", port.when.as_ref().map(condition))?;
    Ok(dict)
}

fn condition(when: &When) -> (&'static str, &'static str, bool) {
    (when.parameter, when.value, when.equal)
}

pub fn family(name: &str) -> PyResult<Family> {
    use unquilt_kernels::flow::contract::ParameterValue;
    let family = Family::from_value(&Value::Choice(name.to_owned()));
    family.ok_or_else(|| PyValueError::new_err(format!("family must be fast or rabin, not {name}")))
}

fn sketcher(given: &Bound<'_, PyDict>) -> PyResult<Supers> {
    let given = values(given, Sketching::PARAMETERS)?;
    Ok(Sketching::from_given(&given).map_err(wrong)?.sketcher())
}

/// What signs texts, by the method that the parameters name; only I-Match looks at the lexicon.
pub fn signer<B: Parts>(given: &Bound<'_, PyDict>, lexicon: B) -> PyResult<Signer<B>> {
    Ok(match get::<String>(given, "method")?.as_str() {
        "shingles" => Signer::Shingles(sketcher(given)?),
        "imatch" => Signer::IMatch(signatures(given, lexicon)?),
        other => return Err(PyValueError::new_err(format!("no such method: {other}"))),
    })
}

pub fn signatures<B: Parts>(given: &Bound<'_, PyDict>, lexicon: B) -> PyResult<imatch::Signatures<B>> {
    let coordinates = imatch::Coordinates {
        lexicons: get(given, "lexicons")?,
        drop: get(given, "drop")?,
        seed: get(given, "seed")?,
        both: get::<String>(given, "randomise")? == "both",
        min_terms: get(given, "min_terms")?,
        min_share: get(given, "min_share")?,
    };
    coordinates.check().map_err(PyValueError::new_err)?;
    imatch::Signatures::new(lexicon, coordinates).map_err(|fault| PyValueError::new_err(fault.to_string()))
}

/// Fingerprints without a key, or with one of 16 bytes.
pub fn keyed(given: Option<&[u8]>) -> PyResult<Fingerprinter> {
    given.map_or_else(|| Ok(Fingerprinter::plain()), |bytes| Ok(Fingerprinter::keyed(&key(bytes)?)))
}

fn key(bytes: &[u8]) -> PyResult<[u8; 16]> {
    bytes.try_into().map_err(|_| PyValueError::new_err("a fingerprint key has 16 bytes"))
}
