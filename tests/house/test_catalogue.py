"""The catalogue: every table, column and stage has words, and what is made from them is up to date."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pyarrow as pa
import pytest
from unsaid import list_unsaid

import unquilt
from tools.table_reference import insert
from unquilt import JobOptions, Settings, tables
from unquilt.analyses import catalogue
from unquilt.analyses.analysis import Analysis
from unquilt.engines.progress import Step
from unquilt.settings import LEAST_MEMORY
from unquilt.tables.table import Table, column, document

DOCS = Path(__file__).parents[2] / "docs" / "runs.md"
TABLES = {
    value.name: value
    for module in iter_modules(tables.__path__)
    for value in vars(import_module(f"{tables.__name__}.{module.name}")).values()
    if isinstance(value, Table)
}
MADE = {table.name: table for job in catalogue.jobs() for table in job.tables}
TEXTS = ["a b c d", "d e f g", "a b c d e f g", "D, e f: g", "", "three four five words", "Three, four, FIVE: words"]


def test_every_table_is_made_by_some_job() -> None:
    assert MADE == TABLES
    assert len(TABLES) > 20  # they are found at all


def test_every_table_and_column_has_words() -> None:
    for table in TABLES.values():
        assert table.see, table.name
        assert table.row != ("row", "rows"), table.name
        for each in table.columns:
            assert len(each.meaning) >= 5, f"{table.name}.{each.name} means nothing"
        names = table.schema.names
        assert len(set(names)) == len(names), table.name
        assert all(not table.schema.field(name).nullable for name in table.key), table.name
        assert set(table.identified) <= set(table.documents), table.name


def test_a_table_that_contradicts_itself_is_refused() -> None:
    with pytest.raises(TypeError, match="table prices has no column cost"):
        Table("prices", (column("price", pa.float64(), "in euros"),), order=("-cost",))


def test_a_table_under_another_name() -> None:
    rounds = Table("round", (document("doc", "a document"),)).named("round_7")
    assert (rounds.name, rounds.schema.names, rounds.is_numbered) == ("round_7", ["doc"], True)
    assert catalogue.find_table("counts_5") == MADE["counts"].named("counts_5")
    assert catalogue.find_table("components_12") == MADE["components"].named("components_12")
    assert catalogue.find_table("nothing_5") is None


@pytest.mark.parametrize("name", catalogue.ENTRIES)
def test_every_job_says_how_its_results_are_shown(name: str) -> None:
    """DESIGN.md, "How to add an analysis": the terminal, the page, the report and exports are made from this."""
    assert list(list_unsaid(catalogue.load(name))) == []


def test_every_job_has_words() -> None:
    for entry in catalogue.ENTRIES.values():
        job = catalogue.load(entry.name)
        assert entry.purpose.endswith(".")
        assert set(job.on_request) <= set(job.results)
        assert all(job.labels.values())
        if entry.parameters:
            assert isinstance(job, Analysis)
            assert job.parameters.__name__ == entry.parameters
            assert set(job.files) <= {info.name for info in job.parameters.describe()}


@dataclass
class Heard:
    """A progress that remembers which stages there were."""

    names: set[str] = field(default_factory=set)

    @contextmanager
    def stage(self, name: str, total: int, unit: str = "") -> Iterator[Step]:
        self.names.add(name)
        yield lambda units, documents=0: None

    def say(self, text: str) -> None:
        """What is said is of no concern here."""


RUNS: dict[str, list[dict[str, Any]]] = {
    "passages": [{"gamma": 1, "foreign": "none"}, {"signature": "grams", "k": 2, "gamma": 2}],
    "reworded": [{"boilerplate": 1, "foreign": "none"}, {"collapse": "exact"}],
    "phrases": [{"k": 2, "popular": 2}, {"k": 2, "popular": 2, "sample": "uniform", "least": 1.0}],
    "quilts": [
        {"k": 3, "c": 1, "edits": "reworded"},
        {"k": 3, "c": 1, "foreign": "ip", "collapse": "exact", "max_attributed": 0.5},
    ],
    "repeats": [{"n": 3}, {"unit": "paragraph", "keep": "longest"}],
    "sweep": [{"k": [2, 3], "collapse": "near"}],
    "detect": [{"occurrences": True}],
    "discover": [{}, {"top": 2, "normalise": True}],
    "neardups": [{"pairs": True}, {"method": "imatch", "lexicons": 1}],
}


def test_every_analysis_is_run_here() -> None:
    assert RUNS.keys() == {entry.name for entry in catalogue.ENTRIES.values() if entry.parameters}


@pytest.mark.parametrize("name", RUNS)
def test_every_stage_has_a_label(name: str, tmp_path: Path) -> None:
    """Those that engines show while they work, and those that a run folder keeps."""
    urls = [f"http://{number}.example/" for number in range(len(TEXTS))]
    pages = pa.table({"id": urls, "url": urls, "ip": ["10.0.0.1"] * len(TEXTS), "text": TEXTS})
    heard = Heard()
    options = JobOptions(settings=Settings(threads=1, memory=LEAST_MEMORY), progress=heard)
    labels = {"labels": str(unquilt.label(pages, tmp_path / "labels").path)} if name == "detect" else {}
    for number, given in enumerate(RUNS[name]):
        run = getattr(unquilt, name)(pages, tmp_path / str(number), options=options, **given, **labels)
        heard.names |= run.manifest["stages"].keys()
        unknown = {table for table in run.manifest["stages"] if table in run.tables and table not in MADE}
        assert not unknown
    assert heard.names >= {"read", "write"}
    assert {stage for stage in heard.names if not catalogue.find_label(stage)} == set()


def test_labels_of_one_value() -> None:
    assert catalogue.find_label("counts_5") == "counting quilts for k = 5"
    assert catalogue.find_label("components_0_large") == "following chains of near-duplicates"
    assert catalogue.find_label("quilts") == "writing quilts"
    assert catalogue.find_label("no such stage") is None


def test_the_tables_in_the_docs_are_up_to_date() -> None:
    page = DOCS.read_text(encoding="utf-8")
    assert page == insert(page), "run: make docs"


def test_type_checkers_know_every_public_name() -> None:
    """`__init__` finds names when they are used; those who read it without running it have them spelled out."""
    (block,) = (
        node
        for node in ast.parse(Path(unquilt.__file__).read_text(encoding="utf-8")).body
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    )
    imported = {alias.name for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    declared = {node.target.id for node in block.body if isinstance(node, ast.AnnAssign)}  # type: ignore[union-attr]
    assert imported - {"AnalysisCall"} | declared == set(unquilt.__all__)
