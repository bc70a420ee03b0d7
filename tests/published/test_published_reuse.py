"""`reuse` with the options of docs/deviations.md against the text of the paper (Ardi and Heidemann, ISI-TR-692), by an
oracle of its own: vectors of chunk hashes, counted; contains and badness as the paper's formulas have them, in
fractions."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import pairwise
from math import sqrt
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from faulty import invoke
from published_rows import options, run

import unquilt

pytestmark = pytest.mark.slow
PAPER = "Reuse"
RAW = options(PAPER, "a chunk is the source")
THRESHOLDS = options(PAPER, "discovery: files that occur")
TOP = options(PAPER, "blind labels of the evaluation")
STOP = options(PAPER, "a list of 226 stop chunks")
FILES = options(PAPER, "files of every type")
STOP_FILES = options(PAPER, "stop files")
STOP_OF = options(PAPER, "stop chunks are taken out")
LENGTHS = options(PAPER, "for Wikipedia")
RATIO = options(PAPER, "badness is defined as a mean")
EMPTY = "*"


class Page(NamedTuple):
    url: str
    chunks: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n\n".join(self.chunks)

    @property
    def row(self) -> dict[str, str]:
        return {"url": self.url, "text": self.text}


def sha1(said: str) -> str:
    return hashlib.sha1(said.encode(), usedforsecurity=False).hexdigest()


def draw(seed: int, number: int = 60) -> list[Page]:
    random = Random(seed)
    stock = [f"Paragraph {each} " + "says something at length. " * (each % 7) for each in range(40)]
    pages = []
    for doc in range(number):
        many = random.randint(1, 9)
        chunks = [
            random.choice([*stock, EMPTY, "Home", f"Only on page {doc}, part {at}."]).strip() for at in range(many)
        ]
        folder = random.choice(["", "a/", "a/b/", "c/"])
        pages.append(Page(f"http://site{random.randrange(6)}.example/{folder}{doc}.html", tuple(chunks)))
    return pages


def write(path: Path, *lines: str) -> str:
    path.write_text("\n".join(lines))
    return str(path)


def fill(given: list[str], path: str) -> list[str]:
    """The options, with a real file where docs say FILE."""
    return [path if word == "FILE" else word for word in given]


def find_objects(pages: list[Page], chunk_threshold: int, file_threshold: int, stops: set[str]) -> set[str]:
    """L: all objects whose number of duplicates is above the threshold, and that are no stop chunks or files."""
    chunks = Counter(sha1(chunk) for page in pages for chunk in page.chunks)
    files = Counter(sha1(page.text) for page in pages)
    found = {each for each, many in chunks.items() if many > chunk_threshold}
    return (found | {each for each, many in files.items() if many > file_threshold}) - stops


def read_objects(made: unquilt.Run) -> set[str]:
    return {each.hex() for each in made.objects["sha1"].to_pylist()}


def test_chunks_by_their_bytes(tmp_path: Path) -> None:
    """Every byte counts: white space, and the case of letters."""
    said = "One two three, and so on, as was said before."
    texts = [said.replace(" ", "  "), said, said.replace(" ", "\t"), said.replace(" ", "  ")]
    rows = [{"text": f"{text}\n\nOwn {at} text."} for at, text in enumerate(texts)]
    assert read_objects(run(tmp_path, "reuse discover", rows, *RAW)) == {sha1(texts[0])}
    assert len(run(tmp_path, "reuse discover", rows).objects.to_pylist()) == 1
    assert run(tmp_path, "reuse discover", rows).objects["occurrences"].to_pylist() == [4]


TAG = re.compile(r"<(/?)(p|div|ul|li|html|body)\b[^>]*>")
"""A tag of a paragraph, or of what paragraphs stand in."""
PARTS = [
    '<p><script>show("an advertisement", 468, 60)</script>',
    '<p><img src="http://tracker.example/pixel.gif" width=1>',
    '<p><a href="http://shop.example/?affiliate=77"></a></p>',
    "<p></p>",
    "<p> </p>",
    "<p>Said by many,\nword by word.",
    "<p class=wide>Said by many,\nword by word.",
    "<p>Said by  many, word by word.</p>",
    "<div class=menu><ul><li>Home<li>News</li></ul></div>",
    "<!-- the <p> of a comment --><p>After a comment</p>\n",
]


def draw_html(seed: int) -> list[str]:
    random = Random(seed)
    pages = []
    for page in range(40):
        own = [f"<p>Only on page {page}, part {part}.</p>" for part in range(2)]
        parts = random.sample([*random.choices(PARTS, k=random.randint(1, 6)), *own], k=3)
        pages.append(f"<html><body>{''.join(parts)}</body></html>")
    return pages


def cut_html(source: str) -> list[str]:
    """All bytes between two boundaries: a paragraph begins with its tag, and ends with its end tag, or where another
    begins or ends. Tags in comments and scripts are none."""
    plain = re.sub(r"(?s)<!--.*?-->|<script>.*?</script>", lambda found: "x" * len(found[0]), source)
    places, name = {0, len(source)}, ""
    for tag in TAG.finditer(plain):
        if not tag[1] or tag[2] != name:
            places.add(tag.start())
        places |= {tag.end()} if tag[1] else set()
        name = "" if tag[1] else tag[2]
    return [source[begin:end] for begin, end in pairwise(sorted(places))]


@pytest.mark.parametrize("seed", range(3))
def test_all_bytes_between_paragraph_boundaries(tmp_path: Path, seed: int) -> None:
    """Advertisements, pixels and links without a word are objects, the empty paragraph is, and so is a tag that differs
    from another."""
    pages = draw_html(seed)
    counted = Counter(sha1(chunk) for page in pages for chunk in cut_html(page))
    files = Counter(map(sha1, pages))
    expected = {each for each, many in (counted + files).items() if many > 1}
    rows = [{"html": page, "url": f"http://site{at}.example/"} for at, page in enumerate(pages)]
    made = run(tmp_path, "reuse discover", rows, *RAW, *STOP[:2])
    assert read_objects(made) == expected
    occurrences = {row["sha1"].hex(): row["occurrences"] for row in made.objects.to_pylist()}
    for part in PARTS[:4]:
        assert occurrences[sha1(part)] == counted[sha1(part)] > 1
    stopped = read_objects(run(tmp_path, "reuse discover", rows, *RAW, STOP[0]))
    assert stopped == expected - {sha1(chunk) for chunk in ("<p></p>", "<p> </p>", *EMPTY_TAGS)}
    assert sha1(PARTS[0]) not in read_objects(run(tmp_path, "reuse discover", rows, *STOP[:2]))


EMPTY_TAGS = ("<html>", "<body>", "</body>", "</html>", "<div class=menu>", "<ul>", "</ul>", "</div>", "\n")


def test_published_thresholds(tmp_path: Path) -> None:
    """A file 1,001 times, and a chunk 100,001 times, are objects; one time less, they are not."""
    often, less = "This is said too often by far.", "This is said just not often enough."
    whole = ["A file that is copied, more often than a thousand times.", "Another file that is not."]
    rows = [{"text": "\n\n".join([often] * 100 + [less] * 100 + [f"Page {n}."])} for n in range(1000)]
    rows += [{"text": often}] * 1 + [{"text": whole[0]}] * 1001 + [{"text": whole[1]}] * 1000
    assert read_objects(run(tmp_path, "reuse discover", rows, *THRESHOLDS, STOP[0])) == {sha1(often), sha1(whole[0])}


def test_the_most_frequent(tmp_path: Path) -> None:
    """The first so many by occurrences, not those that are long or on many sites."""
    rows = [{"text": "\n\n".join([f"Said {each} often."] * (2 + each % 50))} for each in range(2200)]
    counted = Counter({sha1(f"Said {each} often."): 2 + each % 50 for each in range(2200)})
    made = run(tmp_path, "reuse discover", rows, *TOP, *STOP[:1])
    found = read_objects(made)
    assert len(found) == 2121
    assert min(counted[each] for each in found) >= max(counted[each] for each in counted.keys() - found)


@pytest.mark.parametrize("seed", range(3))
def test_a_list_of_stop_chunks(tmp_path: Path, seed: int) -> None:
    """Nothing is left out but what the list says: no empty paragraph, no menu."""
    pages = draw(seed)
    listed = write(tmp_path / "stops", "Home", sha1(pages[0].chunks[0]))
    stops = {sha1("Home"), sha1(pages[0].chunks[0])}
    made = run(tmp_path, "reuse discover", [page.row for page in pages], *fill(STOP, listed))
    expected = find_objects(pages, 1, 1, stops)
    assert read_objects(made) == expected
    assert any(sha1(said) in expected for said in (EMPTY, "Paragraph 0"))
    assert read_objects(run(tmp_path, "reuse discover", [page.row for page in pages])) != expected


def test_files_of_every_type(tmp_path: Path) -> None:
    """H(f) of each file, whatever it is: pages, images, the empty file."""
    random, folder = Random(4), tmp_path / "crawl"
    stock = [b"", b"\x89PNG\r\n\x1a\n" + bytes(9), b"GIF89a\0\0\1", b"<p>A page that was copied.", b"\0\1\2\3" * 9]
    folder.mkdir()
    for number in range(40):
        own = b"\xff\xd8\xff\0" + number.to_bytes(4, "big") + bytes(8)
        (folder / f"{number}.bin").write_bytes(random.choice([*stock, own]))
    (folder / "page.html").write_bytes(stock[3])
    counted = Counter(hashlib.sha1(file.read_bytes(), usedforsecurity=False).hexdigest() for file in folder.iterdir())
    made = run(tmp_path / "runs", "reuse discover", folder, *FILES)
    files = {row["sha1"].hex(): row["occurrences"] for row in made.objects.to_pylist() if row["kind"] == "file"}
    assert files == {each: many for each, many in counted.items() if many > 1}
    assert len(files) == len(stock)


def test_stop_files(tmp_path: Path) -> None:
    """The empty file and a robots.txt that forbids everything are objects unless they are on the list."""
    forbidding = "User-agent: *\nDisallow: /"
    kept = "Another file that is copied as a whole."
    rows = [{"text": text} for text in ("*", "*", forbidding, forbidding, kept, kept)]
    listed = write(tmp_path / "stops", f"file {sha1('*')}", f"file {sha1(forbidding)}")
    made = run(tmp_path, "reuse discover", rows, *STOP[:2], *fill(STOP_FILES, listed))
    files = [row["sha1"].hex() for row in made.objects.to_pylist() if row["kind"] == "file"]
    assert files == [sha1(kept)]
    labels = tmp_path / "ours.labels"
    pages = tmp_path / "pages.jsonl"
    pages.write_text("".join(f'{{"text": "{row["text"]}"}}\n'.replace("\nDis", "\\nDis") for row in rows))
    ended = invoke("reuse", "label", pages, "-o", labels, "-q", *fill(STOP_FILES, listed))
    assert ended.code == 0, ended.err
    assert unquilt.LabelSet.load(labels).counts["files"] == 1


def name_neighbourhoods(url: str) -> list[str]:
    host, *folders = url.removeprefix("http://").split("/")[:-1]
    return ["/".join([host, *folders[:level], ""]) for level in range(len(folders) + 1)]


class Judged(NamedTuple):
    """What the paper calls partial targets and bad neighbourhoods, and what was compared."""

    contains: dict[str, Fraction]
    partial: set[str]
    badness: dict[str, Fraction]
    bad: set[str]


def above(shares: dict[str, Fraction]) -> set[str]:
    """Those above the mean by more than a standard deviation."""
    mean = sum(shares.values()) / len(shares)
    deviation = sqrt(sum((share - mean) ** 2 for share in shares.values()) / len(shares))
    return {name for name, share in shares.items() if share > mean + deviation + 1e-7}


def judge(pages: list[Page], labels: set[str], stops: set[str], *, by_ratio: bool) -> Judged:
    """contains(L, f) over all chunks of f; badness(N) after stop chunks were taken out."""
    contains: dict[str, Fraction] = {}
    places: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for page in pages:
        hashes = [sha1(chunk) for chunk in page.chunks]
        contains[page.url] = Fraction(sum(each in labels for each in hashes), len(hashes))
        left = [each for each in hashes if each not in stops]
        for place in name_neighbourhoods(page.url):
            places[place].append((sum(each in labels for each in left), len(left)))
    badness = {}
    for place, pairs in places.items():
        shares = [Fraction(some, max(1, many)) for some, many in pairs]
        badness[place] = sum(shares) / len(pairs)
        if by_ratio:
            badness[place] = Fraction(sum(some for some, _ in pairs), max(1, sum(many for _, many in pairs)))
    return Judged(contains, above(contains), badness, above(badness))


@pytest.mark.parametrize("by_ratio", [False, True])
def test_detection(tmp_path: Path, by_ratio: bool) -> None:
    """Labels are chunks of more than 100 characters; shorter ones are chunks of pages all the same. Stop chunks count
    for pages, and not for neighbourhoods."""
    found = 0
    for seed in range(4):
        pages = draw(seed)
        reference = draw(seed + 100, 3)
        given = tmp_path / f"ours-{seed}.jsonl"
        given.write_text("".join(f'{{"text": "{page.text}"}}\n'.replace("\n\n", "\\n\\n") for page in reference))
        labels, stops = tmp_path / f"{seed}-{by_ratio}.labels", write(tmp_path / "stops", "Home", EMPTY)
        asked = [*RAW, *LENGTHS, "--no-trivial-stop", "--stop", stops, "--no-files"]
        assert invoke("reuse", "label", given, "-o", labels, "-q", *asked).code == 0
        known = {sha1(chunk) for page in reference for chunk in page.chunks if len(chunk) > 100}
        assert unquilt.LabelSet.load(labels).counts == {"chunks": len(known), "files": 0, "stop_chunks": 2}
        rows = [page.row for page in pages]
        made = run(tmp_path, "reuse detect", rows, "--labels", str(labels), *STOP_OF, *(RATIO if by_ratio else []))
        expected = judge(pages, known, {sha1("Home"), sha1(EMPTY)}, by_ratio=by_ratio)
        shares = {row["url"]: row["share"] / 2**30 for row in made.contents.to_pylist()}
        assert shares == pytest.approx({url: float(share) for url, share in expected.contains.items()}, abs=2e-9)
        assert {row["url"] for row in made.targets.to_pylist()} == expected.partial
        column = "ratio" if by_ratio else "badness"
        judged = {row["prefix"]: row[column] for row in made.neighbourhoods.to_pylist()}
        assert judged == pytest.approx({place: float(share) for place, share in expected.badness.items()}, abs=2e-9)
        assert {row["prefix"] for row in made.neighbourhoods.to_pylist() if row["bad"]} == expected.bad
        found += len(expected.bad) + len(expected.partial)
    assert found > 20
