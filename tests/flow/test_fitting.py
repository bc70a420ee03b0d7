"""Plans that do not fit are refused when they are noted: before anything runs, by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from snapshots import Snapshots

from unquilt import _native
from unquilt.engines.local import Local
from unquilt.engines.tasks import Scale
from unquilt.errors import EngineError, PlanError
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel, Side, contracts
from unquilt.flow.verbs import Rows, Verbs
from unquilt.runs import Run
from unquilt.tables.neardups import CLUSTERS, EDGES, KEPT_COPIES, PAIRS
from unquilt.tables.quilts import QUILTS, SOURCES

TEXTS = pa.table({"doc": [0, 1], "text": ["a b c", "a b d"]})


@pytest.fixture
def verbs(run: Run) -> Iterator[Verbs]:
    with Local(run, Scale(10, 10), threads=1, memory=1 << 28, partitions=2) as opened:
        yield opened


def kept(folder: Path, table: pa.Table, name: str = "table") -> Kept:
    path = folder / f"{name}.parquet"
    pq.write_table(table, path)
    return Kept.of(name, path)


class TestKernels:
    @pytest.mark.parametrize(
        ("name", "given", "message"),
        [
            ("scam", {"k": 5, "key": None}, "there is no kernel 'scam'; did you mean 'scan'?"),
            ("scan", {"k": 5}, "kernel scan: key is missing"),
            ("scan", {"k": 5, "key": None, "m": 3}, "kernel scan has no parameter m; it has k, key"),
            ("ends", {"k": 5}, "kernel ends has no parameter k; it has none"),
            ("scan", {"k": "5", "key": None}, "kernel scan: k must be a whole number of at least 1, not '5'"),
            ("scan", {"k": True, "key": None}, "k must be a whole number"),
            ("scan", {"k": -1, "key": None}, "k must be a whole number"),
            ("scan", {"k": 0, "key": None}, "k must be a whole number of at least 1, not 0"),
            (
                "alike sentences",
                {"tau": float("nan"), "max_df": 5},
                "tau must be a number, not nan",
            ),
            ("scan", {"k": 5, "key": b"short"}, "key must be 16 bytes or None, not b'short'"),
            ("lists", {"m": 5, "patches": 1}, "patches must be true or false, not 1"),
            ("places", {"by": "planet"}, "by must be one of none, page, host, domain, ip, not 'planet'"),
            ("rates", {"sigma": 0.5}, "sigma must be a list of numbers, not 0.5"),
            ("rates", {"sigma": ["x"]}, "sigma must be a list of numbers"),
            (
                "alike sentences",
                {"tau": None, "max_df": 5},
                "tau must be a number, not None",
            ),
        ],
    )
    def test_what_is_wrong_is_named(self, name: str, given: dict[str, object], message: str) -> None:
        with pytest.raises(PlanError) as raised:
            Kernel(name, **given)
        assert message in str(raised.value)

    def test_columns_are_its_own_business(self, snapshots: Snapshots) -> None:
        with snapshots.error(PlanError):
            Kernel("scan", ("doc", "text"), k=5, key=None)
        with snapshots.error(PlanError):
            Kernel("select")

    def test_ports_may_depend_on_parameters(self) -> None:
        assert [port.name for port in Kernel("lists", m=5, patches=True).ports] == ["lists", "grams"]
        assert [port.name for port in Kernel("lists", m=5, patches=False).ports] == ["lists"]
        assert [port.name for port in Kernel("places", by="ip").ports] == ["at_hosts", "addresses"]
        assert [port.name for port in Kernel("places", by="host").ports] == ["documents"]

    def test_every_kernel_says_what_it_keeps(self) -> None:
        assert all(contract.keeps and contract._ports for contract in contracts().values())
        assert len(contracts()) >= 40


class TestMaps:
    def test_columns_that_are_missing(self, verbs: Verbs, tmp_path: Path, snapshots: Snapshots) -> None:
        with snapshots.error(PlanError):
            verbs.map(kept(tmp_path, TEXTS.drop(["text"])), Kernel("scan", k=1, key=None))
        with snapshots.error(PlanError):
            verbs.map(kept(tmp_path, TEXTS), Kernel("select", ("doc", "url")))

    def test_columns_of_another_kind(self, verbs: Verbs, tmp_path: Path, snapshots: Snapshots) -> None:
        swapped = pa.table({"doc": TEXTS["text"], "text": TEXTS["doc"]})
        with snapshots.error(PlanError):
            verbs.map(kept(tmp_path, swapped), Kernel("scan", k=1, key=None))
        with snapshots.error(PlanError):
            verbs.map(kept(tmp_path, swapped), Kernel("select", ("doc", "text")))

    def test_columns_that_no_kernel_reads(self, verbs: Verbs, tmp_path: Path) -> None:
        table = kept(tmp_path, pa.table({"doc": [0], "share": [0.5], "when": pa.array([0], pa.date32())}))
        for column, kind in (("share", "double"), ("when", "date32")):
            with pytest.raises(PlanError, match=f"kernel select cannot read column {column} of table, which is {kind}"):
                verbs.map(table, Kernel("select", ("doc", column)))

    def test_their_order_does_not_matter(self, verbs: Verbs, tmp_path: Path) -> None:
        turned = pa.table({"text": TEXTS["text"], "other": [7, 8], "doc": TEXTS["doc"]})
        counts = []
        for number, table in enumerate((TEXTS, turned)):
            _, sizes = verbs.map(kept(tmp_path, table, f"t{number}"), Kernel("scan", k=1, key=None))
            counts.append([[str(field) for field in sizes.fields], verbs.fold(sizes, f"f{number}")])
        assert counts[0] == counts[1]

    def test_what_stands_beside(self, verbs: Verbs, tmp_path: Path, snapshots: Snapshots) -> None:
        texts, scan = kept(tmp_path, TEXTS), Kernel("scan", k=1, key=None)
        other = kept(tmp_path, pa.table({"doc": [0], "kept": [0]}), "other")
        with snapshots.error(PlanError):
            verbs.map(texts, scan, beside=other)
        more = pa.table({"doc": [0], "mood": ["good"], "kept": [0], "servers": pa.array([b""])})
        assert len(verbs.map(texts, scan, beside=kept(tmp_path, more, "more"))) == 2  # another column does no harm
        turned = kept(tmp_path, more.select(["kept", "doc", "servers"]), "turned")
        with snapshots.error(PlanError):
            verbs.map(texts, scan, beside=turned)
        with snapshots.error(PlanError):
            verbs.map(texts, scan, beside=kept(tmp_path, more, "more"), among=kept(tmp_path, more, "more"))
        with snapshots.error(PlanError):
            verbs.map(texts, Kernel("phrase texts", k=1, key=None))
        with snapshots.error(PlanError):
            verbs.map(texts, Kernel("document words", all=False, every=1), beside=other)

    def test_maps_and_groups_are_not_mixed_up(self, verbs: Verbs, tmp_path: Path) -> None:
        texts = kept(tmp_path, TEXTS)
        (rows,) = verbs.map(texts, Kernel("select", ("doc", "text")))
        with pytest.raises(PlanError, match="use group"):
            verbs.map(texts, Kernel("lists", m=2, patches=False))
        with pytest.raises(PlanError, match="use map"):
            verbs.group([rows], Kernel("document words", all=False, every=1))


class TestGroups:
    @pytest.fixture
    def grams(self, verbs: Verbs, tmp_path: Path) -> tuple[Rows, ...]:
        return verbs.map(kept(tmp_path, TEXTS), Kernel("scan", k=1, key=None))

    def test_rows_of_other_fields(
        self, verbs: Verbs, grams: tuple[Rows, ...], tmp_path: Path, snapshots: Snapshots
    ) -> None:
        message = r"kernel elements wants list \(rest\), weight \(number\) as table 1, and grams have doc \(doc\), "
        with pytest.raises(PlanError, match=message):
            verbs.group([grams[0]], Kernel("elements", own=False, in_domains=False))
        (words,) = verbs.map(kept(tmp_path, TEXTS, "texts"), Kernel("document words", all=False, every=1))
        with snapshots.error(PlanError):
            verbs.group([words], Kernel("buckets"))

    def test_rows_of_other_keys(self, verbs: Verbs, grams: tuple[Rows, ...], snapshots: Snapshots) -> None:
        with snapshots.error(PlanError):
            verbs.group([grams[0]], Kernel("distinct"))

    def test_too_few_tables(self, verbs: Verbs, grams: tuple[Rows, ...], snapshots: Snapshots) -> None:
        with snapshots.error(PlanError):
            verbs.group([grams[1]], Kernel("look up"))

    def test_fields_of_what_comes_in(self, verbs: Verbs, grams: tuple[Rows, ...], tmp_path: Path) -> None:
        (named,) = verbs.map(kept(tmp_path, TEXTS, "names"), Kernel("select", ("doc", "text")))
        (joined,) = verbs.group([named, grams[1]], Kernel("look up"))
        sizes = ["words (number)", "grams (number)", "reworded (number or null)", "published (number or null)"]
        assert [str(field) for field in joined.fields] == ["text (bytes or null)", *sizes]


class TestTables:
    def test_rows_that_do_not_fit(self, verbs: Verbs, tmp_path: Path) -> None:
        edges = kept(tmp_path, pa.table({"doc": [1], "other": [0]}), "edges")
        (rows,) = verbs.map(edges, Kernel("ends"))
        for table in (QUILTS, SOURCES, KEPT_COPIES, CLUSTERS, PAIRS):
            with pytest.raises(PlanError, match=f"table {table.name} has .* behind its key; rows of ends have other"):
                verbs.keep(rows, table)
        assert verbs.keep(rows, EDGES).rows == 2

    def test_columns_of_another_type(self, verbs: Verbs, tmp_path: Path, snapshots: Snapshots) -> None:
        columns: dict[str, list[object]] = {"doc": [1], "other": [0], "jaccard": ["high"], "cosine": ["low"]}
        pairs = kept(tmp_path, pa.table(columns), "pairs")
        (rows,) = verbs.map(pairs, Kernel("select", tuple(columns)))
        with snapshots.error(PlanError):
            verbs.keep(rows, PAIRS)

    def test_null_where_there_is_none(self, verbs: Verbs, tmp_path: Path, snapshots: Snapshots) -> None:
        named = EDGES.named("texts")
        (rows,) = verbs.map(kept(tmp_path, TEXTS), Kernel("select", ("doc", "text")))
        with snapshots.error(PlanError):
            verbs.keep(rows, named)


class TestDamage:
    def test_a_row_that_is_cut_short_names_the_kernel(self, tmp_path: Path, snapshots: Snapshots) -> None:
        """A block of one row whose tail has two bytes, where a kernel reads four and more."""
        block = bytes([2, 0, 0, 1]) + (7).to_bytes(8, "little")
        partition = _native.Partition("lists", 1 << 20, tmp_path)
        partition.push(0, block)
        partition.push(0, block)
        with snapshots.error(_native.DamagedRowsError):
            partition.run({"m": 5, "patches": False}, [(1, 0)], lambda *_: None)

    def test_so_does_a_block_that_is_none(self, tmp_path: Path, snapshots: Snapshots) -> None:
        with snapshots.error(_native.DamagedRowsError):
            _native.Partition("lists", 1 << 20, tmp_path).push(0, b"\xc8\x01")

    def test_the_stage_is_named_too(
        self, verbs: Verbs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshots: Snapshots
    ) -> None:
        edges = kept(tmp_path, pa.table({"doc": [1], "other": [0]}), "edges")
        ends = verbs.map(edges, Kernel("ends"))
        (stars,) = verbs.group(ends, Kernel("large star"))
        run_map = _native.run_map

        def cut(name: str, told: object, ports: object, columns: object, beside: object, sink: _native.Sink) -> object:
            block = bytes([2, 0, 0, 1]) + (0).to_bytes(8, "little")
            return run_map(name, told, ports, columns, beside, lambda port, part, _: sink(port, part, block))

        monkeypatch.setattr(_native, "run_map", cut)
        with snapshots.error(EngineError):
            verbs.fold(stars, "stars")


def test_sides_are_mapped_not_sent(verbs: Verbs) -> None:
    side = verbs.side("lexicon", lambda: b"content")
    assert isinstance(side, Side)
    assert Path(side.path).read_bytes() == b"content"
    assert len(_native.MappedFile(side.path)) == 7
    with pytest.raises(FileNotFoundError):
        _native.MappedFile(f"{side.path}-not")
