"""What there is to say about a run: as facts for programs, as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from unquilt.analyses.neardups import IMATCH, SHINGLES
from unquilt.cli.options import Asked
from unquilt.cli.show.folders import MOST_COUNTED, Folder
from unquilt.cli.show.tables import read_first
from unquilt.cli.terminal.endings import check_rejects
from unquilt.cli.terminal.output import count, duration, emit, json_line, printable, size, typed
from unquilt.errors import RunError, damaged
from unquilt.jobs import measures
from unquilt.runs import Run
from unquilt.runs.manifest import MANIFEST
from unquilt.tables import DOCUMENTS

Facts = Mapping[str, Any]

MOST_INPUTS = 3
MOST_KINDS = 8
RESULTS = {
    "quilts": ("quilts", "sources"),
    "sweep": ("sweep",),
    "neardups": ("clusters", "similarity", "pairs"),
    "ingest": ("documents",),
}
"""The tables that a job is run for; of an analysis that is not here, all of them."""
_TIMES = ("seconds", "rows", "peak_memory")
_ON_REQUEST = ("similarity", "pairs")
_NOUNS = {"sweep": "combination"}
"""What a row of a table is, where its name does not say it."""
_SEE = {
    "quilts": "the pages found",
    "sources": "the pages they draw on",
    "rejects": "what was left out, and why",
    "documents": "the pages",
    "sweep": "the whole grid",
    "clusters": "which documents are near-duplicates of which",
    "similarity": "how similar they are, the loosest clusters first",
    "pairs": "what holds the clusters together",
    "quilting_domains": "the sites that they are on",
    "source_domains": "the sites that they draw on most",
}
_DOMAINS = ("quilting_domains", "source_domains")
_MOST_DOMAINS = 3


def is_complete(output: str) -> bool:
    """Whether a folder holds a complete run; asked before a job, to say so if there was nothing to do."""
    with suppress(RunError):
        return Run.read(output).complete
    return False


def conclude(output: str, asked: Asked, *, before: bool) -> None:
    """Say how the job ended that left its results in `output`; complain if too much was rejected.

    `before` tells that it was complete before.
    """
    facts = gather(Folder.open(output))
    if asked.as_json:
        emit(json_line(facts))
    elif not asked.quiet:
        if before and not asked.overwrite:
            emit("Nothing to do: this was complete already (--overwrite computes it anew).")
        for line in conclusion(facts):
            emit(line)
    check_rejects(facts["rejects"] or 0, asked.max_rejects)


def gather(folder: Folder) -> dict[str, Any]:
    """All that is known about a run or corpus; None for what is not known, or not yet."""
    run, manifest = folder.run, folder.run.manifest
    of_corpus = {} if folder.corpus is None else folder.corpus.manifest.get("summary", {})
    summary = of_corpus | manifest.get("summary", {})
    stages = folder.stages()
    counters = {name: value for stage in stages.values() for name, value in stage["counters"].items()}
    rejected = folder.rejected()
    if run.complete:
        _check_results(folder)
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
        "hosts": summary["hosts"] if "hosts" in summary else folder.hosts(),
        "words": summary.get("words"),
        "bytes": summary.get("bytes"),
        "rejects": summary.get("rejects") if rejected is None else sum(rejected.values()),
        "rejected": rejected,
        "skipped": summary.get("skipped", {}),
        "warnings": summary.get("warnings", []),
        "copies": counters.get("copies"),
        "near_duplicates": manifest.get("summary", {}).get("near_duplicates"),
        "without_signature": manifest.get("summary", {}).get("without_signature"),
        "pairs": {kind: counters.get(f"{kind}_pairs") for kind in ("unique", "patch", "common")},
        "without_address": counters.get("without_address"),
        "parameters": manifest["parameters"],
        "stages": {name: {key: stage[key] for key in _TIMES} for name, stage in stages.items()},
        "tables": {name: {"rows": table.rows, "files": table.paths} for name, table in folder.tables.items()},
        "loosest": read_top(folder, "similarity", 1),
    } | {name: read_top(folder, name, _MOST_DOMAINS) for name in _DOMAINS if name in folder.tables}


def _check_results(folder: Folder) -> None:
    """Raise RunError unless a complete run has what a run of its kind comes to."""
    run = folder.run
    summary, analysis, where = measures(run), run.manifest["analysis"], run.path / MANIFEST
    for name in RESULTS.get(analysis, ()):
        if name not in folder.tables and name not in _ON_REQUEST:
            raise damaged(where, f"it vouches for no table {name}")
    if analysis == "neardups" and "near_duplicates" not in summary:
        raise damaged(where, "summary.near_duplicates is missing")


def read_top(folder: Folder, name: str, limit: int) -> list[dict[str, Any]] | None:
    """The rows of a table that matter most; None if it is not there, or too long to look through for a summary."""
    if name not in folder.tables:
        return None
    table = folder.table(name)
    return read_first(table, table.columns, limit) if table.rows <= MOST_COUNTED else None


def conclusion(facts: Facts) -> Iterator[str]:
    """The end of a job: what came out, where it is, and what to type next."""
    folder, tables = printable(facts["folder"]), facts["tables"]
    yield f"{count(facts['documents'], 'document')}, {count(facts['words'], 'word')}; {rejects(facts)}"
    yield from (f"Warning: {printable(warning)}" for warning in facts["warnings"])
    if facts["analysis"] == "ingest" and facts["skipped"]:
        yield f"Skipped, as they are no pages: {skipped(facts)}"
    if facts["analysis"] != "ingest":
        yield from found_near(facts) if facts["analysis"] == "neardups" else [found(facts)]
        yield from domains(facts)
        yield from advise(facts)
    own = sorted(name for name, table in tables.items() if _is_in(facts["folder"], table["files"]))
    yield f"The tables are in {folder}, as Parquet: {', '.join(own)}"
    yield ""
    yield "Next:"
    where = typed(facts["folder"])
    shown = [*_results(facts), *(["rejects"] if facts["rejects"] else [])]
    ingested = facts["analysis"] == "ingest"
    commands = {f"unquilt quilts {where} -o run": "find pages stitched together from others"} if ingested else {}
    commands |= {f"unquilt show {where}": "a summary"}
    shown = [name for name in shown if name in tables and not _is_idle(facts, name)]
    commands |= {f"unquilt show {where} {name}": _SEE.get(name, "") for name in shown}
    if facts["analysis"] == "quilts" and tables["quilts"]["rows"]:
        commands |= {f"unquilt show {where} quilts --doc ID": "one of them, with its patches marked"}
        commands |= {f"unquilt show {where} {name}": _SEE[name] for name in _DOMAINS if name in tables}
    yield from suggest(commands)


def _is_idle(facts: Facts, name: str) -> bool:
    """Whether there is nothing to look at."""
    return facts["analysis"] == "neardups" and not facts["tables"][name]["rows"]


def _is_in(folder: str, files: Sequence[str]) -> bool:
    return any(Path(file).parent in (Path(folder), Path(folder, DOCUMENTS.name)) for file in files)


def suggest(commands: Mapping[str, str]) -> Iterator[str]:
    """Commands to try, and what for."""
    width = max(map(len, commands))
    yield from (f"  {command:<{width}}   {what}".rstrip() for command, what in commands.items())


def _results(facts: Facts) -> Sequence[str]:
    """The tables that matter most; those that can be asked for, if they were."""
    wanted = RESULTS.get(facts["analysis"], list(facts["tables"]))
    return [name for name in wanted if name in facts["tables"] or name not in _ON_REQUEST]


def found(facts: Facts) -> str:
    """What an analysis found, in one line."""
    rows = {name: facts["tables"][name]["rows"] for name in _results(facts)}
    line = ", ".join(count(number, _NOUNS.get(name, name.removesuffix("s"))) for name, number in rows.items())
    return f"{line}; {count(facts['copies'], *_copies(facts))} collapsed" if facts["copies"] is not None else line


def _copies(facts: Facts) -> tuple[str, str]:
    """What was made one document, in the singular and in the plural."""
    near = facts["parameters"].get("collapse") == "near"
    return ("near-duplicate", "near-duplicates") if near else ("copy", "copies")


def found_near(facts: Facts) -> Iterator[str]:
    """How many near-duplicates there are, of how many documents."""
    near, clusters = facts["near_duplicates"], _clusters(facts)
    if near:
        rest = f"{near:,} of {count(facts['documents'], 'document')} ({near / facts['documents']:.1%})"
        yield f"{count(clusters, 'cluster')} of near-duplicates; keeping one document of each leaves out {rest}"
    else:
        yield "No document is a near-duplicate of another."
    if facts["without_signature"]:
        few = count(facts["without_signature"], "document has", "documents have")
        yield f"{few} too few words to be compared with others"
    yield from loosest(facts)


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


def domains(facts: Facts) -> Iterator[str]:
    """The domains that most quilts are on, and those that feed most, in a line each."""
    quilting, feeding = (facts.get(name) for name in _DOMAINS)
    if quilting:
        named = (f"{_domain(row)} ({row['quilts']:,} of {count(row['documents'], 'document')})" for row in quilting)
        yield f"Most quilts are on {', '.join(named)}"
    if feeding:
        named = (f"{_domain(row)} ({count(row['quilts'], 'quilt')})" for row in feeding)
        yield f"They draw most on {', '.join(named)}"


def _domain(row: Facts) -> str:
    return printable(row["domain"]) if row["domain"] is not None else "pages without URL"


def advise(facts: Facts) -> Iterator[str]:
    """What to try where no quilts were found."""
    if facts["analysis"] != "quilts" or facts["tables"]["quilts"]["rows"]:
        return
    asked, pairs = facts["parameters"], facts["pairs"]
    if not facts["documents"]:
        yield "There are no quilts, as the corpus has no documents."
    elif facts["copies"] and facts["documents"] - facts["copies"] == 1:
        each = _copies(facts)[1]
        yield f"There are no quilts: all documents are {each} of one, into which they were collapsed (--collapse)."
    elif not pairs["patch"] and not pairs["common"] and facts["copies"]:
        rest = f"but for {_copies(facts)[1]}, which were collapsed, no two documents share {asked['k']} words in a row"
        yield f"There are no quilts: {rest}. Try a smaller -k, or --collapse none."
    elif not pairs["patch"] and not pairs["common"]:
        yield f"There are no quilts: no two documents share {asked['k']} words in a row. Try a smaller -k."
    elif not pairs["patch"]:
        yield f"There are no quilts: all that is shared is in more than {asked['m']} documents. Try a larger -m."
    else:
        now = f"-c (now {asked['c']}) or --sigma (now {asked['sigma']:g}), or a larger -m (now {asked['m']})"
        foreign = (
            "" if asked["foreign"] == "none" else f"; only sources on another {asked['foreign']} count (--foreign)"
        )
        yield f"No document is a quilt by these parameters. Try a smaller {now}{foreign}."


def rejects(facts: Facts) -> str:
    """What was left out, by reason."""
    number, reasons = facts["rejects"], facts["rejected"]
    if not number:
        return "nothing was rejected" if number == 0 else "not known yet"
    by_reason = ", ".join(f"{n:,} {printable(reason)}" for reason, n in (reasons or {}).items())
    return f"{count(number, 'record')} rejected" + (f" ({by_reason})" if by_reason else "")


def skipped(facts: Facts) -> str:
    """Records that were never meant to be documents, the most frequent kinds first."""
    kinds = sorted(facts["skipped"].items(), key=lambda item: (-item[1], item[0]))
    shown = [f"{n:,} × {printable(kind)}" for kind, n in kinds[:MOST_KINDS]]
    others = sum(n for _, n in kinds[MOST_KINDS:])
    return ", ".join([*shown, f"{others:,} others"] if others else shown)


def describe(folder: Folder, facts: Facts) -> Iterator[str]:
    """Everything about a run in any state, for people."""
    what = "corpus" if facts["analysis"] == "ingest" else f"run of {printable(facts['analysis'])}"
    yield f"{printable(facts['folder'])}: {what}, {_state(folder, facts)}"
    yield ""
    entries = list(_entries(folder, facts))
    width = max(len(name) for name, _ in entries)
    yield from (f"{name:<{width}}  {value}" for name, value in entries)
    if facts["stages"]:
        yield ""
        yield from _stages(facts["stages"])


def _state(folder: Folder, facts: Facts) -> str:
    if facts["complete"]:
        return f"complete, finished {_time(facts['finished'])} by unquilt {printable(facts['unquilt'])}"
    if facts["finished"]:
        gone = [name for name in folder.run.manifest["done"] if not folder.run.done(name)]
        return f"NOT COMPLETE: finished once, but files of {', '.join(gone)} are missing or changed"
    return "NOT COMPLETE: still running, or interrupted; then the command that made it resumes it"


def _time(text: str) -> str:
    return printable(text[:16].replace("T", " ")) + " UTC"


def _entries(folder: Folder, facts: Facts) -> Iterator[tuple[str, str]]:
    for name in ("documents", "hosts", "words"):
        unknown = "not known yet" if facts["documents"] is None else "not counted"
        yield name, unknown if facts[name] is None else count(facts[name])
    yield "rejects", rejects(facts)
    if facts["skipped"]:
        yield "skipped", skipped(facts)
    for warning in facts["warnings"]:
        yield "warning", printable(warning)
    tables = facts["tables"]
    if facts["analysis"] != "ingest":
        if facts["copies"] is not None:
            yield "collapsed", f"{count(facts['copies'], *_copies(facts))} into the document that is kept"
        if facts["without_address"] is not None:
            yield "without ip", f"{count(facts['without_address'], 'document')} told apart by domain instead"
        if facts["without_signature"]:
            yield "too short", f"{count(facts['without_signature'], 'document')} with too few words to be compared"
        near = facts["near_duplicates"]
        if facts["analysis"] == "neardups":
            yield "clusters", "not computed yet" if near is None else count(_clusters(facts))
            yield "left out", "not known yet" if near is None else f"{near:,} if one document of each cluster is kept"
        else:
            for name in _results(facts):
                yield name, count(tables[name]["rows"]) if name in tables else "not computed yet"
    yield "parameters", _parameters(facts["parameters"], _idle(facts["parameters"]))
    yield "inputs", _inputs(folder.run)
    if facts["analysis"] != "ingest":
        yield "corpus", printable(facts["corpus"]) if facts["corpus"] else "not found: no ids for sources, no rejects"
    rows = ", ".join(f"{name} {count(table['rows'])}" for name, table in sorted(tables.items()))
    yield "tables", f"{rows} rows" if rows else "none yet"


def _idle(parameters: Mapping[str, Any]) -> Sequence[str]:
    """The parameters that say nothing, as they are for the other method of finding near-duplicates."""
    return {"shingles": IMATCH, "imatch": SHINGLES}.get(parameters.get("method", ""), ())


def _parameters(parameters: Mapping[str, Any], idle: Sequence[str] = ()) -> str:
    """`k 5, m 50`; what says how to read comes in groups, of which only what is not as usual matters."""
    parts: list[str] = []
    for name, value in parameters.items():
        if name in idle:
            continue
        if isinstance(value, dict):
            parts += [f"{inner} {_value(each)}" for inner, each in value.items() if each != inner]
        else:
            parts.append(f"{name} {_value(value)}")
    return printable(", ".join(parts).replace("_", "-"))


def _value(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(_value, value))
    return f"{value:g}" if isinstance(value, float) else str(value) if value not in ("", None) else "none"


def _inputs(run: Run) -> str:
    records = run.manifest["inputs"]
    names = [printable(record["path"]) for record in records]
    if len(names) > MOST_INPUTS:
        names = [names[0], "…", names[-1]]
    return f"{', '.join(names)} ({count(len(records))} in all, {size(sum(record['size'] for record in records))})"


def _stages(stages: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    width = max(len("stage"), *map(len, stages))
    yield f"{'stage':<{width}}  {'time':>12}  {'rows':>14}  {'peak memory':>11}"
    for name, stage in stages.items():
        line = f"{duration(stage['seconds']):>12}  {count(stage['rows']):>14}  {size(stage['peak_memory']):>11}"
        yield f"{printable(name):<{width}}  {line}"
