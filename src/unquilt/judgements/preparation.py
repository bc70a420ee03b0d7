"""A sample as a form or a command asks for it: drawn when it is first asked for, and the same ever after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from unquilt.errors import ParameterError
from unquilt.judgements.labels import LabelFile, Sample, Wanted, read_categories
from unquilt.judgements.samples import draw
from unquilt.results.folders import RunFolder

DEFAULT_CATEGORIES = "right, wrong, unsure"
DEFAULT_SIZE = 100
LONGEST_GUIDELINES = 20_000


def want_sample(run: str, folder: RunFolder, table: str, asked: Mapping[str, str]) -> Wanted:
    """A sample as a form or the command line asks for it: `sample`, `seed`, `categories`, `where`, `top`, `sort`,
    `blind`, `guidelines`, `several`."""
    if table not in folder.tables:
        folder.table(table)  # an error that names those that there are
    if asked.get("sort", "").strip() and not asked.get("top"):
        raise ParameterError("sort has no effect without top; leave it out")
    manifest = folder.run.manifest
    return Wanted(
        run=run,
        path=str(folder.run.path.absolute()),
        fingerprint=str(manifest["fingerprint"]),
        analysis=str(manifest["analysis"]),
        parameters=manifest["parameters"],
        table=table,
        condition=asked.get("where", "").strip(),
        size=read_whole("sample", asked.get("sample") or str(DEFAULT_SIZE)),
        seed=read_whole("seed", asked.get("seed") or "1"),
        categories=read_categories(asked["categories"]) if asked.get("categories") else (),
        top=read_whole("top", asked.get("top") or "0"),
        sort=asked.get("sort", "").strip(),
        blind=bool(asked.get("blind")),
        guidelines=asked.get("guidelines", "").strip()[:LONGEST_GUIDELINES],
        several=bool(asked.get("several")),
    )


def prepare(labels: LabelFile, folder: RunFolder, wanted: Wanted) -> Sample:
    """The sample that is wanted: as it was drawn before, or drawn now."""
    known = labels.find(wanted)
    if known is not None:
        return known
    wanted = replace(wanted, categories=wanted.categories or read_categories(DEFAULT_CATEGORIES))
    drawn = draw(folder, wanted.table, wanted.size, wanted.seed, wanted.condition or None, wanted.top, wanted.sort)
    if not drawn.items:
        raise ParameterError(f"{wanted.table} has no rows to draw from")
    return labels.add(wanted, drawn)


def read_whole(what: str, given: str) -> int:
    """A whole number that somebody wrote."""
    if not (given.isascii() and given.isdecimal() and len(given) < 16):
        raise ParameterError(f"{what} must be a whole number, not {given[:40]!r}")
    return int(given)
