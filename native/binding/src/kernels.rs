//! The kernels by name, with their parameters. A new kernel is one more line here.

use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyDict;
use unquilt_kernels::analyses::quilts;
use unquilt_kernels::analyses::quilts::attribution;
use unquilt_kernels::analyses::quilts::domains;
use unquilt_kernels::analyses::quilts::patches;
use unquilt_kernels::analyses::quilts::sweep;
use unquilt_kernels::analyses::shares;
use unquilt_kernels::documents::components;
use unquilt_kernels::documents::similarity;
use unquilt_kernels::documents::standing;
use unquilt_kernels::documents::standing::By;
use unquilt_kernels::flow::kernel::{GroupKernel, MapKernel};
use unquilt_kernels::flow::tables;
use unquilt_kernels::sketches::imatch;
use unquilt_kernels::sketches::lexicon;
use unquilt_kernels::sketches::minwise::{Family, Sketcher};
use unquilt_kernels::sketches::shingles;
use unquilt_kernels::sketches::signer::Signer;
use unquilt_kernels::store::checksums::Parts;
use unquilt_kernels::text::fingerprint::Fingerprinter;

pub fn map(name: &str, given: &Bound<'_, PyDict>) -> PyResult<Box<dyn MapKernel + Send>> {
    Ok(match name {
        "select" => Box::new(tables::Select),
        "places" => Box::new(standing::Places { by: by(&get::<String>(given, "by")?)? }),
        "scan" => Box::new(quilts::Scan { k: get(given, "k")?, print: fingerprinter(given)? }),
        "slices" => Box::new(patches::Slices { k: get(given, "k")?, print: fingerprinter(given)? }),
        "patches" => Box::new(patches::Patches { k: get(given, "k")?, print: fingerprinter(given)? }),
        "names" => Box::new(attribution::Names),
        "linked" => Box::new(attribution::Linked { most: get(given, "most")? }),
        "ends" => Box::new(components::Ends),
        "rates" => Box::new(sweep::Rates { sigma: get(given, "sigma")? }),
        "shingles" => Box::new(shingles::Shingles { sketcher: sketcher(given)? }),
        "members" => Box::new(components::Members),
        "comparisons" => Box::new(similarity::Comparisons { edges: flag(given, "edges")? }),
        "gram sets" => Box::new(similarity::GramSets { k: get(given, "k")?, print: fingerprinter(given)? }),
        "document words" => Box::<lexicon::DocumentWords>::default(),
        "signatures" => {
            let lexicon: PyBackedBytes = get(given, "lexicon")?; // stays where it is
            Box::new(imatch::Marks { signatures: signatures(given, lexicon)? })
        }
        "postings" => Box::new(shares::Postings),
        _ => return Err(PyValueError::new_err(format!("no such map kernel: {name}"))),
    })
}

/// `full` is how many bytes a kernel that gathers may hold.
pub fn group(name: &str, given: &Bound<'_, PyDict>, full: usize) -> PyResult<Box<dyn GroupKernel + Send>> {
    Ok(match name {
        "look up" => Box::<tables::LookUp>::default(),
        "shared" => Box::new(standing::Shared),
        "pool" => Box::<standing::Pool>::default(),
        "copies" => Box::new(standing::Copies { collapse: get(given, "collapse")?, widest: get(given, "widest")? }),
        "lists" => Box::new(quilts::Lists::new(get(given, "m")?, flag(given, "patches")?, full)),
        "elements" => Box::new(quilts::Elements::new(flag(given, "patches")?)),
        "covers" => Box::new(covers(given)?),
        "named" => Box::<attribution::Named>::default(),
        "requests" => Box::<patches::Requests>::default(),
        "asked" => Box::<patches::Asked>::default(),
        "sweep" => Box::new(sweep::Sweep::new(get(given, "k")?, grid(given)?, get(given, "min_share")?)),
        "sums" => Box::<sweep::Sums>::default(),
        "shares" => Box::new(shares::Shares::new(get(given, "m")?)),
        "word sums" => Box::<lexicon::WordSums>::default(),
        "visits" => Box::<domains::Visits>::default(),
        "domains" => Box::<domains::Domains>::default(),
        "buckets" => Box::<shingles::Buckets>::default(),
        "distinct" => Box::<components::Distinct>::default(),
        "compared" => Box::new(similarity::Compared),
        "jaccard" => Box::<similarity::Jaccard>::default(),
        "spread" => Box::<similarity::Spread>::default(),
        "large star" => Box::<components::LargeStar>::default(),
        "small star" => Box::<components::SmallStar>::default(),
        "totals" => Box::new(shares::Totals),
        _ => return Err(PyValueError::new_err(format!("no such group kernel: {name}"))),
    })
}

pub fn get<'py, T: for<'a> FromPyObject<'a, 'py>>(given: &Bound<'py, PyDict>, name: &str) -> PyResult<T> {
    let value = given.get_item(name)?.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
    value.extract().map_err(|_| PyValueError::new_err(format!("kernel parameter {name} has the wrong type")))
}

/// Whether a flag is set; one that is not given is not.
fn flag(given: &Bound<'_, PyDict>, name: &str) -> PyResult<bool> {
    Ok(given.contains(name)? && get(given, name)?)
}

fn covers(given: &Bound<'_, PyDict>) -> PyResult<quilts::Covers> {
    let (c, sigma, min_share) = (get(given, "c")?, get(given, "sigma")?, get(given, "min_share")?);
    Ok(quilts::Covers::new(c, sigma, min_share, flag(given, "patches")?))
}

fn grid(given: &Bound<'_, PyDict>) -> PyResult<sweep::Grid> {
    Ok(sweep::Grid { m: get(given, "m")?, c: get(given, "c")?, sigma: get(given, "sigma")? })
}

pub fn family(name: &str) -> PyResult<Family> {
    match name {
        "fast" => Ok(Family::Fast),
        "rabin" => Ok(Family::Rabin),
        other => Err(PyValueError::new_err(format!("family must be fast or rabin, not {other}"))),
    }
}

fn sketcher(given: &Bound<'_, PyDict>) -> PyResult<Sketcher> {
    let family = family(&get::<String>(given, "family")?)?;
    Ok(Sketcher::new(family, get(given, "seed")?, get(given, "k")?, fingerprinter(given)?))
}

/// Of any method; one that needs no lexicon looks at none.
pub fn signer<B: Parts>(given: &Bound<'_, PyDict>, lexicon: B) -> PyResult<Signer<B>> {
    Ok(match get::<String>(given, "method")?.as_str() {
        "shingles" => Signer::Shingles(sketcher(given)?),
        "imatch" => Signer::IMatch(signatures(given, lexicon)?),
        other => return Err(PyValueError::new_err(format!("no such method: {other}"))),
    })
}

pub fn signatures<B: Parts>(given: &Bound<'_, PyDict>, lexicon: B) -> PyResult<imatch::Signatures<B>> {
    let shape = imatch::Shape {
        lexicons: get(given, "lexicons")?,
        drop: get(given, "drop")?,
        seed: get(given, "seed")?,
        min_terms: get(given, "min_terms")?,
        min_share: get(given, "min_share")?,
    };
    if !(0.0..1.0).contains(&shape.drop) || !(0.0..=1.0).contains(&shape.min_share) {
        return Err(PyValueError::new_err("drop must be at least 0 and below 1, min_share between 0 and 1"));
    }
    imatch::Signatures::new(lexicon, shape).map_err(|fault| PyValueError::new_err(fault.to_string()))
}

fn by(name: &str) -> PyResult<By> {
    match name {
        "none" => Ok(By::Nothing),
        "host" | "domain" => Ok(By::Name),
        "ip" => Ok(By::Address),
        other => Err(PyValueError::new_err(format!("no such kind of server: {other}"))),
    }
}

/// Plain, or of the parameter `key`: 16 bytes, None for none.
pub fn fingerprinter(given: &Bound<'_, PyDict>) -> PyResult<Fingerprinter> {
    keyed(get::<Option<Vec<u8>>>(given, "key")?.as_deref())
}

pub fn keyed(key: Option<&[u8]>) -> PyResult<Fingerprinter> {
    let Some(key) = key else { return Ok(Fingerprinter::plain()) };
    let key = key.try_into().map_err(|_| PyValueError::new_err("a fingerprint key has 16 bytes"))?;
    Ok(Fingerprinter::keyed(key))
}
