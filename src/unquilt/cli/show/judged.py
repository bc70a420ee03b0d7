"""Verdicts, as they are shown: why a page is or is not a quilt, and which pages are by other limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from unquilt._native import grams
from unquilt.analyses.judging import change_limits
from unquilt.analyses.limits import LIMITS, WITHOUT_SOURCES, column_of
from unquilt.analyses.quilt_parameters import CHANGEABLE, QuiltParameters
from unquilt.cli.options import given_parameters
from unquilt.cli.show.choice import choose
from unquilt.cli.show.evidence import introduce, show_evidence, summarise
from unquilt.cli.show.table_views import Request, TableView
from unquilt.cli.show.tables import Row
from unquilt.cli.terminal.output import are, count, emit, json_line, printable, typed
from unquilt.flow.kept import Kept
from unquilt.jobs.verdicts import judge_run
from unquilt.results import RunFolder
from unquilt.results.evidence import find_quilt
from unquilt.tables import DOCUMENTS, QUILTS, SOURCES, VERDICTS

SIMILAR_BY = 5
"""Words in a gram by which copies are compared, as `neardups` does."""


def asked_limits(asked: Request) -> dict[str, Any]:
    """The limits that were given as options."""
    return given_parameters({name: asked.own.get(name) for name in CHANGEABLE})


class QuiltsView(TableView):
    """Quilts: by other limits, if some are given; of any document, why it is or is not one, and its evidence."""

    one_is_rows = False

    def show_all(self, asked: Request) -> None:
        limits = asked_limits(asked)
        super().show_all(judge_again(asked, limits) if limits else asked)

    def show_one(self, asked: Request) -> None:
        asked.folder.table(QUILTS.name)  # an error if there is none
        number = choose(asked.folder, QUILTS.name, asked.doc)
        show_page_judged(asked, number, asked_limits(asked))


class VerdictsView(TableView):
    """Verdicts: by other limits, if some are given."""

    def show_all(self, asked: Request) -> None:
        limits = asked_limits(asked)
        super().show_all(judge_again(asked, limits) if limits else asked)

    def show_one(self, asked: Request) -> None:
        limits = asked_limits(asked)
        super().show_one(judge_again(asked, limits) if limits else asked)


def judge_again(asked: Request, limits: Mapping[str, Any]) -> Request:
    """The request with the table judged by other limits in place of the table of the run; says so to people."""
    folder, quilts_only = asked.folder, asked.table == QUILTS.name
    judged = judge_run(folder.run, limits, quilts_only=True)
    if not asked.as_json:
        found, were = (_read_documents(table, "doc") for table in (judged, folder.table(QUILTS.name)))
        new = found.filter(pc.invert(pc.is_in(found, value_set=were)))
        looked_at = _read_documents(folder.table(SOURCES.name), "quilt") if len(new) else new
        unknown = len(new) - (pc.sum(pc.is_in(new, value_set=looked_at)).as_py() or 0)
        emit(_judged_by(folder, limits, len(found), len(new), unknown))
        emit()
    folder.tables[asked.table] = judged if quilts_only else judge_run(folder.run, limits)
    if asked.as_json or asked.selection.columns or not quilts_only:
        return asked
    names = ("id", "url") if DOCUMENTS.name in folder.tables else ()
    columns = [column for column in QUILTS.first if column in (*VERDICTS.schema.names, *names)]
    return replace(asked, selection=replace(asked.selection, columns=columns))


def _read_documents(table: Kept, name: str) -> pa.ChunkedArray:
    """A column of numbers of documents."""
    return pa.chunked_array([split.read([name]).column(0).combine_chunks() for split in table.splits()], pa.int64())


def _judged_by(folder: RunFolder, limits: Mapping[str, Any], total: int, new: int, unknown: int) -> str:
    """How many quilts there are by other limits; how many were none in the run, and of how many it has no sources."""
    made = folder.run.manifest["parameters"]
    changes = ", ".join(
        f"{name.replace('_', '-')} {_say(value)} (was {_say(made[name])})" for name, value in limits.items()
    )
    line = f"By {changes}: {count(total, 'quilt')}"
    if new:
        line += f"; {new:,} {'was' if new == 1 else 'were'} none in this run"
    if unknown:
        whom = f"{unknown:,} of them" if unknown < new else "it" if new == 1 else "them"
        line += f", which has no sources or patches of {whom}"
    return f"{line}."


def _say(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def show_page_judged(asked: Request, number: int, limits: Mapping[str, Any]) -> None:
    """Print why a document is or is not a quilt, and its sources and patches, if the run looked for them."""
    folder = asked.folder
    page = next((row for _, row in folder.documents([number], ["id", "url"])), {"id": None, "url": None})
    facts = judge_page(folder, number, limits) | page
    quilt = next(iter(folder.about(QUILTS.name, number)), None)
    if asked.as_json:
        emit(json_line((quilt or {"doc": number, **page}) | facts))
        return
    for line in introduce(quilt or {"doc": number, **page}):
        emit(line)
    if quilt is not None:
        for line in summarise(quilt):
            emit(line)
    for line in explain(folder, facts):
        emit(line)
    if quilt is not None or folder.about(SOURCES.name, number):
        emit()
        show_evidence(folder, find_quilt(folder, number), asked.few, full=asked.own["full"])
    elif facts["quilt"]:
        emit("It was no quilt in this run, which therefore has no sources or patches to show.")


def judge_page(folder: RunFolder, number: int, limits: Mapping[str, Any]) -> dict[str, Any]:
    """All that is known of one document: its verdict and the limits; what it was collapsed into, and how similar.

    `quilt` is None if a run that is not complete does not say.
    """
    kept = next((row["cluster"] for row in folder.about("clusters", number)), number)
    if kept != number:
        return {
            "doc": number,
            "quilt": False,
            "why": "collapsed",
            "kept": kept,
            "similarity": compare(folder, number, kept),
        }
    if VERDICTS.name not in folder.run.tables and not limits:
        return {"doc": number, "quilt": bool(folder.about(QUILTS.name, number)) or None, "why": None}
    changed = change_limits(folder.run.manifest["parameters"], limits)
    found = judge_run(folder.run, limits).between(number, number).to_pylist()
    verdict = found[0] if found else {"doc": number, "quilt": None, "why": None}
    return verdict | {"limits": {name: getattr(changed, name) for name in CHANGEABLE}}


def compare(folder: RunFolder, number: int, kept: int) -> float | None:
    """The Jaccard coefficient of the circular 5-grams of two documents; None without the corpus."""
    texts = [row["text"] for _, row in folder.documents([number, kept], ["text"])]
    if len(texts) < 2:
        return None
    ours, theirs = (set(grams(text, SIMILAR_BY, circular=True)) for text in texts)
    return len(ours & theirs) / len(ours | theirs) if ours or theirs else 1.0


def explain(folder: RunFolder, facts: Row) -> Iterator[str]:
    """Why a document is or is not a quilt, in lines."""
    asked = folder.run.manifest["parameters"]
    if facts["why"] == "collapsed":
        yield from _explain_copy(folder, facts)
    elif facts["quilt"] is None:
        yield (
            "Not a quilt by the parameters of this run. It has no table verdicts, which would say why: "
            "it is not complete. Run unquilt quilts again."
        )
    elif facts.get("limits") is None:
        return
    elif facts["why"] in WITHOUT_SOURCES:
        yield f"Not a quilt: {explain_no_source(facts, asked)}"
    else:
        failed = (facts["why"] or "").split(", ")
        yield say_verdict(facts, failed)
        yield from _list_limits(facts, failed)
        left = facts["patch_grams"] - round(facts["covered"] * facts["grams"])
        if left:
            own = [] if asked["foreign"] == "none" else [f"on its own {name_site(asked)}"]
            share, grams = facts["limits"]["min_share"], asked.get("min_grams", 1)
            small = [f"in sources that would add less than {share:.0%}, or {grams} grams"] if share or grams > 1 else []
            rest = f"{left:,} of its {count(facts['patch_grams'], 'patch gram')} {are(left)} not covered"
            yield f"{rest}: {'it is' if left == 1 else 'they are'} only {' or '.join(own + small)}."
    if facts.get("url") is None and asked.get("foreign", "none") != "none" and facts["why"] != "collapsed":
        yield "It has no URL, so it counts as a site of its own: pages of all other sites can be its sources."


def say_verdict(facts: Row, failed: list[str]) -> str:
    """What a document with sources is, in a line."""
    match facts["verdict"]:
        case "quilt":
            return "A quilt: it passes all limits."
        case "in part":
            sewn = f"{count(facts['sewn_words'], 'word')} of {count(facts['sewn_sources'], 'source')} are sewn in"
            return f"Stitched in part: {sewn}, though sigma asks for more of the page."
        case "original":
            return f"An original: others took from it. It reads on where they jump (fails {' and '.join(failed)})."
        case _:
            return f"Not a quilt: it fails {' and '.join(failed)}."


def name_site(asked: Row) -> str:
    """What a site is, in words."""
    foreign = str(asked["foreign"])
    return "address" if foreign == "ip" else foreign


def _explain_copy(folder: RunFolder, facts: Row) -> Iterator[str]:
    kept = facts["kept"]
    id_ = folder.pages([kept]).get(kept, (None, None))[0]
    name = f"document {kept}" if id_ is None else f"{printable(id_)} (document {kept})"
    near = folder.run.manifest["parameters"].get("collapse") == "near"
    similar = (
        "" if facts["similarity"] is None else f": {facts['similarity']:.1%} of their {SIMILAR_BY}-grams are the same"
    )
    copy = f"a near-duplicate of it{similar}" if near else "a copy of it"
    yield f"Not judged: it was collapsed into {name}, being {copy} (--collapse)."
    yield f"That document stands for both: unquilt show {typed(folder.run.path)} quilts --doc {kept}"


def explain_no_source(facts: Row, asked: Row) -> str:
    """Why a document has no sources."""
    site = name_site(asked)
    shared = (
        f"{facts['patch_grams']:,} of its {count(facts['grams'], 'gram')} {are(facts['patch_grams'])} shared by 2 to "
        f"{asked['m']} documents"
    )
    match facts["why"]:
        case "short":
            return f"it has {count(facts['words'], 'word')}, too few for a gram of {asked['k']} (-k)."
        case "nothing shared":
            none = f"none of its {count(facts['grams'], 'gram')} is in 2 to {asked['m']} documents"
            return f"{none}: each is in no other, or in more than that (-m)."
        case "own site":
            return f"{shared}, but all of these are on its own {site} (--foreign {asked['foreign']})."
        case _:
            least = facts["limits"]["min_share"]
            where = "other page" if asked["foreign"] == "none" else f"page on another {site}"
            grams = asked.get("min_grams", 1)
            return f"{shared}, but no {where} has {least:.0%} of these, and {grams} (--min-share, --min-grams)."


def _list_limits(facts: Row, failed: list[str]) -> Iterator[str]:
    """Each number beside its limit, and what it means."""
    meanings = {info.name: info.help for info in QuiltParameters.describe()}
    for limit in LIMITS:
        name, column = limit.name, column_of(limit, facts["limits"]["sigma_of"])
        if column == "spanned" and facts[column] is None:
            column = "covered"  # nobody looked for passages
        value = facts[column]
        if value is None:
            continue
        number = f"{value:>6,}" if isinstance(value, int) else f"{round(value, 3) + 0.0:>6.3f}"  # never -0.000
        bound = "at least" if limit.fails == "<" else "at most"
        held = f"{bound} {facts['limits'][name]:g}, --{name.replace('_', '-')}"
        yield f"  {column:<10} {number}  {'FAILED' if name in failed else 'passed'}  ({held}: {meanings[name]})"
