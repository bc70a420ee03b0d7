"""Makes the table of common stems that `unquilt.align` falls back on: `python -m benchmarks.common_stems`.

Of each language that Debian's documentation is in, the share of words that have a stem, per 100,000; English from a few
pages of each package, the others from translated manuals. A stem counts if a fifth of the pages have it, so that the
table has the words of a language rather than those of a subject, and of English pages those count that are prose: lists
of functions have few articles. Prints the file
native/kernels/src/alignment/common_stems.txt; nothing but counts goes there.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator

import pyarrow as pa

import unquilt
from benchmarks.debian import debian

LETTERS = 5
STEMS = 200
ENGLISH = 400
PROSE = 0.04
"""The least share of "the" in English prose."""
PAGES = 400
PER_PACKAGE = 3
SHARE = 0.2
LANGUAGES = ["ca", "cs", "da", "de", "el", "es", "fr", "it", "ja", "ko", "nl", "pt", "ro", "ru", "sv", "zh_CN"]
FOLDER = re.compile(r"[/._](" + "|".join(LANGUAGES) + r")[/._]")
FOREIGN = re.compile(r"[/._-](?:[a-z]{2}_[A-Z]{2}|[a-z]{2})[/._]")


def choose_pages() -> dict[str, list[dict[str, str]]]:
    """Some pages of each language, the same ones each time."""
    pages: defaultdict[str, list[dict[str, str]]] = defaultdict(list)
    packages: Counter[str] = Counter()
    with gzip.open(debian("medium"), "rb") as lines:
        for line in lines:
            page = json.loads(line)
            package, found = page["id"].partition("/")[0], FOLDER.search(page["id"])
            if found:
                language = found[1].partition("_")[0]
            elif FOREIGN.search(page["id"]) or packages[package] == PER_PACKAGE:
                continue
            else:
                language = "en"
                packages[package] += 1
            if language == "en" or len(pages[language]) < PAGES:
                pages[language].append({"id": page["id"], "url": page["url"], "html": page["html"]})
    return pages


def count_stems(language: str, texts: list[str]) -> Iterator[tuple[str, int]]:
    """The commonest stems with their shares, per 100,000 words."""
    times: Counter[str] = Counter()
    holders: Counter[str] = Counter()
    pages = 0
    for text in texts:
        stems = [word[:LETTERS] for word, _, _ in unquilt.words(text)]
        if language == "en" and stems.count("the") < PROSE * len(stems):
            continue
        pages += 1
        times.update(stems)
        holders.update(set(stems))
    total = sum(times.values())
    usual = [(count, stem) for stem, count in times.items() if holders[stem] >= SHARE * pages]
    for count, stem in sorted(usual, key=lambda each: (-each[0], each[1]))[: ENGLISH if language == "en" else STEMS]:
        rate = round(count * 100_000 / total)
        if rate >= 10 and not stem.isdigit():
            yield stem, rate


def main() -> None:
    """Prints a line for each language: its name, then stems and shares in turn."""
    for language, pages in sorted(choose_pages().items()):
        corpus = unquilt.ingest(pa.Table.from_pylist(pages))
        texts = corpus.table("documents", columns=["text"]).column("text").to_pylist()
        line = " ".join(f"{stem} {rate}" for stem, rate in count_stems(language, texts))
        sys.stdout.write(f"{language} {line}\n")


if __name__ == "__main__":
    main()
