"""Runs of neardups, as they are shown: how much would go, and how loose the clusters are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from unquilt.analyses.neardups import IMATCH, SHINGLES
from unquilt.cli.show.folders import Folder
from unquilt.cli.show.views import Facts, View
from unquilt.cli.terminal.output import count
from unquilt.errors import damaged
from unquilt.runs.manifest import MANIFEST


class NeardupView(View):
    """A run of neardups."""

    def check(self, folder: Folder) -> None:
        super().check(folder)
        if "near_duplicates" not in folder.run.manifest["summary"]:
            raise damaged(folder.run.path / MANIFEST, "summary.near_duplicates is missing")

    def found(self, facts: Facts) -> Iterator[str]:
        """How many near-duplicates there are, of how many documents."""
        near = facts["near_duplicates"]
        if near:
            rest = f"{near:,} of {count(facts['documents'], 'document')} ({near / facts['documents']:.1%})"
            clusters = count(_clusters(facts), "cluster")
            yield f"{clusters} of near-duplicates; keeping one document of each leaves out {rest}"
        else:
            yield "No document is a near-duplicate of another."
        if facts["without_signature"]:
            few = count(facts["without_signature"], "document has", "documents have")
            yield f"{few} too few words to be compared with others"
        yield from loosest(facts)

    def entries(self, facts: Facts) -> Iterator[tuple[str, str]]:
        if facts["without_signature"]:
            yield "too short", f"{count(facts['without_signature'], 'document')} with too few words to be compared"
        near = facts["near_duplicates"]
        yield "clusters", "not computed yet" if near is None else count(_clusters(facts))
        yield "left out", "not known yet" if near is None else f"{near:,} if one document of each cluster is kept"

    def commands(self, where: str, facts: Facts) -> dict[str, str]:
        """Tables with nothing in them are left out."""
        some = {name: table for name, table in facts["tables"].items() if table["rows"]}
        return super().commands(where, {**facts, "tables": some})

    def idle(self, parameters: Mapping[str, Any]) -> Sequence[str]:
        """Those of the other method."""
        return {"shingles": IMATCH, "imatch": SHINGLES}.get(parameters.get("method", ""), ())


def _clusters(facts: Facts) -> int:
    """Of the documents in clusters, one in each is kept."""
    rows: int = facts["tables"]["clusters"]["rows"]
    return rows - int(facts["near_duplicates"])


def loosest(facts: Facts) -> Iterator[str]:
    """The cluster whose documents are least alike: where to look whether chains went too far."""
    for row in facts.get("loosest") or ():
        spread = (
            f"{row['least']:.2f}" if row["documents"] == 2 else f"from {row['least']:.2f}, median {row['median']:.2f}"
        )
        size_ = count(row["documents"], "document")
        yield f"The loosest is cluster {row['cluster']}: {size_}, similarity to the one that is kept {spread}"
