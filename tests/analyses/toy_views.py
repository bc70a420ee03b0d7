"""What the toy analysis says of its results: a summary, a section of the report, evidence, and rows with evidence."""

from __future__ import annotations

from collections.abc import Iterator

from unquilt.cli.show.views import Facts, View
from unquilt.page.report.section import Content
from unquilt.results import RunFolder, TableRows
from unquilt.results.evidence import Evidence, Other, SourcePage
from unquilt.results.marks import Passage


class VocabularyView(View):
    """The summary."""

    def found(self, facts: Facts) -> Iterator[str]:
        yield from super().found(facts)
        yield f"This is edition {facts['parameters']['edition']}"


def show_vocabulary(folder: RunFolder) -> Content:
    """The section of the report."""
    return Content([f"The vocabulary has {folder.table('vocabulary').rows} words."])


def find_opening(folder: RunFolder, number: int) -> Evidence:
    """The first four characters of a page, which the page before it is said to have, too."""
    (row,) = folder.about("lengths", number)
    other = max(0, number - 1)
    legend = [SourcePage(1, other, None, None, {"share": 0.5})]
    return Evidence(
        number,
        row,
        [Passage(0, 4, 1)],
        [Other(other, 0, 4)],
        lambda limit: legend[:limit],
        1,
        "lengths",
        "Opening",
        says="It opens like the page before it",
        facts_are="a share",
    )


class LengthRows(TableRows):
    """Rows with evidence: here, as they are."""
