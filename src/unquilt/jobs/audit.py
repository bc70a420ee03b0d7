"""What a deletion would take, before it is made: by columns of the inputs, site, length, and the page kept instead.

A rule that is right for most pages may empty a source, or drop everything that resembles one template or error page.
So each group of documents is counted with what it would lose, and groups that lose too much raise an alarm
(`find_alarms`). Reads the small columns of documents beside the table `kept`, three times. Memory: some numbers for
each group, and for each page that is kept instead of others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from unquilt.corpus.given import JSON
from unquilt.flow.kept import Kept
from unquilt.jobs.corpora import open_table
from unquilt.runs import Run
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.neardups import AUDIT

ALARM = 0.5
"""The share of its documents that a group may lose without an alarm, if nobody says otherwise."""
FEWEST = 20
"""Groups of fewer documents raise no alarm."""
MOST_VALUES = 200
"""A column with more values than this does not tell sources apart."""
MANY, MANY_SITES, MUCH = 100, 10, 0.01
"""A page that stands for so many documents is listed; it raises an alarm if they are on so many sites, or this share of
the corpus."""
FAR, LOOSE, FEW_LOOSE = 2.0, 0.5, 0.05
"""Lengths that differ by this factor, and a similarity below this, are unlike; this share of drops may be, without an
alarm."""
SITE, LENGTH, PAGE, PAIR = "domain", "words", "kept_instead", "pair"
"""What groups are made by, beside columns of the inputs."""
_LENGTHS = (50, 200, 1_000, 5_000)


def audit_deletion(run: Run, documents: Kept, kept: Kept) -> Kept:
    """The table `audit` of a run; made unless it is there already."""
    if not run.done(AUDIT.name):
        with run.stage(AUDIT.name) as stage, run.writer(AUDIT.name, AUDIT.schema) as writer:
            rows = sorted(_Audit(documents, kept).rows(), key=lambda row: (row["by"], row["value"]))
            writer.write(pa.Table.from_pylist(rows, schema=AUDIT.schema))
            stage.record(rows=len(rows))
        run.mark(AUDIT.name, tables=[AUDIT.name])
    return open_table(run, AUDIT.name, AUDIT)


class _Audit:
    """Counts, row group by row group."""

    def __init__(self, documents: Kept, kept: Kept) -> None:
        self._documents, self._kept = documents, kept
        schema = documents.schema or DOCUMENTS.schema
        self._columns = [field.name for field in schema if _may_be_source(field)]
        self._groups: dict[str, dict[str, list[int]]] = {name: {} for name in (SITE, LENGTH, *self._columns)}
        self._behind: dict[int, int] = {}

    def rows(self) -> Iterator[dict[str, Any]]:
        for pages, verdicts in self._read([SITE, LENGTH, *self._columns]):
            self._count(pages, verdicts)
        for by, groups in self._groups.items():
            for value, (documents, dropped, words) in groups.items():
                if by != SITE or dropped:
                    yield _row(by, value, documents, dropped, words)
        if self._behind:
            yield from self._look_at_pairs()

    def _read(self, columns: Sequence[str]) -> Iterator[tuple[pa.Table, pa.Table]]:
        """Row groups of documents, and what is said of each of them."""
        first = 0
        for split in self._documents.splits():
            verdicts = self._kept.between(first, first + split.rows - 1)
            yield split.read(list(columns)), verdicts
            first += split.rows

    def _count(self, pages: pa.Table, verdicts: pa.Table) -> None:
        gone = pc.invert(verdicts["keep"])
        words = pages[LENGTH]
        lost = pc.if_else(gone, words, 0)
        lengths = pa.chunked_array([pa.array(list(map(_length, words.to_pylist())), pa.string())])
        for name in list(self._groups):
            values = lengths if name == LENGTH else pc.fill_null(pages[name].cast(pa.string()), "")
            table = pa.table({"value": values, "gone": gone.cast(pa.int64()), "words": lost})
            sums = table.group_by("value", use_threads=False).aggregate(
                [("value", "count"), ("gone", "sum"), ("words", "sum")]
            )
            groups = self._groups[name]
            for row in sums.to_pylist():
                group = groups.setdefault(row["value"], [0, 0, 0])
                for number, part in enumerate(("value_count", "gone_sum", "words_sum")):
                    group[number] += row[part]
            if name not in (SITE, LENGTH) and len(groups) > MOST_VALUES:
                del self._groups[name]
                self._columns.remove(name)
        for each in verdicts["kept_instead"].drop_null().value_counts().to_pylist():
            self._behind[each["values"]] = self._behind.get(each["values"], 0) + each["counts"]

    def _look_at_pairs(self) -> Iterator[dict[str, Any]]:
        """Pages that stand for many documents, and pairs that are unlike."""
        many = {doc for doc, count in self._behind.items() if count >= MANY}
        there = pa.array(sorted(self._behind), pa.int64())
        ids: dict[int, str] = {}
        lengths: list[pa.Array] = []
        for pages, verdicts in self._read(["id", LENGTH]):
            chosen = pc.is_in(verdicts["doc"], value_set=there)
            lengths += pages[LENGTH].filter(chosen).chunks
            ids |= (
                {doc: pages["id"][row].as_py() for row, doc in enumerate(verdicts["doc"].to_pylist()) if doc in many}
                if many
                else {}
            )
        words = pa.chunked_array(lengths, pa.int64()).combine_chunks()
        sites: dict[int, set[str | None]] = {doc: set() for doc in many}
        far = loose = known = 0
        for pages, verdicts in self._read([SITE, LENGTH]):
            gone = verdicts["kept_instead"].is_valid()
            instead = verdicts["kept_instead"].filter(gone).combine_chunks()
            own = pages[LENGTH].filter(gone)
            others = words.take(pc.index_in(instead, value_set=there))
            most, least = pc.max_element_wise(own, others), pc.min_element_wise(own, others)
            far += pc.sum(pc.greater(most, pc.multiply(least, FAR))).as_py() or 0
            similarity = verdicts["similarity"].filter(gone)
            known += len(similarity) - similarity.null_count
            loose += pc.sum(pc.less(similarity, LOOSE)).as_py() or 0
            for doc, site in (
                zip(instead.to_pylist(), pages[SITE].filter(gone).to_pylist(), strict=True) if many else ()
            ):
                if doc in many:
                    sites[doc].add(site)
        dropped = sum(self._behind.values())
        yield _row(PAIR, f"lengths differ by a factor of more than {FAR:g}", dropped, far, 0)
        yield _row(PAIR, f"similarity below {LOOSE:g}", known, loose, 0)
        for doc in sorted(many):
            yield _row(PAGE, ids[doc], self._behind[doc] + 1, self._behind[doc], 0) | {"sites": len(sites[doc])}


def _may_be_source(field: pa.Field) -> bool:
    """Whether a column may say where documents are from: one of the inputs, with texts."""
    noted = field.metadata or {}
    beside = field.name not in DOCUMENTS.schema.names and JSON not in noted
    return beside and bool(pa.types.is_string(field.type) or pa.types.is_large_string(field.type))


def _row(by: str, value: str, documents: int, dropped: int, words: int) -> dict[str, Any]:
    lost = dropped / documents if documents else 0.0
    return {"by": by, "value": value, "documents": documents, "dropped": dropped, "lost": lost, "dropped_words": words}


def _length(words: int) -> str:
    least = max((limit for limit in _LENGTHS if words >= limit), default=0)
    most = min((limit for limit in _LENGTHS if words < limit), default=None)
    return f"{least:,} words or more" if most is None else f"{least:,} to {most - 1:,} words"


class Alarm(NamedTuple):
    """A group that loses too much, and what that may mean."""

    by: str
    value: str
    says: str


def find_alarms(rows: Sequence[Mapping[str, Any]], alarm: float, documents: int) -> list[Alarm]:
    """The groups of `audit` that a person should look at before anything is deleted, the worst first."""
    found = []
    for row in sorted(rows, key=lambda row: (-row["lost"], -row["dropped"], row["by"], row["value"])):
        by, value, lost = row["by"], row["value"], row["lost"]
        share = f"{row['dropped']:,} of {row['documents']:,} documents ({lost:.0%})"
        if by == PAIR:
            if lost > FEW_LOOSE and row["dropped"]:
                share = f"{row['dropped']:,} of {row['documents']:,} ({lost:.0%})"
                found.append(Alarm(by, value, f"of documents that would go, {share} are unlike the one kept: {value}"))
        elif by == PAGE:
            if row["sites"] >= MANY_SITES or row["dropped"] > MUCH * documents:
                about = f"{row['dropped']:,} documents of {row['sites']:,} sites"
                found.append(
                    Alarm(by, value, f"{value} would be kept for {about}: is it a template, or an error page?")
                )
        elif row["documents"] >= FEWEST and lost > alarm and by != LENGTH and (by != SITE or value):
            found.append(Alarm(by, value, f"{by} {value or '(none)'} would lose {share}"))
    return found
