"""A run or corpus folder to look at: what summaries count in it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from unquilt import results
from unquilt.jobs.places import CORPUS
from unquilt.tables import DOCUMENTS

MOST_COUNTED = 5_000_000
"""Documents of a corpus whose hosts are counted: more would take too long for a summary."""


class Folder(results.RunFolder):
    """A run with the corpus it was made from; for a corpus, the two are the same."""

    def rejected(self) -> dict[str, int] | None:
        """Rejected records by reason, the most frequent first; None if there is no such table."""
        table = self.tables.get("rejects")
        if table is None:
            return None
        reasons: Counter[str] = Counter()
        for split in table.splits():
            counted = split.read(["reason"]).column("reason").value_counts().to_pylist()
            reasons.update({each["values"]: each["counts"] for each in counted})
        return dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))

    def stages(self) -> dict[str, Any]:
        """The stages so far with time and memory, those of a corpus within the run first."""
        stages = dict(self.run.manifest["stages"])
        if self.corpus is None or self.corpus.path != self.run.path / CORPUS:
            return stages
        return {f"{CORPUS}: {name}": stage for name, stage in self.corpus.manifest["stages"].items()} | stages

    def hosts(self) -> int | None:
        """How many hosts the documents are on; None if that is not known, or too much work."""
        table = self.tables.get(DOCUMENTS.name)
        if table is None or table.rows > MOST_COUNTED:
            return None
        found: set[str | None] = set()
        for split in table.splits():
            found.update(split.read(["host"]).column("host").unique().to_pylist())
        return len(found - {None})

    def distinct(self, column: str, most: int) -> list[str]:
        """Different values of a column of the documents, none left out if there are fewer than `most`."""
        found: dict[str, None] = {}
        table = self.tables.get(DOCUMENTS.name)
        for split in table.splits() if table is not None else ():
            found |= dict.fromkeys(filter(None, split.read([column]).column(column).unique().to_pylist()))
            if len(found) >= most:
                break
        return list(found)[:most]
