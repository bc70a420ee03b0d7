//! Text units for Python: words and grams of one text, and what ingest measures of many.

use std::borrow::Cow;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use unquilt_kernels::analyses::reuse::examples;
use unquilt_kernels::reading::paragraphs::paragraphs;
use unquilt_kernels::sketches::lexicon::{distinct_terms, pack_column};
use unquilt_kernels::sketches::minwise::{Sampler, Sketcher, SHINGLES};
use unquilt_kernels::sketches::rabin::{is_primitive, primitives};
use unquilt_kernels::text::fingerprint::Slide;
use unquilt_kernels::text::grams::{circle, distinct_all};
use unquilt_kernels::text::seen;
use unquilt_kernels::text::sentences::Sentences;
use unquilt_kernels::text::sequences::measure_all;
use unquilt_kernels::text::unicode;
use unquilt_kernels::text::words as kernel;

use crate::columns::Buffers;
use crate::kernels::{self, keyed};

/// The text as a reader sees it, or as it is: places in one are places in the other.
pub fn see(text: &str, plain: bool) -> Cow<'_, str> {
    let found = if plain { None } else { seen::see(text) };
    found.map_or(Cow::Borrowed(text), |found| Cow::Owned(found.text))
}

/// The words of `text` as (folded word, begin, end), offsets in code points; `plain`, as they are written.
#[pyfunction]
#[pyo3(signature = (text, *, plain = false))]
pub fn words(text: &str, plain: bool) -> Vec<(String, usize, usize)> {
    let text = &*see(text, plain);
    let mut found = Vec::new();
    let (mut at, mut points) = (0, 0);
    let mut to_points = |offset: usize| {
        points += text[at..offset].chars().count();
        at = offset;
        points
    };
    kernel::words(text, &unquilt_kernels::text::fingerprint::Fingerprinter::plain(), |begin, end, _| {
        let begins = to_points(begin);
        found.push((unicode::fold(&text[begin..end]), begins, to_points(end)));
    });
    found
}

/// The sentences of `text` as (begin, end) in code points; `chunks`, in code points too, always end one. Without any,
/// chunks are what lies between blank lines.
#[pyfunction]
#[pyo3(signature = (text, chunks = None, *, plain = false))]
pub fn sentences(text: &str, chunks: Option<Vec<(usize, usize)>>, plain: bool) -> PyResult<Vec<(usize, usize)>> {
    let text = &*see(text, plain);
    let chunks = chunks.unwrap_or_else(|| {
        let found = paragraphs(text);
        found.begins.iter().zip(&found.ends).map(|(&begin, &end)| (begin as usize, end as usize)).collect()
    });
    let found = Sentences::default().of(text, chunks.into_iter());
    let found = found.ok_or_else(|| PyValueError::new_err("chunks must be in the text, one behind the other"))?;
    let (mut at, mut points) = (0, 0);
    let mut to_points = |offset: usize| {
        points += text[at..offset].chars().count();
        at = offset;
        points
    };
    Ok(found.into_iter().map(|range| (to_points(range.start), to_points(range.end))).collect())
}

/// Whether a text is a notice of copyright or of a licence, by the rule of objects.
#[pyfunction]
pub fn is_notice(text: &str) -> bool {
    examples::is_notice(text)
}

const MOST_WORDS: usize = 1 << 20;

fn check(k: usize) -> PyResult<usize> {
    if (1..=MOST_WORDS).contains(&k) {
        Ok(k)
    } else {
        Err(PyValueError::new_err(format!("k must be a whole number between 1 and {MOST_WORDS}, not {k}")))
    }
}

/// The distinct k-grams of `text` in order of first appearance, as signed 64-bit fingerprints.
#[pyfunction]
#[pyo3(signature = (text, k, *, circular = false, key = None, plain = false))]
pub fn grams(text: &str, k: usize, circular: bool, key: Option<Vec<u8>>, plain: bool) -> PyResult<Vec<i64>> {
    let text = &*see(text, plain);
    let print = keyed(key.as_deref())?;
    let mut grams = unquilt_kernels::text::grams::Grams::new(&print, check(k)?);
    let (_, found) = if circular { grams.circular(text) } else { grams.linear(text) };
    Ok(found.iter().map(|&gram| gram as i64).collect())
}

/// For each text of a column: the number of its words (64-bit integers) and the digest of its word sequence (16 bytes).
#[pyfunction]
pub fn measure<'py>(py: Python<'py>, texts: Buffers) -> PyResult<Bound<'py, PyTuple>> {
    let (counts, digests) = py.detach(|| texts.column().map(|column| measure_all(&column)))?;
    (PyBytes::new(py, &counts), PyBytes::new(py, &digests)).into_pyobject(py)
}

/// The distinct linear k-grams of each text of a column, one after the other, and how many each has: as the bytes of
/// 64-bit integers.
#[pyfunction]
pub fn gram_columns<'py>(py: Python<'py>, texts: Buffers, k: usize) -> PyResult<Bound<'py, PyTuple>> {
    let k = check(k)?;
    let (grams, counts) = py.detach(|| texts.column().map(|column| distinct_all(&column, k)))?;
    (PyBytes::new(py, &grams), PyBytes::new(py, &counts)).into_pyobject(py)
}

/// The distinct words of each text of a column that can be features of I-Match, as fingerprints one after the other, and
/// how many each has: as the bytes of 64-bit integers.
#[pyfunction]
pub fn term_columns<'py>(py: Python<'py>, texts: Buffers) -> PyResult<Bound<'py, PyTuple>> {
    let (terms, counts) = py.detach(|| texts.column().map(|column| distinct_terms(&column)))?;
    (PyBytes::new(py, &terms), PyBytes::new(py, &counts)).into_pyobject(py)
}

/// The I-Match signatures of `text` in hexadecimal digits, None for a coordinate without: first that of the whole
/// lexicon, then those of the randomised ones; `plain`, of words as they are written. The parameters are those of the
/// kernel "signatures".
#[pyfunction]
#[pyo3(signature = (text, *, plain = false, **parameters))]
pub fn signatures(text: &str, plain: bool, parameters: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<Option<String>>> {
    let parameters = parameters.ok_or_else(|| PyValueError::new_err("there is no lexicon"))?;
    let mut found = vec![None; kernels::get::<usize>(parameters, "lexicons")? + 1];
    let lexicon: PyBackedBytes = kernels::get(parameters, "lexicon")?;
    kernels::signatures(parameters, lexicon)?.of(&see(text, plain), |coordinate, signature| {
        found[usize::from(coordinate)] = Some(signature.iter().map(|byte| format!("{byte:02x}")).collect());
    });
    Ok(found)
}

/// A lexicon for kernels: the words of a column, folded, the first `primary` being the primary lexicon, the others the
/// secondary one in its order.
#[pyfunction]
pub fn pack_lexicon<'py>(py: Python<'py>, words: Buffers, primary: usize) -> PyResult<Bound<'py, PyBytes>> {
    let packed = py.detach(|| words.column().map(|column| pack_column(&column, primary)))?;
    Ok(PyBytes::new(py, &packed.map_err(|fault| PyValueError::new_err(fault.to_string()))?))
}

/// The published number of super-fingerprints.
const SUPERS: usize = 6;

fn sketcher(family: &str, seed: u64, k: usize) -> PyResult<Sketcher> {
    let family = kernels::family(family)?;
    let print = unquilt_kernels::text::fingerprint::Fingerprinter::plain();
    Ok(Sketcher::new(family, seed, check(k)?, print, SHINGLES))
}

/// The 84 shingles of `text`: for each function of the family the least fingerprint of a circular k-gram.
#[pyfunction]
#[pyo3(signature = (text, family = "fast", seed = 0, k = 5))]
pub fn shingles(text: &str, family: &str, seed: u64, k: usize) -> PyResult<Option<Vec<u64>>> {
    Ok(sketcher(family, seed, k)?.shingles(&see(text, false)).map(Vec::from))
}

/// The six super-fingerprints of `text`, each of 14 shingles.
#[pyfunction]
#[pyo3(signature = (text, family = "fast", seed = 0, k = 5))]
pub fn supers(text: &str, family: &str, seed: u64, k: usize) -> PyResult<Option<Vec<u64>>> {
    Ok(sketcher(family, seed, k)?.supers(&see(text, false), SUPERS))
}

/// The circular k-gram that each of 84 functions puts first in `text`, as signed 64-bit fingerprints; None without words.
#[pyfunction]
#[pyo3(signature = (text, seed = 0, k = 5, *, family = "fast", key = None, plain = false))]
pub fn sample(
    text: &str,
    seed: u64,
    k: usize,
    family: &str,
    key: Option<Vec<u8>>,
    plain: bool,
) -> PyResult<Option<Vec<i64>>> {
    let mut sampler = Sampler::new(kernels::family(family)?, seed, check(k)?, keyed(key.as_deref())?);
    let (_, found) = sampler.sample(&see(text, plain));
    Ok(found.map(|grams| grams.iter().map(|&gram| gram as i64).collect()))
}

/// The circular k-grams of `text`, one for each word it begins with, as signed 64-bit fingerprints.
#[pyfunction]
#[pyo3(signature = (text, k, *, key = None, plain = false))]
pub fn gram_sequence(text: &str, k: usize, key: Option<Vec<u8>>, plain: bool) -> PyResult<Vec<i64>> {
    let text = &*see(text, plain);
    let print = keyed(key.as_deref())?;
    let mut slide = Slide::new(&print, check(k)?);
    let mut found = Vec::new();
    circle(
        text,
        &print,
        k,
        &mut Vec::new(),
        |_, _, word| word,
        |word| slide.push(word),
        |gram| found.push(gram as i64),
    );
    Ok(found)
}

/// Whether a polynomial of degree 64, given without its leading term, is primitive.
#[pyfunction]
pub fn primitive(polynomial: u64) -> bool {
    is_primitive(polynomial)
}

/// The first primitive polynomials of a seed: p_A, p_B, then those of the shingles.
#[pyfunction]
pub fn polynomials(seed: u64, count: usize) -> Vec<u64> {
    primitives(seed).take(count).collect()
}
