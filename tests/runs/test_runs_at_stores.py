"""Runs, corpora and exports at a store: the same bytes as here, there whole or not at all, resumed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from object_store import Fault, ObjectStore, failing_now_and_then

import unquilt as uq
from unquilt.analyses.lexicon import LexiconParameters
from unquilt.errors import ParameterError, PlaceError, RunError, UnquiltError
from unquilt.jobs.options import JobOptions
from unquilt.jobs.work import build_lexicon
from unquilt.runs import Run
from unquilt.runs.stored import choose_scratch

pytestmark = pytest.mark.slow

ACCEPTED = {"kept": True, "accept": True}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages of which every third one is nearly the one before."""
    path = tmp_path_factory.mktemp("pages") / "pages.jsonl"
    with path.open("w") as file:
        for number in range(240):
            words = [f"w{(number // 3 * 7919 + place * place * 31) % 9973}" for place in range(90)]
            text = " ".join([*words, f"last{number}"])
            file.write(
                json.dumps({"id": f"d{number}", "url": f"http://h{number % 5}.org/{number}", "text": text}) + "\n"
            )
    return path


@pytest.fixture(scope="module")
def here(pages: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus and a run of near-duplicates on this machine."""
    folder = tmp_path_factory.mktemp("here")
    uq.ingest(str(pages), folder / "corpus")
    uq.neardups(str(folder / "corpus"), folder / "near")
    return folder


def refusing(method: str, part: str, status: int | str = 503) -> Fault:
    return lambda asked, path: status if asked == method and part in path else None


def test_a_run_wholly_at_a_store_has_the_bytes_of_one_here(store: ObjectStore, pages: Path, here: Path) -> None:
    """Made on this machine, by the local engine; tests/engines has the others, whose stages are at the store."""
    url = store.put("whole/pages.jsonl", pages.read_bytes())
    store.reset(failing_now_and_then(10))
    corpus, near = f"{store.url}/whole/corpus", f"{store.url}/whole/near"
    uq.ingest(url, corpus)
    run = uq.neardups(corpus, near)
    store.reset()
    assert str(run.path) == near
    expected = Run.read(here / "near")
    assert run.tables == expected.tables
    for name in run.tables:
        assert store.get(f"whole/near/{name}.parquet") == (here / "near" / f"{name}.parquet").read_bytes(), name
    assert run.complete
    assert not choose_scratch(near).exists()
    assert {name for name in store.names("whole/near/") if not name.endswith("/")} == {
        f"whole/near/{name}" for name in ("manifest.json", *(f"{table}.parquet" for table in run.tables))
    }
    again = uq.read(near)
    assert again.table("clusters", names=True, limit=5) == uq.read(here / "near").table("clusters", names=True, limit=5)
    assert str(again.corpus.path) == corpus
    store.reset()
    assert uq.neardups(corpus, near).complete  # nothing is done again
    assert {method for method, _ in store.requests} <= {"GET", "HEAD"}


def test_a_run_reads_inputs_into_a_corpus_within(store: ObjectStore, pages: Path, here: Path) -> None:
    run = uq.neardups(str(pages), f"{store.url}/within")
    assert str(run.corpus.path) == f"{store.url}/within/corpus"
    assert run.kept.equals(Run.read(here / "near").kept)
    assert run.documents["id"].to_pylist()[:2] == ["d0", "d1"]


def test_a_run_that_was_not_uploaded_whole_is_not_there(store: ObjectStore, here: Path) -> None:
    place = f"{store.url}/halfway"
    store.reset(refusing("PUT", "/manifest.json"))
    with pytest.raises(PlaceError, match="what is done is kept"):
        uq.neardups(str(here / "corpus"), place)
    store.reset()
    assert any("halfway/kept.parquet" in name for name in store.names("halfway/"))
    with pytest.raises(RunError, match="is not a run folder"):
        uq.read(place)
    kept = (choose_scratch(place) / "kept.parquet").read_bytes()
    run = uq.neardups(str(here / "corpus"), place)
    assert run.complete
    assert store.get("halfway/kept.parquet") == kept
    assert not [name for name in store.names("halfway/") if ".upload" in name]


def test_an_interrupted_run_goes_on_with_the_tables_that_are_done(
    store: ObjectStore, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, marked, mark = f"{store.url}/interrupted", list[str](), Run.mark

    def stop_at_third(run: Run, stage: str, *rest: Any, **more: Any) -> None:
        if len(marked) == 3:
            raise KeyboardInterrupt
        marked.append(stage)
        mark(run, stage, *rest, **more)

    monkeypatch.setattr(Run, "mark", stop_at_third)
    with pytest.raises(KeyboardInterrupt):
        uq.neardups(str(here / "corpus"), place)
    assert not store.names("interrupted")
    done = [*marked]
    marked.clear()
    monkeypatch.setattr(
        Run, "mark", lambda run, stage, *rest, **more: (marked.append(stage), mark(run, stage, *rest, **more))[1]
    )
    run = uq.neardups(str(here / "corpus"), place)
    assert len(done) == 3
    assert not {*done} & {*marked}
    assert run.kept.equals(Run.read(here / "near").kept)


def test_another_run_is_replaced_only_if_asked_for(store: ObjectStore, here: Path) -> None:
    place = f"{store.url}/replaced"
    uq.neardups(str(here / "corpus"), place)
    with pytest.raises(RunError, match=r"s3://web/replaced holds another run: k was 5 and is now 4"):
        uq.neardups(str(here / "corpus"), place, k=4)
    run = uq.quilts(str(here / "corpus"), place, options=JobOptions(overwrite=True))
    assert run.complete
    assert "replaced/kept.parquet" not in store.names("replaced/")
    store.put("strange/note.txt", b"mine")
    with pytest.raises(RunError, match="holds something else"):
        uq.neardups(str(here / "corpus"), f"{store.url}/strange")


@pytest.mark.parametrize(("status", "said"), [(403, "access is denied"), (503, "busy or out of order")])
def test_a_store_that_cannot_be_written_is_one_line(status: int, said: str, store: ObjectStore, here: Path) -> None:
    store.reset(lambda method, path: status if method in ("PUT", "POST") else None)
    for write in (
        lambda: uq.neardups(str(here / "corpus"), f"{store.url}/unwritten{status}"),
        lambda: uq.read(here / "near").export(f"{store.url}/unwritten{status}.jsonl", **ACCEPTED),
        lambda: uq.read(here / "near").export(f"{store.url}/unwritten{status}/", **ACCEPTED),
    ):
        with pytest.raises(PlaceError) as caught:
            write()
        assert said in str(caught.value)
        assert "damaged" not in str(caught.value)


@pytest.mark.parametrize("fault", [503, 403, "cut"])
def test_a_store_that_cannot_be_read_is_no_damage(fault: int | str, store: ObjectStore, here: Path) -> None:
    place = store.upload(here, f"read{fault}")
    for read in (
        lambda: uq.read(f"{place}/near").table("clusters", names=True),
        lambda: uq.neardups(f"{place}/corpus"),
        lambda: Run.read(f"{place}/near"),
    ):
        store.reset(lambda method, path: fault if method == "GET" else None)
        with pytest.raises(UnquiltError) as caught:
            read()
        assert isinstance(caught.value, PlaceError)
        assert "damaged" not in str(caught.value)


def test_what_is_missing_of_a_run_is_noticed(store: ObjectStore, here: Path) -> None:
    place = store.upload(here / "near", "missing")
    store.put("missing/kept.parquet", b"something else")
    run = uq.read(place)
    assert not run.complete
    assert "kept" not in run.tables


@pytest.mark.parametrize("name", ["kept.jsonl", "kept.jsonl.gz", "kept.csv", "kept.parquet"])
def test_an_export_has_the_bytes_of_one_here(name: str, store: ObjectStore, here: Path, tmp_path: Path) -> None:
    run, place = uq.read(here / "near"), f"{store.url}/exports/{name}"
    own = run.export(tmp_path / name, **ACCEPTED)
    made = run.export(place, **ACCEPTED)
    assert (str(made.path), made.rows) == (place, own.rows)
    assert store.get(f"exports/{name}") == (tmp_path / name).read_bytes()
    with pytest.raises(RunError, match=r"kept\..* exists"):
        run.export(place, **ACCEPTED)
    run.export(place, "clusters", overwrite=True, format="jsonl")
    assert store.get(f"exports/{name}") != (tmp_path / name).read_bytes()


def test_an_interrupted_export_goes_on(
    store: ObjectStore, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, place = uq.read(here / "near"), f"{store.url}/parts"
    own = run.export(f"{tmp_path}/parts/", **ACCEPTED)
    store.reset(refusing("PUT", "/.export.json"))
    with pytest.raises(PlaceError):
        run.export(f"{place}/", **ACCEPTED)
    store.reset()
    assert run.export(f"{place}/", **ACCEPTED).rows == own.rows
    assert not [path for method, path in store.requests if method in ("PUT", "POST") and "part-00000.parquet?" in path]
    there = {name.removeprefix("parts/") for name in store.names("parts/")} - {""}
    assert there == {path.name for path in (tmp_path / "parts").iterdir()}
    for name in there:
        assert store.get(f"parts/{name}") == (tmp_path / "parts" / name).read_bytes()


def test_places_that_cannot_be_are_refused(store: ObjectStore, here: Path, pages: Path) -> None:
    corpus, near = str(here / "corpus"), uq.read(here / "near")
    with pytest.raises(ParameterError, match="write s3://"):
        uq.neardups(corpus, "s3a://web/run")
    with pytest.raises(ParameterError, match="hf:// is only read"):
        near.export("hf://datasets/a/b.jsonl", **ACCEPTED)
    with pytest.raises(PlaceError, match="there is no such bucket"):
        uq.neardups(corpus, "s3://no-such-bucket/run")
    with pytest.raises(PlaceError, match="there is no such bucket"):
        near.export("s3://no-such-bucket/kept.jsonl", **ACCEPTED)
    with pytest.raises(ParameterError, match="a lexicon is written to folders of this machine"):
        build_lexicon(LexiconParameters(), corpus, f"{store.url}/words.lexicon")
    url = store.put("in/pages.jsonl", pages.read_bytes())
    with pytest.raises(RunError, match="contains the input"):
        uq.ingest(url, f"{store.url}/in")
    assert not Path("s3:").exists()


def test_commands_read_runs_at_a_store(store: ObjectStore, here: Path, tmp_path: Path) -> None:
    place = store.upload(here, "commands")

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "unquilt", *words], capture_output=True, text=True, cwd=tmp_path, check=False
        )

    for words in (["show"], ["show", "--json"], ["show", "clusters", "--limit", "3"]):
        shown = call(words[0], f"{place}/near", *words[1:])
        local = call(words[0], str(here / "near"), *words[1:])
        assert (shown.returncode, shown.stderr) == (0, "")
        assert shown.stdout.replace(place, str(here)) == local.stdout
    report = call("report", f"{place}/near", "-o", f"{store.url}/report.html")
    assert (report.returncode, report.stderr) == (0, "")
    assert b"<html" in store.get("report.html")
    for words in (["show", f"{place}/none"], ["serve", f"{place}/none"], ["show", "s3://no-such-bucket/run"]):
        refused = call(*words)
        assert refused.returncode
        assert refused.stderr.count("\n") == 1, refused.stderr
    assert not list(tmp_path.iterdir())
