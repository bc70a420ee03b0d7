"""Runs of sites, as they are shown: how many of each verdict, and the worst."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from unquilt.analyses.site_verdicts import TAKING, VERDICTS
from unquilt.cli.show.views import Facts, View
from unquilt.cli.terminal.output import count, printable
from unquilt.results import RunFolder
from unquilt.results.rows import read_table

MOST_NAMED = 5
_MISSING = {
    "judged": "quilts",
    "copied": "neardups",
    "popular": "phrases",
    "targets": "reuse detect",
    "sharing": "passages",
}
"""The analysis without which a column has no values."""


class SitesView(View):
    """A run of sites: which ones live off others, and why."""

    def facts(self, folder: RunFolder) -> dict[str, Any]:
        rows = list(read_table(folder.table("sites"))) if "sites" in folder.tables else []
        worst = [row for row in rows if row["verdict"] in TAKING]
        worst.sort(key=lambda row: (-(row["quilts"] or 0) - (row["copied"] or 0), row["first"]))
        numbers = folder.run.manifest.get("summary", {})
        missing = [name for column, name in _MISSING.items() if all(row[column] is None for row in rows)]
        return {"worst": worst[:MOST_NAMED], "missing": missing, "sums": numbers}

    def found(self, facts: Facts) -> Iterator[str]:
        yield from super().found(facts)
        numbers = ((facts["sums"].get(name.replace(" ", "_"), 0), name) for name in VERDICTS)
        yield "; ".join(f"{number:,} {name}" for number, name in numbers if number)
        for row in facts["worst"]:
            network = f" (a network: {row['shares']})" if row["shares"] else ""
            yield f"{printable(row['site'])}: {row['verdict']}; {row['reasons']}{printable(network)}"
        if facts["sums"].get("networks"):
            yield f"Networks of sites with one pool: {count(facts['sums']['networks'], 'network')}"
        if facts["missing"]:
            yield f"Not looked at, as no run was given: {', '.join(facts['missing'])}"
