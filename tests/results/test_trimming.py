"""Documents without repeated paragraphs: what the twin takes out, all of it or all but the first; folders resume."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import twin_reuse
from faulty import invoke
from hypothesis import given
from hypothesis import strategies as st
from snapshots import Snapshots
from twin_reuse import Page

import unquilt
from unquilt.errors import ParameterError
from unquilt.results.export import work
from unquilt.results.trimming import cut_out
from unquilt.runs import Run

REPEATED = [
    f"Paragraph {number} that is printed again and again on very many pages of this corpus, é {'x' * number}"
    for number in range(8)
]


def draw_texts(random: Random, number: int) -> list[str]:
    """Texts of repeated paragraphs, own ones, menus and bullets; some are copies of others."""
    texts: list[str] = []
    for place in range(number):
        own = [f"Own words of page {place}, part {part}." for part in range(random.randint(0, 2))]
        parts = [*random.choices(REPEATED, k=random.randint(0, 4)), *own, *random.choices(["Home", "*"], k=2)]
        random.shuffle(parts)
        text = random.choice(("", " \n\n")) + random.choice(("\n\n", "\n \n\n")).join(parts)
        texts.append(random.choice(texts) if texts and random.random() < 0.1 else text)
    return texts


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return draw_texts(Random(11), 400)


@pytest.fixture(scope="module")
def corpus(
    texts: list[str], small_row_groups: Callable[[Any, Path], Run], tmp_path_factory: pytest.TempPathFactory
) -> Run:
    ids = [str(number) for number in range(len(texts))]
    pages = pa.table({"id": ids, "text": texts, "links": [[]] * len(texts)})
    return small_row_groups(pages, tmp_path_factory.mktemp("trimming") / "corpus")


def trim(texts: list[str], objects: list[dict[str, Any]], by: str, least: int, *, first: bool) -> dict[str, str]:
    """The texts by id without these objects, the obvious way."""
    chunks = {row["sha1"] for row in objects if row["kind"] == "chunk"}
    files = {row["sha1"] for row in objects if row["kind"] == "file"}
    stay = {(row["first"], row["begin"], row["kind"]) for row in objects} if first else set()
    left: dict[str, str] = {}
    for doc, text in enumerate(texts):
        if twin_reuse.sha1(text) in files and (doc, 0, "file") not in stay:
            continue
        every = twin_reuse.cut(text, by, 0)
        gone = {
            chunk.begin
            for chunk in every
            if chunk.sha1 in chunks and len(chunk.text) > least and (doc, chunk.begin, "chunk") not in stay
        }
        if len(gone) < len(every):
            left[str(doc)] = " ".join(text[c.begin : c.end] for c in every if c.begin not in gone)
    return left


def squeeze(text: str) -> str:
    return " ".join(part for part in text.split() if part != "*")


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize(
    ("asked", "without"),
    [
        ({}, ["objects"]),
        ({}, ["objects", "stop_chunks"]),
        ({"normalise": True, "min_length": 86, "file_threshold": 10**6}, ["objects"]),
        ({"raw": True, "chunk_threshold": 40}, ["objects"]),
    ],
    ids=str,
)
def test_it_is_what_the_twin_takes_out(
    asked: dict[str, Any], without: list[str], first: bool, texts: list[str], corpus: Run, tmp_path: Path
) -> None:
    if asked.get("raw"):
        rows = pa.table({"id": list(map(str, range(len(texts)))), "text": texts})
        reading = unquilt.Reading(source=True)
        corpus = unquilt.ingest(rows, tmp_path / "sources", options=unquilt.JobOptions(reading=reading))
    run = unquilt.discover(corpus.path, tmp_path / "run", **asked)
    made = run.export(tmp_path / "out.jsonl", without=without, keep_first=first)
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    by = "raw" if asked.get("raw") else "words" if asked.get("normalise") else "text"
    objects = [row for name in without for row in run.table(name).to_pylist()]
    expected = trim(texts, objects, by, asked.get("min_length", 0), first=first)
    assert {row["id"]: squeeze(row["text"]) for row in rows} == {key: squeeze(text) for key, text in expected.items()}
    assert [row["id"] for row in rows] == list(expected)
    assert made.rows == len(rows)
    untouched = [row["text"] for row in rows if row["text"] in texts]
    assert len(untouched) < len(rows)


@given(st.lists(st.tuples(st.text(st.sampled_from("ab é"), min_size=1).filter(str.strip), st.booleans()), max_size=6))
def test_the_rest_stays_as_it_is(parts: list[tuple[str, bool]]) -> None:
    text, begins, at = "", [], 0
    for part, _ in parts:
        begins.append(at)
        text += part.strip() + "\n\n"
        at = len(text)
    text = text.removesuffix("\n\n")
    gone = {begin for begin, (_, goes) in zip(begins, parts, strict=True) if goes}
    assert cut_out(text, begins, gone) == "\n\n".join(part.strip() for part, goes in parts if not goes)


def test_columns_and_conditions_are_those_of_what_is_left(
    texts: list[str], corpus: Run, tmp_path: Path, snapshots: Snapshots
) -> None:
    run = unquilt.discover(corpus.path, tmp_path / "run")
    run.export(tmp_path / "a.parquet", without="objects", columns=["id", "words", "text"], where="words > 6")
    rows = pq.read_table(tmp_path / "a.parquet").to_pylist()
    assert rows
    assert all(row["words"] == len(twin_reuse.twin.sequence(row["text"])) > 6 for row in rows)
    for asked, said in (
        ({"columns": ["chunks"]}, "describes the whole text"),
        ({"kept": True}, "leave out table, kept and dropped"),
        ({"without": "targets"}, "not without 'targets'"),
        ({"without": (), "keep_first": True}, "keep_first needs"),
    ):
        with pytest.raises(ParameterError, match=said):
            run.export(tmp_path / "b.jsonl", **{"without": "objects", **asked})
    near = unquilt.neardups(corpus.path, tmp_path / "near")
    with snapshots.error(ParameterError):
        near.export(tmp_path / "b.jsonl", without="objects")


def test_a_folder_resumes_and_can_be_read_again(corpus: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "PART_ROWS", 100)
    unquilt.discover(corpus.path, tmp_path / "run")
    said = invoke("export", tmp_path / "run", "--without", "objects", "--keep-first", "-o", f"{tmp_path}/clean/")
    assert "documents without objects in" in said.out
    parts = sorted((tmp_path / "clean").glob("part-*"))
    assert len(parts) > 1
    before = [part.read_bytes() for part in parts]
    (tmp_path / "clean").rename(tmp_path / "first")
    whole, calls = work._write_part, []

    def stop_at_the_second(*given: Any) -> int:
        calls.append(given)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return whole(*given)

    monkeypatch.setattr(work, "_write_part", stop_at_the_second)
    run = unquilt.read(tmp_path / "run")
    with pytest.raises(KeyboardInterrupt):
        run.export(f"{tmp_path}/clean/", without="objects", keep_first=True)
    run.export(f"{tmp_path}/clean/", without=["objects"], keep_first=True)
    assert len(calls) == 1 + len(parts)
    assert [part.read_bytes() for part in sorted((tmp_path / "clean").glob("part-*"))] == before
    again = unquilt.discover(tmp_path / "clean", tmp_path / "again")
    assert not [row for row in again.objects.to_pylist() if row["kind"] == "chunk"]


def test_what_is_labelled_goes_too(tmp_path: Path) -> None:
    pages = [Page(f"Our words, which others print.\n\nTheirs {n}", f"http://a{n}.com/") for n in range(3)]
    table = pa.table({"url": [page.url for page in pages], "text": [page.text for page in pages]})
    labels = unquilt.label(pa.table({"text": ["Our words, which others print."]}), tmp_path / "ours.labels")
    run = unquilt.detect(table, tmp_path / "run", labels=str(labels.path))
    run.export(tmp_path / "out.jsonl", without="objects", columns=["text"])
    assert (tmp_path / "out.jsonl").read_text().splitlines() == [f'{{"text":"Theirs {n}"}}' for n in range(3)]
