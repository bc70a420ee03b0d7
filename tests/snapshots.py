"""What unquilt says, kept as text: messages and output that tests compare, and that one switch writes anew.

A test has the fixture `snapshots`. `snapshots.check(text)` compares a text, and `with snapshots.error(SomeError):` the
message of an error that has to come. The texts are in `tests/snapshots/FOLDER/FILE.txt`, in a section for each test.
Who changes the words of a message runs

    pytest --write-snapshots tests/FOLDER

and reads the difference in Git as the reader of the message will. Temporary folders, times and other things that
differ each time have a word such as `TMP` in their place (`VARYING`). Messages of other libraries stay out: they differ
from version to version.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parent
FOLDER = TESTS / "snapshots"
SECTION, BETWEEN = "=== ", "\n---\n"
VARYING = (
    (re.compile(r"\b20\d\d-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?"), "DATE"),
    (re.compile(r"\b\d+(\.\d+)? (s|ms|min)\b"), "TIME"),
    (re.compile(r"\bprocess \d+"), "PROCESS"),
    (re.compile(r"\b[\d,]+\.\d MB free"), "ROOM free"),
    (re.compile(r"\.new-[0-9a-f]{16}"), ".new-NUMBER"),
)


def read(place: Path) -> dict[str, list[str]]:
    """The texts of a file by test: a section begins with a line `=== TEST`, and a line `---` is between two texts."""
    if not place.exists():
        return {}
    parts = re.split(rf"^{SECTION}(.*)\n", place.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {test: texts.removesuffix("\n").split(BETWEEN) for test, texts in zip(parts[1::2], parts[2::2], strict=True)}


def write(place: Path, texts: dict[str, list[str]]) -> None:
    """Write texts, sorted by test, so that their order does not depend on which tests ran."""
    place.parent.mkdir(parents=True, exist_ok=True)
    sections = (f"{SECTION}{test}\n{BETWEEN.join(texts[test])}\n" for test in sorted(texts))
    place.write_text("".join(sections), encoding="utf-8")


def find_place(test: Path) -> Path:
    """The file of snapshots of a file of tests."""
    return (FOLDER / test.relative_to(TESTS)).with_suffix(".txt")


class Snapshots:
    """The texts of one test, each of them once, in the order in which they first came."""

    def __init__(self, request: pytest.FixtureRequest, temporary: Path) -> None:
        self._test = request.node.nodeid.partition("::")[2].encode("unicode_escape").decode()
        self._place, self._temporary = find_place(request.node.path), temporary
        self._writing = bool(request.config.getoption("write_snapshots"))
        self._kept = [] if self._writing else read(self._place).get(self._test, [])
        self._texts: list[str] = []

    def check(self, text: str) -> None:
        """Compare a text with the next one that is kept; or keep it, if snapshots are written."""
        text = self._settle(text)
        if text in self._texts:
            return
        self._texts.append(text)
        if not self._writing:
            kept = self._kept[len(self._texts) - 1 : len(self._texts)]
            assert [text] == kept, "if this is how it should be: pytest --write-snapshots"

    @contextmanager
    def error(self, kind: type[BaseException]) -> Iterator[Any]:
        """An error has to come, and its message is compared."""
        with pytest.raises(kind) as caught:
            yield caught
        self.check(str(caught.value))

    def finish(self) -> None:
        """Write the texts of a test that is over, in place of those that it had before."""
        if self._writing and self._texts:
            write(self._place, read(self._place) | {self._test: self._texts})

    def _settle(self, text: str) -> str:
        """A text without what differs each time."""
        text = re.sub(rf"{re.escape(str(self._temporary))}(/[^/\s'\"]+)?", "TMP", text)
        for form, word in VARYING:
            text = form.sub(word, text)
        return text.removesuffix("\n")
