"""Runs of quilts, as they are shown: the sites they are on and draw on, and what to try where there are none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow.compute as pc

from unquilt.analyses.limits import LIMITS, WITHOUT_SOURCES
from unquilt.analyses.quilt_parameters import QuiltParameters
from unquilt.cli.show.views import Facts, View, list_distinct, name_copies, read_top, see
from unquilt.cli.terminal.output import count, printable, typed
from unquilt.results import RunFolder
from unquilt.site_names import name_sites
from unquilt.tables.quilts import QUILTS, SITE_TABLES, SOURCES

_MOST_SITES = 3
_FEW_SITES = 2
_LEFT_OUT = {counter: words for counter, *words in WITHOUT_SOURCES.values()} | {
    limit.counter: [limit.one, limit.many] for limit in LIMITS
}
"""Documents that are no quilts, by the first limit that they fail, as the summary counts them: one, several."""
_OPTIONS = {limit.counter: limit.name for limit in LIMITS}
"""What to change for those that have sources."""


def sites_of(parameters: Facts) -> tuple[str, tuple[str, ...]]:
    """What sites are to a run, and the tables of those that quilts are on, and that they draw on."""
    by = name_sites(parameters.get("foreign", ""))
    return by, tuple(table.name for table in SITE_TABLES[by])


class QuiltView(View):
    """A run of quilts."""

    def facts(self, folder: RunFolder) -> dict[str, Any]:
        asked, summary = folder.run.manifest["parameters"], folder.run.manifest.get("summary", {})
        _, tables = sites_of(asked)
        found: dict[str, Any] = {name: read_top(folder, name, _MOST_SITES) for name in tables if name in folder.tables}
        found["left_out"] = {name: summary[name] for name in _LEFT_OUT if name in summary} or None
        if QUILTS.name in folder.tables:
            found["sources_of_quilts"] = sum(
                pc.sum(split.read(["sources"]).column(0)).as_py() or 0 for split in folder.table(QUILTS.name).splits()
            )
        found["published"] = summary.get("published")
        if found["published"] is not None:
            counters = {name: f"published_{name}" for name in _LEFT_OUT}
            found["published_left_out"] = {name: summary[of] for name, of in counters.items() if of in summary}
        found["without_url"] = summary.get("without_server")
        if found["left_out"] and found["left_out"]["own_site_only"] and not summary.get("quilts"):
            found["sites"] = {by: list_distinct(folder, by, _FEW_SITES) for by in ("domain", "host")}
        return found

    def number(self, name: str, facts: Facts) -> int:
        """The table of sources also has those of pages that came into question and are no quilts."""
        if name == SOURCES.name and "sources_of_quilts" in facts:
            number: int = facts["sources_of_quilts"]
            return number
        return super().number(name, facts)

    def found(self, facts: Facts) -> Iterator[str]:
        yield from super().found(facts)
        yield from sites(facts)
        if not facts["tables"]["quilts"]["rows"]:
            yield advise(facts)
        yield from judged(facts)
        yield from without_url(facts)

    def commands(self, where: str, facts: Facts) -> dict[str, str]:
        commands = super().commands(where, facts)
        if facts["tables"]["quilts"]["rows"]:
            commands |= {f"unquilt show {where} quilts --doc ID": "one of them, with its patches marked"}
            evidence = "with their texts, sources and what was copied"
            commands |= {f"unquilt export {where} quilts --evidence -o quilts.jsonl": evidence}
            _, tables = sites_of(facts["parameters"])
            commands |= {f"unquilt show {where} {name}": see(name) for name in tables if name in facts["tables"]}
        counts = facts["left_out"] or {}
        if counts:
            commands |= {f"unquilt show {where} verdicts": see("verdicts")}
        if facts["tables"]["quilts"]["rows"] or any(counts.get(name) for name in _OPTIONS):
            limits = "--sigma 0.7 -c 6" if facts["tables"]["quilts"]["rows"] else "--sigma 0.3 -c 2"
            commands |= {f"unquilt show {where} quilts {limits}": "the quilts by other limits, without a new run"}
        return commands


def sites(facts: Facts) -> Iterator[str]:
    """The sites that most quilts are on, and those that most quilts draw on, in a line each."""
    by, tables = sites_of(facts["parameters"])
    quilting, feeding = (facts.get(name) for name in tables)
    if quilting:
        named = (f"{_site(row[by])} ({row['quilts']:,} of {count(row['documents'], 'document')})" for row in quilting)
        yield f"Most quilts are on {', '.join(named)}"
    if feeding:
        named = (f"{_site(row[by])} ({count(row['quilts'], 'quilt')})" for row in feeding)
        yield f"They draw most on {', '.join(named)}"


def _site(name: str | None) -> str:
    return printable(name) if name is not None else "pages without URL"


def advise(facts: Facts) -> str:
    """What to try where no quilts were found."""
    asked, pairs = facts["parameters"], facts["pairs"]
    if not facts["documents"]:
        return "There are no quilts, as the corpus has no documents."
    if facts["copies"] and facts["documents"] - facts["copies"] == 1:
        each = name_copies(facts)[1]
        return f"There are no quilts: all documents are {each} of one, into which they were collapsed (--collapse)."
    if not pairs["patch"] and not pairs["common"] and facts["copies"]:
        rest = (
            f"but for {name_copies(facts)[1]}, which were collapsed, no two documents share {asked['k']} words in a row"
        )
        return f"There are no quilts: {rest}. Try a smaller -k, or --collapse none."
    if not pairs["patch"] and not pairs["common"]:
        return f"There are no quilts: no two documents share {asked['k']} words in a row. Try a smaller -k."
    if not pairs["patch"]:
        return f"There are no quilts: all that is shared is in more than {asked['m']} documents. Try a larger -m."
    return "There are no quilts: " + (_on_one_site(facts) or _by_limits(facts))


def _on_one_site(facts: Facts) -> str | None:
    """What to say where all documents are on one site, so that none can be a source of another."""
    asked, there = facts["parameters"], facts.get("sites") or {}
    by = asked["foreign"] if asked["foreign"] in there else "domain"
    if asked["foreign"] == "none" or facts["without_url"] or len(there.get(by, ())) != 1:
        return None
    hosts = "--site host, which tells its hosts apart, or " if by == "domain" and len(there["host"]) > 1 else ""
    only = f"only sources on another {asked['foreign']} count (--site {asked['foreign']})"
    return f"all documents are on one {by}, {printable(there[by][0])}, and {only}. Try {hosts}--site none."


def _by_limits(facts: Facts) -> str:
    """Which limit most of those documents fail that have sources, and what to do about it."""
    counts = facts["left_out"] or {}
    most = max(_OPTIONS, key=lambda name: counts.get(name, 0))
    if counts.get(most):
        value = facts["parameters"][_OPTIONS[most]]
        option = f"--{_OPTIONS[most].replace('_', '-')}"
        look = f"unquilt show {typed(facts['folder'])} quilts {option} …"
        return f"most documents with sources fail {option} (now {value:g}). Without a new run: {look}"
    if counts.get("own_site_only"):
        only = f"only sources on another {facts['parameters']['foreign']} count"
        return f"what documents share is on their own site, and {only}. Try --site none, or host."
    return "no document has sources. Try a smaller -k, a larger -m or a smaller --min-share."


def judged(facts: Facts) -> Iterator[str]:
    """How many documents are quilts, by these limits and as published, and by which limit the others are none: each is
    counted under the first that it fails."""
    counts, asked, number = facts["left_out"], facts["parameters"], facts["published"]
    if not counts or "quilts" not in facts["tables"]:  # a table that is damaged is told of elsewhere
        return
    documents = count(facts["documents"] - (facts["copies"] or 0), "document")
    defaults = all(asked.get(name) == value for name, value in QuiltParameters().to_dict().items())
    quilts = f"{count(facts['tables']['quilts']['rows'], 'quilt')} by {'default' if defaults else 'these limits'}"
    of_published = facts["published_left_out"] if number else {}
    if number:
        quilts += f", {number:,} as published (any other page is a source, and no limits but c and sigma)"
    rows = {name: (counts.get(name, 0), of_published.get(name, 0)) for name in _LEFT_OUT}
    some = {name: numbers for name, numbers in rows.items() if any(numbers)}
    also = " (in brackets: of those that are quilts as published)" if any(of_published.values()) else ""
    rest = f". The others, each by the first limit that it fails{also}:"
    yield f"{documents} judged: {quilts}{rest if some else ''}"
    cells = {name: (f"{here:,}", f"({there:,})" if also and there else "") for name, (here, there) in some.items()}
    widths = [max(map(len, column)) for column in zip(*cells.values(), strict=True)]
    for name, both in cells.items():
        numbers = " ".join(f"{cell:>{width}}" for cell, width in zip(both, widths, strict=True) if width)
        yield f"  {numbers} {_say_reason(name, some[name][0], asked)}"


def _say_reason(name: str, number: int, asked: Facts) -> str:
    """Why documents are no quilts, in words."""
    words = {"site": name_sites(asked["foreign"]), "grams": count(asked.get("min_grams", 1), "gram"), **asked}
    one, many = _LEFT_OUT[name]
    return (one if number == 1 else many).format(**words, sources=count(asked["c"], "source"))


def without_url(facts: Facts) -> Iterator[str]:
    """What it means that documents have no URL."""
    if facts["without_url"]:
        few = count(
            facts["without_url"],
            "document has no URL and counts as a site of its own",
            "documents have no URL and count as sites of their own",
        )
        they = "it shares" if facts["without_url"] == 1 else "they share"
        yield f"{few} (--site): what {they} with any other page counts. URLs: field url, or --base-url"
