"""A run of sites, as people ask for it: which sites live off others, off whom, and which of them are one network."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.compute as pc

from unquilt.analyses.site_verdicts import TAKING, VERDICTS
from unquilt.errors import UnquiltError
from unquilt.flow.kept import PLACES, Kept
from unquilt.results.folders import RunFolder
from unquilt.results.rows import Selection, TableRows
from unquilt.runs import Run
from unquilt.runs.manifest import MANIFEST
from unquilt.site_names import name_site
from unquilt.spelling import count
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.sites import DRAWS, NETWORK_PAIRS, SITES

Row = Mapping[str, Any]
FEW = 3
"""Names in a sentence."""
MISSING = {
    "judged": "quilts",
    "copied": "neardups --threshold 0.6",
    "popular": "phrases",
    "targets": "reuse detect",
    "sharing": "passages",
}
"""The run without which a column of sites has no values."""


_COUNTED = {
    "scraper": ("scraper", "scrapers"),
    "mirror": ("mirror", "mirrors"),
    "original": ("original", "originals"),
    "cannot tell": ("without a verdict", "without a verdict"),
}
"""How sites of some verdicts are counted: one, several."""


_MOST_FIRST = ("-quilts", "-new_grams")


class Network(NamedTuple):
    """Sites with one pool: the names of some, how many they are, and what two of them share."""

    names: Sequence[str]
    sites: int
    shares: str

    def say(self) -> str:
        """One sentence."""
        return f"{name_few(self.names, self.sites)} are one network: two of them share {self.shares}"


def name_few(names: Sequence[str], number: int | None = None) -> str:
    """Some names in a sentence.

    >>> name_few(["a", "b"]), name_few(["a", "b", "c", "d"])
    ('a and b', 'a, b, c and 1 more')
    """
    number = len(names) if number is None else number
    shown = list(names[:FEW])
    more = number - len(shown)
    last = f"{more:,} more" if more else shown.pop() if len(shown) > 1 else ""
    return " and ".join(part for part in (", ".join(shown), last) if part)


def count_verdicts(folder: RunFolder) -> str:
    """How many sites there are of each verdict."""
    sums = folder.run.manifest.get("summary", {})
    numbers = ((sums.get(name.replace(" ", "_"), 0), name) for name in VERDICTS)
    return ", ".join(count(number, *_COUNTED.get(name, (name, name))) for number, name in numbers if number)


def first_taking(folder: RunFolder, most: int) -> list[dict[str, Any]]:
    """The first sites that live off others, each with `from`: the names of those it draws on most."""
    rows: list[dict[str, Any]] = []
    for verdict in TAKING:  # in the order of their ranks
        rows += _read_only(folder, SITES.name, ("verdict", verdict), ("rank",), most)
    rows = rows[:most]
    return [row | {"from": [each["source_site"] for each in read_sources(folder, row["first"], FEW)]} for row in rows]


def read_sources(folder: RunFolder, first: int, most: int) -> list[dict[str, Any]]:
    """The sites that a site draws on most."""
    return _read_only(folder, DRAWS.name, ("first", first), _MOST_FIRST, most)


def read_takers(folder: RunFolder, first: int, most: int) -> list[dict[str, Any]]:
    """The sites that draw on a site most."""
    return _read_only(folder, DRAWS.name, ("from_first", first), _MOST_FIRST, most)


def _read_only(
    folder: RunFolder, table: str, only: tuple[str, object], sort: Sequence[str], most: int
) -> list[dict[str, Any]]:
    """The first rows with a value in a column; a condition would start DuckDB, which takes longer than all the rest."""
    return list(TableRows(folder, table, Selection(sort=sort, limit=most), names=False, only=only).rows())


def say_site(row: Row) -> str:
    """One sentence on a site that lives off others."""
    sources = [name for name in row["from"] if name is not None]
    most = f"; most is from {name_few(sources)}" if sources else ""
    return f"{row['site']} is {name_verdict(row['verdict'])}: {row['reasons']}{most}"


def name_verdict(verdict: str) -> str:
    """A verdict as a sentence has it.

    >>> name_verdict("scraper"), name_verdict("stitched")
    ('a scraper', 'stitched')
    """
    nouns = {"scraper": "a scraper", "mirror": "a mirror", "original": "an original"}
    return nouns.get(verdict, verdict)


def list_networks(folder: RunFolder) -> list[Network]:
    """All networks, the largest first."""
    if NETWORK_PAIRS.name not in folder.tables or not folder.table(NETWORK_PAIRS.name).rows:
        return []
    read = TableRows(folder, SITES.name, Selection(["rank", "network", "site", "shares"]), names=False)
    within = [row for part in read for row in part.filter(pc.is_valid(part["network"])).to_pylist()]
    members: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in sorted(within, key=lambda row: row["rank"]):
        members[row["network"]].append(row)
    found = [
        Network([row["site"] for row in rows], len(rows), str(rows[0]["shares"]).partition(" with ")[0])
        for rows in members.values()
    ]
    return sorted(found, key=lambda network: -network.sites)


def list_missing(folder: RunFolder) -> list[str]:
    """The runs that were not given, by which more would be known."""
    sums = folder.run.manifest.get("summary", {})
    return [name for column, name in MISSING.items() if not sums.get(f"has_{column}", 1)]


def find_site(folder: RunFolder, name: str) -> dict[str, Any] | None:
    """A site by its name."""
    return next(iter(_read_only(folder, SITES.name, ("site", name), (), 1)), None)


def site_of(folder: RunFolder, document: Row) -> dict[str, Any] | None:
    """The site of a document, which has its URL, host, domain and address; None if it is on none."""
    name = name_site(folder.run.manifest["parameters"]["site"], *(document.get(place) for place in PLACES))
    return None if name is None else find_site(folder, name)


def judged_beside(folder: RunFolder) -> Iterator[RunFolder]:
    """The runs of sites over the corpus of a run: itself, those beside it and beside the folder that it is in, and
    those in the current folder. One that cannot be read, or is not complete, says nothing."""
    if folder.corpus is None:
        return
    corpus, own = folder.corpus.path.resolve(), folder.run.path.resolve()
    for place in _run_folders((own.parent, own.parent.parent, Path.cwd())):
        with suppress(OSError, UnquiltError):
            # Most folders hold other runs, or none: the name is looked for before anything is checked.
            if f'"{SITES.name}"'.encode() not in (place / MANIFEST).read_bytes():
                continue
            if Run.read(place).manifest["analysis"] != SITES.name:
                continue
            there = RunFolder.open(place)
            if there.run.complete and there.corpus is not None and there.corpus.path.resolve() == corpus:
                yield there


def _run_folders(places: Iterable[Path]) -> Iterator[Path]:
    """The folders with a manifest that are directly in these, each once."""
    for place in dict.fromkeys(places):
        with suppress(OSError):
            yield from sorted(each for each in place.iterdir() if os.access(each / MANIFEST, os.R_OK))


def judge_site_of(folder: RunFolder, number: int) -> list[dict[str, Any]]:
    """What runs of sites near a run (`judged_beside`) say of the site of a document, each with `run`, the name of its
    folder. What two of one name say alike is there once."""
    document = next((row for _, row in folder.documents([number], PLACES)), {})
    found = []
    for there in judged_beside(folder) if document else ():
        with suppress(UnquiltError):
            site = site_of(there, document)
            if site is not None:
                known = {name: site[name] for name in ("site", "verdict", "reasons")}
                said = known | {"run": there.run.path.name}
                found += [said] if said not in found else []
    return found


def say_site_of(judged: Row) -> str:
    """One sentence on the site of a document.

    >>> say_site_of({"site": "a.org", "verdict": "mirror", "reasons": "9 of 9 pages stand also on b.org", "run": "s"})
    'Its site, a.org, is a mirror: 9 of 9 pages stand also on b.org (run s)'
    """
    name, verdict = judged["site"], judged["verdict"]
    what = f"There is no verdict on its site, {name}" if verdict == "cannot tell" else ""
    return f"{what or f'Its site, {name}, is {name_verdict(verdict)}'}: {judged['reasons']} (run {judged['run']})"


def read_pages(folder: RunFolder, site: Row, most: int) -> list[dict[str, Any]]:
    """The first pages of a site; looks through documents from its first one on, until there are enough."""
    by = folder.run.manifest["parameters"]["site"]
    found: list[dict[str, Any]] = []
    wanted = min(most, site["pages"])
    for row in _documents_from(folder.table(DOCUMENTS.name), site["first"]):
        if len(found) == wanted:
            break
        if name_site(by, *(row[place] for place in PLACES)) == site["site"]:
            found.append(row)
    return found


def _documents_from(documents: Kept, first: int) -> Iterator[dict[str, Any]]:
    for split in documents.splits():
        if split.keys is None or split.keys[1] >= first:
            for row in split.read(["doc", "id", "words", *PLACES]).to_pylist():
                if row["doc"] >= first:
                    yield row


def say_all(folder: RunFolder, most: int, worst: Sequence[Row] | None = None) -> list[str]:
    """Who lives off whom, in sentences: for the terminal, the report and the page. `worst` are the first that do, if
    they are known already."""
    worst = first_taking(folder, most) if worst is None else worst
    sums = folder.run.manifest.get("summary", {})
    taking = sum(sums.get(name, 0) for name in TAKING)
    number = folder.table(SITES.name).rows
    says = [f"{count(number, 'site')}: {count_verdicts(folder)}."]
    if sums.get("cannot_tell") == number:
        (largest, *_) = _read_only(folder, SITES.name, ("verdict", "cannot tell"), ("-pages", "rank"), 1)
        says.append(f"There is no verdict on {largest['site'] or 'any'}: {largest['reasons']}.")
    elif not taking:
        says.append("No site is found to live off others.")
    says += [f"{say_site(row)}." for row in worst]
    if taking > most:
        says.append(f"{count(taking - most, 'more site lives', 'more sites live')} off others.")
    networks = list_networks(folder)
    says += [f"{network.say()}." for network in networks[:FEW]]
    if len(networks) > FEW:
        says.append(f"There are {count(len(networks) - FEW, 'more network')}.")
    missing = list_missing(folder)
    if missing:
        says.append(f"More would be known with runs of {', '.join(missing)}.")
    return says
