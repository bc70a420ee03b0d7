"""Copies of ours: against the twin, on either engine, and what is left out."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
import twin_copies as twin

import unquilt
from unquilt.errors import InputError, ParameterError, RunError
from unquilt.jobs.own_pages import Pages
from unquilt.settings import Settings


def tell(rng: Random, sentences: int) -> str:
    """A text of words that nobody else has."""
    return " ".join(f"W{' '.join(f'{rng.randrange(10**9)}' for _ in range(20))}." for _ in range(sentences))


def make_table(pages: dict[str, str]) -> pa.Table:
    return pa.table({"id": list(pages), "url": list(pages), "text": list(pages.values())})


def find(pages: dict[str, str], ours: str = "ours.example", **asked: Any) -> dict[tuple[str, str], dict[str, Any]]:
    urls = list(pages)
    run = unquilt.copies(ours, make_table(pages), **asked)
    return {(urls[row["ours"]], urls[row["theirs"]]): row for row in run.copies.to_pylist()}


@pytest.mark.parametrize("seed", range(8))
def test_equal_words_and_our_page_are_those_of_the_twin(seed: int) -> None:
    rng = Random(seed)
    fresh = (f"x{number}" for number in range(10**6))
    pool = [[next(fresh) for _ in range(rng.randint(12, 60))] for _ in range(12)]

    def stitch(parts: int) -> list[str]:
        words: list[str] = []
        for piece in rng.sample(pool, parts):
            begin = rng.randrange(max(1, len(piece) // 3))
            words += [*piece[begin:], *(next(fresh) for _ in range(rng.randint(1, 9)))]
        return words

    pages = {f"http://ours.example/{number}": stitch(rng.randint(1, 5)) for number in range(7)}
    pages |= {f"http://they-{number}.example/": stitch(rng.randint(1, 6)) for number in range(6)}
    most = rng.choice((0, 2, 5))
    asked: dict[str, Any] = {"reworded": False, "min_words": 10, "max_ours": most, "notices": True}
    found = find({url: " ".join(words) for url, words in pages.items()}, **asked)
    ours = [url for url in pages if "ours" in url]
    lengths = {number: len(pages[url]) for number, url in enumerate(ours)}
    expected = {}
    for theirs in pages.keys() - ours:
        runs = {n: twin.find_runs(pages[url], pages[theirs], 10) for n, url in enumerate(ours)}
        runs = {n: some for n, some in runs.items() if some}
        for number, places in twin.choose(runs, lengths, most).items():
            expected[ours[number], theirs] = len(places) / len(pages[theirs])
    assert {pair: row["share_theirs"] for pair, row in found.items()} == pytest.approx(expected)


def test_the_same_with_more_threads(tmp_path: Path) -> None:
    rng = Random(5)
    articles = [tell(rng, 6) for _ in range(4)]
    pages = {f"http://ours.example/{number}": text for number, text in enumerate(articles)}
    pages |= {f"http://they-{number}.example/": f"{tell(rng, 2)} {text}" for number, text in enumerate(articles)}
    made = [
        unquilt.copies(
            "ours.example", make_table(pages), tmp_path / name, options=unquilt.JobOptions(settings=settings)
        )
        for name, settings in (
            ("local", Settings(threads=1)),
            ("more", Settings(threads=3, memory=256 << 20)),
        )
    ]
    assert made[0].copies.num_rows == 4
    for table in ("copies", "copying_sites", "passages"):
        files = {(run.path / f"{table}.parquet").read_bytes() for run in made}
        assert len(files) == 1


def test_strengths_and_shares() -> None:
    rng = Random(1)
    article = "\n\n".join(tell(rng, 3) for _ in range(3))
    paragraph = article.split("\n\n")[1]
    words = paragraph.split()
    pages = {"http://ours.example/a": article, "http://ours.example/b": tell(rng, 9)}
    pages["http://whole.example/"] = article
    pages["http://part.example/"] = f"{tell(rng, 3)} {' '.join(words[5:40])} {tell(rng, 1)}"
    pages["http://none.example/"] = tell(rng, 9)
    found = find(pages)
    assert set(found) == {("http://ours.example/a", f"http://{name}.example/") for name in ("whole", "part")}
    whole, part = (found["http://ours.example/a", f"http://{name}.example/"] for name in ("whole", "part"))
    assert (whole["strength"], whole["paragraphs"], whole["share_ours"], whole["share_theirs"]) == (
        "paragraphs",
        3,
        1,
        1,
    )
    assert (part["strength"], part["words"], part["equal_words"], part["passages"]) == ("words", 35, 35, 1)
    assert whole["our_sha1"] == whole["their_sha1"]


def test_what_is_left_out() -> None:
    rng = Random(2)
    articles = [tell(rng, 4) for _ in range(8)]
    menu = tell(rng, 1)
    notice = f"Copyright notice: this work comes without any warranty, under the licence of {tell(rng, 1)}"
    manifest = tell(rng, 2)
    pages = {f"http://www.ours.example/{n}": f"{menu}\n\n{text}\n\n{notice}" for n, text in enumerate(articles)}
    pages["http://www.ours.example/wlwmanifest.xml"] = manifest
    pages["http://blog.ours.example/again"] = articles[0]
    pages["http://mirror.example/"] = articles[1]
    pages["http://www.partner.example/news/1"] = articles[2]
    pages["http://www.partner.example/stolen/1"] = articles[3]
    pages["http://menu.example/"] = f"{menu}\n\n{tell(rng, 4)}"
    pages["http://notice.example/"] = f"{tell(rng, 4)}\n\n{notice}"
    pages["http://manifest.example/wlwmanifest.xml"] = manifest
    pages["http://thief.example/"] = f"{menu}\n\n{articles[4]}\n\n{notice}"
    asked: dict[str, Any] = {"except_": ["mirror.example", "http://www.partner.example/news/"]}
    found = find(pages, **asked)
    assert [theirs for _, theirs in found] == ["http://www.partner.example/stolen/1", "http://thief.example/"]
    assert [ours for ours, _ in found] == ["http://www.ours.example/3", "http://www.ours.example/4"]
    others = {theirs for _, theirs in find(pages, notices=True, max_ours=0, **asked)}
    assert {"http://menu.example/", "http://notice.example/"} <= others
    assert not any("ours" in theirs or "manifest" in theirs for theirs in others)


def test_pages_of_a_catalogue_can_be_copied() -> None:
    rng = Random(7)

    def describe() -> str:
        like = "The {} keeper of the {} lighthouse wrote every {} morning in a {} book how high the {} waves had been."
        return " ".join(like.format(*(f"w{rng.randrange(10**9)}" for _ in range(5))) for _ in range(6))

    pages = {f"http://ours.example/{number}": describe() for number in range(12)}
    pages["http://thief.example/"] = pages["http://ours.example/3"]
    assert [ours for ours, _ in find(pages)] == ["http://ours.example/3"]


def test_our_page_is_the_one_with_most_of_it() -> None:
    rng = Random(3)
    article = tell(rng, 10)
    pages = {
        "http://ours.example/": f"{tell(rng, 5)} {article[:400]} {tell(rng, 5)}",
        "http://ours.example/article": article,
        "http://ours.example/archive": f"{tell(rng, 30)} {article} {tell(rng, 30)}",
        "http://ours.example/other": tell(rng, 5),
        "http://thief.example/": f"{tell(rng, 3)} {article}",
    }
    ((pair, row),) = find(pages).items()
    assert pair == ("http://ours.example/article", "http://thief.example/")
    assert row["also"] == 2


def test_links_and_dates(tmp_path: Path) -> None:
    article = tell(Random(4), 6)

    def page(url: str, date: str, links: str) -> bytes:
        body = f"<html><body><p>{article}</p>{links}</body></html>".encode()
        content = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
        head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\nContent-Type: "
        return (
            f"{head}application/http;msgtype=response\r\nContent-Length: {len(content)}\r\n\r\n".encode()
            + content
            + b"\r\n\r\n"
        )

    records = [
        page("http://ours.example/a", "2020-01-02T03:04:05Z", ""),
        page("http://fair.example/", "2021-01-02T03:04:05Z", '<a href="https://ours.example/a#x">source</a>'),
        page("http://polite.example/", "nonsense", '<a href="http://ours.example/">ours</a>'),
        page("http://thief.example/", "2022-01-02T03:04:05Z", '<a href="http://elsewhere.example/">x</a>'),
    ]
    (tmp_path / "crawl.warc").write_bytes(b"".join(records))
    rows = unquilt.copies("ours.example", tmp_path / "crawl.warc").copies.to_pylist()
    assert [row["linked"] for row in rows] == ["page", "site", "no"]
    assert [row["their_date"] for row in rows] == ["2021-01-02T03:04:05Z", None, "2022-01-02T03:04:05Z"]
    assert {row["our_date"] for row in rows} == {"2020-01-02T03:04:05Z"}


@pytest.mark.slow
def test_ways_to_name_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random(6)
    articles = [tell(rng, 5) for _ in range(2)]
    pages = {"http://ours.example/blog/a": articles[0], "http://ours.example/b": articles[1]}
    pages |= {"http://they.example/a": articles[0], "http://they.example/b": articles[1]}
    urls = tmp_path / "urls.txt"
    urls.write_text("# ours\nhttps://ours.example/b/\n\n")
    expected = {"ours.example": "ab", "http://ours.example/blog": "a", "ours.example/blog": "a", str(urls): "b"}
    page = "http://ours.example/b"
    expected[str(unquilt.label(make_table({page: pages[page]}), tmp_path / "b.labels").path)] = "b"
    for name, found in expected.items():
        assert [ours[-1] for ours, _ in find(pages, name)] == list(found)
    monkeypatch.chdir(tmp_path)
    for folder, there in (("mine", articles), ("theirs", [tell(rng, 3), articles[1]])):
        Path(folder).mkdir()
        for number, text in enumerate(there):
            Path(folder, f"{number}.txt").write_text(text)
    (row,) = unquilt.copies("mine", "theirs").copies.to_pylist()
    assert (row["ours"], row["theirs"], row["site"], row["linked"]) == (1, 3, None, None)
    corpus = unquilt.ingest("theirs", "corpus")
    joined = unquilt.copies("mine", corpus.path, "joined").copies.to_pylist()
    assert joined == [row]
    both = unquilt.ingest(["mine", "theirs"], "both")
    assert unquilt.copies("mine", both.path).copies.to_pylist() == [row]
    Path("broken").mkdir()
    Path("broken", "a.txt.gz").write_bytes(b"no gzip")
    with pytest.raises(InputError, match="could be read there; unquilt ingest broken -o corpus says why"):
        unquilt.copies("broken", "theirs")
    unquilt.label("mine", "mine.labels")
    with pytest.raises(InputError, match="was made of pages without URLs"):
        unquilt.copies("mine.labels", "theirs")
    with pytest.raises(InputError, match="neither a file or folder nor a site"):
        unquilt.copies("nowhere", "theirs")
    with pytest.raises(InputError, match="no other document"):
        unquilt.copies("theirs", "theirs/0.txt")
    with pytest.raises(InputError, match="corpus is both OURS and INPUT"):
        unquilt.copies("corpus", corpus.path)
    Path("empty.txt").touch()
    with pytest.raises(InputError, match=r"empty.txt is empty"):
        unquilt.copies("empty.txt", corpus.path)
    placed = unquilt.ingest(make_table({"http://a.example/": articles[0]}), "placed").path
    for there, why in ((corpus.path, ": none has a URL"), (placed, ", which is neither a file nor one of its sites")):
        with pytest.raises(InputError, match=f"no document of the corpus belongs to 'nowhere.txt'{why}"):
            unquilt.copies("nowhere.txt", there, "run")
    assert not Path("run").exists()
    with pytest.raises(ParameterError):
        unquilt.copies("mine", "theirs", min_words=3)


def test_a_list_that_names_other_pages_is_another_run(tmp_path: Path) -> None:
    text = tell(Random(8), 5)
    pages = make_table({"http://ours.example/a": text, "http://ours.example/b": text, "http://they.example/": text})
    corpus, urls = unquilt.ingest(pages, tmp_path / "corpus"), tmp_path / "urls.txt"
    for page in "ab":
        urls.write_text(f"http://ours.example/{page}\n")
        if page == "b":
            with pytest.raises(RunError, match="holds another run: ours named other pages; choose another folder"):
                unquilt.copies(urls, corpus.path, tmp_path / "run")
        else:
            unquilt.copies(urls, corpus.path, tmp_path / "run")


def test_names_of_pages() -> None:
    page = {"url": "http://a.b.example.org/x/y", "host": "a.b.example.org", "domain": "example.org", "file": "f"}
    for name in ("example.org", "b.example.org", "A.B.example.org/", "http://a.b.example.org/x", "a.b.example.org/x/y"):
        assert Pages.named([name]).has(page)
    for name in ("xample.org", "c.example.org", "http://a.b.example.org/y", "org"):
        assert Pages.named([name]).has(page) is (name == "org")
