"""What there is to say about a run: as facts for programs, as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from unquilt.analyses.catalogue import ENTRIES, find_summary, load
from unquilt.cli.job_options import JobArguments
from unquilt.cli.show.views import Facts, View
from unquilt.cli.terminal.endings import check_rejects
from unquilt.cli.terminal.output import count, duration, emit, json_line, printable, size, typed
from unquilt.errors import RunError
from unquilt.results import RunFolder
from unquilt.runs import Run
from unquilt.tables.corpus import DOCUMENTS, OTHER_TEXTS

MOST_INPUTS = 3
MOST_STAGES = 10
MOST_KINDS = 8


def view_of(name: str) -> View:
    """How the runs of a job are shown; a job that the catalogue does not have gets the plain view."""
    job = load(name) if name in ENTRIES else None
    view: View = find_summary(job)(job)
    return view


def is_complete(output: str) -> bool:
    """Whether a folder holds a complete run; asked before a job, to say so if there was nothing to do."""
    with suppress(RunError):
        return Run.read(output).complete
    return False


def read_fingerprint(folder: str) -> str | None:
    """Which run a folder holds; None if it holds none."""
    with suppress(RunError):
        return str(Run.read(folder).manifest["fingerprint"])
    return None


def conclude(output: str, asked: JobArguments, *, before: bool) -> None:
    """Say how the job ended that left its results in `output`; complain if too much was rejected.

    `before` says that the run was complete before the job began.
    """
    facts = gather(RunFolder.open(output))
    if asked.as_json:
        emit(json_line(facts))
    elif not asked.quiet:
        if before and not asked.overwrite:
            emit("Nothing to do: this was complete already (--overwrite computes it anew).")
        for line in conclusion(facts):
            emit(line)
    check_rejects(facts["rejects"] or 0, asked.max_rejects)


def gather(folder: RunFolder) -> dict[str, Any]:
    """All that is known about a run or corpus; None for what is not known, or not yet."""
    return view_of(folder.run.manifest["analysis"]).gather(folder)


def conclusion(facts: Facts) -> Iterator[str]:
    """The end of a job: what came out, where it is, and what to type next."""
    folder, tables = printable(facts["folder"]), facts["tables"]
    yield f"{count(facts['documents'], 'document')}, {count(facts['words'], 'word')}; {rejects(facts)}"
    yield from (f"Warning: {printable(warning)}" for warning in facts["warnings"])
    if facts["urls"]:
        yield printable(facts["urls"])
    if facts["other_texts"] and (facts["analysis"] == "ingest" or facts["parameters"].get("pages_only") is False):
        yield describe_others(facts)
    if facts["analysis"] == "ingest" and facts["revisits"]:
        yield describe_revisits(facts)
    if facts["analysis"] == "ingest" and facts["skipped"]:
        yield f"Skipped, as they are not pages: {skipped(facts)}"
    view = view_of(facts["analysis"])
    yield from view.found(facts)
    own = sorted(name for name, table in tables.items() if _is_in(facts["folder"], table["files"]))
    yield f"The tables are in {folder}, as Parquet: {', '.join(own)}"
    yield ""
    yield "Next:"
    yield from suggest(view.commands(typed(facts["folder"]), facts) | _look(facts))


def _look(facts: Facts) -> dict[str, str]:
    """How to see what came out, and how to show it to others."""
    if facts["analysis"] == "ingest":
        return {}
    where = typed(facts["folder"])
    return {
        f"unquilt serve {where}": "all of it on a page in the browser",
        f"unquilt report {where} -o report.html": "figures, tables and examples in one file",
    }


def _is_in(folder: str, files: Sequence[str]) -> bool:
    places = (Path(folder), Path(folder, DOCUMENTS.name), Path(folder, OTHER_TEXTS.name))
    return any(Path(file).parent in places for file in files)


def suggest(commands: Mapping[str, str]) -> Iterator[str]:
    """Commands to try, and what for."""
    width = max(map(len, commands))
    yield from (f"  {command:<{width}}   {what}".rstrip() for command, what in commands.items())


def rejects(facts: Facts) -> str:
    """What was left out, by reason."""
    number, reasons = facts["rejects"], facts["rejected"]
    if not number:
        return "nothing was rejected" if number == 0 else "not known yet"
    by_reason = ", ".join(f"{n:,} {printable(reason)}" for reason, n in (reasons or {}).items())
    return f"{count(number, 'record')} rejected" + (f" ({by_reason})" if by_reason else "")


def describe_others(facts: Facts) -> str:
    """What there is beside pages."""
    what = f"{count(facts['other_texts'], 'other text')} ({_name_others(facts)})"
    return f"{what}, for reuse only" if facts["analysis"] == "ingest" else f"{what} looked at, too"


def _name_others(facts: Facts) -> str:
    files = ", files without text" if facts["parameters"].get("other_files") else ""
    return f"JavaScript, CSS, robots.txt{files}"


def describe_revisits(facts: Facts) -> str:
    """Records that refer to pages, and how many of these pages are there."""
    records, documents = facts["revisits"], facts["revisited"]
    return f"{count(records, 'revisit')}, {count(documents)} of documents that are in this corpus"


def skipped(facts: Facts) -> str:
    """Records that were never meant to be documents, the most frequent kinds first."""
    kinds = sorted(facts["skipped"].items(), key=lambda item: (-item[1], item[0]))
    shown = [f"{n:,} × {printable(kind)}" for kind, n in kinds[:MOST_KINDS]]
    others = sum(n for _, n in kinds[MOST_KINDS:])
    return ", ".join([*shown, count(others, "other")] if others else shown)


def describe(folder: RunFolder, facts: Facts) -> Iterator[str]:
    """Everything about a run in any state, for people."""
    what = "corpus" if facts["analysis"] == "ingest" else f"run of {printable(facts['analysis'])}"
    yield f"{printable(facts['folder'])}: {what}, {_state(folder, facts)}"
    yield ""
    view = view_of(facts["analysis"])
    found = list(view.found(facts) if facts["complete"] else view.missing(facts))
    yield from [*found, ""] if found else ()
    entries = list(_entries(folder, facts))
    width = max(len(name) for name, _ in entries)
    yield from (f"{name:<{width}}  {value}" for name, value in entries)
    if facts["stages"]:
        yield ""
        yield from _stages(facts["stages"])


def _state(folder: RunFolder, facts: Facts) -> str:
    if facts["complete"]:
        return f"complete, finished {_time(facts['finished'])} by unquilt {printable(facts['unquilt'])}"
    if facts["finished"]:
        gone = [name for name in folder.run.manifest["done"] if not folder.run.done(name)]
        return f"NOT COMPLETE: finished once, but files of {', '.join(gone)} are missing or changed"
    return "NOT COMPLETE: still running, or interrupted (then the same command resumes it)"


def _time(text: str) -> str:
    return printable(text[:16].replace("T", " ")) + " UTC"


def _entries(folder: RunFolder, facts: Facts) -> Iterator[tuple[str, str]]:
    for name in ("documents", "hosts", "words"):
        unknown = "not known yet" if facts["documents"] is None else "not counted"
        yield name, unknown if facts[name] is None else count(facts[name])
    if facts["other_texts"] and facts["analysis"] == "ingest":
        yield "other texts", f"{count(facts['other_texts'])} ({_name_others(facts)}), for reuse only"
    if facts["revisits"] and facts["analysis"] == "ingest":
        yield "revisits", describe_revisits(facts)
    yield "rejects", rejects(facts)
    if facts["skipped"]:
        yield "skipped", skipped(facts)
    for warning in facts["warnings"]:
        yield "warning", printable(warning)
    if facts["urls"]:
        yield "urls", printable(facts["urls"].removeprefix("URLs "))
    tables, view = facts["tables"], view_of(facts["analysis"])
    yield "parameters", _parameters(facts["parameters"], view.idle(facts["parameters"]))
    yield "inputs", _inputs(folder.run)
    if facts["analysis"] != "ingest":
        yield "corpus", printable(facts["corpus"]) if facts["corpus"] else "not found: no ids for sources, no rejects"
    rows = ", ".join(f"{name} {count(table['rows'])}" for name, table in sorted(tables.items()))
    yield "tables", f"{rows} rows" if rows else "none yet"


def _parameters(parameters: Mapping[str, Any], idle: Sequence[str] = ()) -> str:
    """`k 5, m 50`; parameters of reading come in groups, and fields with their usual names are left out."""
    parts: list[str] = []
    for name, value in parameters.items():
        if name in idle:
            continue
        if isinstance(value, dict):
            parts += [f"{_option(inner)} {_value(each)}" for inner, each in value.items() if each != inner]
        else:
            parts.append(f"{_option(name)} {_value(value)}")
    return printable(", ".join(parts))


def _option(name: str) -> str:
    return name.replace("_", "-")


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
    """The stages that took longest, in their order: rounds of an analysis may be some forty."""
    longest = sorted(stages, key=lambda name: -stages[name]["seconds"])[:MOST_STAGES]
    shown = {name: stage for name, stage in stages.items() if name in longest}
    width = max(len("stage"), *map(len, shown))
    yield f"{'stage':<{width}}  {'time':>12}  {'rows':>14}  {'peak memory':>11}"
    for name, stage in shown.items():
        line = f"{duration(stage['seconds']):>12}  {count(stage['rows']):>14}  {size(stage['peak_memory']):>11}"
        yield f"{printable(name):<{width}}  {line}"
    if others := len(stages) - len(shown):
        rest = duration(sum(stage["seconds"] for name, stage in stages.items() if name not in shown))
        yield f"… and {count(others, 'shorter stage', 'shorter stages')}, {rest} in all (--json for all)"
