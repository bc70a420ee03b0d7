"""Corpora and runs as inputs: one corpus of several, which is what reading all of their inputs at once would make."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpus.test_other_texts import crawl
from corpus.test_revisits import NOT_THERE, describe, digest_of, make_page, make_record
from faulty import invoke
from quilting import read_files

import unquilt as uq
from unquilt.corpus.given import JSON
from unquilt.errors import InputError, ParameterError, RunError
from unquilt.settings import Settings

WORDS = [
    "the",
    "mill",
    "by",
    "the",
    "river",
    "stood",
    "still",
    "for",
    "years",
    "until",
    "its",
    "wheel",
    "turned",
    "again",
]
VALUES: list[Callable[[random.Random], Any]] = [
    lambda rng: rng.randrange(9),
    lambda rng: rng.random(),
    lambda rng: rng.choice(WORDS),
    lambda rng: [rng.randrange(3), None],
    lambda rng: {"a": rng.randrange(3), rng.choice("bc"): "x"},
    lambda _: None,
]


def write_text(rng: random.Random) -> str:
    return " ".join(rng.choices(WORDS, k=rng.randrange(1, 30)))


def write_lines(rng: random.Random, path: Path, kind: Callable[[random.Random], Any]) -> None:
    rows = [{"text": write_text(rng), "id": rng.choice((f"{path.stem}-{n}", n))} for n in range(rng.randrange(1, 6))]
    for row in rows:
        row |= {"score": kind(rng)} if rng.random() < 0.8 else {}
        row |= {f"own {path.stem}": rng.choice(VALUES)(rng), "host": "a name that is taken"}
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def write_table(rng: random.Random, path: Path, number: int) -> None:
    rows = rng.randrange(1, 6)
    ids = [pa.array(range(rows), pa.int32()), pa.array(map(str, range(rows)), pa.large_string())][number % 2]
    kind = [pa.int8(), pa.int64(), pa.float32()][number % 3]
    columns: dict[str, Any] = {"id": ids, "text": [write_text(rng) for _ in range(rows)]}
    columns |= {"n": pa.array(range(rows), kind), "day": pa.array([None, *range(rows - 1)], pa.date32())}
    columns |= {"tags": [["a", None]] * rows}
    pq.write_table(pa.table(columns).replace_schema_metadata({"who": "we"}), path)


def write_archive(rng: random.Random, path: Path, pages: list[dict[str, str]]) -> None:
    """Pages, and revisits of pages of this archive or of an earlier one; a record that is cut off."""
    new = []
    for number in range(2):
        content = f"<p>{write_text(rng)}"
        url = f"http://{rng.choice('ab')}.org/"
        said = {"id": f"urn:{path.stem}:{number}", "url": url, "date": f"2024-01-0{rng.randrange(1, 4)}T10:00:00Z"}
        new.append(said | {"digest": digest_of(content), "content": content})
    pages += new
    records = list(map(make_page, new))
    for page in rng.choices(pages, k=3):
        fields = describe({"url": page["url"], "digest": page["digest"]})
        records.append(
            make_record("revisit", fields | {"WARC-Refers-To": f"<{rng.choice((page['id'], NOT_THERE[0]))}>"})
        )
    path.write_bytes(b"".join([*records, make_record("response", {"Content-Type": "application/http"}, b"HTT")]))


def write_files(rng: random.Random, folder: Path, kind: str) -> list[Path]:
    """Some files whose columns differ."""
    values, pages, paths = rng.sample(VALUES, 3), list[dict[str, str]](), []
    for number in range(4):
        path = folder / f"{number}.{kind if kind != 'all' else rng.choice(('jsonl', 'warc'))}"
        if path.suffix == ".jsonl":
            write_lines(rng, path, rng.choice(values))
        elif path.suffix == ".parquet":
            write_table(rng, path, rng.randrange(6))
        else:
            write_archive(rng, path, pages)
        paths.append(path)
    return paths


def read_json(text: str | None) -> Any:
    value = None if text is None else json.loads(text)
    return {name: each for name, each in value.items() if each is not None} if isinstance(value, dict) else value


def compare(made: uq.Run, whole: uq.Run) -> None:
    """The same rows, types and columns as they were given; the same numbers. What was kept by type in one corpus, and
    is JSON text in the whole, is the JSON of that: a whole number may be a fraction, what an object lacks may be null.
    """
    for name, field in zip(whole.documents.schema.names, whole.documents.schema, strict=True):
        column, expected = made.documents[name], whole.documents[name]
        if JSON in (field.metadata or {}):
            assert list(map(read_json, column.to_pylist())) == list(map(read_json, expected.to_pylist()))
        else:
            assert column.equals(expected)
    assert made.documents.schema.equals(whole.documents.schema, check_metadata=True)
    assert made.tables == whole.tables
    for name in set(whole.tables) - {"documents"}:
        assert made.table(name).equals(whole.table(name))
    ours, theirs = made.manifest["summary"], whole.manifest["summary"]
    assert {name: value for name, value in ours.items() if name != "bytes"} == {
        name: value for name, value in theirs.items() if name != "bytes"
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["jsonl", "parquet", "warc", "all"])
@pytest.mark.parametrize("seed", range(2))
def test_joined_is_what_reading_all_at_once_makes(seed: int, kind: str, tmp_path: Path) -> None:
    rng = random.Random(f"{seed} {kind}")
    files = write_files(rng, tmp_path, kind)
    whole = uq.ingest(files, tmp_path / "whole")
    first, other = uq.ingest(files[:2], tmp_path / "first"), uq.ingest(files[2:3], tmp_path / "other")
    compare(uq.ingest([first, other, files[3]], tmp_path / "joined"), whole)
    grown = uq.ingest(files[2:], into=uq.ingest(files[:2], tmp_path / "grown").path)
    compare(grown, whole)
    assert grown.manifest["fingerprint"] == whole.manifest["fingerprint"]


def test_other_texts_come_behind_all_documents(tmp_path: Path) -> None:
    paths = [crawl(tmp_path / f"{number}.warc", [number, number + 1]) for number in (1, 3)]
    whole = uq.ingest(paths, tmp_path / "whole")
    parts = [uq.ingest(path, tmp_path / path.stem) for path in paths]
    made = uq.ingest(parts, tmp_path / "joined")
    compare(made, whole)
    tables = [pq.read_table(corpus.path / "other_texts") for corpus in (made, whole)]
    assert tables[0].equals(tables[1])


@pytest.fixture
def pages(tmp_path: Path) -> list[Path]:
    """Two files with pages, of which some are copies of others."""
    rng = random.Random(5)
    texts = [" ".join(rng.choices(WORDS, k=40)) for _ in range(30)]
    rows = [{"id": f"p{n}", "text": text, "n": n} for n, text in enumerate([*texts, *texts[:10]])]
    for name, some in (("one", rows[:20]), ("two", rows[20:])):
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in some))
    return [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]


def test_a_run_is_read_as_what_it_keeps(pages: list[Path], tmp_path: Path) -> None:
    near = uq.neardups(pages, tmp_path / "near", threshold=0.8)
    again = uq.neardups(near, tmp_path / "again", threshold=0.8)
    near.export(tmp_path / "kept.jsonl", kept=True, accept=True)
    exported = uq.ingest(tmp_path / "kept.jsonl")
    columns = ["doc", "id", "n", "text", "words"]
    assert again.documents.select(columns).equals(exported.documents.select(columns))
    assert not again.clusters.num_rows
    assert again.manifest["summary"]["words"] == exported.manifest["summary"]["words"]
    assert again.manifest["inputs"][0]["sha256"] == near.manifest["fingerprint"]
    assert uq.neardups(near, tmp_path / "again", threshold=0.8).manifest == again.manifest
    collapsed = uq.quilts(pages, tmp_path / "quilts", collapse="near")
    assert uq.ingest(collapsed).documents["id"].to_pylist() == [f"p{n}" for n in range(30)]


@pytest.mark.slow
def test_a_run_over_several_corpora_is_one_over_all(pages: list[Path], tmp_path: Path, settings: Settings) -> None:
    options = uq.JobOptions(settings=settings)
    corpora = [uq.ingest(path, tmp_path / path.stem, options=options) for path in pages]
    whole = uq.neardups(pages, tmp_path / "whole", threshold=0.8)
    several = uq.neardups([corpora[0], str(corpora[1].path)], tmp_path / "several", threshold=0.8, options=options)
    assert read_files(several) == read_files(whole)
    assert several.table("kept", names=True, columns=["id"]).equals(whole.table("kept", names=True, columns=["id"]))
    kept = uq.passages(several, tmp_path / "kept", options=options)
    assert kept.manifest["summary"]["documents"] == 30
    matching = uq.neardups(str(tmp_path / "o*e"), tmp_path / "globbed", threshold=0.8)  # the folder `one` alone
    assert matching.manifest["summary"]["documents"] == 20


def test_fields_of_other_names_are_parts_of_documents(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "one two", "id": "a"}\n')
    (tmp_path / "b.jsonl").write_text('{"body": "three four", "key": "b", "stars": 3}\n')
    (tmp_path / "c.jsonl").write_text('{"body": "five six", "text": "not the text"}\n')
    first = uq.ingest(tmp_path / "a.jsonl", tmp_path / "a")
    other = uq.ingest(tmp_path / "b.jsonl", tmp_path / "b", fields={"text": "body", "id": "key"})
    uq.ingest([first, other], tmp_path / "both").export(tmp_path / "all.jsonl", "documents")
    rows = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    assert [{name: value for name, value in row.items() if value is not None} for row in rows] == [
        {"text": "one two", "id": "a"},
        {"text": "three four", "id": "b", "stars": 3},
    ]
    clashing = uq.ingest(tmp_path / "c.jsonl", tmp_path / "c", fields={"text": "body"})
    with pytest.raises(InputError, match="column 'text' is not part of its documents"):
        uq.ingest([first, clashing], tmp_path / "clash")


def test_types_that_cannot_be_widened_are_refused_by_name(tmp_path: Path) -> None:
    for name, values in (("a", [1]), ("b", ["one"])):
        pq.write_table(pa.table({"text": ["some words"], "stars": values}), tmp_path / f"{name}.parquet")
        uq.ingest(tmp_path / f"{name}.parquet", tmp_path / name)
    with pytest.raises(InputError, match="b: column 'stars' is string, and in files before it int64; make them alike"):
        uq.neardups([tmp_path / "a", tmp_path / "b"], tmp_path / "run")


def test_an_order_is_refused_before_corpora_are_joined(pages: list[Path], tmp_path: Path) -> None:
    corpora = [uq.ingest(path, tmp_path / path.stem) for path in pages]
    with pytest.raises(ParameterError, match="no column 'm'; there are"):
        uq.neardups(corpora, tmp_path / "run", threshold=0.8, keep="m,-n")
    assert not (tmp_path / "run").exists()
    run = uq.neardups(corpora, tmp_path / "run", threshold=0.8, keep="-n")
    assert run.kept_documents(accept=True).read_all()["n"].to_pylist() == list(range(10, 40))


def test_words_must_be_alike(pages: list[Path], tmp_path: Path) -> None:
    plain = uq.ingest(pages[0], tmp_path / "plain", options=uq.JobOptions(reading=uq.Reading(words="plain")))
    with pytest.raises(InputError, match=r"plain has plain words, and .* restored ones"):
        uq.neardups([plain, uq.ingest(pages[1], tmp_path / "restored")], tmp_path / "run")
    with pytest.raises(InputError, match=r"plain has plain words, and .*two\.jsonl restored ones"):
        uq.neardups([plain.path, pages[1]], tmp_path / "run")


def test_a_run_of_an_earlier_state_finds_its_documents(pages: list[Path], tmp_path: Path) -> None:
    corpus = uq.ingest(pages[0], tmp_path / "corpus")
    run = uq.neardups(corpus, tmp_path / "run", threshold=0.8)
    before = corpus.documents
    grown = uq.ingest(pages[1], into=corpus.path)
    assert grown.documents.num_rows == 40
    assert uq.read(run.path).documents.equals(before)
    assert uq.read(run.path).table("kept", names=True)["id"].to_pylist() == [f"p{n}" for n in range(20)]
    assert uq.ingest(uq.read(run.path)).documents["id"].to_pylist() == [f"p{n}" for n in range(20)]
    shown = invoke("show", str(run.path))
    assert "documents" in shown.out


def test_files_are_added_once(pages: list[Path], tmp_path: Path) -> None:
    corpus = uq.ingest(pages[0], tmp_path / "corpus")
    shutil.copy(pages[0], tmp_path / "same.jsonl")
    with pytest.raises(InputError, match=r"one\.jsonl is in .*corpus already; leave it out"):
        uq.ingest(pages, into=corpus.path)
    grown = uq.ingest(pages[1], into=corpus.path)
    assert uq.ingest(pages[1], into=corpus.path).manifest == grown.manifest
    again = invoke("ingest", "--into", str(corpus.path), str(tmp_path / "same.jsonl"))
    assert "Nothing to do" in again.out
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_what_cannot_be_added_is_named_and_tried_again_in_another_way(pages: list[Path], tmp_path: Path) -> None:
    """Files that do not fit are called as they were named, and what was read of them is in nobody's way."""
    corpus = uq.ingest(pages[0], tmp_path / "corpus")
    before = corpus.documents.num_rows
    pq.write_table(pa.table({"id": ["x"], "text": ["five six"], "n": ["many"]}), tmp_path / "other.parquet")
    with pytest.raises(InputError, match=r"^[^ ]*other\.parquet: column 'n' is string, and in files before it int64"):
        uq.ingest(tmp_path / "other.parquet", into=corpus.path)
    only = uq.JobOptions(reading=uq.Reading(carry="id"))
    grown = uq.ingest(tmp_path / "other.parquet", into=corpus.path, options=only)
    assert grown.documents.num_rows == before + 1
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_what_files_are_called_and_hold_may_differ(tmp_path: Path) -> None:
    """Fields are those of the corpus, unless others are named for what is added."""
    for number, name in enumerate(("body", "body", "content")):
        row = {"key": f"p{number}", name: f"one two {number}", "n": number}
        (tmp_path / f"{number}.jsonl").write_text(json.dumps(row) + "\n")
    place = tmp_path / "corpus"
    uq.ingest(tmp_path / "0.jsonl", place, fields={"text": "body", "id": "key"})
    uq.ingest(tmp_path / "1.jsonl", into=place)
    uq.ingest(tmp_path / "1.jsonl", into=place, fields={"text": "body"})  # said again
    grown = uq.ingest(tmp_path / "2.jsonl", into=place, fields={"text": "content"})
    assert grown.documents.select(["id", "text", "n"]).to_pylist() == [
        {"id": f"p{number}", "text": f"one two {number}", "n": number} for number in range(3)
    ]
    assert invoke("ingest", "--into", str(place), str(tmp_path / "1.jsonl"), "--words", "plain").code == 2


def test_what_cannot_be_joined_is_refused(pages: list[Path], tmp_path: Path) -> None:
    corpus = uq.ingest(pages[0], tmp_path / "corpus")
    with pytest.raises(InputError, match="is not a corpus; make one first"):
        uq.ingest(pages[1], into=tmp_path / "none")
    plain = uq.JobOptions(reading=uq.Reading(main_content=True))
    with pytest.raises(ParameterError, match=r"main_content was False when .* was read, and is now True"):
        uq.ingest(pages[1], into=corpus.path, options=plain)
    with pytest.raises(ParameterError, match="either output"):
        uq.ingest(pages[1], tmp_path / "new", into=corpus.path)
    with pytest.raises(RunError, match="is an input"):
        uq.ingest(corpus, into=corpus.path)
    assert invoke("ingest", str(pages[0])).code == 2
    told = invoke("ingest", str(pages[0]), "--into", "a", "-o", "b")
    assert told.code == 2
    assert "say where the corpus goes" in told.err
    told = invoke("neardups", str(corpus.path), str(corpus.path), "-o", str(tmp_path / "x"), "--main-content")
    assert "are corpora, which were read already" in told.err
    passages = uq.passages(corpus, tmp_path / "passages")
    with pytest.raises(InputError, match=r"does not say which documents to keep; give .*corpus"):
        uq.neardups(passages, tmp_path / "x")
    near = uq.neardups(corpus, tmp_path / "near")
    shutil.rmtree(corpus.path)
    with pytest.raises(InputError, match="its corpus is not found"):
        uq.neardups(near.path, tmp_path / "x")


def test_what_raises_an_alarm_is_no_input_unless_accepted(tmp_path: Path) -> None:
    rows = [{"text": "one two three four five six", "source": "x", "id": str(n)} for n in range(30)]
    near = uq.neardups([*rows, {"text": "another", "source": "y"}], tmp_path / "near", threshold=0.8)
    with pytest.raises(InputError, match=r"raises \d alarms?: .*JobOptions\(accept=True\)"):
        uq.neardups(near, tmp_path / "next")
    refused = invoke("neardups", str(near.path), "-o", str(tmp_path / "next"))
    assert refused.code == 1
    assert "say --accept" in refused.err
    assert not (tmp_path / "next").exists()
    assert invoke("neardups", str(near.path), "-o", str(tmp_path / "next"), "--accept").code == 0
    assert uq.read(tmp_path / "next").documents.num_rows == 2


def test_a_join_that_was_interrupted_goes_on(pages: list[Path], tmp_path: Path) -> None:
    """The last part cannot be read; the others are not written again. Until all are there, the corpus is as it was."""
    corpus, second = uq.ingest(pages[0], tmp_path / "corpus"), uq.ingest(pages[1], tmp_path / "two")
    (tmp_path / "three.jsonl").write_text('{"text": "more words"}\n')
    third = uq.ingest(tmp_path / "three.jsonl", tmp_path / "three")
    (part,) = third.path.glob("documents/*")
    content = part.read_bytes()
    part.write_bytes(content[:200] + bytes(100) + content[300:])
    options = uq.JobOptions(settings=Settings(threads=1))
    with pytest.raises(RunError, match="part-00000"):
        uq.ingest([second, third], into=corpus.path, options=options)
    assert uq.read(corpus.path).documents.num_rows == 20
    made = {path.name: path.stat().st_ino for path in tmp_path.glob(".corpus.new-*/documents/*.parquet")}
    assert made.keys() == {"part-00000.parquet", "part-00001.parquet"}
    part.write_bytes(content)
    grown = uq.ingest([second, third], into=corpus.path, options=options)
    assert grown.documents.num_rows == 41
    assert made.items() < {path.name: path.stat().st_ino for path in grown.path.glob("documents/*")}.items()


def test_parts_that_stay_are_the_same_files(pages: list[Path], tmp_path: Path) -> None:
    corpus = uq.ingest(pages[0], tmp_path / "corpus")
    (part,) = corpus.path.glob("documents/*")
    number = part.stat().st_ino
    grown = uq.ingest(pages[1], into=corpus.path)
    assert {path.stat().st_ino for path in grown.path.glob("documents/*")} > {number}


def test_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        uq.ingest([], tmp_path / "x")
    assert replace(uq.JobOptions(), accept=True).accept


def test_missing_values_of_an_order_come_last_and_are_told(tmp_path: Path) -> None:
    rows = [{"text": "one two three", "stars": stars} for stars in (None, 2, 5)]
    (tmp_path / "a.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    near = invoke("neardups", tmp_path / "a.jsonl", "-o", tmp_path / "near", "--threshold", "0.8", "--keep=-stars")
    assert near.code == 0
    assert "1 document has no stars, and comes last in the order of --keep" in near.out
    assert uq.read(tmp_path / "near").kept.to_pylist()[2]["keep"]
    for order, said in {"-star": "did you mean stars?", "text,n": "no column 'n'"}.items():
        told = invoke("neardups", tmp_path / "near", "-o", tmp_path / "x", f"--keep={order}")
        assert (told.code, told.out) == (2, "")
        assert said in told.err


def test_what_was_read_for_an_order_that_is_refused_is_not_read_again(tmp_path: Path) -> None:
    """Columns of JSON lines are known when all are read. A part of documents is named as the corpus has it."""
    (tmp_path / "a.jsonl").write_text('{"text": "one two", "key": "a"}\n')
    inputs = (tmp_path / "a.jsonl", "--field", "id=key", "--carry", "source,stars")
    told = invoke("neardups", *inputs, "-o", tmp_path / "run", "--keep=key")
    assert told.code == 2
    assert "no document has a column source, stars, which carry names" in told.err
    corpus = tmp_path / "run" / "corpus"
    assert f"no column 'key'; did you mean id? (the inputs are read already: give {corpus} in their place" in told.err
    assert invoke("neardups", corpus, "-o", tmp_path / "other", "--keep=id").code == 0
