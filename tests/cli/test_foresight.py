"""What can be known before the work is said before the work: by the order in which lines and stages come."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import unquilt
from unquilt import JobOptions
from unquilt.jobs import foresight

TEXT = "Rain fell on the far hills all night. By noon the ford was deep. The carts had to wait for days."
SITES = {
    "domain": ["http://www.one.example/a", "http://docs.one.example/b"],
    "host": ["http://www.one.example/a", "http://www.one.example/b"],
    "path:1": ["http://www.one.example/a/1", "http://www.one.example/a/2"],
}


class Listening:
    """Progress that notes what is said, and which stages begin."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def say(self, text: str) -> None:
        self.heard.append(text)

    @contextmanager
    def stage(self, name: str, total: int, unit: str = "") -> Iterator[Any]:
        self.heard.append(f"stage {name}")
        yield lambda units, documents=0, *, before=False: None


def listen(job: Any, urls: list[str | None], **asked: Any) -> list[str]:
    table = pa.table(
        {"id": [str(n) for n in range(len(urls))], "url": pa.array(urls, pa.string()), "text": [TEXT] * len(urls)}
    )
    progress = Listening()
    job(table, options=JobOptions(progress=progress), **asked)
    return progress.heard


@pytest.fixture(autouse=True)
def two_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foresight, "FEW", 2)


@pytest.mark.parametrize("by", SITES)
@pytest.mark.parametrize("job", [unquilt.quilts, unquilt.passages, unquilt.reworded])
def test_that_all_documents_are_on_one_site_is_said_first(job: Any, by: str) -> None:
    heard = listen(job, SITES[by], site=by)
    said = next(n for n, line in enumerate(heard) if "2 documents are on one" in line)
    assert f"--site {by}" in heard[said]
    assert "--site none" in heard[said]
    assert all(line.startswith("stage") for line in heard[said + 1 :])
    assert len(heard) > said + 1
    assert not [line for line in listen(job, SITES[by], site="none") if "are on one" in line]
    assert not [line for line in listen(job, [*SITES[by], "http://two.example/"], site=by) if "are on one" in line]


@pytest.mark.parametrize("by", SITES)
def test_what_phrases_of_one_site_cannot_tell_is_said_first(by: str) -> None:
    heard = listen(unquilt.phrases, SITES[by], site=by)
    said = next(n for n, line in enumerate(heard) if "2 documents are on one" in line)
    assert f"--site {by}" in heard[said]
    assert ("Try --site host" in heard[said]) == (by == "domain")
    assert len(heard) > said + 1
    assert not [
        line for line in listen(unquilt.phrases, [*SITES[by], "http://two.example/"], site=by) if "on one" in line
    ]
    heard = listen(unquilt.phrases, [None, None])
    said = next(n for n, line in enumerate(heard) if "none of the 2 documents has a URL" in line)
    assert "--base-url" in heard[said]
    assert len(heard) > said + 1


def test_that_there_are_no_urls_is_said_first() -> None:
    heard = listen(unquilt.passages, [None, None])
    said = next(n for n, line in enumerate(heard) if "none of the 2 documents has a URL" in line)
    assert "--base-url" in heard[said]
    assert len(heard) > said + 1
    assert not [line for line in listen(unquilt.passages, [None, "http://a.example/"]) if "URL" in line]


def test_that_the_disk_is_small_is_said_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "page.txt").write_text(TEXT * 100)
    usage = type(foresight.shutil.disk_usage(tmp_path))
    monkeypatch.setattr(foresight.shutil, "disk_usage", lambda _: usage(10**6, 10**6 - 10, 10))
    progress = Listening()
    unquilt.ingest(tmp_path / "page.txt", tmp_path / "corpus", options=JobOptions(progress=progress))
    (said,) = (n for n, line in enumerate(progress.heard) if "hardly large enough" in line)
    assert progress.heard[:said] == ["stage find", "stage look"]
    assert len(progress.heard) > said + 1
