"""Run folders that were changed, cut short or made up: every command says so in one line, and nothing breaks."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import chdir, suppress
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import unquilt
from unquilt.cli import cli
from unquilt.errors import RunError
from unquilt.runs import Run

TEXTS = {"x": "aaaa bbbb cccc dddd north", "y": "dddd eeee ffff gggg south", "z": "aaaa bbbb cccc dddd eeee ffff gggg"}
TEXTS |= {"copy": TEXTS["z"]}
ASKED: dict[str, Any] = {"k": 3, "c": 2, "min_grams": 1, "foreign": "none"}
REMOVED = object()
OTHERS = (
    REMOVED,
    None,
    True,
    -1,
    10**30,
    10**400,
    1e300,
    float("nan"),
    "x",
    "",
    "../../outside",
    "/etc/passwd",
    "a\0b",
    "\ud800",
    "x" * 5000,
    [],
    {},
    [{"path": "../x"}],
    {"../x": {"rows": 1}},
)
READERS = (
    "show run",
    "show run --json",
    "show run quilts",
    "show run sources --json",
    "show run quilts --doc z",
    "show run patches --doc z",
    "quilts corpus -o run -k 3 -c 2 --min-grams 1 --foreign none",
)
CORPUS_READERS = (
    "show corpus",
    "show corpus documents",
    "show corpus documents --doc 1 --json",
    "show run quilts --doc z",
    "quilts corpus -o new -k 3 -c 2 --foreign none",
    "neardups corpus -o new",
    "filter --build corpus -o new",
    "lexicon build corpus -o new --nidf 0:1",
)


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """A corpus and a run over it."""
    folder = tmp_path_factory.mktemp("made")
    table = pa.table({"id": [*TEXTS, "reject"], "text": [*TEXTS.values(), None]})
    with chdir(folder):  # by relative paths, so that copies are the same runs over the same corpus
        unquilt.ingest(table, "corpus")
        unquilt.quilts("corpus", "run", **ASKED)
    return folder


@pytest.fixture
def copy(made, tmp_path) -> Path:
    shutil.copytree(made, tmp_path / "copy")
    return tmp_path / "copy"


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to all that there is in a piece of JSON."""
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in inner:
        yield from places(item, (*path, name))


def changed(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    value = json.loads(json.dumps(value))
    at = value
    for name in path[:-1]:
        at = at[name]
    if other is REMOVED:
        del at[path[-1]]
    else:
        at[path[-1]] = other
    return value


def ask(command: str, folder: Path) -> str:
    """What a command says on standard error; it must be nothing, or one line about a folder that is not as it was."""
    new = folder / "new"
    with chdir(folder):
        result = CliRunner().invoke(cli, command.split(), prog_name="unquilt")
    assert result.exit_code in (0, 1, 2), (command, result.output)
    assert "internal error" not in result.stderr, (command, result.stderr)
    assert "Traceback" not in result.output
    assert result.stderr.count("\n") == (result.exit_code > 0), (command, result.stderr)
    if new.is_dir():
        shutil.rmtree(new)
    new.unlink(missing_ok=True)
    return result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("which", ["run", "corpus"])
def test_manifests_of_any_shape(made, copy, which):
    path = copy / which / "manifest.json"
    whole = json.loads(path.read_bytes())
    cases = [(place, other) for place in places(whole) for other in OTHERS]
    random = Random(5)
    for place, other in random.sample(cases, 60):
        path.write_text(json.dumps(changed(whole, place, other)))
        ask(random.choice(READERS if which == "run" else CORPUS_READERS[:3]), copy)
        with suppress(RunError):
            assert repr(Run.read(copy / which))
        shutil.rmtree(copy)  # since a command may have made it whole, or gone on from it
        shutil.copytree(made, copy)


KEYS = ("format", "unquilt", "analysis", "fingerprint", "parameters", "inputs", "versions", "settings", "machine")
KEYS += ("created", "stages", "finished", "summary", "done")


@pytest.mark.parametrize("key", KEYS)
def test_a_missing_key_is_named(copy, key):
    path = copy / "run" / "manifest.json"
    path.write_text(json.dumps(changed(json.loads(path.read_bytes()), (key,), REMOVED)))
    for command in READERS:
        said = ask(command, copy)
        if key in ("format", "unquilt", "analysis", "fingerprint"):
            assert "manifest.json" in said or "holds something else" in said
        else:
            assert f"manifest.json is damaged: {key} is missing; restore it from a copy, or" in said


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "null", '{"format": 1' + "0" * 5000 + "}", "\ufeff{}"])
def test_what_is_no_manifest(copy, text):
    (copy / "run" / "manifest.json").write_text(text)
    for command in READERS[:-1]:
        assert "is not a run folder, or a damaged one: its manifest.json was not written by unquilt" in ask(
            command, copy
        )


def test_deeply_nested_json_is_damage_and_no_crash(copy):
    path = copy / "run" / "manifest.json"
    whole = json.loads(path.read_bytes())
    deep: Any = []
    for _ in range(900):
        deep = [deep]
    for place in (("parameters", "k"), ("summary", "words"), ("machine", "cpus"), ("elsewhere",)):
        path.write_text(json.dumps(changed(whole, place, deep)))
        for command in READERS:
            assert "manifest.json is damaged: " in ask(command, copy)


@pytest.mark.slow
def test_markers_of_any_shape_vouch_for_nothing(made, copy, tmp_path):
    """On the way: a run that goes on computes what a marker does not vouch for."""
    expected = {path.name: path.read_bytes() for path in (made / "run").glob("*.parquet")}
    manifest = json.loads((copy / "run" / "manifest.json").read_bytes())
    for name in ("finished", "summary", "done"):
        manifest.pop(name)
    random = Random(3)
    for number in range(12):
        folder = tmp_path / str(number)
        shutil.copytree(copy, folder)
        (folder / "run" / "manifest.json").write_text(json.dumps(manifest))
        for path in sorted((folder / "run" / ".done").iterdir()):
            marker = json.loads(path.read_bytes())
            place = random.choice([place for place in places(marker) if place[0] != "values" or len(place) == 1])
            path.write_text(json.dumps(changed(marker, place, random.choice(OTHERS))))
        ask("show run", folder)
        said = ask(READERS[-1], folder)
        # Of a table that its own marker does not name.
        assert not said or "is damaged: it is missing" in said or "is damaged: it lists no table" in said
        if not said:
            assert {path.name: path.read_bytes() for path in (folder / "run").glob("*.parquet")} == expected


def vouch(folder: Path) -> None:
    """Let the manifest say of all files what they now are, as whoever changed them could."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_bytes())
    for marker in manifest["done"].values():
        for name, measures in marker["tables"].items():
            there = folder / f"{name}.parquet"
            try:
                measures |= {"bytes": there.stat().st_size, "rows": pq.read_metadata(there).num_rows}
            except (OSError, pa.ArrowException):
                measures |= {"bytes": there.stat().st_size if there.exists() else 0}
        for name in marker["files"]:
            marker["files"][name] = (folder / name).stat().st_size if (folder / name).exists() else 0
    path.write_text(json.dumps(manifest))


def shuffled(table: pa.Table) -> pa.Table:
    numbers = numbered(table, 0)
    return numbers.take(pa.array(range(table.num_rows - 1, -1, -1), pa.int64()))


def numbered(table: pa.Table, first: int) -> pa.Table:
    """With other numbers in the first column."""
    field = table.schema.field(0)
    numbers = pa.array(range(first, first + table.num_rows), pa.int64())
    return table.set_column(0, field, numbers.cast(field.type))


def cast(table: pa.Table, column: int, kind: pa.DataType) -> pa.Table:
    """With another kind of values in a column."""
    some = pa.scalar([7] if pa.types.is_list(kind) else "7", kind)
    return table.set_column(column, table.schema.field(column).with_type(kind), pa.repeat(some, table.num_rows))


def not_utf8(table: pa.Table) -> pa.Table:
    """With texts that are none."""
    for number, field in enumerate(table.schema):
        if pa.types.is_string(field.type) or pa.types.is_large_string(field.type):
            raw = pa.array([b"\xff\xfe"] * table.num_rows, pa.large_binary())
            text = pa.Array.from_buffers(pa.large_string(), len(raw), raw.buffers())
            table = table.set_column(
                number, field, text if field.type == text.type else text.cast(field.type, safe=False)
            )
    return table


DAMAGES = {
    "empty": lambda path, table: path.write_bytes(b""),
    "truncated": lambda path, table: path.write_bytes(path.read_bytes()[:-5]),
    "garbage": lambda path, table: path.write_bytes(b"PAR1" + bytes(200) + b"PAR1"),
    "zeros inside": lambda path, table: path.write_bytes(path.read_bytes()[:4] + bytes(60) + path.read_bytes()[64:]),
    "missing": lambda path, table: path.unlink(),
    "folder": lambda path, table: (path.unlink(), path.mkdir()),
    "another table": lambda path, table: pq.write_table(pa.table({"a": [1], "b": ["x"]}), path),
    "no columns": lambda path, table: pq.write_table(table.select([]), path),
    "column missing": lambda path, table: pq.write_table(table.drop_columns([table.column_names[1]]), path),
    "key missing": lambda path, table: pq.write_table(table.drop_columns([table.column_names[0]]), path),
    "column more": lambda path, table: pq.write_table(table.append_column("z", pa.array([1] * len(table))), path),
    "key of strings": lambda path, table: pq.write_table(cast(table, 0, pa.string()), path),
    "column of lists": lambda path, table: pq.write_table(cast(table, 1, pa.list_(pa.int64())), path),
    "all null": lambda path, table: pq.write_table(
        pa.table([pa.nulls(len(table), field.type) for field in table.schema], names=table.column_names), path
    ),
    "out of order": lambda path, table: pq.write_table(shuffled(table), path),
    "groups out of order": lambda path, table: pq.write_table(shuffled(table), path, row_group_size=1),
    "negative": lambda path, table: pq.write_table(numbered(table, -5), path),
    "out of range": lambda path, table: pq.write_table(numbered(table, 2**40), path),
    "no statistics": lambda path, table: pq.write_table(table, path, write_statistics=False),
    "not utf-8": lambda path, table: pq.write_table(not_utf8(table), path),
    "no rows": lambda path, table: pq.write_table(table.slice(0, 0), path),
}
HARMLESS = {"no rows", "out of range", "not utf-8"}
"""What a table of results can say without being damaged as far as can be told; whatever is said then must not break."""


OF_EACH_TABLE = ("truncated", "missing", "column missing", "all null", "out of order")
"""What is tried with every table; the rest with one, as all tables are read by the same function."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "damage"),
    [
        *(("quilts", damage) for damage in DAMAGES),
        *((table, damage) for table in ("sources", "patches", "clusters") for damage in OF_EACH_TABLE),
    ],
)
def test_tables_of_a_run(copy, table, damage):
    path = copy / "run" / f"{table}.parquet"
    before = pq.read_table(path)
    if before.num_rows < 2:
        before = pa.concat_tables([before, before])
    DAMAGES[damage](path, before)
    vouch(copy / "run")
    said = [ask(command, copy) for command in (*READERS[:-1], f"show run {table} --json")]
    if damage not in HARMLESS:
        assert f"{table}.parquet is damaged" in said[-1] or f"no table '{table}'" in said[-1], said[-1]


@pytest.mark.parametrize("damage", DAMAGES)
def test_the_documents_of_a_corpus(copy, damage):
    path = copy / "corpus" / "documents" / "part-00000.parquet"
    DAMAGES[damage](path, pq.read_table(path))
    vouch(copy / "corpus")
    for command in CORPUS_READERS[1:]:
        said = ask(command, copy)
        if damage not in ("missing", "folder", "zeros inside"):  # not complete; or in a column that is not read
            assert "part-00000.parquet is damaged: " in said, command


def test_the_rejects_of_a_corpus(copy):
    path = copy / "corpus" / "rejects.parquet"
    table = pq.read_table(path)
    for damage in DAMAGES.values():
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        pq.write_table(table, path)
        damage(path, table)
        vouch(copy / "corpus")
        for command in ("show corpus", "show corpus rejects", "show run"):
            ask(command, copy)


def test_a_manifest_that_says_more_documents_than_there_are(copy):
    path = copy / "corpus" / "manifest.json"
    whole = json.loads(path.read_bytes())
    for number in (0, 3, 5, 2**70, -1):
        path.write_text(json.dumps(changed(whole, ("summary", "documents"), number)))
        for command in CORPUS_READERS[4:]:
            assert "is damaged: " in ask(command, copy)


def test_a_complete_run_without_results_is_none(copy):
    path = copy / "run" / "manifest.json"
    path.write_text(json.dumps(changed(json.loads(path.read_bytes()), ("done",), {})))
    for command in ("show run", READERS[-1]):
        assert "manifest.json is damaged: it lists no table quilts" in ask(command, copy)


def test_a_folder_with_a_manifest_of_another_program_is_an_input_like_others(tmp_path):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "manifest.json").write_text('{"name": "a web app"}')
    (tmp_path / "site" / "page.txt").write_text("one two three four five six")
    assert unquilt.quilts(tmp_path / "site", tmp_path / "run").complete
