"""How the runs of a job are shown, from what the catalogue says: which tables matter, what their rows are called.

A job with more to say has a view of its own, beside this one, and its analysis names it (`Job.summary`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from unquilt.analyses.analysis import Job
from unquilt.analyses.catalogue import find_table
from unquilt.cli.terminal.output import are, count
from unquilt.errors import damaged
from unquilt.jobs.corpora import CORPUS, measures
from unquilt.results import RunFolder, Selection, TableRows
from unquilt.results.rows import arrange
from unquilt.runs.manifest import MANIFEST
from unquilt.tables.corpus import DOCUMENTS, OTHER_TEXTS, REJECTS, REVISITS

Facts = Mapping[str, Any]
_TIMES = ("seconds", "rows", "peak_memory")
MOST_COUNTED = 5_000_000
"""Rows of a table that a summary looks through: more would take too long."""


class View:
    """The runs of a job, as they are shown. Of a job that the catalogue does not have (None), all tables matter."""

    def __init__(self, job: Job | None) -> None:
        self.job = job

    def results(self, facts: Facts) -> Sequence[str]:
        """The tables that matter most; those that are made on request only if they were."""
        if self.job is None:
            return list(facts["tables"])
        wanted = {table.name for table in self.job.results} - {table.name for table in self.job.on_request}
        return [each.name for each in self.job.results if each.name in facts["tables"] or each.name in wanted]

    def check(self, folder: RunFolder) -> None:
        """Raise RunError unless a complete run has the tables and counts that all of its kind have."""
        measures(folder.run)
        for name in self.results({"tables": folder.tables}):
            if name not in folder.tables:
                raise damaged(folder.run.path / MANIFEST, f"it lists no table {name}")

    def gather(self, folder: RunFolder) -> dict[str, Any]:
        """All that is known about a run or corpus; None for what is not known, or not yet."""
        run, manifest = folder.run, folder.run.manifest
        of_corpus = {} if folder.corpus is None else folder.corpus.manifest.get("summary", {})
        summary = of_corpus | manifest.get("summary", {})
        stages = list_stages(folder)
        counters = {name: value for stage in stages.values() for name, value in stage["counters"].items()}
        rejected = count_rejects(folder)
        if run.complete:
            self.check(folder)
        return {
            "folder": str(run.path),
            "analysis": manifest["analysis"],
            "complete": run.complete,
            "created": manifest["created"],
            "finished": manifest.get("finished"),
            "unquilt": manifest["unquilt"],
            "corpus": None if folder.corpus is None else str(folder.corpus.path),
            "inputs": len(manifest["inputs"]),
            "documents": summary.get("documents"),
            "other_texts": summary.get(OTHER_TEXTS.name, 0),
            "revisits": summary.get(REVISITS.name, 0),
            "revisited": summary.get("revisited", 0),
            "hosts": summary["hosts"] if "hosts" in summary else count_hosts(folder),
            "words": summary.get("words"),
            "bytes": summary.get("bytes"),
            "rejects": summary.get("rejects") if rejected is None else sum(rejected.values()),
            "rejected": rejected,
            "skipped": summary.get("skipped", {}),
            "warnings": summary.get("warnings", []),
            "urls": summary.get("urls"),
            "copies": None if manifest["parameters"].get("collapse") == "none" else counters.get("copies"),
            "near_duplicates": manifest.get("summary", {}).get("near_duplicates"),
            "without_signature": manifest.get("summary", {}).get("without_signature"),
            "pairs": {kind: counters.get(f"{kind}_pairs") for kind in ("unique", "patch", "common")},
            "without_address": counters.get("without_address"),
            "parameters": manifest["parameters"],
            "stages": {name: {key: stage[key] for key in _TIMES} for name, stage in stages.items()},
            "tables": {name: {"rows": table.rows, "files": table.paths} for name, table in folder.tables.items()},
            "loosest": read_top(folder, "similarity", 1),
        } | self.facts(folder)

    def say(self, folder: RunFolder) -> list[str]:
        """What came out of a finished run, in lines, as at the end of the command that made it."""
        return list(self.found(self.gather(folder)))

    def facts(self, folder: RunFolder) -> dict[str, Any]:  # noqa: ARG002
        """What else programs want to know."""
        return {}

    def number(self, name: str, facts: Facts) -> int:
        """How many results a table has."""
        rows: int = facts["tables"][name]["rows"]
        return rows

    def found(self, facts: Facts) -> Iterator[str]:
        """What came out, at the end of a job and in a summary."""
        line = ", ".join(count(self.number(name, facts), *name_rows(name)) for name in self.results(facts))
        yield (
            f"{line}; {count(facts['copies'], *name_copies(facts))} collapsed" if facts["copies"] is not None else line
        )
        if without := facts["without_address"]:
            few = count(without, "document has", "documents have")
            yield f"{few} no IP address and {are(without)} compared by domain instead"

    def missing(self, facts: Facts) -> Iterator[str]:
        """The tables that a run which is not complete has yet to make."""
        if missing := [name for name in self.results(facts) if name not in facts["tables"]]:
            yield f"Not computed yet: {', '.join(missing)}"

    def commands(self, where: str, facts: Facts) -> dict[str, str]:
        """What to type next, and what for."""
        shown = [*self.results(facts), *(["rejects"] if facts["rejects"] else [])]
        commands = {f"unquilt show {where}": "a summary"}
        return commands | {f"unquilt show {where} {name}": see(name) for name in shown if name in facts["tables"]}

    def idle(self, parameters: Mapping[str, Any]) -> Sequence[str]:  # noqa: ARG002
        """The parameters that this run made no use of."""
        return ()


class CorpusView(View):
    """A corpus."""

    def found(self, facts: Facts) -> Iterator[str]:  # noqa: ARG002
        yield from ()

    def commands(self, where: str, facts: Facts) -> dict[str, str]:
        finding = {f"unquilt quilts {where} -o run": "find pages stitched together from others"}
        return finding | super().commands(where, facts)


def name_rows(name: str) -> tuple[str, str]:
    """What a row of a table is, and what several are."""
    table = find_table(name)
    return ("row", "rows") if table is None else table.row


def see(name: str) -> str:
    """What one sees in a table."""
    table = find_table(name)
    return "" if table is None else table.see


def name_copies(facts: Facts) -> tuple[str, str]:
    """What was made one document, in the singular and in the plural."""
    near = facts["parameters"].get("collapse") == "near"
    return ("near-duplicate", "near-duplicates") if near else ("copy", "copies")


def read_top(folder: RunFolder, name: str, limit: int) -> list[dict[str, Any]] | None:
    """The rows of a table that matter most; None if it is not there, or too long to look through for a summary."""
    if name not in folder.tables:
        return None
    if folder.table(name).rows > MOST_COUNTED:
        return None
    wanted = replace(arrange(folder, name, Selection(limit=limit)), columns=())
    return list(TableRows(folder, name, wanted, names=False).rows())


def count_rejects(folder: RunFolder) -> dict[str, int] | None:
    """Rejected records by reason, the most frequent first; None if there is no such table."""
    table = folder.tables.get(REJECTS.name)
    if table is None:
        return None
    reasons: Counter[str] = Counter()
    for split in table.splits():
        counted = split.read(["reason"]).column("reason").value_counts().to_pylist()
        reasons.update({each["values"]: each["counts"] for each in counted})
    return dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))


def list_stages(folder: RunFolder) -> dict[str, Any]:
    """The stages so far with time and memory, those of a corpus within the run first."""
    stages = dict(folder.run.manifest["stages"])
    if folder.corpus is None or folder.corpus.path != folder.run.path / CORPUS:
        return stages
    return {f"{CORPUS}: {name}": stage for name, stage in folder.corpus.manifest["stages"].items()} | stages


def count_hosts(folder: RunFolder) -> int | None:
    """How many hosts the documents are on; None if that is not known, or too much work."""
    table = folder.tables.get(DOCUMENTS.name)
    return None if table is None or table.rows > MOST_COUNTED else len(list_distinct(folder, "host", table.rows + 1))


def list_distinct(folder: RunFolder, column: str, most: int) -> list[str]:
    """Different values of a column of the documents, none left out if there are fewer than `most`."""
    found: dict[str, None] = {}
    table = folder.tables.get(DOCUMENTS.name)
    for split in table.splits() if table is not None else ():
        found |= dict.fromkeys(filter(None, split.read([column]).column(column).unique().to_pylist()))
        if len(found) >= most:
            break
    return list(found)[:most]
