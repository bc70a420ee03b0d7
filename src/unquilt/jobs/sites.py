"""Sites over finished runs of one corpus: numbers, verdicts, networks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from unquilt.analyses.catalogue import find_table
from unquilt.analyses.site_verdicts import DECLARATION, VERDICTS, SiteParameters, is_mixed, judge_site, rank_sites
from unquilt.errors import InputError, StorageError
from unquilt.flow.kept import Kept
from unquilt.jobs.corpora import documents, find_corpus, measures, open_table
from unquilt.jobs.opening import open_run
from unquilt.jobs.options import JobOptions
from unquilt.jobs.places import choose_place
from unquilt.jobs.site_tables import SiteTables
from unquilt.runs import InputRecord, Run
from unquilt.runs.manifest import MANIFEST
from unquilt.runs.storage import shown
from unquilt.tables.sites import DRAWS, NETWORK_PAIRS, SITES
from unquilt.tables.table import Table

WANTED = {
    "neardups": ("clusters",),
    "quilts": ("verdicts", "sources", "patches", "clusters"),
    "phrases": ("document_phrases", "clusters"),
    "detect": ("targets",),
    "passages": ("passage_pairs", "clusters"),
    "reworded": ("passage_pairs",),
}
"""The tables that are looked at, by the analysis that makes them. What two runs have comes from the one that is named
first here."""
_OPTIONAL = ("clusters", "patches")
"""A run that collapsed nothing, or did not locate patches, has none."""
_KNOWN = ("judged", "copied", "popular", "targets", "sharing")
"""A column of each run that may be missing."""
_LEAST_FOR_A_THREAD = 64 << 20


def judge_sites(
    given: SiteParameters,
    runs: Sequence[str | Path],
    output: str | Path | None = None,
    options: JobOptions | None = None,
) -> Run:
    """Judges the sites of a corpus by finished runs over it, into a run folder."""
    options = options or JobOptions()
    if not runs:
        raise InputError("there are no runs to judge sites by")
    places = [place for path in runs for place in _find(Path(path))]
    opened = sorted(map(_open, places), key=lambda run: list(WANTED).index(run.manifest["analysis"]))
    corpus = _one_corpus(opened)
    output = choose_place(output, [run.path for run in opened])
    records = [
        InputRecord(str(run.path), measures(run)["bytes"], run.manifest["fingerprint"]) for run in [corpus, *opened]
    ]
    with open_run(DECLARATION.name, given.to_dict(), records, output, options) as run:
        if not run.complete:
            tables = _tables(opened)
            with _connect(run, options) as connection:
                try:
                    counted = SiteTables(connection, documents(corpus), tables, given.site)
                    rows = _judge(run, counted, tables, given)
                except duckdb.OutOfMemoryException as error:
                    raise StorageError(
                        f"{run.path}: sites cannot be counted within --memory; give more of it"
                    ) from error
                except duckdb.Error as error:
                    why = str(error).splitlines()[0][:200]
                    raise StorageError(f"{run.spill}: sites cannot be counted: {why}") from error
            run.finish(measures(corpus) | rows, results=[table.name for table in DECLARATION.results])
    return run


def _judge(run: Run, counted: SiteTables, tables: dict[str, Kept], given: SiteParameters) -> dict[str, Any]:
    sites = [dict.fromkeys(SITES.schema.names) | row for row in counted.count()]
    for row in sites:
        row["verdict"], row["reasons"] = judge_site(row, given)
    if len(sites) == 1 and sites[0]["site"] is not None:
        sites[0] |= {"verdict": "cannot tell", "reasons": "all pages are on one site"}
    pairs, networks = _find_networks(sites, counted, given)
    rank_sites(sites)
    drawn = counted.draws().to_pylist() if "verdicts" in tables else []
    for table, rows in ((SITES, sites), (DRAWS, drawn), (NETWORK_PAIRS, pairs)):
        _write(run, table, rows)
    verdicts = {name.replace(" ", "_"): sum(row["verdict"] == name for row in sites) for name in VERDICTS}
    counts = {SITES.name: len(sites), DRAWS.name: len(drawn), NETWORK_PAIRS.name: len(pairs)}
    known = {f"has_{name}": int(any(row[name] is not None for row in sites)) for name in _KNOWN}
    return {**verdicts, "networks": networks, **known, **counts}


def _find_networks(
    sites: list[dict[str, Any]], counted: SiteTables, given: SiteParameters
) -> tuple[list[dict[str, Any]], int]:
    """The pairs of sites of networks, and how many networks there are; sites are told theirs. A site whose pages others
    have in parts is stitched if it shares something with one that is."""
    stitched = {row["first"] for row in sites if row["verdict"] == "stitched"}
    suspects = [row for row in sites if row["first"] in stitched or _may_be_stitched(row, given)]
    if not stitched or len(suspects) < 2:
        return [], 0
    columns = {name: [row[name] for row in suspects] for name in ("first", "site")}
    pairs = counted.pair(pa.table(columns), given.min_shared).to_pylist()
    networks = group_pairs((pair["first"], pair["other_first"]) for pair in pairs)
    real = {networks[first] for first in stitched if first in networks}
    pairs = [pair for pair in pairs if networks[pair["first"]] in real]
    said: dict[int, str] = {}
    for pair in sorted(pairs, key=lambda pair: {pair["first"], pair["other_first"]} <= stitched, reverse=True):
        for mine, name in (("first", "other"), ("other_first", "site")):
            said.setdefault(pair[mine], f"{_share(pair)} with {pair[name]}")
    for row in suspects:
        if row["first"] in said:
            row["network"], row["shares"] = networks[row["first"]], said[row["first"]]
            if row["first"] not in stitched:
                row["verdict"], row["reasons"] = judge_site(row, given)
    return pairs, len(real)


def _may_be_stitched(row: dict[str, Any], given: SiteParameters) -> bool:
    return row["verdict"] == "cannot tell" and row["pages"] >= given.min_pages and is_mixed(row, given)


def group_pairs(pairs: Any) -> dict[int, int]:
    """The members of each connected group, with the lowest of it."""
    lowest: dict[int, int] = {}

    def find(one: int) -> int:
        while lowest[one] != one:
            lowest[one] = lowest[lowest[one]]
            one = lowest[one]
        return one

    for pair in pairs:
        a, b = sorted(find(lowest.setdefault(one, one)) for one in pair)
        lowest[b] = a
    return {one: find(one) for one in lowest}


def _share(pair: dict[str, Any]) -> str:
    parts = (
        (pair["paragraphs"], "paragraph", "paragraphs"),
        (pair["passages"], "passage", "passages"),
        (pair["shared"], "source page", "source pages"),
        (pair["template"], "paragraph of the template", "paragraphs of the template"),
        (pair["addresses"], "address", "addresses"),
    )
    said = [f"{number:,} {one if number == 1 else many}" for number, one, many in parts if number]
    return ", ".join(said)


def _write(run: Run, table: Table, rows: list[dict[str, Any]]) -> None:
    with run.stage(table.name) as stage, run.writer(table.name, table.schema) as writer:
        columns = [pa.array([row[each.name] for row in rows], each.type) for each in table.schema]
        writer.write(pa.RecordBatch.from_arrays(columns, schema=table.schema))
        stage.record(rows=len(rows))
    run.mark(table.name, tables=[table.name])


def _find(path: Path) -> list[Path]:
    """A run, or the runs in a folder by which sites can be judged, one of each analysis."""
    if os.path.lexists(path / MANIFEST):
        return [path]
    found: dict[str, Path] = {}
    for place in sorted(each.parent for each in path.glob(f"*/{MANIFEST}")):
        name = Run.read(place).manifest["analysis"]
        if name in found and name in WANTED:
            two = f"{shown(found[name])} and {shown(place)}"
            raise InputError(f"{two} are both runs of {name}; name the runs by which sites are to be judged")
        found[name] = place
    return [place for name, place in found.items() if name in WANTED] or [path]


def _open(path: str | Path) -> Run:
    run = Run.read(path)
    name = run.manifest["analysis"]
    if name == "ingest":
        first = f"unquilt quilts {shown(path)} -o RUN"
        raise InputError(
            f"{shown(path)} is a corpus; sites are judged by runs over it: {first}, then unquilt sites RUN"
        )
    if name not in WANTED:
        raise InputError(f"{shown(path)} is a run of {name}; sites are judged by runs of {', '.join(WANTED)}")
    if not run.complete:
        ended = (
            "is not whole any more, a table is missing or was changed"
            if "finished" in run.manifest
            else "has not ended"
        )
        raise InputError(f"{shown(path)} {ended}; run unquilt {name} again")
    for table in WANTED[name]:
        if table not in run.tables and table not in _OPTIONAL:
            raise InputError(f"{shown(path)} has no table {table}; run unquilt {name} again")
    return run


def _one_corpus(runs: Sequence[Run]) -> Run:
    """The corpus of all runs; an error names the run that has another, or that has lost its own."""
    found = [(run, find_corpus(run)) for run in runs]
    first: Run | None = None
    for run, corpus in found:
        if corpus is None:
            raise InputError(
                f"{shown(run.path)}: its corpus is not there any more; put it beside the run, or run it again"
            )
        first = first or corpus
        if corpus.manifest["fingerprint"] != first.manifest["fingerprint"]:
            raise InputError(
                f"{shown(run.path)} is of another corpus than {shown(runs[0].path)}; run both over one corpus folder"
            )
    assert first is not None, "there is at least one run"
    return first


def _tables(runs: Sequence[Run]) -> dict[str, Kept]:
    tables: dict[str, Kept] = {}
    for run in runs:
        for name in WANTED[run.manifest["analysis"]]:
            if name in run.tables and name not in tables:
                tables[name] = open_table(run, name, find_table(name))
    return tables


def _connect(run: Run, options: JobOptions) -> duckdb.DuckDBPyConnection:
    memory = options.settings.memory // 2
    return duckdb.connect(
        ":memory:",
        config={
            "memory_limit": f"{memory}B",
            "threads": str(max(1, min(options.settings.threads, memory // _LEAST_FOR_A_THREAD))),
            "temp_directory": str(run.spill),
            "preserve_insertion_order": "false",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "python_enable_replacements": "false",
        },
    )
