"""I-Match: counts, lexicons and signatures are what the twin says, on every engine; bad files are refused."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import twin_imatch as twin
from click.testing import CliRunner, Result
from damage import damage
from hypothesis import given, settings
from hypothesis import strategies as st
from quilting import local, measure

import unquilt
from unquilt import Lexicon, _native
from unquilt.analyses.lexicon import LexiconParameters, count_words
from unquilt.cli import cli
from unquilt.columns import buffers
from unquilt.engines.tasks import Scale
from unquilt.errors import InputError, ParameterError, StorageError
from unquilt.flow.kept import Kept
from unquilt.flow.verbs import Verbs
from unquilt.jobs.corpora import documents
from unquilt.jobs.options import JobOptions
from unquilt.runs import InputRecord, Run
from unquilt.settings import LEAST_MEMORY, Settings
from unquilt.stores.lexicons import SCHEMA, df_range, pack_counts

ASCII = ["alpha", "Alpha", "BRAVO", "bravo1", "bravo12", "the", "x", "delta", "echo", "foxtrot", "golf", "hotel"]
OTHERS = [
    "prefixes",
    "prefixed",
    "prefixedmore",
    "Straße",
    "STRASSE",
    "漢字",
    "かな",
    "ก",
    "étés",
    "e\u0301te\u0301s",
    "été",
    "ﬃx",
    "कखग१",
    "कख१२",
    "abcd١",
    "١٢٣٤",
]
VOCABULARY = [*ASCII, *OTHERS, *(f"word{c}" for c in "abcdefghijklmnopqrstuvwxyz")]
BOUNDS = (0.0, 0.1, 0.2, 0.25, 0.3, 0.5, 0.6, 0.75, 0.8, 0.999, 1.0)


def draw_texts(random: Random, number: int) -> list[str]:
    """Texts in which words are of every frequency, and many of the same."""
    return [
        random.choice((" ", ", ", "\n")).join(
            word for word in random.sample(VOCABULARY, len(VOCABULARY)) if random.random() < share
        )
        for share in (random.choice((0.0, 0.05, 0.3, 0.6, 1.0)) for _ in range(number))
    ]


def as_table(texts: Sequence[str]) -> pa.Table:
    return pa.table({"id": [str(i) for i in range(len(texts))], "text": pa.array(texts, pa.string())})


def table_of(counts: dict[str, int]) -> pa.Table:
    return pa.table({"word": pa.array(list(counts), pa.string()), "df": pa.array(list(counts.values()), pa.int64())})


def parts(lexicon: Lexicon) -> twin.Lexicon:
    words = lexicon.words["word"].to_pylist()
    return twin.Lexicon(set(words[: lexicon.primary]), words[lexicon.primary :])


def signatures(text: str, packed: bytes, shape: twin.Shape) -> list[str | None]:
    return _native.signatures(text, lexicon=packed, **shape._asdict())


def test_counts_and_lexicon_are_those_of_the_twin(tmp_path: Path) -> None:
    texts = [*draw_texts(Random(1), 64), "", "   "]
    counts = twin.count(texts)
    assert {"alpha", "strasse", "漢", "字", "étés", "ﬃx".casefold(), "कखग१", "abcd١"} <= counts.keys()
    assert not {"the", "bravo12", "été", "कख१२", "١٢٣٤"} & counts.keys()
    lexicon = unquilt.build_lexicon(as_table(texts), tmp_path / "lexicon", nidf=(0.1, 0.6))
    assert parts(lexicon) == twin.lexicon(counts, len(texts), 0.1, 0.6, 1)
    assert lexicon.documents == 66
    assert {row["word"]: row["df"] for row in lexicon.words.to_pylist()}.items() <= counts.items()


@given(
    st.integers(2, 40).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.integers(1, n), min_size=1, max_size=30))),
    st.sampled_from(BOUNDS),
    st.sampled_from(BOUNDS),
    st.integers(1, 4),
)
@settings(max_examples=300)
def test_any_counts_give_the_lexicon_of_the_twin(
    corpus: tuple[int, list[int]], one: float, other: float, min_df: int
) -> None:
    n, dfs = corpus
    counts = {f"{'zyx'[i % 3]}{i:02}": df for i, df in enumerate(dfs)}
    expected = twin.lexicon(counts, n, min(one, other), max(one, other), min_df)
    if expected.primary:
        found = Lexicon.build(table_of(counts), n, (min(one, other), max(one, other)), min_df)
        assert parts(found) == expected
    else:
        with pytest.raises(InputError, match="no word has nidf in"):
            Lexicon.build(table_of(counts), n, (min(one, other), max(one, other)), min_df)


@pytest.mark.parametrize("n", [2, 3, 10, 32, 100, 243, 1024, 7776, 10**5, 10**10, 10**15, 3**30])
def test_both_ends_of_a_range_are_included(n: int) -> None:
    """Also where logarithms would be off by a rounding: N is a fifth or tenth power here, more often than not."""
    for low in BOUNDS:
        for high in (bound for bound in BOUNDS if bound >= low):
            least, most = df_range(n, (low, high))
            assert twin.is_at_least(n, most, low)
            assert not twin.is_at_least(n, most + 1, low)
            assert twin.is_at_most(n, least, high)
            assert least == 1 or not twin.is_at_most(n, least - 1, high)


shapes = st.builds(
    twin.Shape,
    lexicons=st.integers(0, 12),
    drop=st.sampled_from((0.0, 0.1, 0.33, 0.5, 0.9)),
    seed=st.integers(0, 2**64 - 1),
    min_terms=st.integers(1, 9),
    min_share=st.sampled_from((0.0, 0.1, 0.2, 0.3, 0.7, 1.0)),
    randomise=st.sampled_from(("primary", "both")),
)


@given(st.integers(0, 2**32), shapes, st.sampled_from(BOUNDS), st.sampled_from(BOUNDS), st.integers(1, 3))
@settings(max_examples=150)
def test_any_text_has_the_signatures_of_the_twin(
    draw: int, shape: twin.Shape, one: float, other: float, min_df: int
) -> None:
    texts = draw_texts(Random(draw), 12)
    words = twin.lexicon(twin.count(texts[:8]), 8, min(one, other), max(one, other), min_df)
    column = pa.array([*sorted(words.primary), *words.secondary], pa.string())
    packed = _native.pack_lexicon(buffers(column), len(words.primary))
    for text in texts:
        assert signatures(text, packed, shape) == twin.signatures(text, words, shape)


def test_order_case_and_repetition_do_not_matter() -> None:
    words = [f"word{c}" for c in "abcdefghij"]
    packed = _native.pack_lexicon(buffers(pa.array(words)), 10)
    shape = twin.Shape(min_terms=1)
    found = signatures(" ".join(words), packed, shape)
    assert None not in found
    assert signatures(" ".join(words[::-1] * 3).upper() + " of 2026", packed, shape) == found
    assert len(set(found)) > 5
    other = signatures(" ".join(words), packed, shape._replace(seed=1))
    assert other[0] == found[0]
    assert other[1:] != found[1:]


@pytest.mark.parametrize(("unique", "need"), [(30, 3), (31, 4), (29, 3), (70, 7)])
def test_shares_are_rounded_up_as_decimal_numbers(unique: int, need: int) -> None:
    """0.1 of 30 are 3, though 0.1 * 3 is 0.30000000000000004."""
    words = [f"word{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(unique)]
    shape = twin.Shape(lexicons=0, min_terms=1)
    for known in (need - 1, need):
        packed = _native.pack_lexicon(buffers(pa.array(words[:known])), known)
        assert (signatures(" ".join(words), packed, shape) == [None]) == (known < need)


def test_the_kernel_keeps_coordinates_apart(tmp_path: Path) -> None:
    """Rows: 64 bits of the signature, changed by the coordinate; coordinate, the rest of the signature, document."""
    words = [f"word{c}" for c in "abcdefghij"]
    packed = _native.pack_lexicon(buffers(pa.array(words)), 10)
    shape = twin.Shape(lexicons=3, min_terms=1)
    texts = pa.array([" ".join(words), "too few"])
    columns = [("doc", buffers(pa.array([7, 258]))), ("text", buffers(texts)), ("words", buffers(pa.array([10, 2])))]
    blocks: list[bytes] = []
    (tmp_path / "lexicon").write_bytes(packed)
    parameters = {"lexicon": _native.MappedFile(tmp_path / "lexicon"), "min_words": 0, **shape._asdict()}
    counters = _native.run_map(
        "signatures", parameters, [(1, 0)], columns, None, lambda *block: blocks.append(block[2])
    )
    assert {name: count for name, (_, count) in counters.items() if count} == {"without_signature": 1}
    rows = [b"".join(blocks)[i : i + 27] for i in range(0, 4 * 27, 27)]  # length, tail, count, key
    for coordinate, (row, found) in enumerate(zip(rows, signatures(" ".join(words), packed, shape), strict=True)):
        assert found is not None
        assert row[1:18] == bytes([coordinate]) + bytes.fromhex(found)[8:] + (7).to_bytes(4, "big")
        key = int.from_bytes(row[19:], "little")
        assert key ^ int(found[:16], 16) == twin.mix(coordinate)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"drop": 1.0}, "drop must be at least 0 and below 1"),
        ({"min_share": -0.1}, "min_share between 0 and 1"),
        ({"lexicon": b""}, "cut short"),
        ({"lexicon": b"x" * 100}, "no packed lexicon"),
        ({"lexicons": 256}, "lexicons has the wrong type"),
    ],
)
def test_what_is_no_shape_is_refused(change: dict[str, Any], complaint: str) -> None:
    asked = {"lexicon": _native.pack_lexicon(buffers(pa.array(["word"])), 1), **twin.Shape()._asdict()}
    with pytest.raises(ValueError, match=complaint):
        _native.signatures("text", **(asked | change))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Of many row groups, so that there is something to add up."""
    folder = tmp_path_factory.mktemp("imatch") / "corpus"
    unquilt.ingest(as_table(draw_texts(Random(2), 700)), folder)
    manifest = json.loads((folder / "manifest.json").read_bytes())
    files = manifest["done"]["documents"]["files"]
    for name in files:
        pq.write_table(pq.read_table(folder / name), folder / name, row_group_size=37)
        files[name] = (folder / name).stat().st_size
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return Run.read(folder)


def count_on(corpus: Run, folder: Path, engine: Callable[[Run], Verbs]) -> Path:
    record = InputRecord(str(corpus.path), 0, corpus.manifest["fingerprint"])
    with Run.open(folder, analysis="lexicon", parameters={}, inputs=[record]) as run:
        with engine(run) as verbs:  # type: ignore[attr-defined]
            count_words(verbs, documents(corpus))
        run.finish({})
    return folder / "words.parquet"


@pytest.fixture(scope="module")
def expected(corpus: Run, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = count_on(corpus, tmp_path_factory.mktemp("counts") / "run", local(corpus, partitions=1))
    texts = [row["text"] for path in documents(corpus).paths for row in pq.read_table(path).to_pylist()]
    found = pq.read_table(path)
    assert dict(zip(found["word"].to_pylist(), found["df"].to_pylist(), strict=True)) == twin.count(texts)
    lexicon = pack_counts(Kept.of("words", path), len(texts), (0.0, 1.0))
    assert lexicon.words.num_rows == found.num_rows
    return path.read_bytes()


def test_every_engine_counts_the_same(
    make: Callable[[Scale, int], Callable[[Run], Verbs]], corpus: Run, expected: bytes, tmp_path: Path
) -> None:
    assert count_on(corpus, tmp_path / "run", make(measure(corpus), 5)).read_bytes() == expected


@pytest.mark.parametrize(
    ("threads", "memory", "partitions"), [(1, LEAST_MEMORY, None), (3, 20_000, 1), (2, 20_000, 64), (4, 1 << 30, 7)]
)
def test_threads_and_memory_change_no_count(
    threads: int, memory: int, partitions: int | None, corpus: Run, expected: bytes, tmp_path: Path
) -> None:
    engine = local(corpus, threads=threads, memory=memory, partitions=partitions)
    assert count_on(corpus, tmp_path / "run", engine).read_bytes() == expected


def test_a_lexicon_is_the_same_file_however_it_is_made(corpus: Run, tmp_path: Path) -> None:
    found = unquilt.build_lexicon(corpus.path, tmp_path / "a", nidf=(0.1, 0.4), min_df=2)
    options = JobOptions(settings=Settings(threads=1, memory=LEAST_MEMORY))
    texts = [row["text"] for path in documents(corpus).paths for row in pq.read_table(path).to_pylist()]
    unquilt.build_lexicon(as_table(texts), tmp_path / "b", options=options, nidf=[0.1, 0.4], min_df=2)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    again = Lexicon.read(tmp_path / "a")
    again.write(tmp_path / "c")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "c").read_bytes()
    assert (again.documents, again.nidf, again.min_df) == (700, (0.1, 0.4), 2)
    assert again.pack() == found.pack()
    assert again.words.equals(found.words)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "c"], "nothing else is left"


def seal(table: pa.Table, about: object) -> object:
    """What a lexicon says of itself, with the digest of that and of its rows."""
    if not isinstance(about, dict) or "df" not in table.column_names:
        return about
    words = [word.encode() for word in table["word"].to_pylist()]
    content = json.dumps(about, sort_keys=True).encode()
    content += b"".join(struct.pack("<q", number) for number in [*map(len, words), *table["df"].to_pylist()])
    return about | {"sha256": hashlib.sha256(content + b"".join(words)).hexdigest()}


def write_parquet(path: Path, table: pa.Table, about: object) -> None:
    metadata = {"unquilt.lexicon": about if isinstance(about, str) else json.dumps(seal(table, about))}
    pq.write_table(table.replace_schema_metadata(metadata), path)


ABOUT = {
    "format": 2,
    "documents": 9,
    "nidf": [0.2, 0.8],
    "min_df": 1,
    "unquilt": "0",
    "unicode": "18.0.0",
    "spelling": "restored",
}
GOOD = pa.table({"word": ["bravo", "alpha", "delta"], "df": [3, 2, 2]}, schema=SCHEMA)


@pytest.mark.parametrize(
    ("table", "about", "complaint"),
    [
        (GOOD, ABOUT | {"format": 3}, "is a lexicon of format 3, this unquilt reads 2; build it anew"),
        (GOOD, ABOUT | {"format": 1}, "is a lexicon of format 1, this unquilt reads 2; build it anew"),
        (GOOD, json.dumps(ABOUT), "it does not match its checksum; build it anew: unquilt lexicon build"),
        (GOOD, json.dumps(ABOUT | {"sha256": 7}), "it does not match its checksum; build it anew"),
        (GOOD, "[" * 100_000, "cannot be read as a lexicon"),
        (GOOD, [], "cannot be read as a lexicon"),
        (GOOD, {}, "cannot be read as a lexicon"),
        (GOOD, ABOUT | {"format": "two\nlines"}, "cannot be read as a lexicon"),
        (GOOD, ABOUT | {"documents": float("inf")}, "is damaged, or no lexicon that unquilt wrote"),
        (GOOD, {"format": 2}, "is damaged, or no lexicon that unquilt wrote"),
        (GOOD, ABOUT | {"nidf": [0.8, 0.2]}, "is damaged, or no lexicon that unquilt wrote"),
        (GOOD, ABOUT | {"documents": 1}, "its words are not in order, or do not fit its metadata"),
        (GOOD, ABOUT | {"documents": 3}, "its words are not in order, or do not fit its metadata"),
        (GOOD.take([1, 0, 2]), ABOUT, "its words are not in order, or do not fit its metadata"),
        (GOOD.take([0, 2, 1]), ABOUT, "its words are not in order, or do not fit its metadata"),
        (GOOD.take([0, 1, 1]), ABOUT, "its words are not in order, or do not fit its metadata"),
        (GOOD.slice(0, 0), ABOUT, "its words are not in order, or do not fit its metadata"),
        (GOOD.select(["word"]), ABOUT, "its columns must be word and df"),
    ],
)
def test_a_bad_file_is_refused_in_one_line(table: pa.Table, about: object, complaint: str, tmp_path: Path) -> None:
    write_parquet(tmp_path / "lexicon", GOOD, ABOUT)
    assert Lexicon.read(tmp_path / "lexicon").words.equals(GOOD)
    write_parquet(tmp_path / "lexicon", table, about)
    with pytest.raises(InputError, match=complaint) as caught:
        Lexicon.read(tmp_path / "lexicon")
    assert "\n" not in str(caught.value)


def test_what_is_no_lexicon_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file: "):
        Lexicon.read(tmp_path / "nothing")
    with pytest.raises(InputError, match="cannot be read as a lexicon"):
        Lexicon.read(tmp_path)
    pq.write_table(GOOD, tmp_path / "plain.parquet")
    with pytest.raises(InputError, match=r"plain.parquet is not a lexicon; unquilt lexicon build makes one"):
        Lexicon.read(tmp_path / "plain.parquet")
    write_parquet(tmp_path / "whole", GOOD, ABOUT)
    whole = (tmp_path / "whole").read_bytes()
    for cut in (0, 3, 11, len(whole) // 2, len(whole) - 1):
        (tmp_path / "cut").write_bytes(whole[:cut])
        with pytest.raises(InputError, match="cannot be read as a lexicon") as caught:
            Lexicon.read(tmp_path / "cut")
        assert "\n" not in str(caught.value)


def test_a_damaged_file_is_never_another_lexicon(tmp_path: Path) -> None:
    random = Random(8)
    words = sorted({"".join(random.choices("abcdefghij", k=random.randint(4, 8))) for _ in range(2000)})
    counts = pa.table({"word": words, "df": [1 + int(900 * random.random() ** 3) for _ in words]})
    lexicon = Lexicon.build(counts, 1000, (0.1, 0.7), 2)
    path = tmp_path / "lexicon"
    lexicon.write(path)
    same = refused = 0
    for damaged in damage(random, path.read_bytes(), 1000, 512):
        (tmp_path / "damaged").write_bytes(damaged)
        try:
            found = Lexicon.read(tmp_path / "damaged")
        except InputError as error:
            assert "\n" not in str(error)  # noqa: PT017
            refused += 1
        else:
            assert found.words.equals(lexicon.words)
            assert (found.documents, found.nidf, found.min_df, found.unicode) == (1000, (0.1, 0.7), 2, lexicon.unicode)
            same += 1
    assert refused > 900
    assert same > 5  # such as in what Parquet says of sizes


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ({"nidf": (0.8, 0.2)}, "nidf must be two numbers between 0 and 1, the smaller first, not 0.8:0.2"),
        ({"nidf": (0.2,)}, "nidf must be two numbers between 0 and 1"),
        ({"nidf": (0.2, 0.3, 0.4)}, "nidf must be two numbers between 0 and 1"),
        ({"nidf": (0.2, 1.5)}, "item 2 of nidf must be a number between 0 and 1, not 1.5"),
        ({"nidf": (float("nan"), 1)}, "item 1 of nidf must be a number between 0 and 1"),
        ({"nidf": 0.2}, "nidf must be a list"),
        ({"min_df": 0}, "min_df must be a whole number between 1 and"),
    ],
)
def test_what_makes_no_lexicon_is_refused_by_name(asked: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ParameterError, match=complaint):
        unquilt.build_lexicon(as_table(["some text"]), **asked)
    with pytest.raises(ParameterError, match=complaint):
        LexiconParameters(**asked)


@pytest.mark.parametrize(
    ("texts", "complaint"),
    [
        ([], "no document in 1 file"),
        (["alpha bravo"], "a lexicon needs at least 2 documents, and there is 1"),
        (["", ""], "no word has nidf in 0.2:0.8; choose a wider range"),
        (["alpha", "bravo"], "no word has nidf in"),
    ],
)
def test_too_little_makes_no_lexicon(texts: list[str], complaint: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=complaint):
        unquilt.build_lexicon(as_table(texts), tmp_path / "lexicon")
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_not_replaced_unasked(tmp_path: Path) -> None:
    texts = as_table(["alpha bravo", "alpha delta", "alpha bravo", "none"])
    (tmp_path / "letter").write_text("Dear Anna")
    with pytest.raises(InputError, match="letter exists; choose another name, or overwrite it"):
        unquilt.build_lexicon(texts, tmp_path / "letter")
    with pytest.raises(InputError, match="is a folder; a lexicon is a file"):
        unquilt.build_lexicon(texts, tmp_path, options=JobOptions(overwrite=True))
    with pytest.raises(StorageError, match="no such file or directory"):
        unquilt.build_lexicon(texts, tmp_path / "no" / "lexicon")
    assert (tmp_path / "letter").read_text() == "Dear Anna"
    unquilt.build_lexicon(texts, tmp_path / "letter", options=JobOptions(overwrite=True))
    assert Lexicon.read(tmp_path / "letter").words["word"].to_pylist() == ["alpha", "bravo", "delta", "none"]


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], prog_name="unquilt")


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("unquilt.cli.terminal.progress.PATIENCE", 600.0)  # no progress, however busy the machine
    path = tmp_path / "pages.jsonl"
    texts = ["alpha bravo", "alpha Bravo delta", "ALPHA echo", "bravo foxtrot", "evil\u202e golf"]
    path.write_text("".join(json.dumps({"id": str(i), "text": text}) + "\n" for i, text in enumerate(texts)))
    return path


TINY = "the lexicon has 2 words only: documents that have little in common may share all of them; choose a wider --nidf"


def test_the_command_line_builds_and_shows(pages: Path, tmp_path: Path) -> None:
    file = tmp_path / "words.lexicon"
    result = invoke("lexicon", "build", pages, "-o", file, "--nidf", "0.2:0.5")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "5 documents\n"
        "2 words to make signatures of, 5 rarer ones to fill up short signatures\n"
        f"Warning: {TINY}\n"
        f"The lexicon is in {file}; to look at it: unquilt lexicon show {file}\n"
    )
    result = invoke("lexicon", "show", file, "--limit", "2")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        f"{file}: lexicon of 5 documents\n"
        "\n"
        "primary    2 words: normalised idf 0.2 to 0.5\n"
        "secondary  5 words: rarer ones\n"
        "unicode    18.0.0\n"
        "\n"
        "  documents  primary\n"
        "          3  alpha\n"
        "          3  bravo\n"
        "\n"
        "  documents  secondary\n"
        "          1  delta\n"
        "          1  echo\n"
        "          …\n"
        "          1  foxtrot\n"
        "          1  golf\n"
    )
    facts = json.loads(invoke("lexicon", "show", file, "--json", "--limit", "1").stdout)
    assert facts == {
        "file": str(file),
        "documents": 5,
        "nidf": [0.2, 0.5],
        "min_df": 1,
        "unicode": "18.0.0",
        "primary": 2,
        "secondary": 5,
        "commonest_primary": [{"word": "alpha", "df": 3}],
        "rarest_primary": [{"word": "bravo", "df": 3}],
        "commonest_secondary": [{"word": "delta", "df": 1}],
        "rarest_secondary": [{"word": "golf", "df": 1}],
    }


def test_the_command_line_says_it_as_json_or_not_at_all(pages: Path, tmp_path: Path) -> None:
    pages.write_text(pages.read_text() + "no json\n")
    asked = ("--nidf", "0.2:0.5", "--min-df", "2")
    result = invoke("lexicon", "build", pages, "-o", tmp_path / "a", "--json", "--max-rejects", "0", *asked)
    assert result.exit_code == 3
    assert "1 record was rejected, more than --max-rejects 0; everything else is done" in result.stderr
    facts = {"file": str(tmp_path / "a"), "primary": 2, "secondary": 0, "nidf": [0.2, 0.5], "min_df": 2}
    assert json.loads(result.stdout) == facts | {"documents": 5, "rejects": 1, "warnings": [TINY]}
    result = invoke("lexicon", "build", pages, "-o", tmp_path / "a", "-q", "--overwrite", *asked)
    assert (result.exit_code, result.output) == (0, "")


WRONG = {
    "one end": ("build {pages} -o {new} --nidf 0.2", 2, "--nidf must be two numbers with a colon between them"),
    "words": ("build {pages} -o {new} --nidf a:b", 2, "--nidf must be a number between 0 and 1, not 'a'"),
    "too much": ("build {pages} -o {new} --nidf 0.2:2", 2, "--nidf must be a number between 0 and 1, not '2'"),
    "reversed": ("build {pages} -o {new} --nidf 0.8:0.2", 2, "--nidf must have its lower end first, not 0.8:0.2"),
    "min-df": ("build {pages} -o {new} --min-df 0", 2, "--min-df must be a whole number between 1 and"),
    "no word": ("build {pages} -o {new} --nidf 0.5:0.6", 1, "no word has nidf in 0.5:0.6 (in 2 to 2 of 5 documents)"),
    "occupied": ("build {pages} -o {pages}", 1, "pages.jsonl is an input; choose another name for the output"),
    "no input": ("build {nothing} -o {new}", 1, "no such file or folder"),
    "no file": ("show {nothing}", 1, "no such file: "),
    "no lexicon": ("show {pages}", 1, "cannot be read as a lexicon"),
    "limit": ("show {pages} --limit 0", 2, "--limit must be a whole number of at least 1, not '0'"),
    "command": ("shwo {pages}", 2, "there is no command 'shwo'; did you mean show?"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_in_one_line(case: str, pages: Path, tmp_path: Path) -> None:
    command, code, message = WRONG[case]
    arguments = command.format(pages=pages, new=tmp_path / "new", nothing="/no-such").split()
    result = invoke("lexicon", *arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr
    assert result.stderr.startswith("unquilt: ")
    assert result.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["pages.jsonl"]


def test_without_a_command_there_is_help() -> None:
    result = invoke("lexicon")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "unquilt lexicon build" in result.stderr
