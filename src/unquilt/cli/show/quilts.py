"""Runs of quilts, as they are shown: the sites they are on and draw on, and what to try where there are none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from unquilt.analyses.sites import SITE_TABLES, name_sites
from unquilt.cli.show.folders import Folder
from unquilt.cli.show.views import Facts, View, name_copies, read_top, see
from unquilt.cli.terminal.output import count, printable, typed

_MOST_SITES = 3
_FEW_SITES = 2
_LEFT_OUT = {
    "too_short": ("has fewer than {k} words", "have fewer than {k} words"),
    "nothing_shared": (
        "shares nothing (or only what more than {m} documents have)",
        "share nothing (or only what more than {m} documents have)",
    ),
    "own_site_only": ("shares text on its own {site} only", "share text on their own {site} only"),
    "below_min_share": (
        "has no source that covers {min_share:.0%} of what it shares, and {grams}",
        "have no source that covers {min_share:.0%} of what they share, and {grams}",
    ),
    "below_sigma": ("has less than {sigma:.0%} from sources", "have less than {sigma:.0%} from sources"),
    "above_max_largest": (
        "is explained by one source (more than {max_largest:.0%} of it)",
        "are explained by one source (more than {max_largest:.0%} of it)",
    ),
    "below_c": ("has fewer than {sources}", "have fewer than {sources}"),
    "above_max_own": (
        "has text that other pages of its own site have, too (more than {max_own:.0%} of it)",
        "have text that other pages of their own site have, too (more than {max_own:.0%} of it)",
    ),
    "above_max_sections": (
        "is a print view or the contents of other pages (more than {max_sections:.0%} of it)",
        "are print views or contents of other pages (more than {max_sections:.0%} of it)",
    ),
    "below_min_sewn": (
        "is a text that others have in parts, or a list of headings (less than {min_sewn:.0%} is sewn in)",
        "are texts that others have in parts, or lists of headings (less than {min_sewn:.0%} is sewn in)",
    ),
    "too_attributed": (
        "links to its sources (more than {max_attributed:.0%} of it)",
        "link to their sources (more than {max_attributed:.0%} of it)",
    ),
}
"""Documents that are no quilts, by the first limit that they fail, as the summary counts them: one, several."""
_OPTIONS = {
    "below_sigma": "--sigma",
    "above_max_largest": "--max-largest",
    "below_c": "-c",
    "above_max_own": "--max-own",
    "above_max_sections": "--max-sections",
    "below_min_sewn": "--min-sewn",
}
"""What to change for those that have sources."""


def sites_of(parameters: Facts) -> tuple[str, tuple[str, ...]]:
    """What sites are to a run, and the tables of those that quilts are on, and that they draw on."""
    by = name_sites(parameters.get("foreign", ""))
    return by, tuple(table.name for table in SITE_TABLES[by])


class QuiltView(View):
    """A run of quilts."""

    def facts(self, folder: Folder) -> dict[str, Any]:
        asked, summary = folder.run.manifest["parameters"], folder.run.manifest.get("summary", {})
        _, tables = sites_of(asked)
        found: dict[str, Any] = {name: read_top(folder, name, _MOST_SITES) for name in tables if name in folder.tables}
        found["left_out"] = {name: summary[name] for name in _LEFT_OUT if name in summary} or None
        found["without_url"] = summary.get("without_server")
        if found["left_out"] and found["left_out"]["own_site_only"] and not summary.get("quilts"):
            found["sites"] = {by: folder.distinct(by, _FEW_SITES) for by in ("domain", "host")}
        return found

    def found(self, facts: Facts) -> Iterator[str]:
        yield from super().found(facts)
        yield from sites(facts)
        if not facts["tables"]["quilts"]["rows"]:
            yield advise(facts)
        yield from left_out(facts)
        yield from without_url(facts)

    def entries(self, facts: Facts) -> Iterator[tuple[str, str]]:
        yield from super().entries(facts)
        yield from (("left out", line) for line in left_out(facts))
        yield from (("no url", line) for line in without_url(facts))

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
    hosts = "--foreign host, which tells its hosts apart, or " if by == "domain" and len(there["host"]) > 1 else ""
    only = f"only sources on another {asked['foreign']} count (--foreign {asked['foreign']})"
    return f"all documents are on one {by}, {printable(there[by][0])}, and {only}. Try {hosts}--foreign none."


def _by_limits(facts: Facts) -> str:
    """Which limit most of those documents fail that have sources, and what to do about it."""
    counts = facts["left_out"] or {}
    most = max(_OPTIONS, key=lambda name: counts.get(name, 0))
    if counts.get(most):
        value = facts["parameters"][_OPTIONS[most].strip("-").replace("-", "_")]
        look = f"unquilt show {typed(facts['folder'])} quilts {_OPTIONS[most]} …"
        return f"most documents with sources fail {_OPTIONS[most]} (now {value:g}). Without a new run: {look}"
    if counts.get("own_site_only"):
        only = f"only sources on another {facts['parameters']['foreign']} count"
        return f"what documents share is on their own site, and {only}. Try --foreign none, or host."
    return "no document has sources. Try a smaller -k, a larger -m or a smaller --min-share."


def left_out(facts: Facts) -> Iterator[str]:
    """How many documents are no quilts by which limit, each under the first that it fails."""
    counts, asked = facts["left_out"], facts["parameters"]
    if not counts:
        return
    words = {"site": name_sites(asked["foreign"]), "grams": count(asked.get("min_grams", 1), "gram")} | asked
    words["sources"] = count(asked["c"], "source")
    named = [count(counts[name], *what).format(**words) for name, what in _LEFT_OUT.items() if counts.get(name)]
    judged = facts["documents"] - (facts["copies"] or 0)
    if named:
        yield f"Of {count(judged, 'document')} judged, {', '.join(named)}"


def without_url(facts: Facts) -> Iterator[str]:
    """What it means that documents have no URL."""
    if facts["without_url"]:
        few = count(
            facts["without_url"],
            "document has no URL and counts as a site of its own",
            "documents have no URL and count as sites of their own",
        )
        they = "it shares" if facts["without_url"] == 1 else "they share"
        yield f"{few} (--foreign): what {they} with any other page counts. URLs: field url, or --base-url"
