"""Clusters of near-duplicates, as people look at them: a line for each, one of them whole, two pages compared."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from unquilt.cli.show.choice import choose
from unquilt.cli.show.page import Pens, show_page
from unquilt.cli.show.table_views import Request, TableView
from unquilt.cli.show.tables import Row, is_place, print_rows
from unquilt.cli.terminal.output import WIDEST, count, cut, emit, json_line, printable, terminal_width, use_colour
from unquilt.errors import ParameterError
from unquilt.results import RunFolder
from unquilt.results.differences import DELETED, Difference
from unquilt.results.finding import find_rows
from unquilt.results.marks import NO_PATCH
from unquilt.results.rows import Selection, name_column
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.neardups import CLUSTERS, KEPT, SIMILARITY

ORDERS = {"largest": [("documents", "descending")], "loosest": [("least", "ascending"), ("documents", "descending")]}


class ClustersView(TableView):
    """The table clusters; programs, and whoever chooses among its rows, get these as they are."""

    one_is_rows = False

    def show_all(self, asked: Request) -> None:
        if asked.own.get("diff"):
            show_difference(asked.folder, *asked.own["diff"], as_json=asked.as_json, full=bool(asked.own.get("full")))
        elif (asked.as_json or asked.selection != Selection()) and not asked.own.get("order"):
            super().show_all(asked)
        else:
            show_clusters(asked)

    def show_one(self, asked: Request) -> None:
        if asked.own.get("diff"):
            raise ParameterError("--diff names both documents; leave --doc out")
        show_cluster(asked)


def show_clusters(asked: Request) -> None:
    """Print one line for each cluster."""
    order = asked.own.get("order") or "largest"
    found = _sum_up(asked.folder)
    if order == "loosest" and "least" not in found.column_names:
        raise ParameterError(
            f"{asked.folder.run.path} does not know how similar the documents of a cluster are; use --order largest"
        )
    rows = found.sort_by([*ORDERS[order], ("cluster", "ascending")]).slice(0, asked.few).to_pylist()
    pages = asked.folder.pages(row["kept"] for row in rows)
    named = [_name(row, pages, "kept") for row in rows]
    if asked.as_json:
        for row in named:
            emit(json_line(row))
    elif not rows:
        emit(f"{CLUSTERS.name} has no rows.")
    else:
        left_out = print_rows(named)
        if found.num_rows > len(rows):
            emit(f"… and {found.num_rows - len(rows):,} more (--limit {found.num_rows} for all, --json for programs)")
        if left_out:
            emit(f"Too narrow for {', '.join(left_out)}; a wider terminal, or a pipe, has room for all columns.")


def _sum_up(folder: RunFolder) -> pa.Table:
    """Cluster, documents, least and median similarity if they are known (of I-Match also the least cosine), and the
    document that is kept."""
    columns = ["cluster", "documents", "least", "median", "least_cosine", "kept"]
    if SIMILARITY.name in folder.tables and "kept" in folder.columns(SIMILARITY.name):
        found = _read(folder, SIMILARITY.name, columns)
        return found if found["least_cosine"].null_count < len(found) else found.drop_columns(["least_cosine"])
    members = _read(folder, CLUSTERS.name, ["doc", "cluster", "keep"])
    counted = members.group_by("cluster").aggregate([("doc", "count")]).rename_columns(["cluster", "documents"])
    kept = members.filter(members["keep"]).select(["cluster", "doc"]).rename_columns(["cluster", "kept"])
    return counted.join(kept, "cluster", join_type="left outer")


def _read(folder: RunFolder, name: str, columns: Sequence[str]) -> pa.Table:
    """Some columns of a table, all of its rows."""
    table = folder.table(name)
    return pa.concat_tables([table.between(-1, -1, columns), *(split.read(columns) for split in table.splits())])


def show_cluster(asked: Request) -> None:
    """Print all documents of the cluster of one document, and how similar each is to the one that is kept."""
    folder = asked.folder
    folder.table(CLUSTERS.name)
    number = choose(folder, CLUSTERS.name, asked.doc)
    own = folder.about(CLUSTERS.name, number)
    if not own:
        if not asked.as_json:
            emit(f"Document {number} is in no cluster: no near-duplicate of it was found.")
        return
    cluster = own[0]["cluster"]
    members = find_rows(folder.table(CLUSTERS.name), "cluster", [cluster], ["doc", "cluster", "keep"], sys.maxsize)
    kept = [row["doc"] for row in members if row["keep"]] or [cluster]
    similar = _similarities(folder, kept)
    rows = [row | {"similarity": similar.get(row["doc"])} for row in members]
    rows.sort(key=lambda row: (not row["keep"], -(row["similarity"] or 0), row["doc"]))
    pages = folder.pages(row["doc"] for row in rows[: asked.few])
    named = [_name(row, pages, "doc") for row in rows[: asked.few]]
    if asked.as_json:
        for row in named:
            emit(json_line(row))
        return
    those = f"document {kept[0]} is" if len(kept) == 1 else f"{len(kept):,} are"
    emit(f"Cluster {cluster}: {count(len(rows), 'document')}, of which {those} kept.")
    emit()
    shown = [{name: value for name, value in row.items() if name != "cluster"} for row in named]
    print_rows(shown if similar else [{k: v for k, v in row.items() if k != "similarity"} for row in shown])
    if len(rows) > len(named):
        emit(f"… and {len(rows) - len(named):,} more (--limit {len(rows)} for all, --json for programs)")
    if DOCUMENTS.name in folder.tables and len(rows) > 1:
        other = next(row["doc"] for row in reversed(rows) if row["doc"] != kept[0])
        instead = _kept_instead(folder, other) or kept[0]
        emit()
        emit(f"What differs: unquilt show {printable(str(folder.run.path))} clusters --diff {instead} {other}")


def _name(row: Row, pages: Mapping[int, tuple[str, str | None]], column: str) -> dict[str, Any]:
    """A row with URL and id of the document in one of its columns."""
    id_, url = pages.get(row[column], (None, None))
    return dict(row) | {name_column(column, "url"): url, name_column(column, "id"): id_}


def _kept_instead(folder: RunFolder, number: int) -> int | None:
    rows = folder.about(KEPT.name, number) if KEPT.name in folder.tables else []
    return rows[0]["kept_instead"] if rows else None


def _similarities(folder: RunFolder, kept: Sequence[int]) -> dict[int, float]:
    """Of the documents that others are kept for, how similar each is to that one, as far as the run says."""
    if KEPT.name not in folder.tables:
        return {}
    found = find_rows(folder.table(KEPT.name), "kept_instead", kept, ["doc", "similarity"], sys.maxsize)
    return {row["doc"]: row["similarity"] for row in found if row["similarity"] is not None}


def show_difference(folder: RunFolder, one: str, other: str, *, as_json: bool, full: bool) -> None:
    """Print two documents as one text, with what differs marked."""
    folder.table(CLUSTERS.name)
    numbers = [choose(folder, CLUSTERS.name, given) for given in (one, other)]
    pages = dict(folder.documents(numbers, ["id", "url", "text"]))
    if len(pages) < len(set(numbers)):
        raise ParameterError(f"the corpus of {folder.run.path} is not found, so there are no texts to compare")
    difference = Difference.of(*(pages[number]["text"] for number in numbers))
    if as_json:
        for row in difference.rows():
            emit(json_line(row))
        return
    for line in _introduce(numbers, pages, difference):
        emit(line)
    text, patches = difference.merge()
    for line in show_page(text, patches, terminal_width() or WIDEST, DiffPens.choose(), full=full):
        emit(line)


def _introduce(numbers: Sequence[int], pages: Mapping[int, Row], difference: Difference) -> Iterator[str]:
    width = terminal_width() or WIDEST
    for mark, number, words in zip("-+", numbers, difference.words, strict=True):
        page = pages[number]
        name = page["url"] or page["id"]
        if page["url"] and page["url"] != page["id"] and not is_place(page["id"]):
            name = f"{page['id']}  {page['url']}"
        facts = f"{mark} document {number}, {count(len(words), 'word')}: "
        yield facts + cut(name, max(20, width - len(facts)))
    deleted, inserted = difference.changed
    if not difference.changes:
        yield "The words of both are the same, in the same order; only what stands between them may differ."
    else:
        places = count(len(difference.changes), "place")
        yield f"They differ in {places}: {count(deleted, 'word')} of the first, {inserted:,} of the second."
    yield ""


@dataclass(frozen=True)
class DiffPens(Pens):
    """Deletions and insertions, in red and green, or in brackets where there are no colours."""

    @classmethod
    def choose(cls) -> DiffPens:
        return cls(("97;41", "30;42") if use_colour() else ())

    def ends(self, rank: int) -> tuple[str, str]:
        if rank == NO_PATCH:
            return "", ""
        if self.codes:
            return ("-", "") if rank == DELETED else ("+", "")
        return ("[-", "-]") if rank == DELETED else ("{+", "+}")
