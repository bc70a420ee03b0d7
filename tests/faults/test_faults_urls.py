"""docs/faults.md 32 and 40: URLs, ids and names of files that are hostile, and what becomes of links."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from faulty import files, ingest, invoke, line, peruse, refuse, response, write

pytestmark = pytest.mark.slow

URLS = {
    # URL: host, domain, path, recursive
    "http://192.0.2.7/a/b": ("192.0.2.7", "192.0.2.7", 2, False),
    "http://0xC0.0.2.7:8080/": ("192.0.2.7", "192.0.2.7", 0, False),
    "http://[2001:DB8::1]/x": ("2001:db8::1", "2001:db8::1", 1, False),
    "http://[::ffff:192.0.2.7]/": ("192.0.2.7", "192.0.2.7", 0, False),
    "http://user:pass@www.a.example:81/x": ("www.a.example", "a.example", 1, False),
    "http://a.example@b.example/": ("b.example", "b.example", 0, False),
    "http://B\u00fccher.example/\u00fc": ("xn--bcher-kva.example", "xn--bcher-kva.example", 1, False),
    "http://xn--bcher-kva.example/": ("xn--bcher-kva.example", "xn--bcher-kva.example", 0, False),
    "HTTP://WWW.A.EXAMPLE./": ("www.a.example", "a.example", 0, False),
    "http://a.b.co.uk/": ("a.b.co.uk", "b.co.uk", 0, False),
    "http://a.example/" + "/".join(f"d{level}" for level in range(96)): ("a.example", "a.example", 96, False),
    "http://a.example/" + "/".join(f"d{level}" for level in range(97)): ("a.example", "a.example", 97, True),
    "http://a.example" + "/x" * 4: ("a.example", "a.example", 4, False),
    "http://a.example" + "/x" * 5: ("a.example", "a.example", 5, True),
    "http://a.example/" + "x" * 1_000_000: ("a.example", "a.example", 1, False),
    "http://a.example/" + "x/" * 500_000: ("a.example", "a.example", 500_000, True),
    "http://" + "x" * 1_000_000 + ".example/": (None, None, 0, False),
    "http://" + "a." * 200 + "example/": (None, None, 0, False),
    "http://999.999.999.999/": (None, None, 0, False),
    "http://a.example:99999/": (None, None, 0, False),
    "javascript:alert(1)": (None, None, 0, False),
    "../../etc/x": (None, None, 0, False),
    "http://": (None, None, 0, False),
    "\0\x1b[2J\u202e": (None, None, 0, False),
}


def write_jsonl(path: Path, urls: list[str]) -> Path:
    return write(path, *(line(number, url=url) for number, url in enumerate(urls)))


def write_parquet(path: Path, urls: list[str]) -> Path:
    table = {"id": [f"urn:{n}" for n in range(len(urls))], "text": [f"page {n}" for n in range(len(urls))], "url": urls}
    pq.write_table(pa.table(table), path)
    return path


def test_fault_32_hostile_urls(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    write_jsonl(tmp_path / "in" / "a.jsonl", list(URLS))
    write_parquet(tmp_path / "in" / "b.parquet", list(URLS))
    found = ingest(tmp_path / "in", output=tmp_path / "out")
    assert found.pages == [*range(len(URLS))] * 2
    rows = [(row["url"], (row["host"], row["domain"], row["path"], row["recursive"])) for row in found.documents]
    assert rows == list(URLS.items()) * 2
    assert not found.rejects
    ended = invoke("quilts", tmp_path / "out", "-o", tmp_path / "run", "--foreign", "ip")
    assert ended.code == 0


def test_fault_32_in_archives(tmp_path: Path) -> None:
    """A header of an archive holds 64 KiB, so a longer URL costs its record."""
    urls = {url: where for url, where in URLS.items() if url.isprintable()}
    records = [response(number, WARC_Target_URI=url) for number, url in enumerate(urls)]
    found = peruse(write(tmp_path / "a.warc", *records))
    short = [(number, url) for number, url in enumerate(urls) if len(url) < 60_000]
    assert found.pages == [number for number, _ in short]
    assert [row["url"] for row in found.documents] == [url for _, url in short]
    assert [row["host"] for row in found.documents] == [urls[url][0] for _, url in short]
    assert {row["reason"] for row in found.rejects} == {"bad header"}  # one for all that follow each other


def test_fault_32_distinct_deep_paths(tmp_path: Path) -> None:
    urls = [f"http://a.example/{'/'.join(f'{number}-{level}' for level in range(90))}/" for number in range(20_000)]
    write_jsonl(tmp_path / "a.jsonl", urls)
    found = ingest(tmp_path / "a.jsonl", output=tmp_path / "out")
    assert [row["url"] for row in found.documents] == urls
    assert {(row["host"], row["path"], row["recursive"]) for row in found.documents} == {("a.example", 90, False)}


def test_fault_32_max_repeats(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "a.jsonl", [f"http://a.example{'/x' * times}" for times in range(5)])
    found = ingest(tmp_path / "a.jsonl", output=tmp_path / "out", options=["--max-repeats", 2])
    assert [row["recursive"] for row in found.documents] == [False, False, False, True, True]


# 40: names.

NAMES = ["../../etc/x", "/etc/passwd", "CON", "con", "nul.txt", "x" * 4096, "a\nb", "a/b\\c", ".", "..", "~", "x", "X"]


def tree(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def test_fault_40_ids_and_urls_are_no_paths(tmp_path: Path) -> None:
    """Documents are kept apart, and files are called the same whatever is in them."""
    plain = write(tmp_path / "in" / "plain.jsonl", *(line(number) for number in range(len(NAMES))))
    evil = write(tmp_path / "in" / "evil.jsonl", *(line(0, id=name, url=name, text=name) for name in NAMES))
    ingest(plain, output=tmp_path / "plain")
    found = ingest(evil, output=tmp_path / "evil")
    assert [(row["id"], row["url"], row["text"]) for row in found.documents] == [(name,) * 3 for name in NAMES]
    assert len({row["raw_sha1"] for row in found.documents}) == len(NAMES)
    assert files(tmp_path / "plain").keys() == files(tmp_path / "evil").keys()
    for command, folder in (("show", "evil"), ("quilts", "evil-run")):
        options = ["documents"] if command == "show" else ["-o", tmp_path / folder, "--as-published", "-k", 1, "-c", 1]
        assert invoke(command, tmp_path / "evil", *options).code == 0
    assert (
        invoke("quilts", tmp_path / "plain", "-o", tmp_path / "plain-run", "--as-published", "-k", 1, "-c", 1).code == 0
    )
    assert tree(tmp_path / "evil-run") == tree(tmp_path / "plain-run")
    assert {path.name for path in tmp_path.iterdir()} == {"in", "plain", "evil", "plain-run", "evil-run"}


def test_fault_40_names_of_files(tmp_path: Path) -> None:
    """Differing in case only, or strange: each is a document, with its path as it is for an id."""
    folder = tmp_path / "in"
    names = ["CON", "con", "a b", "-o", "--help", "[1]*?.txt", "x" * 255, "\u202e", "a\nb", "\\", "~"]
    for name in names:
        write(folder / name, name.encode())
    found = ingest(folder, output=tmp_path / "out")
    assert {row["id"]: row["text"] for row in found.documents} == {str(folder / name): name for name in names}
    assert tree(folder) == set(names)


def test_fault_40_links(tmp_path: Path) -> None:
    """In folders, links to files are read, links to folders are not followed, one to nowhere is a missing input."""
    write(tmp_path / "outside" / "file.txt", b"outside")
    folder = tmp_path / "in"
    write(folder / "a.txt", b"inside")
    (folder / "b.txt").symlink_to(tmp_path / "outside" / "file.txt")
    (folder / "c").symlink_to(tmp_path / "outside", target_is_directory=True)
    (folder / "d").symlink_to(folder, target_is_directory=True)
    found = ingest(folder, output=tmp_path / "out")
    assert [(row["id"], row["text"]) for row in found.documents] == [
        (str(folder / "a.txt"), "inside"),
        (str(folder / "b.txt"), "outside"),
    ]
    for name, target in (("e.txt", tmp_path / "nowhere"), ("f.txt", folder / "f.txt")):
        (folder / name).symlink_to(target)
        assert refuse(folder, output=tmp_path / name).startswith(f"{folder / name}: ")
        (folder / name).unlink()


def test_faults_40_and_48_output_in_the_input(tmp_path: Path) -> None:
    """It is refused; and what unquilt wrote beside what it is about, and was moved there, is not read again."""
    folder = tmp_path / "in"
    write(folder / "a.txt", b"text")
    assert "lies in the input" in refuse(folder, output=folder / "first")
    ingest(folder, output=tmp_path / "first")
    (tmp_path / "first").rename(folder / "first")
    found = ingest(folder, output=tmp_path / "second")
    assert [row["text"] for row in found.documents] == ["text"]
