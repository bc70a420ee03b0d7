"""docs/faults.md 13 to 17: records, tables and characters that are wrong; many kinds at once; and fuzzing.

The other faults of input: `test_faults_archives` (1-12), `test_faults_html` (18-25), `test_faults_urls` (32, 40).
"""

from __future__ import annotations

import io
import json
import random
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from faulty import (
    begins,
    execute,
    files,
    gz,
    ingest,
    invoke,
    line,
    mail,
    peruse,
    record,
    refuse,
    response,
    tables,
    without_progress,
    write,
    zst,
)

import unquilt
from unquilt.corpus.find.inputs import find
from unquilt.corpus.find.pieces import pieces
from unquilt.corpus.options import Limits, Reading
from unquilt.corpus.read import PieceReader
from unquilt.errors import InputError
from unquilt.settings import Settings

pytestmark = pytest.mark.slow


def parquet(columns: dict[str, list[object]], **settings: object) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file, **settings)
    return file.getvalue()


# 13, 14: JSONL.

BROKEN_LINES = [
    (b'{"id": "x", "text": "cut sho', "bad json"),
    (b'{"text": "two"} {"text": "objects"}', "bad json"),
    (b"\x1b[2J garbage \0", "bad json"),
    (b'["a", "list"]', "not an object"),
    (b'{"text": "caf\xe9"}', "not utf-8"),
    (b'{"text": "\xed\xa0\x80"}', "not utf-8"),
    (b'{"text": "\\ud800 alone"}', "lone surrogate"),
    (b'{"text": "x", "id": "\\udfff"}', "lone surrogate"),
    (b'{"text": "x", "url": "http://\\ud83d/"}', "lone surrogate"),
    (b'{"text": "x", "deep": ' + b"[" * 100_000 + b"}", "bad json"),
    (b'{"text": "' + b"x" * 2000 + b'"}', "too large"),
]
TEXTLESS = [b'{"text": null}', b"{}", b'{"text": 5}', b'{"text": ["x"]}', b'{"text": null, "html": null}']


@pytest.mark.parametrize("pack", [None, gz, zst])
def test_faults_13_and_14_bad_lines(pack: object, tmp_path: Path) -> None:
    bad = [*BROKEN_LINES, *((each, "no text") for each in TEXTLESS)]
    lines = [part for number, (each, _) in enumerate(bad) for part in (line(number), each + b"\n")]
    data = b"".join([*lines, line(len(bad))])
    file = write(tmp_path / "a.jsonl", pack(data) if callable(pack) else data)
    found = ingest(file, output=tmp_path / "out", options=["--max-bytes", "1kB"])
    assert found.pages == list(range(len(bad) + 1))
    assert [row["file"] for row in found.rejects] == [str(file)] * len(bad)
    reasons = ["too large" if len(each) > 1000 else reason for each, reason in bad]
    assert found.lost == [(begins(lines)[2 * number + 1], reason) for number, reason in enumerate(reasons)]


def test_fault_14_ids(tmp_path: Path) -> None:
    """A number is an id, nothing is `file#offset`, and one id may occur twice: documents are told apart by number."""
    ids = ["17", "1.5", '"x"', '"x"', '"X"', "null", "true", '""', '{"a": 1}', "1e999"]
    lines = [f'{{"id": {each}, "text": "page {number}"}}\n'.encode() for number, each in enumerate(ids)]
    lines.append(b'{"text": "page 10"}\n')
    file = write(tmp_path / "a.jsonl", *lines)
    found = ingest(file, output=tmp_path / "out")
    unnamed = [f"{file}#{begins(lines)[number]}" for number in range(5, 11)]
    assert [row["id"] for row in found.documents] == ["17", "1.5", "x", "x", "X", *unnamed]
    assert [row["text"] for row in found.documents] == [f"page {number}" for number in range(11)]
    assert not found.rejects


# 15: Parquet.

ROWS: dict[str, list[object]] = {
    "id": [f"urn:{number}" for number in range(3000)],
    "text": [f"page {number}" for number in range(3000)],
}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (parquet(ROWS)[:-1], "not a complete Parquet file: "),
        (parquet(ROWS)[:2000], "not a complete Parquet file: "),
        (b"PAR1", "not a complete Parquet file: "),
        (
            parquet({"id": ["x"], "content": ["y"]}),
            "no column 'text' or 'html'; it has id, content; say --field text=content",
        ),
        (parquet({"text": [1]}), "column 'text' is int64, not a string"),
    ],
)
def test_fault_15_parquet_without_footer_or_column(content: bytes, message: str, tmp_path: Path) -> None:
    file = write(tmp_path / "a.parquet", content)
    ended = invoke("ingest", file, "-o", tmp_path / "out")
    assert (ended.code, ended.out) == (1, "")
    (said,) = ended.err.splitlines()
    assert said.startswith(f"unquilt: {file}: {message}")
    assert not (tmp_path / "out").exists()


def test_fault_15_a_corrupt_row_group(tmp_path: Path) -> None:
    content = bytearray(parquet(ROWS, row_group_size=1000, compression="zstd"))
    column = pq.ParquetFile(io.BytesIO(content)).metadata.row_group(1).column(1)
    begin = column.dictionary_page_offset or column.data_page_offset
    for at in range(begin + 30, begin + column.total_compressed_size - 30):
        content[at] ^= 0x55
    found = ingest(write(tmp_path / "a.parquet", bytes(content)), output=tmp_path / "out")
    assert found.pages == [*range(1000), *range(2000, 3000)]
    assert found.lost == [(row, "corrupt parquet") for row in range(1000, 2000)]
    assert found.rejects[0]["detail"].startswith("row group 1 was given up at row 1000: ")


def test_fault_15_bad_rows(tmp_path: Path) -> None:
    texts = pa.array([b"page 0", None, b"caf\xe9", b"page 3"], pa.binary())
    pq.write_table(pa.table({"id": [f"urn:{i}" for i in range(4)], "text": texts}), tmp_path / "a.parquet")
    found = peruse(tmp_path / "a.parquet")
    assert (found.pages, found.lost) == ([0, 3], [(1, "no text"), (2, "not utf-8")])


# 16, 17: characters.

HOSTILE = "\0\x07\x1b[2J\x1b]0;title\x07\x9b\u202e\u2066\u200f\r\b\x7f\ufeff"


def test_fault_16_nothing_acts_on_the_terminal(tmp_path: Path) -> None:
    """In text, id, URL, header fields and file names; what is kept in the tables is what was there."""
    name = HOSTILE.replace("\0", "")
    folder = tmp_path / f"crawl{name}"
    evil = f"a {HOSTILE} z"
    write(folder / f"a{name}.jsonl", line(0, id=evil, text=evil, url=f"http://a.example/{evil}"), f"{evil}\n".encode())
    write(folder / f"b{name}.warc", response(1, evil.encode(), WARC_Target_URI=f"http://a.example/{name}", X=evil))
    write(folder / f"c{name}.mbox", mail(2, Subject=evil))
    write(folder / f"d{name}.txt", (f"{evil} " + "word " * 99).encode())
    write(folder / f"e{name}.png", b"\x89PNG\r\n\x1a\n" + bytes(99))
    pq.write_table(pa.table({"id": [evil], "text": [evil]}), folder / f"f{name}.parquet")
    output = tmp_path / f"out{name}"
    ended = execute("ingest", folder, "-o", output)  # this and the others below check what is printed
    assert ended.code == 0
    for arguments in (["documents"], ["rejects"], [], ["documents", "--json"], ["--json"], ["rejects", "--json"]):
        assert invoke("show", output, *arguments).code == 0
    found = tables(output)
    assert [row["reason"] for row in found.rejects] == ["bad json", "unknown kind"]
    assert found.texts[evil] == evil
    assert {row["file"] for row in found.documents + found.rejects} == {str(path) for path in folder.iterdir()}
    assert [json.loads(row)["id"] for row in invoke("show", output, "documents", "--json").out.splitlines()] == [
        row["id"] for row in found.documents
    ]
    assert invoke("quilts", output, "-o", tmp_path / "run").code == 0


def test_fault_16_in_errors(tmp_path: Path) -> None:
    file = write(tmp_path / f"a{HOSTILE[1:]}.warc")
    assert r"\x1b[2J" in refuse(file, output=tmp_path / "out")


RUSSIAN = "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему."
FRENCH = "Où êtes-vous allés cet été ? À la plage, près de la forêt, où les élèves étaient déjà."
JAPANESE = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。"


@pytest.mark.parametrize(
    ("text", "charset", "declared"),
    [
        (RUSSIAN, "cp1251", "utf-8"),
        (RUSSIAN, "koi8-r", "utf-8"),
        (RUSSIAN, "koi8-r", "no-such-charset"),
        (RUSSIAN, "utf-8", "no-such-charset"),
        (RUSSIAN, "utf-8", "ascii\x1b[2J"),
        (FRENCH, "latin-1", "utf-8"),
        (JAPANESE, "shift_jis", "utf-8"),
        (JAPANESE, "utf-8", "euc-jp"),
    ],
)
def test_fault_17_a_wrong_charset_in_header_or_meta(text: str, charset: str, declared: str, tmp_path: Path) -> None:
    meta = f'<meta charset="{declared}"><p>{text}'.encode(charset)
    records = [
        response(0, f"<p>{text}".encode(charset), http=f"Content-Type: text/html; charset={declared}\r\n"),
        response(1, meta, http="Content-Type: text/html\r\n"),
    ]
    write(tmp_path / "in" / "a.warc", *records)
    write(tmp_path / "in" / "b.html", meta)
    found = peruse(tmp_path / "in")
    if declared == "ascii\x1b[2J":  # as browsers have it: windows-1252, which any bytes may be
        assert len(found.documents) == 3
    else:
        assert [row["text"] for row in found.documents] == [text] * 3
    assert not found.rejects


@pytest.mark.parametrize("charset", ["utf-16-le", "utf-16-be"])
def test_fault_17_utf_16_without_a_mark(charset: str, tmp_path: Path) -> None:
    page = f"<!doctype html><p>{FRENCH}".encode(charset)
    write(tmp_path / "in" / "a.warc", response(0, page, http="Content-Type: text/html\r\n"))
    write(tmp_path / "in" / "b.html", page)
    write(tmp_path / "in" / "c", page)
    found = ingest(tmp_path / "in", output=tmp_path / "out")
    assert [row["text"] for row in found.documents] == [FRENCH] * 3
    assert not found.rejects


# All kinds at once.


def arc(number: int) -> bytes:
    body = b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>page %d\n" % number
    first = b"filedesc://x 0.0.0.0 20240101000000 text/plain 2\nx\n\n"
    return first + b"http://a.example/ 192.0.2.1 20240101000000 text/html %d\n" % len(body) + body + b"\n"


KINDS = {
    "page.html": b"<!doctype html><title>x</title><p>page 1<p>more",
    "page": b"\n<html><body>page 2",
    "text.txt": b"page 3\n",
    "text": "Straße, page 4".encode("latin-1"),
    "lines.jsonl": line(5) + line(6) + b"broken\n" + line(7),
    "lines": line(8),
    "table.parquet": parquet({"id": ["urn:9"], "html": ["<p>page 9"]}),
    "table": parquet({"id": ["urn:10"], "text": ["page 10"]}),
    "crawl.warc": response(11) + response(12, length=9) + response(13),
    "crawl": response(14),
    "old.arc": arc(15),
    "wet.warc.wet": record("conversion", 16, b"page 16", Content_Type="text/plain"),
    "box.mbox": mail(17) + mail(18),
    "box": mail(19),
    "one.eml": mail(20).split(b"\n", 1)[1],
    "empty.txt": b"",
    "image.png": b"\x89PNG\r\n\x1a\n" + bytes(99),
}


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files of every kind, named or not, plain and compressed."""
    folder = tmp_path_factory.mktemp("mixed")
    for name, content in KINDS.items():
        write(folder / "plain" / name, content)
        if not content.startswith(b"PAR1"):
            write(folder / "gzip" / f"{name}.gz", gz(content))
            write(folder / "zstd" / f"{name}.zst", zst(content))
            write(folder / "unnamed" / f"{name.replace('.', '-')}", gz(content))
    return folder


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are cut and packed as if they were large."""
    monkeypatch.setattr("unquilt.jobs.ingestion.pieces", partial(pieces, cut=300, pack=20_000))


def by_folder(found: object, folder: Path) -> dict[str, list[tuple[str, str]]]:
    rows: dict[str, list[tuple[str, str]]] = {}
    for row in found.documents:  # type: ignore[attr-defined]
        place = Path(row["file"]).relative_to(folder)
        rows.setdefault(place.parts[0], []).append((place.name.partition(".")[0].partition("-")[0], row["text"]))
    return rows


def test_mixed_kinds_are_told_apart(mixed: Path, tmp_path: Path) -> None:
    found = ingest(mixed, output=tmp_path / "out")
    rows = by_folder(found, mixed)
    pages = [text for _, text in rows["plain"]]
    numbers = [int(word) for text in pages for word in text.split() if word.isdigit()]
    assert sorted(numbers) == [number for number in range(1, 21) if number != 12]
    packable = sorted(row for row in rows["plain"] if row[0] != "table")
    assert sorted(rows["gzip"]) == sorted(rows["zstd"]) == packable
    reasons = [row["reason"] for row in found.rejects if "/plain/" in row["file"]]
    assert sorted(reasons) == ["bad json", "empty file", "unknown kind", "wrong length"]
    assert [row["file"] for row in found.documents] == sorted(
        (row["file"] for row in found.documents), key=lambda file: Path(file).parts
    )


def test_mixed_kinds_by_a_glob_and_by_names(mixed: Path, tmp_path: Path) -> None:
    folder = ingest(mixed / "gzip", output=tmp_path / "folder")
    names = [
        path for path in sorted((mixed / "gzip").iterdir()) if path.name.partition(".")[0] not in ("empty", "image")
    ]
    globbed = ingest(mixed / "gzip" / "[!ei]*", mixed / "gzip" / "one*", output=tmp_path / "glob")
    named = ingest(*names, output=tmp_path / "named")
    key = "file", "offset", "id", "text", "raw_sha1"
    expected = [[row[name] for name in key] for row in folder.documents]
    assert sorted([row[name] for name in key] for row in globbed.documents) == sorted(expected)
    assert [[row[name] for name in key] for row in named.documents] == expected


@pytest.mark.parametrize("name", [name for name in KINDS if name not in ("empty.txt", "image.png")])
def test_mixed_kinds_have_no_name_on_standard_input(name: str, mixed: Path, tmp_path: Path) -> None:
    named = mixed / "plain" / name
    (source,) = find(["-"], stdin=write(tmp_path / "stdin", KINDS[name]))
    rows = [row for batch in PieceReader(pieces([source])[0]).batches() for row in batch.documents.to_pylist()]
    assert [row["text"] for row in rows] == [row["text"] for row in peruse(named).documents]
    assert {row["file"] for row in rows} == {"-"}


def test_standard_input_by_the_command_line(tmp_path: Path) -> None:
    for number, content in enumerate((gz(response(1)), zst(mail(1)), line(1) + b"broken\n")):
        found = ingest("-", output=tmp_path / str(number), stdin=content)
        assert found.pages == [1]
        assert {row["file"] for row in found.documents + found.rejects} == {"-"}


@pytest.mark.parametrize("name", ["empty.txt", "image.png"])
def test_standard_input_of_no_use(name: str, tmp_path: Path) -> None:
    said = refuse("-", output=tmp_path / "out", stdin=KINDS[name])
    assert said.startswith(("-: standard input is empty", "-: binary, and not a known kind"))


@pytest.mark.usefixtures("small_pieces")
def test_the_same_corpus_for_any_number_of_threads(mixed: Path, tmp_path: Path) -> None:
    for threads in (1, 2, 3):
        ingest(mixed, output=tmp_path / str(threads), options=["--threads", threads])
    first = files(tmp_path / "1")
    assert len(first) > 8
    assert files(tmp_path / "2") == files(tmp_path / "3") == first


def test_the_same_corpus_on_spark(
    mixed: Path, tmp_path: Path, spark_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unquilt.jobs.ingestion.pieces", partial(pieces, cut=300, pack=80_000))
    ingest(mixed, output=tmp_path / "local", options=["--threads", 2])
    unquilt.ingest(mixed, tmp_path / "spark", options=unquilt.JobOptions(settings=spark_settings))
    assert files(tmp_path / "spark") == files(tmp_path / "local")
    assert len(files(tmp_path / "spark")) > 3


def test_the_same_documents_however_files_are_cut(mixed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ingest(mixed / "plain", output=tmp_path / "whole")
    monkeypatch.setattr("unquilt.jobs.ingestion.pieces", partial(pieces, cut=100, pack=100))
    cut = ingest(mixed / "plain", output=tmp_path / "cut")
    assert cut == whole


@pytest.mark.parametrize("most", [2, 3])
def test_more_rejects_than_allowed(most: int, tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", line(1), b"broken\n" * 3)
    ended = execute("ingest", file, "-o", tmp_path / "out", "--max-rejects", most)
    assert ended.code == (3 if most == 2 else 0)
    said = ["unquilt: 3 records were rejected, more than --max-rejects 2; everything else is done"]
    assert without_progress(ended.err) == (said if most == 2 else [])
    assert tables(tmp_path / "out").pages == [1]


def test_quilts_takes_any_kind(tmp_path: Path) -> None:
    """A quilt of four sources, each of another kind."""
    sources = [" ".join(f"{letter}{number}" for number in range(20)) for letter in "abcd"]
    write(tmp_path / "in" / "a.warc.gz", gz(response(1, f"<p>{sources[0]}".encode())))
    write(tmp_path / "in" / "b.mbox", mail(2) + f"{sources[1]}\n".encode())
    write(tmp_path / "in" / "c.txt", sources[2].encode())
    write(tmp_path / "in" / "d.parquet", parquet({"text": [sources[3]]}))
    write(tmp_path / "in" / "e.html", "".join(f"<p>{text}" for text in sources).encode())
    ended = invoke("quilts", tmp_path / "in", "-o", tmp_path / "run")
    assert ended.code == 0, ended.err
    (quilt,) = unquilt.read(tmp_path / "run").quilts.to_pylist()
    assert (quilt["id"], quilt["sources"]) == (str(tmp_path / "in" / "e.html"), 4)


# Beyond the list.


def mutate(rng: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """The data with some bits flipped, cut short, with a hole, with something else put in, or run into another file."""
    broken = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 20))):
        at = rng.randrange(len(broken) + 1)
        match rng.randrange(6):
            case 0 | 1 if at < len(broken):
                broken[at] ^= 1 << rng.randrange(8)
            case 2:
                del broken[at:]
            case 3:
                del broken[at : at + rng.randrange(200)]
            case 4:
                broken[at:at] = rng.choice(
                    (bytes(99), rng.randbytes(99), b"\n\n", b"WARC/1.0\r\n", b"From a", gz(b"x"))
                )
            case _:
                broken += rng.choice(others)
    return bytes(broken)


@pytest.mark.parametrize("seed", range(2))
def test_fuzz(seed: int, mixed: Path, tmp_path: Path) -> None:
    """Whatever the bytes are, reading ends with documents and rejects, or with one line that says why not."""
    rng = random.Random(seed)
    paths = sorted(path for path in mixed.rglob("*") if path.is_file())
    contents = [path.read_bytes() for path in paths]
    reading = Reading(limits=Limits(max_bytes=100_000))
    refused: list[str] = []
    for number in range(400):
        at = rng.randrange(len(paths))
        file = write(tmp_path / f"{number}-{paths[at].name}", mutate(rng, contents[at], contents))
        try:
            whole = peruse(file, reading=reading)
        except InputError as error:
            refused.append(str(error))
            continue
        finally:
            file.unlink()
        for row in whole.rejects:
            assert row["reason"]
            assert "\n" not in row["detail"]
            assert len(row["detail"]) < 500
    assert not [said for said in refused if "\n" in said or len(said) > 500]


def test_fuzz_by_the_command_line(mixed: Path, tmp_path: Path) -> None:
    """Many broken files at once: they are read, or one of them is refused, with a line that names it."""
    rng = random.Random(99)
    paths = sorted(path for path in mixed.rglob("*") if path.is_file() and "table" not in path.name)
    contents = [path.read_bytes() for path in paths]
    for number in range(300):
        at = rng.randrange(len(paths))
        write(tmp_path / "in" / f"{number}-{paths[at].name}", mutate(rng, contents[at], contents[:-9]))
    ended = execute("ingest", tmp_path / "in", "-o", tmp_path / "out")
    assert ended.code == 0, ended.err
    assert without_progress(ended.err) == []
    found = tables(tmp_path / "out")
    assert len(found.documents) > 100
    assert len(found.rejects) > 100
    assert len(list((tmp_path / "in").iterdir())) == 300  # nothing is written beside what is read
