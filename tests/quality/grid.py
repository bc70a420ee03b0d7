"""Prints what other limits are worth on the judged set, as docs/quilts.md has it: `python tests/quality/grid.py`.

About two minutes: the set is analysed once for each value of min_grams, and judged again for all other limits.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from campus_pages import crawl_campus
from judged_set import CHOSEN_ON, gather, judge, part_of, write
from law_pages import crawl_laws
from real_pages import Page

import unquilt

CRAWLS = {"a university": crawl_campus, "a code of law": crawl_laws}
SHARES = (0.01, 0.02, 0.03, 0.05, 0.1)
LARGEST = (1, 0.8, 0.6, 0.5, 0.4)
LOOSE: dict[str, Any] = {"min_share": 0.01, "max_largest": 1.0, "c": 3, "sigma": 0.4}
LOOSE |= {"max_own": 1.0, "max_sections": 1.0, "min_sewn": 0.0}
DEFAULTS: dict[str, Any] = {
    name: getattr(unquilt.QuiltParameters(), name)
    for name in ("c", "sigma", "min_share", "max_largest", "max_own", "max_sections", "min_sewn")
}
OTHERS: tuple[dict[str, Any], ...] = (
    {},
    *({"max_own": value} for value in (1.0, 0.9, 0.5)),
    *({"max_sections": value} for value in (1.0, 0.9, 0.7, 0.5)),
    *({"min_sewn": value} for value in (0.0, 0.6, 0.8)),
    *({"c": value} for value in (3, 6)),
    *({"sigma": value} for value in (0.4, 0.6)),
)


def measure(run: unquilt.Run, pages: Sequence[Page], **limits: Any) -> Iterable[str]:
    """Quilts, precision and recall, for the pages that limits are chosen on and for those held back."""
    verdicts = unquilt.judge(run, **DEFAULTS | limits)
    found = {pages[doc].id for doc in verdicts.filter(verdicts["quilt"])["doc"].to_pylist()}
    for chosen_on in (True, False):
        part = [page for page in pages if (part_of(page) in CHOSEN_ON) == chosen_on]
        judged = judge(part, found)
        yield from (str(judged.right + judged.wrong), f"{judged.precision:.2f}", f"{judged.recall:.2f}")


def measure_crawl(run: unquilt.Run, pages: Sequence[Page], **limits: Any) -> Iterable[str]:
    """The same for a generated crawl, and how many of the first hundred are wrong."""
    verdicts = unquilt.judge(run, **DEFAULTS | limits)
    found = verdicts.filter(verdicts["quilt"]).sort_by([("evidence", "descending")])
    quilts = [pages[doc] for doc in found["doc"].to_pylist()]
    judged = judge(pages, {page.id for page in quilts})
    wrong = sum(page.stitched is False for page in quilts[:100])
    return str(len(quilts)), f"{judged.precision:.2f}", f"{judged.recall:.2f}", str(wrong)


def say(*words: object) -> None:
    sys.stdout.write(f"{' '.join(map(str, words))}\n")


def main() -> None:
    pages = gather()
    with tempfile.TemporaryDirectory() as folder:
        write(pages, Path(folder, "pages.jsonl"))
        corpus = unquilt.ingest(Path(folder, "pages.jsonl"), Path(folder, "corpus")).path
        for grams in (1, 11, 16):
            run = unquilt.quilts(corpus, min_grams=grams, **LOOSE)
            for limits in OTHERS:
                say(grams, limits, *measure(run, pages, **limits))
        for share in SHARES:
            for largest in LARGEST:
                cells = measure(run, pages, min_share=share, max_largest=float(largest))
                say(f"| {share:g} | {largest:g} | {' | '.join(cells)} |")
    for name, crawl in CRAWLS.items():
        for foreign in ("domain", "host", "none"):
            with tempfile.TemporaryDirectory() as folder:
                pages = crawl()
                write(pages, Path(folder, "pages.jsonl"))
                # So near 1 that it leaves out nothing but what the own site has to the last gram is counted, too.
                loose: dict[str, Any] = {"max_sections": 1.0, "min_sewn": 0.0, "max_own": 0.9999}
                run = unquilt.quilts(Path(folder, "pages.jsonl"), Path(folder, "run"), foreign=foreign, **loose)
                for limits in OTHERS[:11]:
                    say(f"| {name} | {foreign} | {limits} | {' | '.join(measure_crawl(run, pages, **limits))} |")


if __name__ == "__main__":
    main()
