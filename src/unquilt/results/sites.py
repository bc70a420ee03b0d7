"""A run of sites, as people ask for it: which sites live off others, off whom, and which of them are one network."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from unquilt.analyses.site_verdicts import TAKING, VERDICTS
from unquilt.flow.kept import PLACES, Kept
from unquilt.results.folders import RunFolder
from unquilt.results.rows import Selection, TableRows
from unquilt.site_names import name_site
from unquilt.spelling import count
from unquilt.tables import DOCUMENTS, DRAWS, NETWORK_PAIRS, SITES

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
    condition = " or ".join(f"verdict = '{name}'" for name in TAKING)
    rows = list(
        TableRows(folder, SITES.name, Selection(where=condition, sort=("rank",), limit=most), names=False).rows()
    )
    return [row | {"from": [each["source_site"] for each in read_sources(folder, row["first"], FEW)]} for row in rows]


def read_sources(folder: RunFolder, first: int, most: int) -> list[dict[str, Any]]:
    """The sites that a site draws on most."""
    return _read_draws(folder, f"first = {first}", most)


def read_takers(folder: RunFolder, first: int, most: int) -> list[dict[str, Any]]:
    """The sites that draw on a site most."""
    return _read_draws(folder, f"from_first = {first}", most)


def _read_draws(folder: RunFolder, condition: str, most: int) -> list[dict[str, Any]]:
    wanted = Selection(where=condition, sort=("-quilts", "-new_grams"), limit=most)
    return list(TableRows(folder, DRAWS.name, wanted, names=False).rows())


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
    wanted = Selection(where="network is not null", sort=("rank",))
    members: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in TableRows(folder, SITES.name, wanted, names=False).rows():
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
    quoted = name.replace("'", "''")
    rows = TableRows(folder, SITES.name, Selection(where=f"site = '{quoted}'", limit=1), names=False).rows()
    return next(iter(rows), None)


def site_of(folder: RunFolder, document: Row) -> dict[str, Any] | None:
    """The site of a document, which has its URL, host, domain and address; None if it is on none."""
    name = name_site(folder.run.manifest["parameters"]["site"], *(document.get(place) for place in PLACES))
    return None if name is None else find_site(folder, name)


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


def say_all(folder: RunFolder, most: int) -> list[str]:
    """Who lives off whom, in sentences: for the terminal, the report and the page."""
    sums = folder.run.manifest.get("summary", {})
    taking = sum(sums.get(name, 0) for name in TAKING)
    number = folder.table(SITES.name).rows
    says = [f"{count(number, 'site')}: {count_verdicts(folder)}."]
    if not taking:
        says.append("No site is found to live off others.")
    says += [f"{say_site(row)}." for row in first_taking(folder, most)]
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
