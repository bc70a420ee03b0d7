"""Copies of ours: which documents of a corpus are ours, what others share with them, and the tables of it.

Passages are found by the verbs of `passages` and `reworded`, on every engine. The rest is done here: the passages that
are shared with our pages are sorted in memory (about 150 bytes each), then the texts of both sides are read once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from unquilt.analyses.own_copies import (
    DECLARATION,
    STRENGTHS,
    OwnCopyParameters,
    Shared,
    choose_passages,
    compare_sides,
)
from unquilt.corpus.extract.urls import is_for_machines
from unquilt.engines.tasks import Scale
from unquilt.errors import NoDocumentsError
from unquilt.flow.kept import Kept
from unquilt.flow.rehearsal import rehearse
from unquilt.jobs.copied_texts import CopiedTexts
from unquilt.jobs.corpora import documents, has_plain_words, measures, open_table, refuse_other_corpus
from unquilt.jobs.inputs import find_inputs, fit_source
from unquilt.jobs.named import Inputs, name_paths, open_corpus
from unquilt.jobs.opening import open_run
from unquilt.jobs.options import JobOptions
from unquilt.jobs.own_pages import Pages, choose_ours, join_ours
from unquilt.jobs.places import choose_place
from unquilt.jobs.work import abandoning, as_found, engine, ingest_within
from unquilt.runs import Run
from unquilt.runs.storage import shown
from unquilt.site_names import name_site
from unquilt.tables.copies import COPIES, COPYING_SITES, SIDES
from unquilt.tables.passages import PASSAGES
from unquilt.tables.table import Table

OUR_CODE, THEIR_CODE = (bytes([0] * 8 + [number]) for number in (1, 2))
"""Two servers, as servers.rs packs them: pages of one are foreign to those of the other, and to no others."""
_NAMES = ("doc", "url", "host", "domain", "ip", "file", "words")
_PLACES = ("a", "a_begin", "a_end", "b_begin", "b_end")
Row = dict[str, Any]


def find_own_copies(
    given: OwnCopyParameters,
    ours: str | Path,
    inputs: Inputs,
    output: str | Path | None = None,
    options: JobOptions | None = None,
) -> Run:
    """Finds who has text of ours, in a corpus or in inputs, into a run folder; resumes an unfinished run."""
    options = options or JobOptions()
    chosen, more = choose_ours(ours)
    rehearse(lambda verbs, corpus: compare_sides(verbs, corpus, Kept.without_rows(SIDES), given))
    if more:
        inputs = join_ours(ours, chosen, more, inputs)
    options = fit_source(inputs, options, source=False)
    output = choose_place(output, name_paths(inputs))
    corpus = open_corpus(inputs)
    with find_inputs(inputs, output, options) if corpus is None else as_found(corpus) as found:
        asked = {"ours": str(ours), "ours_digest": chosen.digest} | given.to_dict()
        asked |= found.describe(options.reading) if corpus is None else {}
        with open_run(DECLARATION.name, asked, found.records, output, options) as run:
            if not run.complete:
                corpus = corpus or ingest_within(run, found, options)
                with abandoning(run):
                    sides = tell_sides(run, corpus, given, chosen, str(ours))
                with engine(run, Scale(documents(corpus).rows, measures(corpus)["words"]), options) as verbs:
                    tables = compare_sides(verbs, documents(corpus), sides.table, given)
                counted = write_tables(run, corpus, sides, tables, given)
                refuse_other_corpus(corpus)
                run.finish(measures(corpus) | counted, results=[table.name for table in DECLARATION.results])
    return run


@dataclass(frozen=True)
class Sides:
    """Which documents are ours: their words by number, and our sites; and how many there are of each side."""

    table: Kept
    ours: dict[int, int]
    sites: frozenset[str]
    counters: dict[str, int]


def tell_sides(run: Run, corpus: Run, given: OwnCopyParameters, chosen: Pages, name: str) -> Sides:
    """Tells our documents from theirs, and from those that are left out."""
    ours: dict[int, int] = {}
    sites: set[str] = set()
    placed = False
    for page in _read_names(corpus):
        placed |= page["url"] is not None
        if chosen.has(page):
            ours[page["doc"]] = page["words"]
            sites.add(_site(page, given) or "")
    sites.discard("")
    if not ours:
        raise NoDocumentsError(f"no document of the corpus belongs to {name[:200]!a}{_say_why(corpus, chosen, placed)}")
    excepted = Pages.named(given.except_)
    counters = {"our_documents": len(ours), "their_documents": 0, "documents_left_out": 0}
    table = SIDES
    with run.stage(table.name) as stage, run.writer(table.name, table.schema, on_the_way=True) as writer:
        for pages in _in_batches(_read_names(corpus)):
            kept, codes = [], []
            for page in pages:
                number = page["doc"]
                out = is_for_machines(page["url"])
                if number not in ours:
                    out = out or _site(page, given) in sites or excepted.has(page)
                    counters["documents_left_out" if out else "their_documents"] += 1
                kept.append(number + 1 if out else number)
                codes.append(OUR_CODE if number in ours else THEIR_CODE)
            numbers = pa.array([page["doc"] for page in pages], pa.int64())
            columns = [numbers, pa.array(kept, pa.int64()), pa.array(codes, pa.binary())]
            writer.write(pa.RecordBatch.from_arrays(columns, schema=table.schema))
        stage.record(rows=writer.rows)
    if not counters["their_documents"]:
        raise NoDocumentsError(
            f"every document is ours, on our sites or excepted; no other document is left to compare with {name!a}"
        )
    run.mark(table.name, tables=[table.name])
    kept_table = open_table(run, table.name, table)
    return Sides(kept_table, ours, frozenset(sites), counters)


def _say_why(corpus: Run, chosen: Pages, placed: bool) -> str:
    """Why no document is ours, and what to do."""
    if chosen.files:
        ours = " ".join(shown(each.rstrip("/")) for each in chosen.files)
        return f": no document could be read there; unquilt ingest {ours} -o corpus says why"
    if not placed:
        return ": none has a URL. URLs: field url, or --base-url; or name a file or folder with our pages"
    what = ", which is neither a file nor one of its sites" if chosen.sites else ""
    return f"{what}; unquilt show {shown(corpus.path)} documents --columns host,url shows where they are from"


def _read_names(corpus: Run) -> Iterator[Row]:
    for split in documents(corpus).splits():
        yield from split.read(_NAMES).to_pylist()


def _in_batches(rows: Iterable[Row], size: int = 1 << 14) -> Iterator[list[Row]]:
    batch: list[Row] = []
    for row in rows:
        batch.append(row)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def _site(page: Mapping[str, Any], given: OwnCopyParameters) -> str | None:
    return name_site(given.site, page["url"], page["host"], page["domain"], page["ip"])


def write_tables(
    run: Run, corpus: Run, sides: Sides, tables: Sequence[Kept], given: OwnCopyParameters
) -> dict[str, int]:
    """Writes the tables of a run from what our pages and theirs share; returns what was counted."""
    with run.stage("own_copies") as stage:
        found, also, counters = _choose(sides, tables, given)
        texts = CopiedTexts(documents(corpus), plain=has_plain_words(corpus))
        passages, copies = texts.read_ours(found, notices=given.notices)
        counters["notices"] = len(found) - len(passages)
        texts.read_theirs(passages, copies, sides.sites, given)
        for pair, copy in copies.items():
            copy["also"] = also.get(pair, 0)
        listed = [copies[pair] for pair in sorted(copies)]
        rows = {PASSAGES: passages, COPIES: listed, COPYING_SITES: count_sites(listed)}
        for table, made in rows.items():
            _write(run, table, made)
        stage.record(rows=len(listed), counters=counters)
    run.mark("own_copies", tables=[table.name for table in rows])
    strengths = {f"with_{name}": sum(copy["strength"] == name for copy in listed) for name in STRENGTHS}
    return sides.counters | counters | strengths | {table.name: len(made) for table, made in rows.items()}


def _choose(
    sides: Sides, tables: Sequence[Kept], given: OwnCopyParameters
) -> tuple[list[Row], dict[tuple[int, int], int], dict[str, int]]:
    """The passages that count, ours as `a`, in order; how many other pages of ours have those of a copy; counters."""
    parts = [_orient(split.read(PASSAGES.schema.names), sides) for table in tables for split in table.splits()]
    found = pa.concat_tables([PASSAGES.schema.empty_table(), *parts]).sort_by([("b", "ascending"), ("a", "ascending")])
    passages: list[Row] = []
    also: dict[tuple[int, int], int] = {}
    templates = 0
    rows = (row for batch in found.to_batches() for row in batch.to_pylist())
    for theirs, group in groupby(rows, key=itemgetter("b")):
        here = list(group)
        shared = [_share(row, number) for number, row in enumerate(here)]
        chosen = choose_passages(shared, sides.ours, given)
        templates += chosen.templates
        passages += [here[each.row] for some in chosen.passages.values() for each in some]
        also |= {(ours, theirs): number for ours, number in chosen.also.items()}
    passages.sort(key=itemgetter("a", "b", "a_begin", "b_begin"))
    return passages, also, {"templates": templates}


def _share(row: Row, number: int) -> Shared:
    equal = row["score"] is None
    return Shared._make((*(row[name] for name in _PLACES), row["words" if equal else "weight"], equal, number))


def _orient(found: pa.Table, sides: Sides) -> pa.Table:
    """Passages with ours as `a`."""
    turned = pa.array([a not in sides.ours for a in found["a"].to_pylist()], pa.bool_())
    columns = []
    for field in PASSAGES.schema:
        other = {"a": "b", "b": "a"}.get(field.name[:1]) if field.name[:2] in ("a", "b", "a_", "b_") else None
        column = found[field.name]
        if other:
            column = pc.if_else(turned, found[other + field.name[1:]], column)
        columns.append(column.cast(field.type))
    return pa.table(columns, schema=PASSAGES.schema)


def count_sites(copies: Sequence[Row]) -> list[Row]:
    """The sites of copies, in the order of their first pages; pages without a URL count together."""
    sites: dict[str | None, list[Row]] = {}
    for copy in copies:
        sites.setdefault(copy["site"], []).append(copy)
    rows = []
    for site, some in sites.items():
        theirs = {copy["theirs"] for copy in some}
        strengths = [copy["strength"] for copy in some]
        rows.append(
            {
                "first": min(theirs),
                "site": site,
                "pages": len(theirs),
                "our_pages": len({copy["ours"] for copy in some}),
                "words": sum(copy["words"] for copy in some),
                "paragraphs": strengths.count("paragraphs"),
                "equal": strengths.count("words"),
                "reworded": strengths.count("reworded"),
                "linking": len({copy["theirs"] for copy in some if copy["linked"] in ("page", "site")}),
            }
        )
    return sorted(rows, key=itemgetter("first"))


def _write(run: Run, table: Table, rows: Sequence[Row]) -> None:
    with run.writer(table.name, table.schema) as writer:
        columns = [pa.array([row[each.name] for row in rows], each.type) for each in table.schema]
        writer.write(pa.RecordBatch.from_arrays(columns, schema=table.schema))
