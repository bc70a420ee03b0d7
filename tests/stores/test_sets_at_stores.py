"""Lexicons, sets of prototypes and labels, and lists, at a store: what is found with them is the same, and they are
fetched once; runs at a store on the page."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from object_store import ObjectStore
from serving import serving

import unquilt as uq
from unquilt.errors import InputError, ParameterError
from unquilt.page.server import open_workspace
from unquilt.remote.paths import place
from unquilt.stores.filters import Filter
from unquilt.stores.labels import HashList, LabelSet, is_set
from unquilt.stores.lexicons import Lexicon

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus, a run, and one of each kind of sets."""
    folder = tmp_path_factory.mktemp("made")
    texts = [
        "\n\n".join(f"paragraph {(number // 2 + part) % 30} is a text" for part in range(9)) for number in range(60)
    ]
    pages = pa.table(
        {"id": [f"d{i}" for i in range(60)], "url": [f"http://h{i % 7}.org/{i}" for i in range(60)], "text": texts}
    )
    uq.ingest(pages, folder / "corpus")
    uq.neardups(folder / "corpus", folder / "near")
    uq.build_lexicon(folder / "corpus", folder / "words.lexicon", nidf=(0.0, 1.0))
    uq.build_filter(folder / "corpus", folder / "spam.set")
    uq.label(pages.slice(0, 5), folder / "ours.labels")
    (folder / "stop.txt").write_text("paragraph 3 is a text\n")
    return folder


def test_sets_at_a_store_serve_as_those_here(store: ObjectStore, made: Path) -> None:
    there = store.upload(made, "sets")
    corpus = str(made / "corpus")
    for run in (
        lambda folder: uq.neardups(corpus, method="imatch", lexicon=f"{folder}/words.lexicon"),
        lambda folder: uq.detect(corpus, labels=f"{folder}/ours.labels"),
        lambda folder: uq.discover(corpus, stop=f"{folder}/stop.txt"),
    ):
        here, away = run(str(made)), run(there)
        assert here.tables == away.tables
        assert all(here.table(name).equals(away.table(name)) for name in here.tables)
        record = away.manifest["inputs"][-1]
        assert (record["path"].startswith("s3://"), record["sha256"], record["version"][:4]) == (True, "", "etag") or (
            record["path"].endswith("corpus")
        )
    assert Lexicon.read(f"{there}/words.lexicon").words.equals(Lexicon.read(made / "words.lexicon").words)
    assert HashList.read(f"{there}/stop.txt") == HashList.read(made / "stop.txt")
    assert is_set(f"{there}/ours.labels")
    assert not is_set(f"{there}/stop.txt")
    assert not is_set("https://example.org/ours.labels")


def test_what_is_mapped_into_memory_is_fetched_once(store: ObjectStore, made: Path, tmp_path: Path) -> None:
    there = store.upload(made, "once")
    store.reset()
    for _ in range(3):
        assert Filter.load(f"{there}/spam.set").match("paragraph 1 is a text") is not None
        assert LabelSet.read(f"{there}/ours.labels").counts == LabelSet.read(made / "ours.labels").counts
    for name in ("spam.set", "ours.labels"):
        assert store.sent[f"/web/once/{name}"] == (made / name).stat().st_size
    pages = tmp_path / "pages.jsonl"
    pages.write_text(json.dumps({"id": "x", "text": "paragraph 1 is a text\n\nparagraph 9 is a text"}))
    for words in (["filter", "--prototypes"], ["reuse", "answer", "--labels"]):
        name = "spam.set" if words[0] == "filter" else "ours.labels"
        said = [
            subprocess.run(
                [sys.executable, "-m", "unquilt", *words, f"{folder}/{name}", str(pages)],
                capture_output=True,
                text=True,
                check=False,
            )
            for folder in (there, made)
        ]
        assert (said[0].returncode, said[0].stdout, said[0].stderr) == (0, said[1].stdout, "")


def test_a_set_that_is_replaced_at_a_store_is_fetched_again(store: ObjectStore, made: Path, tmp_path: Path) -> None:
    url = store.put("replaced/ours.labels", (made / "ours.labels").read_bytes())
    before = LabelSet.read(url).counts
    other = uq.label(pa.table({"text": ["one paragraph"]}), tmp_path / "other.labels")
    store.put("replaced/ours.labels", other.path.read_bytes())
    assert LabelSet.read(url).counts == other.counts != before


@pytest.mark.parametrize("read", [Lexicon.read, Filter.load, LabelSet.read, HashList.read])
def test_what_is_not_there_is_said_in_one_line(read: object, store: ObjectStore) -> None:
    assert callable(read)
    with pytest.raises(InputError, match=r"^no such file: s3://web/nothing$"):
        read(f"{store.url}/nothing")
    with pytest.raises(ParameterError, match=r"^ftp://example\.org/a: ftp:// is none of s3://, .*download or mount"):
        read("ftp://example.org/a")


def test_a_run_at_a_store_on_the_page(
    store: ObjectStore, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    there = store.upload(made, "page")
    with serving([place(f"{there}/near")], tmp_path / "a") as page, serving([made / "near"], tmp_path / "b") as own:
        for view in ("/runs/near", "/runs/near/tables/clusters", "/runs/near/documents/3"):
            shown, local = page.get(view), own.get(view)
            assert (shown.status, local.status) == (200, 200), view
            assert shown.text.replace(there, str(made)).count("paragraph") == local.text.count("paragraph")
        assert not Path("s3:").exists()
    assert open_workspace([f"{there}/near"]).labels.path == Path("labels.sqlite")
    assert [path.name for path in open_workspace([there]).runs._places.values()] == ["near"]
    with pytest.raises(ParameterError, match="labels are kept in folders of this machine"):
        open_workspace([f"{there}/near"], f"{there}/labels.sqlite")
