"""Sets of prototypes: how long one of a million takes to open, and a mail of 2 kB to answer, by each method.

Mails are generated. Half of those that are asked about are prototypes with two words changed, the others new; how many
of each are found tells whether the work was done.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa

import unquilt as uq
from benchmarks.record import WORK, Record, peak, seconds

PROTOTYPES = 1_000_000
FEW = 1_000
ASKED = 2_000
BATCH = 10_000
METHODS: dict[str, dict[str, Any]] = {
    "shingles": {},
    "shingles, published functions": {"family": "rabin"},
    "imatch": {"method": "imatch"},
}


class Mails:
    """Mails of some 2 kB, the same ones every time: six runs of words from a long text each."""

    def __init__(self) -> None:
        random = Random(1)
        letters = "abcdefghijklmnopqrstuvwxyz"
        words = ["".join(random.choices(letters, k=random.randint(2, 9))) for _ in range(50_000)]
        weights = [1 / (rank + 10) for rank in range(len(words))]
        self._text = random.choices(words, weights, k=2_000_000)

    def mail(self, number: int) -> list[str]:
        random = Random(number)
        starts = [random.randrange(len(self._text) - 60) for _ in range(6)]
        return [word for start in starts for word in self._text[start : start + 52]]

    def tables(self, count: int) -> Iterator[pa.Table]:
        for begin in range(0, count, BATCH):
            numbers = range(begin, min(begin + BATCH, count))
            texts = [" ".join(self.mail(number)) for number in numbers]
            yield pa.table({"id": [f"mail-{number}" for number in numbers], "text": texts})

    def changed(self, number: int) -> str:
        words = self.mail(number)
        words[40] = words[200] = "changed"
        return " ".join(words)


def measure(record: Record) -> None:
    WORK.mkdir(exist_ok=True)
    mails = Mails()
    lexicon = uq.build_lexicon(pa.concat_tables(mails.tables(20_000)))
    random = Random(2)
    for name, given in METHODS.items():
        parameters = uq.SignatureParameters.from_dict(given)
        words = lexicon if parameters.method == "imatch" else None
        for count in (FEW, PROTOTYPES) if parameters.family == "fast" else (FEW,):
            path = WORK / "prototypes.set"
            before = peak()
            taken = seconds(lambda: uq.Filter.pack(path, mails.tables(count), parameters, words))  # noqa: B023
            known = [mails.changed(random.randrange(count)) for _ in range(ASKED // 2)]
            unknown = [" ".join(mails.mail(count + number)) for number in range(ASKED // 2)]
            if count == PROTOTYPES:
                note = f"mails made, signed and packed; {path.stat().st_size / count:.0f} bytes each"
                record.add(f"{name}: make a set of {count:,}", taken, "s", note=note)
                if peak() > before:  # which another method has raised already
                    record.add(f"{name}: … memory beyond what was used before", (peak() - before) / 1e6, "MB")
                record.add(f"{name}: open it", 1e6 * _open(path), "µs")
            _ask(record, f"{name}: {count:,} prototypes", uq.Filter.load(path), known, unknown)
            path.unlink()


def _open(path: Path) -> float:
    return statistics.median(seconds(lambda: uq.Filter.load(path)) for _ in range(101))


def _ask(record: Record, what: str, asked: uq.Filter, known: list[str], unknown: list[str]) -> None:
    found = [sum(bool(asked.match(mail)) for mail in mails) / len(mails) for mails in (known, unknown)]
    times = []
    for mail in [*known, *unknown]:
        begin = time.perf_counter()
        asked.match(mail)
        times.append(time.perf_counter() - begin)
    size = statistics.mean(map(len, known)) / 1000
    note = f"mails of {size:.1f} kB; found {found[0]:.0%} of those with two words changed, {found[1]:.1%} of new ones"
    record.add(f"{what}: answer a mail, median", 1e6 * statistics.median(times), "µs", floor="below 100", note=note)
    record.add(f"{what}: … slowest of a hundred", 1e6 * statistics.quantiles(times, n=100)[-1], "µs")
