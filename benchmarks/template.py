"""Passages of a million pages that share one template: growth from 100 thousand pages on, and memory.

Each page has the same twelve sentences before and behind some of its own, and every tenth has copied four sentences of
a page of another site. What all pages have must cost no more than reading it: a million pages have 5·10¹¹ pairs.
"""

from __future__ import annotations

import json
import math
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import unquilt as uq
from benchmarks.record import WORK, Record, cost

SIZES = (100_000, 1_000_000)
PER_SITE = 100
CONSONANTS, VOWELS = "bdfgklmnprst", "aeiou"
VOCABULARY = ["".join(letters) for letters in product(CONSONANTS, VOWELS, CONSONANTS, VOWELS, CONSONANTS)]
"""43,200 words that differ in their first five letters, by which `reworded` knows them."""
MAKE = "import sys; from benchmarks.template import write; write(sys.argv[1], *map(int, sys.argv[2:]))"


def sentences(number: int, count: int) -> list[str]:
    """Sentences of eight words that depend on the number alone."""
    words = random.Random(number).choices(VOCABULARY, k=8 * count)
    return [" ".join(words[at : at + 8]).capitalize() + "." for at in range(0, len(words), 8)]


def pages(begin: int, end: int) -> Iterator[dict[str, str]]:
    template = sentences(-1, 12)
    head, foot = " ".join(template[:6]), " ".join(template[6:])
    for number in range(begin, end):
        own = sentences(number, 8)
        if number % 10 == 9 and number >= 10 * PER_SITE:  # from a page that copies from none
            own[2:6] = sentences(number - 10 * PER_SITE - 1, 8)[2:6]
        url = f"http://site{number // PER_SITE}.example/{number % PER_SITE}"
        yield {"id": str(number), "url": url, "text": "\n\n".join((head, " ".join(own), foot))}


def write(path: str, begin: int, end: int) -> None:
    with Path(path).open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(page) + "\n" for page in pages(begin, end))


def corpus(count: int) -> Path:
    """A corpus folder of that many pages, made once."""
    folder = WORK / f"template-{count}"
    if not folder.exists():
        texts = WORK / f"template-pages-{count}"
        texts.mkdir(parents=True, exist_ok=True)
        halves = [(0, count // 2), (count // 2, count)]
        makers = [
            subprocess.Popen([sys.executable, "-c", MAKE, str(texts / f"{begin:09}.jsonl"), str(begin), str(end)])
            for begin, end in halves
        ]
        if any(maker.wait() for maker in makers):
            raise SystemExit("the generator failed")
        cost("ingest", str(texts), "-o", str(folder), "--quiet")
        shutil.rmtree(texts)
    return folder


def measure(record: Record, sizes: tuple[int, ...] = SIZES) -> None:
    WORK.mkdir(exist_ok=True)
    commands = {name: ("passages", "--signature", name) for name in ("imatch", "grams")} | {"reworded": ("reworded",)}
    for name, (command, *options) in commands.items():
        taken = {}
        for count in sizes:
            place = WORK / "template"
            shutil.rmtree(place, ignore_errors=True)
            asked = (*options, "--memory", "4GB", "--threads", "2", "--quiet")
            spent = cost(command, str(corpus(count)), "-o", str(place), *asked)
            summary = uq.read(place).manifest["summary"]
            taken[count] = spent.processor
            planted = sum(number % 10 == 9 for number in range(10 * PER_SITE, count))
            note = f"{summary['words']:,} words; {summary['passages']:,} passages, {planted:,} planted"
            record.add(f"{name}: {count:,} pages", spent.processor, "s of processor time", note=note)
            floor = "8" if count == sizes[-1] else ""
            record.add(f"{name}: {count:,} pages, peak memory with --memory 4GB", spent.memory / 1e9, "GB", floor=floor)
        exponent = math.log(taken[sizes[-1]] / taken[sizes[0]]) / math.log(sizes[-1] / sizes[0])
        grown = f"{name}: growth from {sizes[0]:,} to {sizes[-1]:,} pages, exponent"
        record.add(grown, exponent, floor="below 1.1")
