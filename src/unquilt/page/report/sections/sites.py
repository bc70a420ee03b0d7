"""Runs of sites: who lives off whom, in sentences and in a picture; the sites, the pairs, and the networks."""

from __future__ import annotations

from unquilt.figures.sites import plot
from unquilt.page.report.section import Content, Listed, list_rows
from unquilt.results import RunFolder
from unquilt.results.sites import say_all
from unquilt.tables.sites import DRAWS, NETWORK_PAIRS, SITES

MOST_SAID = 5


def show_sites(folder: RunFolder) -> Content:
    """A run of sites."""
    return Content(say_all(folder, MOST_SAID), lambda: plot(folder), lambda: _list(folder))


def _list(folder: RunFolder) -> list[Listed]:
    return [
        *list_rows(folder, SITES, "Sites, those that live off others first", ["site", "verdict", "reasons", "pages"]),
        *list_rows(
            folder, DRAWS, "Which site draws on which", ["site", "source_site", "quilts", "sources", "new_grams"]
        ),
        *list_rows(
            folder,
            NETWORK_PAIRS,
            "What sites of one network share",
            ["site", "other", "paragraphs", "passages", "shared", "template", "addresses"],
        ),
    ]
