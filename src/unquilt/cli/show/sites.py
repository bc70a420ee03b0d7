"""Runs of sites, as they are shown: who lives off whom, in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from unquilt.cli.show.views import Facts, View
from unquilt.cli.terminal.output import printable
from unquilt.results import RunFolder
from unquilt.results.sites import first_taking, list_missing, list_networks, say_all
from unquilt.tables.sites import SITES

MOST_NAMED = 5


class SitesView(View):
    """A run of sites: which ones live off others, off whom, and why."""

    def facts(self, folder: RunFolder) -> dict[str, Any]:
        if SITES.name not in folder.tables or not folder.run.complete:
            return {"says": []}
        worst = first_taking(folder, MOST_NAMED)
        return {
            "says": say_all(folder, MOST_NAMED, worst),
            "worst": worst,
            "networks": [network._asdict() for network in list_networks(folder)],
            "missing": list_missing(folder),
        }

    def found(self, facts: Facts) -> Iterator[str]:
        yield from map(printable, facts["says"])
