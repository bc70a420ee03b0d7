"""The file in which samples and labels are kept: SQLite, one file beside the runs.

A label is committed to disk before anybody is told that it was accepted (write-ahead log, synced at every commit), so
none is lost when the process is killed or the power fails. Everything that was ever said stays in `history`; `labels`
has what counts now. Several people may judge at once, each under a name. A file that is locked, read-only, damaged or
of another version is an error in one line, and is left as it is.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from unquilt.errors import ParameterError, StorageError
from unquilt.judgements.samples import Drawn
from unquilt.remote.names import is_url

FILE = "labels.sqlite"
VERSION = 1
APPLICATION = 0x756E716C
"""`unql`, so that other files of SQLite are not taken for ours."""
WAIT = 3.0
"""Seconds to wait for a file that another process is writing to."""
MOST_CATEGORIES = 9
"""As many as there are keys for them."""
LONGEST_NAME = 60
LONGEST_NOTE = 10_000
_SCHEMA = f"""
CREATE TABLE samples (
    name TEXT PRIMARY KEY, run TEXT NOT NULL, path TEXT NOT NULL, fingerprint TEXT NOT NULL, analysis TEXT NOT NULL,
    parameters TEXT NOT NULL, "table" TEXT NOT NULL, condition TEXT NOT NULL, size INTEGER NOT NULL,
    seed INTEGER NOT NULL, population INTEGER NOT NULL, categories TEXT NOT NULL, created TEXT NOT NULL);
CREATE TABLE items (
    sample TEXT NOT NULL REFERENCES samples, position INTEGER NOT NULL, key TEXT NOT NULL, names TEXT NOT NULL,
    PRIMARY KEY (sample, position)) WITHOUT ROWID;
CREATE TABLE labels (
    sample TEXT NOT NULL, position INTEGER NOT NULL, judge TEXT NOT NULL, category TEXT NOT NULL, note TEXT NOT NULL,
    at TEXT NOT NULL, turn INTEGER NOT NULL, PRIMARY KEY (sample, position, judge),
    FOREIGN KEY (sample, position) REFERENCES items) WITHOUT ROWID;
CREATE TABLE history (
    turn INTEGER PRIMARY KEY AUTOINCREMENT, sample TEXT NOT NULL, position INTEGER NOT NULL, judge TEXT NOT NULL,
    category TEXT, note TEXT NOT NULL, at TEXT NOT NULL);
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
"""
OPTIONS = ("top", "sort", "blind", "guidelines", "several")
BETWEEN = ", "
"""Between the labels of an item that has several; no category has a comma in it."""
_OPTIONS_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS options (sample TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,"
    " PRIMARY KEY (sample, name)) WITHOUT ROWID"
)
_UNUSUAL = re.compile(r"[^a-z0-9]+")


def find_labels(run: Path) -> Path:
    """Where the labels of a run are unless somebody says otherwise: beside it; of a run at a store, in the current
    folder, since SQLite needs a file that it can change."""
    return Path(FILE) if is_url(run) else run.absolute().parent / FILE


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A sample that is asked for: of which table of which run, how many rows, and what can be said of one.

    Without categories, any sample that is otherwise the same is meant, if there is one.
    """

    run: str
    path: str
    fingerprint: str
    analysis: str
    parameters: Mapping[str, Any]
    table: str
    condition: str
    size: int
    seed: int
    categories: tuple[str, ...]
    top: int = 0
    """Drawn from so many rows that people want first; 0 for all."""
    sort: str = ""
    """By which columns the first rows are chosen; without any, in the order in which people want them."""
    blind: bool = False
    """Whether judges do not see what the run says of an item, so that it does not sway them."""
    guidelines: str = ""
    """What categories mean, for judges to read."""
    several: bool = False
    """Whether an item can be of several categories at once."""


@dataclass(frozen=True, kw_only=True)
class Sample(Wanted):
    """A sample as it was drawn."""

    name: str
    population: int
    created: str

    @property
    def items(self) -> int:
        """How many items it has: as many as were wanted, or all there are."""
        return min(self.size, self.population)

    def read_label(self, given: str) -> str:
        """What a judge said, in one form: a category; or several in the order in which the sample names them."""
        wanted = {part.strip() for part in given.split(",")} if self.several else {given}
        if unknown := sorted(wanted - set(self.categories)):
            if unknown == [""]:
                raise ParameterError(f"choose at least one of {', '.join(self.categories)}")
            raise ParameterError(f"{unknown[0][:40]!r} is none of {', '.join(self.categories)}")
        return BETWEEN.join(category for category in self.categories if category in wanted)


@dataclass(frozen=True)
class Judged:
    """An item, and what one judge said of it; the category is empty if nothing was said, and several categories are
    separated by commas."""

    position: int
    key: Mapping[str, Any]
    names: Mapping[str, Any]
    judge: str = ""
    category: str = ""
    note: str = ""
    at: str = ""

    @property
    def labels(self) -> tuple[str, ...]:
        """The categories, one by one."""
        return split_label(self.category)


def read_categories(given: str) -> tuple[str, ...]:
    """Categories as they are written: separated by commas, each once, at most nine.

    >>> read_categories("spam, digest ,legitimate")
    ('spam', 'digest', 'legitimate')
    """
    names = tuple(part.strip() for part in given.split(",") if part.strip())
    if len(names) < 2 or len(names) > MOST_CATEGORIES or len(set(names)) < len(names):
        raise ParameterError(f"categories must be 2 to {MOST_CATEGORIES} different words, separated by commas")
    if any(len(name) > LONGEST_NAME or not name.isprintable() for name in names):
        raise ParameterError(f"a category must be printable, and at most {LONGEST_NAME} characters long")
    return names


def split_label(label: str) -> tuple[str, ...]:
    """The categories of a label.

    >>> split_label("spam, digest"), split_label("")
    (('spam', 'digest'), ())
    """
    return tuple(label.split(BETWEEN)) if label else ()


def check_judge(given: str) -> str:
    """The name of a judge."""
    name = " ".join(given.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable() or "/" in name:
        raise ParameterError(f"a judge needs a name: 1 to {LONGEST_NAME} printable characters without a slash")
    return name


class LabelFile:
    """Samples and labels in a file, which is made when the first sample is."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def exists(self) -> bool:
        return self.path.exists()

    @contextmanager
    def _open(self, *, write: bool = False) -> Iterator[sqlite3.Connection]:
        """A connection of its own for each call: calls come from several threads, and a file may come and go."""
        new = not self.path.exists()
        try:
            mode = "rwc" if write and new else "rw" if write else "ro"
            opened = sqlite3.connect(
                f"{self.path.absolute().as_uri()}?mode={mode}", uri=True, timeout=WAIT, isolation_level=None
            )
            try:
                opened.row_factory = sqlite3.Row
                if write:
                    opened.execute("PRAGMA journal_mode = WAL")
                    opened.execute("PRAGMA synchronous = FULL")
                    opened.execute("PRAGMA foreign_keys = ON")
                    self._prepare(opened)
                self._check(opened)
                yield opened
            finally:
                opened.close()
        except sqlite3.Error as error:
            raise self._complain(error) from error

    def _prepare(self, opened: sqlite3.Connection) -> None:
        """Make the tables of a new file; two processes may try at once."""
        opened.execute("BEGIN IMMEDIATE")
        empty = opened.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
        if empty:
            for statement in filter(str.strip, _SCHEMA.split(";")):
                opened.execute(statement)
        opened.execute("COMMIT")

    def _check(self, opened: sqlite3.Connection) -> None:
        application = opened.execute("PRAGMA application_id").fetchone()[0]
        version = opened.execute("PRAGMA user_version").fetchone()[0]
        if application != APPLICATION:
            raise StorageError(f"{self.path} is not a file of labels; choose another with --labels")
        if version != VERSION:
            what = "a newer" if version > VERSION else "an older"
            raise StorageError(f"{self.path} is of {what} version of unquilt (format {version}, not {VERSION})")

    def _complain(self, error: sqlite3.Error) -> StorageError:
        said = str(error)
        if "locked" in said or "busy" in said:
            return StorageError(f"{self.path} is locked by another process: nothing was saved; try again")
        if "readonly" in said or "unable to open" in said or "permission" in said.lower():
            return StorageError(f"{self.path} cannot be written to: nothing was saved ({said})")
        if "not a database" in said or "malformed" in said:
            return StorageError(f"{self.path} is damaged, or no file of labels ({said}); restore it from a copy")
        return StorageError(f"{self.path}: nothing was saved ({said})")

    # Samples

    def samples(self) -> list[Sample]:
        """All samples, the newest first; none if there is no file."""
        if not self.exists:
            return []
        with self._open() as opened:
            options = _read_options(opened)
            rows = opened.execute("SELECT * FROM samples ORDER BY created DESC, name")
            return [_sample(row, options.get(row["name"], {})) for row in rows]

    def sample(self, name: str) -> Sample:
        """A sample by name."""
        for each in self.samples():
            if each.name == name:
                return each
        raise ParameterError(f"there is no sample {name[:80]!r} in {self.path}")

    def find(self, wanted: Wanted) -> Sample | None:
        """The same sample, if it was drawn before: judging goes on where it was left."""
        for each in self.samples():
            same = ["fingerprint", "table", "condition", "size", "seed", "top", "sort", "blind", "several"]
            same += ["categories"] if wanted.categories else []
            if all(getattr(each, part) == getattr(wanted, part) for part in same):
                return each
        return None

    def add(self, wanted: Wanted, drawn: Drawn) -> Sample:
        """Keep a new sample."""
        with self._open(write=True) as opened:
            opened.execute("BEGIN IMMEDIATE")
            taken = {row["name"] for row in opened.execute("SELECT name FROM samples")}
            name = _free_name(f"{wanted.run}-{wanted.table}", taken)
            values = (
                *(name, wanted.run, wanted.path, wanted.fingerprint, wanted.analysis),
                *(json.dumps(dict(wanted.parameters), default=str), wanted.table, wanted.condition, wanted.size),
                *(wanted.seed, drawn.population, json.dumps(wanted.categories), _now()),
            )
            opened.execute(f"INSERT INTO samples VALUES ({', '.join('?' * len(values))})", values)  # noqa: S608
            rows = [
                (name, position, _json(item.key), _json(item.names)) for position, item in enumerate(drawn.items, 1)
            ]
            opened.executemany("INSERT INTO items VALUES (?, ?, ?, ?)", rows)
            options = [(name, option, json.dumps(getattr(wanted, option))) for option in OPTIONS]
            opened.execute(_OPTIONS_SCHEMA)  # files of earlier versions have no such table
            opened.executemany("INSERT INTO options VALUES (?, ?, ?)", options)
            opened.execute("COMMIT")
        return self.sample(name)

    # Labels

    def items(self, sample: str, judge: str) -> list[Judged]:
        """The items of a sample in order, with what this judge said, and nobody else."""
        query = (
            "SELECT i.position, i.key, i.names, l.judge, l.category, l.note, l.at FROM items i LEFT JOIN labels l"
            " ON l.sample = i.sample AND l.position = i.position AND l.judge = ? WHERE i.sample = ? ORDER BY i.position"
        )
        with self._open() as opened:
            return [_judged(row) for row in opened.execute(query, (judge, sample))]

    def judges(self, sample: str) -> list[str]:
        """Who has judged something of a sample."""
        query = "SELECT DISTINCT judge FROM labels WHERE sample = ? ORDER BY judge"
        with self._open() as opened:
            return [row["judge"] for row in opened.execute(query, (sample,))]

    def label(self, sample: Sample, position: int, judge: str, category: str, note: str = "") -> None:
        """Say what an item is, or something else than before; of a sample with several labels for an item, all of them
        with commas between. When this returns, it is on disk."""
        label = sample.read_label(category)
        if not 1 <= position <= sample.items:
            raise ParameterError(f"the sample has no item {position}")
        self._write(sample.name, position, check_judge(judge), label, note[:LONGEST_NOTE])

    def undo(self, sample: str, judge: str) -> int | None:
        """Take back what this judge said last; returns which item that was about, None if there is nothing."""
        query = "SELECT position FROM labels WHERE sample = ? AND judge = ? ORDER BY turn DESC LIMIT 1"
        with self._open() as opened:
            last = opened.execute(query, (sample, judge)).fetchone()
        if last is None:
            return None
        self._write(sample, last["position"], judge, None, "")
        return int(last["position"])

    def _write(self, sample: str, position: int, judge: str, category: str | None, note: str) -> None:
        with self._open(write=True) as opened:
            opened.execute("BEGIN IMMEDIATE")
            now = _now()
            told = (sample, position, judge, category, note, now)
            query = "INSERT INTO history (sample, position, judge, category, note, at) VALUES (?, ?, ?, ?, ?, ?)"
            turn = opened.execute(query, told).lastrowid
            if category is None:
                opened.execute(
                    "DELETE FROM labels WHERE sample = ? AND position = ? AND judge = ?", (sample, position, judge)
                )
            else:
                opened.execute("INSERT OR REPLACE INTO labels VALUES (?, ?, ?, ?, ?, ?, ?)", (*told, turn))
            opened.execute("COMMIT")

    def all_labels(self, sample: str) -> list[Judged]:
        """All labels of all judges of a sample."""
        query = (
            "SELECT i.position, i.key, i.names, l.judge, l.category, l.note, l.at FROM labels l JOIN items i"
            " ON l.sample = i.sample AND l.position = i.position WHERE l.sample = ? ORDER BY l.position, l.judge"
        )
        with self._open() as opened:
            return [_judged(row) for row in opened.execute(query, (sample,))]


def _read_options(opened: sqlite3.Connection) -> dict[str, dict[str, Any]]:
    """The options of samples, by sample; none of those of earlier versions."""
    there = opened.execute("SELECT count(*) FROM sqlite_master WHERE name = 'options'").fetchone()[0]
    found: dict[str, dict[str, Any]] = {}
    for row in opened.execute("SELECT * FROM options") if there else ():
        found.setdefault(row["sample"], {})[row["name"]] = json.loads(row["value"])
    return found


def _sample(row: sqlite3.Row, options: Mapping[str, Any]) -> Sample:
    values = dict(row) | dict(options)
    values["parameters"] = json.loads(values["parameters"])
    values["categories"] = tuple(json.loads(values["categories"]))
    return Sample(**values)


def _judged(row: sqlite3.Row) -> Judged:
    said = {part: row[part] or "" for part in ("judge", "category", "note", "at")}
    return Judged(row["position"], json.loads(row["key"]), json.loads(row["names"]), **said)


def _json(values: Mapping[str, Any]) -> str:
    return json.dumps(dict(values), ensure_ascii=False, default=lambda value: value.hex())


def _free_name(given: str, taken: Sequence[str] | set[str]) -> str:
    stem = _UNUSUAL.sub("-", given.lower()).strip("-") or "sample"
    return next(
        name
        for number in range(1, len(taken) + 2)
        for name in [stem if number == 1 else f"{stem}-{number}"]
        if name not in taken
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
