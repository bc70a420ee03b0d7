"""The verbs, the same on every engine."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unquilt.analyses.components import components
from unquilt.engines.local import Local
from unquilt.engines.tasks import Scale
from unquilt.errors import PlanError, UnquiltError
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel
from unquilt.flow.verbs import Verbs, look_up
from unquilt.runs import Run
from unquilt.settings import parse_size
from unquilt.tables.table import Table, column, document, integer

DOCUMENT, NAME = document("doc", "a document"), column("name", pa.string(), "its name", null=True)
NAMES = Table("names", (DOCUMENT, NAME))
PAIRS = Table("pairs", (DOCUMENT, NAME, integer("number", "any number")))
SHARES = Table(
    "shares",
    (
        DOCUMENT,
        integer("grams", "how many grams it has"),
        integer("patch_grams", "how many of them others have"),
        column("patchfrac", pa.float64(), "patch_grams / grams"),
    ),
)


@pytest.fixture
def verbs(make: Callable[[Scale, int], Callable[[Run], Verbs]], run: Run) -> Iterator[Verbs]:
    with make(Scale(1000, 1000), 3)(run) as opened:  # type: ignore[attr-defined]
        yield opened


def keep_by_hand(folder: Path, name: str, table: pa.Table, rows: int = 7) -> Kept:
    path = folder / f"{name}.parquet"
    pq.write_table(table, path, row_group_size=rows)
    return Kept.of(name, path)


def shuffled(count: int) -> list[int]:
    numbers = list(range(count))
    Random(3).shuffle(numbers)
    return numbers


def test_each_keeps_the_order(verbs: Verbs) -> None:
    items = shuffled(7)
    assert list(verbs.each(operator.neg, items)) == [-item for item in items]
    assert list(verbs.each(operator.neg, [7])) == [-7]
    assert list(verbs.each(operator.neg, [])) == []


def test_what_each_raises_comes_out(verbs: Verbs) -> None:
    """An error that unquilt raises on purpose in a task reaches the caller as one (errors.py)."""
    with pytest.raises(UnquiltError, match="12 parsecs"):
        list(verbs.each(parse_size, ["1MB", "12 parsecs", "2MB"]))


def test_keep_sorts_by_key_and_tail(verbs: Verbs, run: Run, tmp_path: Path) -> None:
    docs = shuffled(50)
    names = [None if doc % 11 == 0 else f"n{doc % 7}" * (doc % 3) for doc in docs]
    table = keep_by_hand(tmp_path, "names", pa.table({"doc": docs, "name": names}, schema=NAMES.schema))
    (rows,) = verbs.map(table, Kernel("select", ("doc", "name")))
    kept = verbs.keep(rows, NAMES.named("sorted"))
    expected = sorted(zip(docs, names, strict=True))
    assert pq.read_table(kept.paths[0]).to_pylist() == [{"doc": doc, "name": name} for doc, name in expected]
    assert kept.rows == 50
    assert run.done("sorted")


def test_what_is_kept_is_not_made_again(verbs: Verbs, tmp_path: Path) -> None:
    """Nothing happens before `keep` or `fold`, and nothing if their markers are there."""
    table = keep_by_hand(tmp_path, "names", pa.table({"doc": [1, 0], "name": ["b", "a"]}, schema=NAMES.schema))
    first = verbs.keep(verbs.map(table, Kernel("select", ("doc", "name")))[0], NAMES.named("kept"))
    (path,) = table.paths
    (never,) = verbs.map(table, Kernel("select", ("doc", "name")))
    Path(path).unlink()  # so that nothing can be read
    assert verbs.keep(never, NAMES.named("kept")) == first


def test_two_tables_meet(verbs: Verbs, tmp_path: Path) -> None:
    """A join: rows without a partner on the left are dropped, several on the right all stay, in their order."""
    names = keep_by_hand(tmp_path, "names", pa.table({"doc": range(0, 40, 2), "name": [f"n{i}" for i in range(20)]}))
    docs = [doc % 30 for doc in shuffled(60)]
    numbers = keep_by_hand(tmp_path, "numbers", pa.table({"doc": docs, "number": range(60)}))
    (rows,) = verbs.map(numbers, Kernel("select", ("doc", "number")))
    kept = verbs.keep(look_up(verbs, rows, names, ("name",)), PAIRS.named("met"))
    expected = sorted((doc, f"n{doc // 2}", number) for number, doc in enumerate(docs) if doc % 2 == 0)
    assert [tuple(row.values()) for row in pq.read_table(kept.paths[0]).to_pylist()] == expected


def test_rows_of_different_keys_cannot_meet(verbs: Verbs, tmp_path: Path) -> None:
    table = keep_by_hand(tmp_path, "names", pa.table({"doc": [1], "name": ["a"]}))
    (by_doc,) = verbs.map(table, Kernel("select", ("doc", "name")))
    texts = keep_by_hand(tmp_path, "texts", pa.table({"doc": [1], "text": ["a"]}))
    by_hash, _ = verbs.map(texts, Kernel("scan", k=1, key=None))
    with pytest.raises(PlanError, match="doc and hash"):
        verbs.group([by_doc, by_hash], Kernel("look up"))


def test_rows_are_read_once(verbs: Verbs, tmp_path: Path) -> None:
    """verbs.py: rows are read once, what is read twice is kept; whoever forgets hears of it, on every engine."""
    table = keep_by_hand(tmp_path, "names", pa.table({"doc": [1, 0], "name": ["b", "a"]}, schema=NAMES.schema))
    (rows,) = verbs.map(table, Kernel("select", ("doc", "name")))
    verbs.keep(rows, NAMES.named("first"))
    with pytest.raises(RuntimeError, match="keep them"):
        verbs.keep(rows, NAMES.named("second"))


def test_fold_adds_up_and_leaves_the_rows(verbs: Verbs, run: Run, tmp_path: Path) -> None:
    """Patch fractions of a table of grams: counters over all tasks, then the rows that were counted."""
    postings = [(gram * 0x123456789ABCDEF, doc) for doc in range(12) for gram in range(doc % 5 + 1)]
    columns = zip(*postings, strict=True)
    table = keep_by_hand(tmp_path, "postings", pa.table(dict(zip(("gram", "doc"), columns, strict=True))))
    (rows,) = verbs.map(table, Kernel("postings"))
    assert verbs.fold(rows, "counted")["grams"] == len(postings)
    assert verbs.fold(rows, "counted") == run.values("counted")
    (shares,) = verbs.group([rows], Kernel("shares", m=4))
    (totals,) = verbs.group([shares], Kernel("totals"))
    kept = pq.read_table(verbs.keep(totals, SHARES).paths[0]).to_pylist()
    df = Counter(gram for gram, _ in postings)
    for doc, row in enumerate(kept):
        grams = [gram for gram, other in postings if other == doc]
        patch = [gram for gram in grams if 1 < df[gram] <= 4]
        assert tuple(row.values()) == (doc, len(grams), len(patch), len(patch) / len(grams))
    assert len(kept) == 12


def test_repeat_ends_when_nothing_changes(verbs: Verbs, run: Run, tmp_path: Path) -> None:
    docs = shuffled(30)
    table = keep_by_hand(
        tmp_path, "start", pa.table({"doc": docs, "name": [str(doc) for doc in docs]}, schema=NAMES.schema)
    )

    def step(before: Kept, round_: int) -> tuple[Kept, int]:
        (rows,) = verbs.map(before, Kernel("select", ("doc", "name")))
        after = verbs.keep(rows, NAMES.named(f"round_{round_}"))
        return after, 1 - pq.read_table(before.paths[0]).equals(pq.read_table(after.paths[0]))

    last = verbs.repeat(table, step)
    assert run.tables == ["round_0", "round_1"]
    assert last.name == "round_1"
    assert pq.read_table(last.paths[0])["doc"].to_pylist() == list(range(30))


def hang_together(edges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Each node that has an edge to another, and the least of its component; those that are the least left out."""
    least = {node: node for edge in edges for node in edge}
    for _ in least:
        for a, b in edges:
            least[a] = least[b] = min(least[a], least[b])
    return sorted((node, other) for node, other in least.items() if node != other)


def test_components(verbs: Verbs, tmp_path: Path) -> None:
    """A path, a star, a clique, a circle, edges given twice, both ways and to oneself; numbered at random."""
    edges = [(i, i + 1) for i in range(9)] + [(100, 100 + i) for i in range(20)] + [(200, 200), (201, 201)]
    edges += [(130 + i, 130 + j) for i in range(7) for j in range(7)] + [(150 + i, 150 + (i + 1) % 9) for i in range(9)]
    edges += [(170, 171), (171, 170), (170, 171)]
    names = shuffled(1000)
    edges = [(names[a], names[b]) for a, b in edges]
    table = keep_by_hand(tmp_path, "edges", pa.table({"doc": [a for a, _ in edges], "other": [b for _, b in edges]}))
    found = pq.read_table(components(verbs, table).paths[0])
    assert list(zip(*(column.to_pylist() for column in found.columns), strict=True)) == hang_together(edges)


def test_components_without_an_edge(verbs: Verbs, tmp_path: Path) -> None:
    nothing = pa.table({"doc": pa.array([], pa.int64()), "other": pa.array([], pa.int64())})
    assert components(verbs, keep_by_hand(tmp_path, "edges", nothing)).rows == 0


@pytest.mark.slow
def test_components_of_random_graphs(tmp_path: Path) -> None:
    random = Random(6)
    for number in range(60):
        nodes = random.randint(1, 25)
        edges = [(random.randrange(nodes), random.randrange(nodes)) for _ in range(random.randint(1, 30))]
        folder = tmp_path / str(number)
        with (
            Run.open(folder, analysis="toy", parameters={}, inputs=[]) as run,
            Local(run, Scale(nodes, 0), threads=1, memory=1 << 20, partitions=number % 3 + 1) as verbs,
        ):
            pairs = pa.table({"doc": [a for a, _ in edges], "other": [b for _, b in edges]})
            found = pq.read_table(components(verbs, keep_by_hand(folder, "edges", pairs)).paths[0])
        assert list(zip(*(column.to_pylist() for column in found.columns), strict=True)) == hang_together(edges)
