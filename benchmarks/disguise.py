"""How much of what is found without a disguise is found with one.

    python -m benchmarks.disguise [pages] > disguise.md

Takes the demo web, with copies of every sixth page on another site, in which every two-hundredth word is another one.
Disguises every page that quilts, neardups, passages or reuse found something in (of two that share something, the later
one): invisible characters or look-alikes in a share of its words, or hidden words. Counts which quilts,
near-duplicates, pairs with passages and repeated paragraphs are found again.
"""

from __future__ import annotations

import html
import json
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa

import unquilt as uq
from unquilt.demo import write_jsonl

Disguise = Callable[[str, float, random.Random], str]
Found = dict[str, set[object]]


def _in_words(change: Callable[[str, random.Random], str]) -> Disguise:
    def disguise(text: str, share: float, draw: random.Random) -> str:
        parts = []
        for line in text.split("\n"):
            words = [change(word, draw) if draw.random() < share else word for word in line.split(" ")]
            parts.append(" ".join(words))
        return "\n".join(parts)

    return disguise


def _insert(character: str) -> Disguise:
    def change(word: str, draw: random.Random) -> str:
        if len(word) < 2:
            return word
        at = draw.randrange(1, len(word))
        return word[:at] + character + word[at:]

    return _in_words(change)


def _replace(of: str, by: str) -> Disguise:
    table = str.maketrans(of, by)
    return _in_words(lambda word, _: word.translate(table))


SMALL = "abcdefghijklmnopqrstuvwxyz"
IN_WORDS: dict[str, Disguise] = {
    "soft hyphen": _insert("\u00ad"),
    "zero-width space": _insert("\u200b"),
    "Cyrillic a, e, o": _replace("aeo", "аео"),
    "all Cyrillic look-alikes": _replace("aceopxyisjhABCEHKMOPTXIS", "асеорхуіѕјһАВСЕНКМОРТХІЅ"),
    "Greek look-alikes": _replace("oviuABEHIKMNOPTXYZ", "ονιυΑΒΕΗΙΚΜΝΟΡΤΧΥΖ"),
    "Cyrillic and Greek": _replace("aeopc", "аеοрс"),
    "fullwidth": _replace(SMALL, "".join(chr(0xFF41 + i) for i in range(26))),
    "mathematical": _replace(SMALL, "".join(chr(0x1D41A + i) for i in range(26))),
    "circled": _replace(SMALL, "".join(chr(0x24D0 + i) for i in range(26))),
}
HIDING = {
    "a class": ("<style>.h{display:none}</style>", 'class="h"'),
    "an id": ("<style>#h{display:none}</style>", 'id="h"'),
    "a tag": ("<style>span{display:none}</style>", ""),
    "visibility": ("", 'style="visibility:hidden"'),
    "off-screen": ("", 'style="position:absolute;left:-9999px"'),
    "white on white": ("", 'style="color:#fff"'),
    "font 0": ("", 'style="font-size:0"'),
    "opacity 0": ("", 'style="opacity:0"'),
    "clipped": ("<style>#h,.h{clip:rect(0 0 0 0);position:absolute}</style>", 'class="h"'),
}


def _as_html(text: str, style: str, hidden: str, draw: random.Random, *, between: bool) -> str:
    """A page with as many hidden words as it has, at its end or one after every fourth word."""
    words = text.split()
    if not between:
        padding = " ".join(draw.choice(words) for _ in words)
        text += f"\n\n\0{padding}\1"
    paragraphs = []
    for paragraph in text.split("\n\n"):
        said = paragraph.split(" ")
        if between:
            said = [f"{word} \0{draw.choice(words)}\1" if i % 4 == 3 else word for i, word in enumerate(said)]
        paragraphs.append(f"<p>{html.escape(' '.join(said))}</p>".replace("\0", f"<span {hidden}>"))
    return style + "\n".join(paragraphs).replace("\1", "</span>")


def _analyse(pages: pa.Table, *, plain: bool = False) -> Found:
    with tempfile.TemporaryDirectory() as folder:
        reading = uq.Reading(words="plain", hidden="keep") if plain else uq.Reading()
        corpus = uq.ingest(pages, Path(folder) / "corpus", options=uq.JobOptions(reading=reading)).path
        quilts = uq.quilts(corpus, Path(folder) / "quilts")
        near = uq.neardups(corpus, Path(folder) / "near")
        passages = uq.passages(corpus, Path(folder) / "passages")
        reuse = uq.discover(corpus, Path(folder) / "reuse")
        return {
            "quilts": set(quilts.quilts["doc"].to_pylist()),
            "near-duplicates": {row["doc"] for row in near.clusters.to_pylist() if not row["keep"]},
            "passages": {(row["a"], row["b"]) for row in passages.passage_pairs.to_pylist()},
            "reuse": {(row["sha1"], row["occurrences"]) for row in reuse.objects.to_pylist() if row["kind"] == "chunk"},
        }


def _again(found: Found, wanted: Found) -> str:
    shares = [f"{len(found[name] & wanted[name]) / max(1, len(wanted[name])):.1%}" for name in wanted]
    return " | ".join(shares)


def _with_copies(pages: list[dict[str, str]]) -> list[dict[str, str]]:
    draw = random.Random(2)
    copies = []
    for page in pages[::6]:
        words = page["text"].split(" ")
        said = " ".join(draw.choice(words) if i % 200 == 100 else word for i, word in enumerate(words))
        copies.append({"id": f"copy of {page['id']}", "url": f"http://copies.example/{len(copies)}", "text": said})
    return pages + copies


def rows(pages: list[dict[str, str]]) -> Iterator[str]:
    """The lines of the table."""
    asked = _with_copies([{"id": page["id"], "url": page["url"], "text": page["text"]} for page in pages])
    clean = _analyse(pa.Table.from_pylist(asked))
    chosen = {*clean["quilts"], *clean["near-duplicates"], *(b for _, b in clean["passages"])}
    counts = " | ".join(f"{len(each):,}" for each in clean.values())
    yield f"| disguise | words | {' | '.join(clean)} |"
    yield f"|{' --- |' * (2 + len(clean))}"
    yield f"| none: found | - | {counts} |"
    for name, disguise in IN_WORDS.items():
        for share, plain in ((0.1, False), (0.3, False), (1.0, False), (0.3, True)):
            draw = random.Random(1)
            made = [
                page | {"text": disguise(page["text"], share, draw) if number in chosen else page["text"]}
                for number, page in enumerate(asked)
            ]
            found = _analyse(pa.Table.from_pylist(made), plain=plain)
            yield f"| {name}{', words as written' if plain else ''} | {share:.0%} | {_again(found, clean)} |"
    as_html = [page | {"html": _as_html(page["text"], "", "", random.Random(1), between=False)} for page in asked]
    for page in as_html:
        page["html"] = "".join(f"<p>{html.escape(part)}</p>\n" for part in page.pop("text").split("\n\n"))
    clean = _analyse(pa.Table.from_pylist(as_html))
    yield f"| none, as HTML: found | - | {' | '.join(f'{len(each):,}' for each in clean.values())} |"
    cases = [(name, between, plain) for name in HIDING for between, plain in ((False, False), (True, False))]
    cases += [("visibility", False, True), ("visibility", True, True)]
    for name, between, plain in cases:
        style, hidden = HIDING[name]
        draw = random.Random(1)
        made = [
            page | ({"html": _as_html(text["text"], style, hidden, draw, between=between)} if n in chosen else {})
            for n, (page, text) in enumerate(zip(as_html, asked, strict=True))
        ]
        found = _analyse(pa.Table.from_pylist(made), plain=plain)
        kept = ", kept" if plain else ""
        where = "after every fourth word" if between else "twice the length"
        yield f"| hidden by {name}{kept} | {where} | {_again(found, clean)} |"


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "demo.jsonl"
        write_jsonl(path, int(sys.argv[1]) if len(sys.argv) > 1 else 1200)
        pages = [json.loads(line) for line in path.read_text().splitlines()]
    for line in rows(pages):
        print(line, flush=True)


if __name__ == "__main__":
    main()
