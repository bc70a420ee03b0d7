//! Alignment of two texts, and rates of stems, for Python.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use unquilt_kernels::alignment::align::Aligner;
use unquilt_kernels::alignment::boilerplate::Boilerplate;
use unquilt_kernels::alignment::fit::nats;
use unquilt_kernels::alignment::languages::{each_usual, usual};
use unquilt_kernels::alignment::pair::StemNumbers;
use unquilt_kernels::alignment::rates::StemRates;
use unquilt_kernels::alignment::stems::each_stem;
use unquilt_kernels::alignment::texts::ReadText;
use unquilt_kernels::flow::columns::Column;
use unquilt_kernels::sketches::lexicon::pack;
use unquilt_kernels::text::fingerprint::Fingerprinter;

use crate::columns::Buffers;
use crate::texts::see;

/// Where a passage begins and ends in both texts, in code points; its score; the shares of words taken over.
type Found = (u32, u32, u32, u32, f64, f64, f64);

/// The passages that `a` took from `b`; `rates` are packed rates, those of many languages without.
#[pyfunction]
#[pyo3(signature = (a, b, rates = None, *, both_ways = false))]
pub fn align(py: Python<'_>, a: &str, b: &str, rates: Option<&[u8]>, both_ways: bool) -> PyResult<Vec<Found>> {
    let given = rates.map(StemRates::unpack).transpose();
    let given = given.map_err(|_| PyValueError::new_err("these bytes are no packed rates of stems"))?;
    Ok(py.detach(|| {
        let rates = given.as_ref().unwrap_or_else(|| usual());
        let mut numbers = StemNumbers::default();
        let none = Boilerplate::default();
        let [a, b] = [a, b].map(|text| ReadText::new(see(text, false).into_owned(), &mut numbers, rates, &none));
        let mut aligner = Aligner::new(both_ways);
        aligner.begin(&a, &numbers);
        let passages = aligner.align(&a, &b, &numbers);
        let found = passages.iter().map(|passage| {
            let (a, b) = (passage.a, passage.b);
            (a.0, a.1, b.0, b.1, nats(passage.score), passage.rates.0, passage.rates.1)
        });
        found.collect()
    }))
}

/// Stems and in how many documents each is, as columns of numbers, packed for kernels.
#[pyfunction]
pub fn pack_stems<'py>(py: Python<'py>, stems: Buffers, df: Buffers) -> PyResult<Bound<'py, PyBytes>> {
    let (stems, df) = (stems.column()?, df.column()?);
    let (Column::Numbers(stems), Column::Numbers(df)) = (stems, df) else {
        return Err(PyValueError::new_err("stems and df must be columns of numbers"));
    };
    let most = u32::MAX - 1;
    let entries: Vec<_> =
        stems.iter().zip(df).map(|(&stem, &df)| (stem as u64, u32::try_from(df).unwrap_or(most).min(most))).collect();
    let packed = py.detach(|| pack(&entries)).map_err(|fault| PyValueError::new_err(fault.to_string()))?;
    Ok(PyBytes::new(py, &packed))
}

/// Stems, languages (or `ALL_LANGUAGES`) and how often each stands in which, as columns of numbers, and the words of each
/// language: their rates, packed.
#[pyfunction]
pub fn pack_rates<'py>(
    py: Python<'py>,
    stems: Buffers,
    languages: Buffers,
    times: Buffers,
    words: Vec<(u32, u64)>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (stems, languages, times) = (stems.column()?, languages.column()?, times.column()?);
    let (Column::Numbers(stems), Column::Numbers(languages), Column::Numbers(times)) = (stems, languages, times) else {
        return Err(PyValueError::new_err("stems, languages and times must be columns of numbers"));
    };
    let counts = stems.iter().zip(languages).zip(times);
    let counts = counts.map(|((&stem, &language), &times)| (stem as u64, language as u32, times as u64));
    let packed = py.detach(|| StemRates::counted(counts, &words).pack());
    Ok(PyBytes::new(py, &packed))
}

/// The fingerprints of the stems of a text's words, in order.
#[pyfunction]
pub fn stems(text: &str) -> Vec<u64> {
    let mut stems = Vec::new();
    each_stem(&see(text, false), &Fingerprinter::plain(), |word| stems.push(word.stem));
    stems
}

/// The stems that are common in some language, as far as the core knows: numbers, as columns have them.
#[pyfunction]
pub fn usual_stems() -> Vec<i64> {
    let mut stems = Vec::new();
    each_usual(|stem, _, _| stems.push(stem as i64));
    stems
}

/// The rates of stems of some texts, packed.
#[pyfunction]
pub fn stem_rates<'py>(py: Python<'py>, texts: Vec<String>) -> Bound<'py, PyBytes> {
    let packed = py.detach(|| {
        let texts: Vec<_> = texts.iter().map(|text| see(text, false)).collect();
        StemRates::count(texts.iter().map(|text| &**text)).pack()
    });
    PyBytes::new(py, &packed)
}
