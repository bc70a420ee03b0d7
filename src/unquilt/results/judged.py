"""A quilt with its evidence, and why a page is or is not a quilt, in the words of everybody: the terminal, the page in
the browser and the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from unquilt.analyses.judging import change_limits
from unquilt.analyses.limits import LIMITS, WITHOUT_SOURCES, column_of
from unquilt.analyses.quilt_parameters import CHANGEABLE, QuiltParameters
from unquilt.errors import ParameterError
from unquilt.jobs.verdicts import judge_run
from unquilt.results.evidence import Evidence, Other, find_row, make_legend, say_reworded
from unquilt.results.finding import find_rows
from unquilt.results.folders import RunFolder
from unquilt.results.marks import Passage
from unquilt.site_names import name_sites
from unquilt.spelling import are, count, printable, share, typed
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.neardups import CLUSTERS
from unquilt.tables.quilts import PATCHES, QUILTS, SITE_TABLES, SOURCES, VERDICTS

Row = Mapping[str, Any]
LINKED = {"page": "linked", "domain": "site linked", None: "not linked"}
SIMILAR_BY = 5
"""Words in a gram by which copies are compared, as `neardups` does."""


def say_quilt(folder: RunFolder, row: Row, sources: Sequence[Row]) -> str:
    """A quilt in one sentence: how much of it is from how many pages of how many sites, and what its own site is.

    `row` is of `quilts` or `verdicts`, `sources` are its rows of `sources`.
    """
    by = name_sites(folder.run.manifest["parameters"].get("foreign", ""))
    part = row["covered"] if row.get("spanned") is None else row["spanned"]
    said = f"Stitched from {count(len(sources), 'page')}"
    pages = [row["doc"], *(each["source"] for each in sources)]
    sites = (
        {number: page[by] for number, page in folder.documents(pages, [by])} if DOCUMENTS.name in folder.tables else {}
    )
    others = {sites[each["source"]] for each in sources if sites.get(each["source"])}
    if others:
        said += f" of {count(len(others), 'other site')}"
    if any("linked" in each for each in sources):
        linked = sum(each.get("linked") is not None for each in sources)
        said += f", {'none' if not linked else 'all' if linked == len(sources) else f'{linked:,}'} linked"
    said += f"; {share(round(part, 2))} of it{' in passages of theirs' if part < 1 else ''}"
    if row.get("verdict") == "in part":
        said += f" ({count(row['sewn_words'], 'word')} are sewn in)"
    own = sites.get(row["doc"])
    if own:
        table = SITE_TABLES[by][0].name
        found = find_rows(folder.tables[table], by, [own], ["quilts", "documents"], 1) if table in folder.tables else []
        said += f"; its site is {printable(own)}"
        said += "".join(
            f", where {each['quilts']:,} of {count(each['documents'], 'page')} "
            f"{'is a quilt' if each['quilts'] == 1 else 'are quilts'}"
            for each in found
        )
    return f"{said}."


def find_quilt(folder: RunFolder, number: int) -> Evidence:
    """A quilt with its patches; for another page, what keeps it from being one."""
    quilt = find_row(folder, QUILTS.name, number)
    row = quilt or find_row(folder, VERDICTS.name, number)
    if row is None and not folder.pages([number]):
        raise ParameterError(f"document {number} was not judged in this run: it does not exist")
    sources = folder.about(SOURCES.name, number)
    if row is None:  # a copy of another
        row = {"doc": number, "patch_grams": 0}
    ranks = {each["source"]: each["rank"] for each in sources}
    found = sorted(folder.about(PATCHES.name, number), key=lambda each: (ranks.get(each["source"], 0), each["begin"]))
    passages = [
        Passage(each["begin"], each["end"], rank, f"{each['words']} words of source {rank}{say_reworded(each)}")
        for each in found
        for rank in [ranks.get(each["source"], 0)]
    ]
    total = max(1, row["patch_grams"])
    seen = _compare_dates(folder, number, [each["source"] for each in sources])
    facts = [
        {
            "adds": each["new_grams"] / total,
            "holds": each["all_grams"] / total,
            **({"linked": LINKED.get(each["linked"], "not linked")} if "linked" in each else {}),
            **seen.get(each["source"], {}),
        }
        for each in sources
    ]
    has_patches = PATCHES.name in folder.tables
    return Evidence(
        number,
        row,
        passages,
        [Other(each["source"], each["source_begin"], each["source_end"]) for each in found],
        partial(make_legend, folder, [(each["rank"], each["source"]) for each in sources], facts),
        len(sources),
        PATCHES.name if has_patches else SOURCES.name,
        "Quilt" if quilt is not None else "No quilt",
        of=VERDICTS.name,
        says=say_quilt(folder, quilt, sources) if quilt is not None else "",
        explains=partial(explain_page, folder, number),
        facts_are="share of the patch grams that each adds, and that it holds"
        + ("; whether the page links to it" if any("linked" in each for each in sources) else ""),
        note=""
        if has_patches
        else "The patches are not marked: this run has no table patches (made with --no-patches, or not complete).",
        reworded=[place for place, each in enumerate(found) if each.get("similarity") is not None],
    )


def _compare_dates(folder: RunFolder, number: int, sources: Sequence[int]) -> dict[int, dict[str, str]]:
    """When sources were first seen, and whether that was before the page, where the corpus knows dates."""
    if DOCUMENTS.name not in folder.tables or "fetched" not in folder.columns(DOCUMENTS.name):
        return {}
    dates = {doc: row["fetched"] for doc, row in folder.documents([number, *sources], ["fetched"]) if row["fetched"]}
    own = dates.pop(number, None)
    order = {
        doc: "" if own is None or date == own else ", before" if date < own else ", after"
        for doc, date in dates.items()
    }
    return {doc: {"seen": f"first seen {date[:10]}{order[doc]}"} for doc, date in dates.items()}


def explain_page(folder: RunFolder, number: int) -> list[str]:
    """Why a document is or is not a quilt of a run, in lines."""
    page = next((row for _, row in folder.documents([number], ["id", "url"])), {"id": None, "url": None})
    return list(explain(folder, judge_page(folder, number, {}) | page))


def judge_page(folder: RunFolder, number: int, limits: Mapping[str, Any]) -> dict[str, Any]:
    """All that is known of one document: its verdict and the limits; what it was collapsed into, and how similar.

    `quilt` is None if a run that is not complete does not say.
    """
    kept = next((row["cluster"] for row in folder.about(CLUSTERS.name, number)), number)
    if kept != number:
        return {
            "doc": number,
            "quilt": False,
            "why": "collapsed",
            "kept": kept,
            "similarity": compare(folder, number, kept),
        }
    if VERDICTS.name not in folder.tables and not limits:
        return {"doc": number, "quilt": bool(folder.about(QUILTS.name, number)) or None, "why": None}
    changed = change_limits(folder.run.manifest["parameters"], limits)
    found = judge_run(folder.run, limits, opened=folder.tables).between(number, number).to_pylist()
    verdict = found[0] if found else {"doc": number, "quilt": None, "why": None}
    return verdict | {"limits": {name: getattr(changed, name) for name in CHANGEABLE}}


def compare(folder: RunFolder, number: int, kept: int) -> float | None:
    """The Jaccard coefficient of the circular 5-grams of two documents; None without the corpus."""
    texts = [row["text"] for _, row in folder.documents([number, kept], ["text"])]
    if len(texts) < 2:
        return None
    from unquilt._native import grams

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
        failed = [_fail_in_part(facts)] if facts["verdict"] == "in part" else (facts["why"] or "").split(", ")
        yield say_verdict(facts, failed)
        if facts.get("reworded"):
            yield "Equal words say little of it: reworded passages count in place of grams (--edits reworded)."
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
            joined = facts.get("joined_words") or 0
            beside = (
                f", {'all' if joined == facts['sewn_words'] else f'{joined:,}'} of them side by side" if joined else ""
            )
            against = {
                "sigma": "sigma asks for more of the page",
                "max_largest": "one source has most of what is covered",
            }
            return f"Stitched in part: {sewn}{beside}, though {against[failed[0]]}."
        case "original":
            return f"An original: others took from it. It reads on where they jump (fails {' and '.join(failed)})."
        case _:
            return f"Not a quilt: it fails {' and '.join(failed)}."


def _fail_in_part(facts: Row) -> str:
    """The limit that a page fails which is stitched in part."""
    return "max_largest" if facts["largest"] > facts["limits"]["max_largest"] else "sigma"


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
            return f"{shared}, but all of these are on its own {site} (--site {asked['foreign']})."
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
