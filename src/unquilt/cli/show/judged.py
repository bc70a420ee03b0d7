"""Verdicts, as they are shown: why a page is or is not a quilt, and which pages are by other limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from unquilt.analyses.quilt_parameters import CHANGEABLE
from unquilt.cli.options import given_parameters
from unquilt.cli.show.choice import choose
from unquilt.cli.show.evidence import emit_sites, introduce, show_evidence, summarise
from unquilt.cli.show.table_views import Request, TableView
from unquilt.cli.terminal.output import count, emit, json_line
from unquilt.flow.kept import Kept
from unquilt.jobs.verdicts import judge_run
from unquilt.results import RunFolder
from unquilt.results.judged import explain, find_quilt, judge_page
from unquilt.results.sites import judge_site_of
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.quilts import QUILTS, SOURCES, VERDICTS


def asked_limits(asked: Request) -> dict[str, Any]:
    """The limits that were given as options."""
    return given_parameters({name: asked.own.get(name) for name in CHANGEABLE})


class QuiltsView(TableView):
    """Quilts: by other limits, if some are given; of any document, why it is or is not one, and its evidence."""

    one_is_rows = False

    def show_all(self, asked: Request) -> None:
        limits = asked_limits(asked)
        super().show_all(judge_again(asked, limits) if limits else asked)

    def show_one(self, asked: Request) -> None:
        asked.folder.table(QUILTS.name)  # an error if there is none
        number = choose(asked.folder, QUILTS.name, asked.doc)
        show_page_judged(asked, number, asked_limits(asked))


class VerdictsView(TableView):
    """Verdicts: by other limits, if some are given."""

    def show_all(self, asked: Request) -> None:
        limits = asked_limits(asked)
        super().show_all(judge_again(asked, limits) if limits else asked)

    def show_one(self, asked: Request) -> None:
        limits = asked_limits(asked)
        super().show_one(judge_again(asked, limits) if limits else asked)


def judge_again(asked: Request, limits: Mapping[str, Any]) -> Request:
    """The request with the table judged by other limits in place of the table of the run; says so to people."""
    folder, quilts_only = asked.folder, asked.table == QUILTS.name
    judged = judge_run(folder.run, limits, quilts_only=True)
    if not asked.as_json:
        found, were = (_read_documents(table, "doc") for table in (judged, folder.table(QUILTS.name)))
        new = found.filter(pc.invert(pc.is_in(found, value_set=were)))
        looked_at = _read_documents(folder.table(SOURCES.name), "quilt") if len(new) else new
        unknown = len(new) - (pc.sum(pc.is_in(new, value_set=looked_at)).as_py() or 0)
        emit(_judged_by(folder, limits, len(found), len(new), unknown))
        emit()
    folder.tables[asked.table] = judged if quilts_only else judge_run(folder.run, limits)
    if asked.as_json or asked.selection.columns or not quilts_only:
        return asked
    names = ("id", "url") if DOCUMENTS.name in folder.tables else ()
    columns = [column for column in QUILTS.first if column in (*VERDICTS.schema.names, *names)]
    return replace(asked, selection=replace(asked.selection, columns=columns))


def _read_documents(table: Kept, name: str) -> pa.ChunkedArray:
    """A column of numbers of documents."""
    return pa.chunked_array([split.read([name]).column(0).combine_chunks() for split in table.splits()], pa.int64())


def _judged_by(folder: RunFolder, limits: Mapping[str, Any], total: int, new: int, unknown: int) -> str:
    """How many pages are quilts by other limits; how many of them were not in the run, and lack sources there."""
    made = folder.run.manifest["parameters"]
    changes = ", ".join(
        f"{name.replace('_', '-')} {_say(value)} (was {_say(made[name])})" for name, value in limits.items()
    )
    line = f"By {changes}: {count(total, 'quilt')}"
    if new:
        line += f"; {new:,} of these {'was not a quilt' if new == 1 else 'were not quilts'} in this run"
    if unknown:
        whose = f"sources and patches of {unknown:,} of them" if unknown < new else "sources and patches"
        line += f", which did not store {'its' if new == 1 else 'their' if unknown == new else 'the'} {whose}"
    return f"{line}."


def _say(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def show_page_judged(asked: Request, number: int, limits: Mapping[str, Any]) -> None:
    """Print why a document is or is not a quilt, and its sources and patches, if the run looked for them."""
    folder = asked.folder
    page = next((row for _, row in folder.documents([number], ["id", "url"])), {"id": None, "url": None})
    facts = judge_page(folder, number, limits) | page
    quilt = next(iter(folder.about(QUILTS.name, number)), None)
    sites = judge_site_of(folder, number)
    if asked.as_json:
        emit(json_line((quilt or {"doc": number, **page}) | facts | ({"judged_sites": sites} if sites else {})))
        return
    for line in introduce(quilt or {"doc": number, **page}):
        emit(line)
    if quilt is not None:
        for line in summarise(quilt):
            emit(line)
    for line in explain(folder, facts):
        emit(line)
    emit_sites(sites)
    if quilt is not None or folder.about(SOURCES.name, number):
        emit()
        show_evidence(folder, find_quilt(folder, number), asked.few, full=asked.own["full"])
    elif facts["quilt"]:
        emit("It was not a quilt in this run, so the run did not store its sources and patches.")
