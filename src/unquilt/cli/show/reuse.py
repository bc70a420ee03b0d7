"""Runs of reuse, as they are shown: what was copied most, and who copies most."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from unquilt.cli.show.views import Facts, View, read_top
from unquilt.cli.terminal.output import LONGEST_CELL, WIDEST, are, count, cut, printable, terminal_width
from unquilt.results import RunFolder
from unquilt.tables.reuse import NEIGHBOURHOODS, OBJECTS, STOP_CHUNKS, TARGETS

_MOST_OBJECTS = 3
_MOST_PLACES = 5
_MOST_TARGETS = 3
_LOOKED_AT = 100
"""Targets among which pages of ours are looked for."""
_UNITS = 1 << 30
"""Thresholds in a manifest are in units of 2⁻³⁰."""
_EXAMPLE = 60
"""Cells for an example, at least, and for what is said of it, at most."""


class DiscoverView(View):
    """A run of discovery."""

    def facts(self, folder: RunFolder) -> dict[str, Any]:
        summary = folder.run.manifest.get("summary", {})
        known = {name: summary.get(name, 0) for name in ("recursive", "without_url")}
        return known | {"leading": read_top(folder, OBJECTS.name, _MOST_OBJECTS)}

    def found(self, facts: Facts) -> Iterator[str]:
        objects, stopped = (facts["tables"][table.name]["rows"] for table in (OBJECTS, STOP_CHUNKS))
        yield f"{count(objects, 'object')} found again and again; {count(stopped, 'stop chunk')} left out"
        yield from dropped(facts)
        if not objects:
            asked = facts["parameters"]
            times = f"more than {asked['chunk_threshold']} times (chunks) or {asked['file_threshold']} times (files)"
            yield f"Nothing occurs {times}, on at least {count(asked['min_sites'], 'site')}. Try lower thresholds."
        if leading := facts.get("leading"):
            yield "What matters most:"
            yield from (f"  {describe_object(row)}" for row in leading)


def dropped(facts: Facts) -> Iterator[str]:
    """What did not take part."""
    if facts["recursive"]:
        which = "whose URLs look like a crawler that went round in circles"
        yield f"{count(facts['recursive'], 'document')} dropped, {which}"


def describe_object(row: Facts) -> str:
    """An object in a line."""
    where = f"{count(row['documents'], 'document')}, {count(row['sites'], 'site')}"
    example = cut(row["example"], max(_EXAMPLE, (terminal_width() or WIDEST) - _EXAMPLE))
    return f"{row['kind']} of {count(row['length'], 'character')} in {where}: {example}"


class DetectView(View):
    """A run of detection, or several of them merged."""

    def facts(self, folder: RunFolder) -> dict[str, Any]:
        summary = folder.run.manifest.get("summary", {})
        counts = (
            "recursive",
            "without_url",
            "matched",
            "excluded",
            "pages_of_ours",
            "file_targets",
            "partial_targets",
            "bad_neighbourhoods",
        )
        thresholds = {
            name: summary[place] / _UNITS if place in summary else None
            for name, place in (("page_threshold", "above_page"), ("neighbourhood_threshold", "above_neighbourhood"))
        }
        worst = find_worst(folder) if NEIGHBOURHOODS.name in folder.tables else None
        most = [row | {"own": is_own(row)} for row in read_top(folder, TARGETS.name, _LOOKED_AT) or ()]
        known = {name: summary.get(name, 0) for name in counts}
        known |= {"own_pages": sum(row["own"] for row in most), "leading": most[:_MOST_TARGETS]}
        return known | {"thresholds": thresholds, "worst": worst}

    def found(self, facts: Facts) -> Iterator[str]:
        targets, places = (facts["tables"][table.name]["rows"] for table in (TARGETS, NEIGHBOURHOODS))
        above = facts["thresholds"]
        yield f"{count(facts['matched'], 'labelled chunk')} found"
        kinds = f"{facts['file_targets']:,} as whole files, {facts['partial_targets']:,} by a share of labelled chunks"
        yield f"{count(targets, 'target')}: {kinds} above {above['page_threshold']:.3f}"
        bad = facts["bad_neighbourhoods"]
        some = f"{bad:,} of {count(places, 'neighbourhood')} {are(bad)} bad"
        measure = facts["parameters"]["bad_by"]
        yield f"{some}: of a {measure} above {above['neighbourhood_threshold']:.3f}"
        yield from dropped(facts)
        if facts["without_url"]:
            yield f"{count(facts['without_url'], 'document')} without a URL, in no neighbourhood"
        if sites := facts["parameters"].get("exclude_site"):
            names = ", ".join(printable(site) for site in sites)
            yield f"{count(facts['excluded'], 'document')} left out, of {names} (--exclude-site)"
        if leading := facts["leading"]:
            yield "Targets with most of it:"
            yield from (f"  {describe_target(row)}" for row in leading)
        if facts["own_pages"]:
            yield "Pages of ours are among the targets; --exclude-site leaves out a site of ours."
        for title, rows in (facts["worst"] or {}).items():
            if rows:
                yield f"The worst {title}:"
                yield from (f"  {_describe_place(row)}" for row in rows)

    def commands(self, where: str, facts: Facts) -> dict[str, str]:
        commands = super().commands(where, facts)
        if facts["tables"][TARGETS.name]["rows"]:
            commands |= {f"unquilt show {where} targets --doc ID": "one of them, with its labelled chunks marked"}
        return commands


def is_own(target: Facts) -> bool:
    """Whether a target is the page of ours that its text is from."""
    return target.get("ours") is not None and target["ours"] in (target["url"], target["id"])


def describe_target(row: Facts) -> str:
    """A target in a line: its URL, how much of it is labelled, and which page of ours that is from."""
    how = "a labelled file" if row["file"] else f"{row['matched']:,} of {count(row['chunks'], 'chunk')} labelled"
    ours = "" if row.get("ours") is None or row.get("own") else f", mostly from {cut(row['ours'], LONGEST_CELL)}"
    return f"{cut(row['url'] or row['id'], LONGEST_CELL)}  {how}{ours}"


def find_worst(folder: RunFolder) -> dict[str, list[dict[str, Any]]]:
    """The bad sites, and the bad folders, with the most labelled chunks; of folders in each other that have the same
    documents, the one that comes first."""
    bad = [row for row in read_top(folder, NEIGHBOURHOODS.name, 1000) or () if row["bad"]]
    sites = [row for row in bad if row["level"] == 1][:_MOST_PLACES]
    folders: list[dict[str, Any]] = []
    for row in bad:
        if row["level"] > 1 and not any(_is_same(row, other) for other in folders):
            folders.append(row)
        if len(folders) == _MOST_PLACES:
            break
    return {"sites": sites, "folders": folders}


def _is_same(one: Facts, other: Facts) -> bool:
    """Whether one of two neighbourhoods lies in the other, and has all of its documents."""
    shorter, longer = sorted((str(one["prefix"]), str(other["prefix"])), key=len)
    return longer.startswith(shorter) and bool(one["documents"] == other["documents"])


def _describe_place(row: Facts) -> str:
    shares = f"badness {row['badness']:.2f}, {row['matched']:,} of {count(row['chunks'], 'chunk')}"
    return f"{printable(row['prefix'])}  {shares} in {count(row['documents'], 'document')}"
