"""Runs of experiments: their figures and tables."""

from __future__ import annotations

from unquilt.figures import imatch, passages_experiment, phrases_experiment, quilts_experiment, reuse_experiment
from unquilt.page.report.section import Content, list_rows
from unquilt.page.report.spelling import count, share
from unquilt.results import RunFolder
from unquilt.tables.experiments import PLANTED_QUILTS, RECALLS, STABILITY, VARIANTS
from unquilt.tables.passages_experiment import BEYOND, QUALITIES
from unquilt.tables.phrases_experiment import PHRASE_CORPORA, PHRASE_SITES
from unquilt.tables.reuse_experiment import CLEANINGS, INJECTIONS, TOLERANCES
from unquilt.tables.sweep import SWEEP


def show_reuse(folder: RunFolder) -> Content:
    """A run of the experiments of reuse."""
    summary = folder.run.manifest["summary"]
    pages, chunks = summary["site_pages"], summary["site_chunks"]
    says = [
        f"{count(pages, 'page')} of a site, with {count(chunks, 'different chunk')}, are copied and changed: what is "
        "still discovered, and how much may be changed before pages, and the site, are no longer found."
    ]
    return Content(
        says,
        lambda: reuse_experiment.plot(folder.run),
        lambda: [
            *list_rows(folder, TOLERANCES, "How much may be changed, in mean chunks per page"),
            *list_rows(folder, INJECTIONS, "What is discovered, by number of copies"),
            *list_rows(folder, CLEANINGS, "Bad neighbourhoods of the whole corpus, with and without stop chunks"),
        ],
    )


def show_quilts(folder: RunFolder) -> Content:
    """A run of the experiment with quilts."""
    rows = folder.run.table(VARIANTS.name).to_pylist()
    says = [
        f"{row['definition']}: {count(row['quilts'], 'quilt')}, {share(row['share'])} of documents." for row in rows
    ]
    return Content(
        says,
        lambda: quilts_experiment.plot(folder.run),
        lambda: [
            *list_rows(folder, VARIANTS, "Quilts by definition"),
            *list_rows(folder, PLANTED_QUILTS, "Planted quilts"),
            *list_rows(folder, SWEEP, "The sweep"),
        ],
    )


def show_phrases(folder: RunFolder) -> Content:
    """A run of the experiment with phrases."""
    least = folder.run.manifest["parameters"]["least"]
    says = [
        f"{row['corpus']}: documents have {row['mean']:.1f} popular shingles of 84 on average; "
        f"{share(row['many'])} of them have {least:g} or more."
        for row in folder.run.table(PHRASE_CORPORA.name).to_pylist()
        if row["mean"] is not None
    ]
    return Content(
        says or ["No document has a shingle."],
        lambda: phrases_experiment.plot(folder.run),
        lambda: [
            *list_rows(folder, PHRASE_CORPORA, "Corpora"),
            *list_rows(folder, PHRASE_SITES, "Sites of many popular phrases"),
        ],
    )


def show_passages(folder: RunFolder) -> Content:
    """A run of the experiment with passages."""
    rows = folder.run.table(QUALITIES.name).to_pylist()
    says = [
        f"{row['signature']}, more than {count(round(row['value']), 'sentence')}: precision {share(row['precision'])}, "
        f"recall {share(row['recall'])}."
        for row in rows
        if row["varied"] == "gamma"
    ]
    return Content(
        says or ["No signature was tried."],
        lambda: passages_experiment.plot(folder.run),
        lambda: [
            *list_rows(folder, QUALITIES, "Quality by signature and parameter"),
            *list_rows(folder, BEYOND, "Beyond near-duplicates"),
        ],
    )


def show_imatch(folder: RunFolder) -> Content:
    """A run of the experiment with I-Match."""
    rows = folder.run.table(RECALLS.name).to_pylist()
    says = []
    for row in rows:
        if row["recall"] is not None and row["lexicons"] == max(each["lexicons"] for each in rows):
            gain = "" if row["gain"] is None else f", {share(row['gain'])} more than without randomised ones"
            found = f"{share(row['recall'])} of the near-duplicates of a document are found"
            says.append(f"With the lexicon {row['lexicon']} and {row['lexicons']} randomised ones, {found}{gain}.")
    return Content(
        says or ["No document has a near-duplicate."],
        lambda: imatch.plot(folder.run),
        lambda: [
            *list_rows(folder, RECALLS, "Recall by number of randomised lexicons"),
            *list_rows(folder, STABILITY, "Signatures that stay after words were changed"),
        ],
    )
