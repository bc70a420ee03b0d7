"""JSON that is no JSON lines: arrays of objects, objects over several lines; broken ones cost themselves."""

from __future__ import annotations

import codecs
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from faulty import Tables, gz, peruse, zst
from hypothesis import given, settings
from hypothesis import strategies as st
from snapshots import Snapshots

import unquilt
from unquilt.corpus.find.inputs import find
from unquilt.corpus.options import Limits, Reading
from unquilt.corpus.readers import json_values
from unquilt.corpus.records import Frame, Page, Reject, Warned
from unquilt.corpus.sources import Slice, Source
from unquilt.errors import InputError
from unquilt.settings import Settings

PAGES = [{"id": f"p{n}", "tags": [{"id": "tag", "text": "no page"}], "text": f'page {n} ] }} \\ " é'} for n in range(8)]
FORMS = {
    "compact": lambda pages: json.dumps(pages, separators=(",", ":")),
    "as Python writes it": json.dumps,
    "indented": lambda pages: json.dumps(pages, indent=4, ensure_ascii=False),
    "a line each": lambda pages: "[\n" + ",\n".join(map(json.dumps, pages)) + "\n]\n",
    "objects over lines": lambda pages: "\n".join(json.dumps(page, indent=2) for page in pages),
}


def peruse_bytes(tmp_path: Path, data: bytes, name: str = "a.json", **options: Any) -> Tables:
    path = tmp_path / name
    path.write_bytes(data)
    return peruse(path, **options)


def texts(found: Tables) -> list[str]:
    return [row["text"] for row in found.documents]


@pytest.mark.parametrize("pack", [bytes, gz, zst])
@pytest.mark.parametrize("form", FORMS)
def test_each_element_is_a_record(tmp_path: Path, form: str, pack: Any) -> None:
    data = FORMS[form](PAGES).encode()
    found = peruse_bytes(tmp_path, pack(data), {bytes: "a.json", gz: "a.json.gz", zst: "a.json.zst"}[pack])
    assert texts(found) == [page["text"] for page in PAGES]
    assert [row["id"] for row in found.documents] == [page["id"] for page in PAGES]
    for row, page in zip(found.documents, PAGES, strict=True):
        assert json.JSONDecoder().raw_decode(data[row["offset"] :].decode())[0] == page
    assert found.rejects == []
    assert found.warnings == []


def test_a_file_of_one_object_is_one_document(tmp_path: Path) -> None:
    for data in (json.dumps(PAGES[0], indent=2), json.dumps(PAGES[0])):
        for prefix in (b"", codecs.BOM_UTF8, b"\n  "):
            assert texts(peruse_bytes(tmp_path, prefix + data.encode())) == [PAGES[0]["text"]]


KINDS = {
    '[{"text": "x"}]': "json",
    ' [\n  {\n "text": "x"}]': "json",
    '{\n"text": "x"\n}': "json",
    '{"text": "x"}\n{"text": "y"}\n': "jsonl",
    '{"text": "x"}': "jsonl",
    '{"text": \n{"text": "y"}\n{"text": "z"}\n': "jsonl",
    '{"text": "' + "x" * 100_000 + '"}\n{"text": "y"}': "jsonl",
}


@pytest.mark.parametrize("data", KINDS, ids=lambda data: data[:30])
@pytest.mark.parametrize("name", ["a.json", "a"])
def test_json_is_told_from_text_and_lines(tmp_path: Path, data: str, name: str) -> None:
    (tmp_path / name).write_text(data)
    (source,) = find([tmp_path / name])
    if not (name == "a" and data.startswith('{"text": \n')):  # without a name, broken lines are text
        assert source.kind == KINDS[data]


@pytest.mark.parametrize(
    ("data", "kind"), [("[1, 2]", "text"), ("[note] text", "text"), ("{ text }", "text"), ("{\n text }", "text")]
)
def test_text_in_brackets_is_text(tmp_path: Path, data: str, kind: str) -> None:
    (tmp_path / "a").write_text(data)
    assert find([tmp_path / "a"])[0].kind == kind


def test_names_of_lines_are_believed(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('[{"text": "x"}]\n')
    assert find([tmp_path / "a.jsonl"])[0].kind == "jsonl"


@pytest.mark.parametrize("form", ["compact", "as Python writes it", "indented", "a line each"])
@pytest.mark.parametrize(
    "harm", [('"text"', "text"), ("}", ""), ("{", ""), ('"id"', "\0"), (":", ""), ("[", ""), ("}", "]")]
)
def test_a_broken_element_costs_itself(tmp_path: Path, form: str, harm: tuple[str, str]) -> None:
    data = FORMS[form](PAGES)
    at = data.index('"p5"')
    old, new = harm
    place = data.rindex(old, 0, at) if old in ("{", '"id"') else data.index(old, at)
    found = peruse_bytes(tmp_path, (data[:place] + new + data[place + len(old) :]).encode())
    kept = [page["text"] for n, page in enumerate(PAGES) if n != 5]
    assert [text for text in texts(found) if text != "no page"] == kept
    assert found.rejects


def test_what_is_no_object_is_a_reject(tmp_path: Path) -> None:
    found = peruse_bytes(
        tmp_path, b'[1, "a b", null, [{"text": "no page"}], {"text": "x"}, {"body": "y"}, {"text": 1}]'
    )
    assert texts(found) == ["x"]
    reasons = [(row["offset"], row["reason"]) for row in found.rejects]
    no_objects = [(at, "not an object") for at in (1, 4, 11, 17)]
    assert reasons == [*no_objects, (55, "no text"), (70, "no text")]


def test_a_file_that_was_cut_short(tmp_path: Path) -> None:
    data = FORMS["compact"](PAGES).encode()
    found = peruse_bytes(tmp_path, data[:-20])
    assert texts(found) == [page["text"] for page in PAGES[:-1]]
    assert [row["detail"] for row in found.rejects] == ["the file ends in the middle of it"]
    whole = peruse_bytes(tmp_path, data[:-1], "b.json")
    assert len(whole.documents) == len(PAGES)
    assert whole.warnings == ["its array of records does not end; is the file complete?"]


def test_an_element_over_the_limit(tmp_path: Path) -> None:
    pages = [{"id": str(n), "text": "x" * (5000 if n == 2 else 50)} for n in range(5)]
    source = tmp_path / "a.json"
    source.write_text(json.dumps(pages))
    run = unquilt.ingest(source, options=unquilt.JobOptions(reading=Reading(limits=Limits(max_bytes=1000))))
    assert run.manifest["summary"]["documents"] == 4
    assert run.rejects.column("reason").to_pylist() == ["too large"]


def test_the_same_on_both_engines(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "a.json").write_text(FORMS["indented"](PAGES))
    assert unquilt.ingest(tmp_path / "a.json", options=unquilt.JobOptions(settings)).manifest["summary"][
        "documents"
    ] == len(PAGES)


def test_fields_of_another_name_are_told(tmp_path: Path, snapshots: Snapshots) -> None:
    (tmp_path / "a.json").write_text(json.dumps([{"title": "t", "body": "some words"}], indent=1))
    with snapshots.error(InputError):
        unquilt.ingest(tmp_path / "a.json")


values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 10**12) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def scan(path: Path, data: bytes, block: int, monkeypatch: pytest.MonkeyPatch) -> tuple[list[object], list[object]]:
    """The offsets of what is found in a file, and what there is besides."""
    path.write_bytes(data)
    monkeypatch.setattr(json_values, "BLOCK", block)
    found = list(json_values.read(Slice(Source(str(path), len(data), "json")), Reading()))
    frames = [each.offset for each in found if isinstance(each, Frame)]
    return frames, [each for each in found if not isinstance(each, Frame)]


@given(st.lists(st.dictionaries(st.text(max_size=5), values, max_size=3), max_size=6), st.data())
@settings(max_examples=60)
def test_any_array_is_framed_as_json_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, elements: Sequence[dict[str, object]], data: st.DataObject
) -> None:
    """The twin: the standard library's parser, element by element."""
    said = json.dumps(
        elements,
        indent=data.draw(st.sampled_from([None, 0, 3])),
        ensure_ascii=data.draw(st.booleans()) or any("\ud800" <= c <= "\udfff" for c in str(elements)),
    ).encode("utf-8", "surrogatepass")
    frames, others = scan(tmp_path / "a.json", said, data.draw(st.sampled_from([1, 2, 7, 1 << 20])), monkeypatch)
    assert others == []
    assert len(frames) == len(elements)
    decoder = json.JSONDecoder()
    found = [decoder.raw_decode(said[at:].decode("utf-8", "surrogatepass"))[0] for at in frames]
    assert found == list(elements)


@given(st.binary(max_size=60), st.integers(0, 200), st.integers(0, 20))
@settings(max_examples=100)
def test_any_damage_ends_and_is_told_wherever_blocks_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, junk: bytes, at: int, lost: int
) -> None:
    said = FORMS["a line each"](PAGES).encode()
    broken = said[:at] + junk + said[at + lost :]
    whole = scan(tmp_path / "a.json", broken, 1 << 20, monkeypatch)
    assert scan(tmp_path / "a.json", broken, 5, monkeypatch) == whole
    assert all(isinstance(each, Reject | Warned | Page) for each in whole[1])
    assert len(whole[0]) >= len(PAGES) - 3
