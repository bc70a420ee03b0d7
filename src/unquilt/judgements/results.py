"""What came of judging: shares by category and judge, agreement, samples side by side, and labels as files."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa

from unquilt.errors import ParameterError
from unquilt.judgements.labels import Judged, LabelFile, Sample, split_label
from unquilt.results.export.formats import FileFormat
from unquilt.runs import storing
from unquilt.runs.storage import write_atomically

Z = 1.959963984540054
"""The quantile of the normal distribution for an interval of 95 %."""
SAID = ("judge", "label", "note", "at")


@dataclass(frozen=True)
class Share:
    """How many items of those that a judge labelled are of a category, and the interval of the share (Wilson,
    95 %, of a finite population). Where an item can be of several categories, shares can add up to more than 1."""

    category: str
    items: int
    labelled: int
    low: float
    high: float

    @property
    def share(self) -> float:
        return self.items / self.labelled if self.labelled else 0.0


@dataclass(frozen=True)
class Verdict:
    """What one judge said of a sample, in numbers."""

    judge: str
    labelled: int
    shares: Sequence[Share]


@dataclass(frozen=True)
class Agreement:
    """Two judges: over how many items, on how many they agree, and Cohen's κ if it is defined. Of items with several
    labels, they agree on those of which all labels are the same."""

    one: str
    other: str
    items: int
    same: int
    kappa: float | None


@dataclass(frozen=True)
class JudgedSample:
    """What came of a sample."""

    sample: Sample
    verdicts: Sequence[Verdict]
    agreements: Sequence[Agreement]


def sum_up(labels: LabelFile, sample: Sample) -> JudgedSample:
    """Count what was said of a sample."""
    found = labels.all_labels(sample.name)
    judges = sorted({each.judge for each in found})
    said = {judge: {each.position: each.category for each in found if each.judge == judge} for judge in judges}
    verdicts = [Verdict(judge, len(said[judge]), _shares(sample, list(said[judge].values()))) for judge in judges]
    agreements = []
    for one, other in combinations(judges, 2):
        both = sorted(said[one].keys() & said[other].keys())
        ours, theirs = ([said[judge][position] for position in both] for judge in (one, other))
        same = sum(a == b for a, b in zip(ours, theirs, strict=True))
        agreements.append(Agreement(one, other, len(both), same, measure_agreement(ours, theirs)))
    return JudgedSample(sample, verdicts, agreements)


@dataclass(frozen=True)
class ListedItem:
    """An item with the labels and notes of all judges, by name; and whether any two of them disagree."""

    position: int
    key: Mapping[str, Any]
    names: Mapping[str, Any]
    labels: Mapping[str, str]
    notes: Mapping[str, str]

    @property
    def disagreed(self) -> bool:
        return len(set(self.labels.values())) > 1


def list_items(labels: LabelFile, sample: Sample, judges: Sequence[str] = ()) -> list[ListedItem]:
    """The items of a sample with what was said of each, by all judges or by these."""
    said: dict[int, list[Judged]] = {}
    for each in labels.all_labels(sample.name):
        if not judges or each.judge in judges:
            said.setdefault(each.position, []).append(each)
    return [
        ListedItem(
            each.position,
            each.key,
            each.names,
            {one.judge: one.category for one in said.get(each.position, [])},
            {one.judge: one.note for one in said.get(each.position, []) if one.note},
        )
        for each in labels.items(sample.name, "")
    ]


def _shares(sample: Sample, said: Sequence[str]) -> list[Share]:
    counts = Counter(category for label in said for category in split_label(label))
    return [
        Share(category, counts[category], len(said), *find_interval(counts[category], len(said), sample.population))
        for category in sample.categories
    ]


def tell(outcome: JudgedSample) -> Iterator[dict[str, Any]]:
    """The same for programs: a row for each judge and category."""
    sample = outcome.sample
    for verdict in outcome.verdicts:
        for share in verdict.shares:
            yield {
                "sample": sample.name,
                "run": sample.run,
                "table": sample.table,
                "judge": verdict.judge,
                "category": share.category,
                "items": share.items,
                "labelled": share.labelled,
                "share": share.share,
                "low": share.low,
                "high": share.high,
            }


def list_labels(labels: LabelFile, samples: Sequence[Sample]) -> Iterator[dict[str, Any]]:
    """All labels, a row each: what `unquilt judge RUN --export` writes, and `unquilt score` reads."""
    for sample in samples:
        for each in labels.all_labels(sample.name):
            yield _row(sample, each)


def _row(sample: Sample, judged: Judged) -> dict[str, Any]:
    names = {"id": None, "url": None} | dict(judged.names)
    about = {"sample": sample.name, "run": sample.run, "table": sample.table, "position": judged.position}
    said = {"judge": judged.judge, "label": judged.category, "note": judged.note, "at": judged.at}
    return about | dict(judged.key) | names | said


def make_table(labels: LabelFile, samples: Sequence[Sample], only: str = "") -> pa.Table:
    """The same as a table; columns that only some samples have are null for the others."""
    rows = [row for row in list_labels(labels, samples) if not only or only in split_label(row["label"])]
    names = dict.fromkeys(name for row in rows for name in row)
    ordered = [*(name for name in names if name not in SAID), *SAID] if rows else ["sample", *SAID]
    return (
        pa.Table.from_pylist([{name: row.get(name) for name in ordered} for row in rows])
        if rows
        else pa.table({name: pa.array([], pa.string()) for name in ordered})
    )


def pack_labels(labels: LabelFile, samples: Sequence[Sample], kind: str, only: str = "") -> tuple[bytes, int]:
    """The labels as the content of a file, and how many there are."""
    table, buffer = make_table(labels, samples, only), BytesIO()
    with FileFormat.of(kind).writer(buffer, table.schema) as sink:
        sink.write(table)
    return buffer.getvalue(), table.num_rows


def write_labels(labels: LabelFile, samples: Sequence[Sample], path: Path, only: str = "") -> int:
    """Write labels, or `only` those of one category, to a file .csv or .jsonl, which is there when it is complete."""
    format_ = FileFormat.guess(path)
    if format_ is None or format_.kind not in ("csv", "jsonl"):
        raise ParameterError(f"labels are written as .csv or .jsonl, not as {path.name}")
    content, rows = pack_labels(labels, samples, format_.name, only)
    with storing(path):
        write_atomically(path, content)
    return rows


def find_interval(hits: int, trials: int, population: int | None = None, z: float = Z) -> tuple[float, float]:
    """The interval of Wilson (1927) for a share; all of [0, 1] without trials.

    Of a finite population, the trials are worth more, the more of it they are: as many as (population - 1) /
    (population - trials) times as many of an infinite one (Cochran, Sampling Techniques, 1977, 2.6). Where all were
    tried, the share is exact.

    >>> [round(end, 3) for end in find_interval(34, 100)]
    [0.255, 0.437]
    >>> [round(end, 3) for end in find_interval(34, 100, 200)]
    [0.278, 0.408]
    >>> find_interval(34, 100, 100)
    (0.34, 0.34)
    """
    if trials == 0:
        return 0.0, 1.0
    share = hits / trials
    if population is not None and trials >= population:
        return share, share
    worth = trials if population is None else trials * (population - 1) / (population - trials)
    square = z * z / worth
    middle = share + square / 2
    spread = z * math.sqrt(share * (1 - share) / worth + square / (4 * worth))
    low, high = (middle - spread) / (1 + square), (middle + spread) / (1 + square)
    return (0.0 if hits == 0 else max(0.0, low)), (1.0 if hits == trials else min(1.0, high))


def measure_agreement(one: Sequence[Hashable], other: Sequence[Hashable]) -> float | None:
    """Cohen's κ of two judges over the same items; None where it is not defined: no items, or both always say the same
    one thing.

    >>> measure_agreement("aabb", "aaba")
    0.5
    """
    items = len(one)
    if items == 0:
        return None
    same = sum(a == b for a, b in zip(one, other, strict=True))
    ours, theirs = Counter(one), Counter(other)
    by_chance = sum(ours[category] * theirs[category] for category in ours)  # in units of 1 / items²
    if by_chance == items * items:
        return None
    return (same * items - by_chance) / (items * items - by_chance)
