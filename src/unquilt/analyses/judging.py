"""Verdicts on other limits: which documents of a finished run would be quilts, without computing it again.

A verdict has what the limits (`analyses.limits`) are held against, so these may have any value. Only documents that may
be quilts were looked at closely; of the others, some numbers are not known, and what is not known fails no limit.

A cover made with a larger `min_share` is the beginning of the one that was made, since what sources newly cover never
rises: its numbers follow from the rows of `sources`. This holds for runs without `homes`, in which all sources are of
one kind. What of such a document is its own site's, or sewn in, stays as it was counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from unquilt.analyses.limits import (
    CHANCE,
    DOUBT,
    HALF,
    LIMITS,
    LITTLE_OWN,
    MOST_IN_PART,
    MOST_RESUMED,
    MOSTLY_STITCHED,
    NEARLY_ALL,
    PART_OF_SIGMA,
    STRICTER,
    WITHOUT_SOURCES,
    column_of,
)
from unquilt.analyses.quilt_parameters import CHANGEABLE, PUBLISHED, QuiltParameters
from unquilt.errors import ParameterError
from unquilt.tables.quilts import VERDICTS

JUDGED_BY = ["covered", "patchfrac", "stitched", "sewn_words", "sewn_sources", "joined_words", "joined_sources"]
JUDGED_BY += ["resumes", "borders_on", "from_pool", *(limit.column for limit in LIMITS)]
"""The columns of verdicts that decide which limits a document fails."""


def change_limits(made: Mapping[str, Any], asked: Mapping[str, Any]) -> QuiltParameters:
    """The parameters of a run with other limits; those that cannot be changed afterwards are refused."""
    for name in asked:
        if name not in CHANGEABLE:
            raise ParameterError(f"{name} cannot be changed without a new run; what can: {', '.join(CHANGEABLE)}")
    changed = QuiltParameters.from_dict(
        {name: made.get(name, PUBLISHED.get(name)) for name in CHANGEABLE} | dict(asked)
    )
    if changed.min_share > made["min_share"] and made.get("homes"):
        raise ParameterError("another min_share needs a new run, because this run prefers some sources (homes)")
    if changed.min_share < made["min_share"]:
        smaller = f"this run has no sources below its min_share of {made['min_share']:g}"
        raise ParameterError(f"{smaller}; for {changed.min_share:g}, make a new run")
    if changed.min_sewn > 0 and not (made.get("min_sewn", 0) or (made.get("patches") and "min_sewn" in made)):
        raise ParameterError("this run did not count how much is sewn in; for a min_sewn, make a new run")
    if changed.max_reads_on < 1 and made.get("max_reads_on", 1) >= 1:
        raise ParameterError("this run did not count how pages read on; for a max_reads_on, make a new run")
    if changed.max_own < 1 and made.get("max_own", 1) == 1:
        raise ParameterError("this run did not count what pages of the own site have; for a max_own, make a new run")
    return changed


def judge(verdicts: pa.Table, sources: pa.Table, made: Mapping[str, Any], limits: QuiltParameters) -> pa.Table:
    """Verdicts by other limits (see `change_limits`), from verdicts of a run and the sources of the documents in them.

    With a larger `min_share`, the numbers of documents that are no quilts either way stay those of the run. Raises
    ParameterError if that needs sources that the run does not have.
    """
    if limits.min_share > made["min_share"]:
        verdicts = _end_covers(verdicts, sources, limits)
    failures = fail_limits(verdicts, limits)
    words = [pc.if_else(fails, f", {limit}", "") for limit, fails in failures.items()]
    why = pc.utf8_slice_codeunits(pc.binary_join_element_wise(*words, ""), 2)
    without = pc.is_in(verdicts["why"], value_set=pa.array(WITHOUT_SOURCES))
    in_part = find_in_part(verdicts, failures, limits)
    why = pc.if_else(without, verdicts["why"], pc.if_else(in_part, "", why))
    quilt = pc.equal(why, "")
    original = pc.and_(failures["max_reads_on"], pc.invert(without))
    other = pc.if_else(original, "original", "none")
    # What might speak against a page that the run did not look at is not known, so it comes behind all others.
    unknown = pc.and_(quilt, pc.and_(pc.is_null(verdicts["spanned"]), _looked_for_passages(made)))
    columns = {
        "evidence": pc.if_else(unknown, 0.0, verdicts["evidence"]),
        "verdict": pc.if_else(quilt, pc.if_else(in_part, "in part", "quilt"), other),
        "quilt": quilt,
        "why": pc.if_else(quilt, pa.scalar(None, pa.string()), why),
    }
    if (limits.c, limits.sigma) != (made["c"], made["sigma"]):
        columns["published"] = pa.nulls(len(quilt), pa.bool_())  # the run did not count it for these
    return _replace(verdicts, columns)


def _looked_for_passages(made: Mapping[str, Any]) -> bool:
    """Whether a run looked for passages, so that they tell which documents it looked at closely."""
    limited = made.get("min_sewn", 0) > 0 or made.get("max_reads_on", 1) < 1
    return bool(limited or made.get("patches") or made.get("sigma_of") == "spanned")


def fail_limits(verdicts: pa.Table, limits: QuiltParameters) -> dict[str, pa.ChunkedArray]:
    """For each limit, which documents fail it, by the numbers of their verdicts; those without sources fail some."""
    failed = {}
    farmed = pc.and_(verdicts["from_pool"], pc.less_equal(pc.fill_null(verdicts["own"], 0.0), LITTLE_OWN))
    for limit in LIMITS:
        column, value = column_of(limit, limits.sigma_of), getattr(limits, limit.name)
        numbers = verdicts[column]
        if column == "spanned":  # where passages were not looked for, they span what sources cover
            numbers = pc.coalesce(numbers, verdicts["covered"])
        if column == "reads_on" and 0 < value < 1:  # what only stitched pages have, too, they may have from here
            value = pc.if_else(pc.greater(verdicts["stitched"], MOSTLY_STITCHED), value / STRICTER, value)
        compare = pc.less if limit.fails == "<" else pc.greater
        fails = pc.fill_null(compare(numbers, value), False)
        if (
            limit.name == "min_sewn" and value > 0 and limits.c > 1
        ):  # where nothing tells who took from whom, seams have to
            apart = pc.less(pc.fill_null(verdicts["sewn_sources"], 0), limits.c)
            fails = pc.or_(fails, pc.and_not(pc.and_not(apart, _jump(verdicts, limits, 1.0)), farmed))
        if limit.name == "max_reads_on":  # where all who have the text jump, some words are on both sides by chance
            little = pc.less_equal(verdicts["reads_on"], CHANCE * limits.max_reads_on)
            by_chance = pc.fill_null(pc.and_(little, pc.less_equal(verdicts["borders_on"], HALF)), False)
            fails = pc.and_not(fails, pc.and_(by_chance, farmed))
        failed[limit.name] = fails
    return failed


def find_in_part(
    verdicts: pa.Table, failures: Mapping[str, pa.ChunkedArray], limits: QuiltParameters
) -> pa.ChunkedArray:
    """Which documents are quilts in part: they fail σ alone, or the limit on the largest source alone, but jump where
    their sources read on, and have enough words of enough sources in passages. See docs/definitions.md."""
    not_own = pc.subtract(1.0, pc.fill_null(verdicts["own"], 0.0))
    of_others = pc.min_element_wise(1.0, pc.multiply(2.0, pc.subtract(1.0, verdicts["largest"])))

    def enough(passages: str, least: float) -> pa.ChunkedArray:
        words = pc.cast(pc.fill_null(verdicts[f"{passages}_words"], 0), pa.float64())
        sources = pc.fill_null(verdicts[f"{passages}_sources"], 0)
        counted = pc.multiply(pc.multiply(words, not_own), of_others)
        return pc.and_(pc.greater_equal(counted, least), pc.greater_equal(sources, limits.c))

    def alone(name: str) -> pa.ChunkedArray:
        return pc.and_not(failures[name], reduce(pc.or_, (failures[other] for other in failures if other != name)))

    least = float(limits.min_part)
    spans = pc.greater_equal(pc.fill_null(verdicts["spanned"], 0), limits.sigma * PART_OF_SIGMA)
    much = pc.and_(pc.and_(spans, _jump(verdicts, limits, 2.0)), enough("sewn", least))
    leaves_off = pc.fill_null(pc.less_equal(verdicts["resumes"], MOST_RESUMED), False)
    scattered = pc.and_(pc.and_(leaves_off, limits.max_reads_on < 1), enough("sewn", least / PART_OF_SIGMA))
    side_by_side = enough("joined", least)
    mixed = pc.and_(pc.less_equal(verdicts["largest"], MOST_IN_PART), limits.min_part > 0)
    of_sigma = pc.and_(alone("sigma"), pc.or_(side_by_side, pc.or_(much, scattered)))
    joined, sewn = (pc.cast(pc.fill_null(verdicts[name], 0), pa.float64()) for name in ("joined_words", "sewn_words"))
    nearly_all = pc.greater_equal(joined, pc.multiply(NEARLY_ALL, sewn))
    found = pc.or_(of_sigma, pc.and_(alone("max_largest"), pc.and_(side_by_side, nearly_all)))
    return pc.and_(found, pc.and_(mixed, _jump(verdicts, limits, 1.0)))


def _jump(verdicts: pa.Table, limits: QuiltParameters, times: float) -> pa.ChunkedArray:
    """Which documents jump where their sources read on, so many times as far as the limit; or it is not known."""
    jumps = pc.less_equal(verdicts["reads_on"], -times * limits.max_reads_on)
    return pc.or_(pc.fill_null(jumps, True), limits.max_reads_on >= 1)


def _replace(verdicts: pa.Table, columns: Mapping[str, pa.ChunkedArray]) -> pa.Table:
    """The table with other values in some columns."""
    kept = {name: columns.get(name, verdicts[name]) for name in verdicts.column_names}
    return pa.table(kept, schema=VERDICTS.schema)


def _end_covers(verdicts: pa.Table, sources: pa.Table, limits: QuiltParameters) -> pa.Table:
    """Verdicts with the numbers of covers that end where a source newly covers less than `min_share`."""
    concerned = pc.and_(
        pc.and_(pc.greater_equal(verdicts["covered"], limits.sigma), pc.greater_equal(verdicts["sources"], limits.c)),
        pc.less_equal(verdicts["largest"], limits.max_largest),
    )
    known = pc.is_in(verdicts["doc"], value_set=pc.unique(sources["quilt"]))
    unknown = verdicts.filter(pc.and_(concerned, pc.invert(known))).num_rows
    if unknown:
        come = "1 document that comes" if unknown == 1 else f"{unknown:,} documents that come"
        missing = f"it has no sources of {come} into question, being no quilt{'' if unknown == 1 else 's'} in it"
        raise ParameterError(f"for min_share {limits.min_share:g} with these limits, make a new run: {missing}")
    place = pc.index_in(sources["quilt"], value_set=verdicts["doc"].combine_chunks())
    share = _divide(sources["new_grams"], verdicts["patch_grams"].take(place))
    picked = sources.filter(pc.greater_equal(share, limits.min_share))
    sums = [("new_grams", "sum"), ("new_grams", "count"), ("all_grams", "max")]
    sums += [("linked_grams", "max"), ("section_grams", "max")]
    found = picked.group_by("quilt").aggregate(sums)
    at = pc.index_in(verdicts["doc"], value_set=found["quilt"].combine_chunks())

    def counted(name: str) -> pa.ChunkedArray:
        return pc.fill_null(found[name].take(at), 0)

    covered, count = counted("new_grams_sum"), counted("new_grams_count")
    share = _divide(covered, verdicts["grams"])
    sections = _divide(counted("section_grams_max"), pc.max_element_wise(covered, 1))
    numbers = {
        "covered": share,
        "sources": count,
        "largest": _divide(counted("all_grams_max"), pc.max_element_wise(covered, 1)),
        "sections": sections,
        "attributed": _divide(counted("linked_grams_max"), pc.max_element_wise(verdicts["patch_grams"], 1)),
        "evidence": _multiply(
            pc.cast(count, pa.float64()),
            share,
            _multiply(pc.subtract(1.0, verdicts["own"]), pc.subtract(1.0, sections)),
            _believe(verdicts["reads_on"]),
        ),
        "why": pc.if_else(pc.equal(covered, 0), pa.scalar("min_share"), verdicts["why"]),
    }
    return _replace(verdicts, {name: pc.if_else(known, new, verdicts[name]) for name, new in numbers.items()})


def _multiply(*factors: pa.ChunkedArray) -> pa.ChunkedArray:
    return reduce(pc.multiply, factors)


def _believe(reads_on: pa.ChunkedArray) -> pa.ChunkedArray:
    """What is left of the evidence for quilts that read on like this."""
    left = pc.subtract(0.5, pc.multiply(DOUBT, reads_on))
    return pc.fill_null(
        pc.min_element_wise(1.0, pc.max_element_wise(0.0, left, skip_nulls=False), skip_nulls=False), 1.0
    )


def _divide(part: pa.ChunkedArray, whole: pa.ChunkedArray) -> pa.ChunkedArray:
    """Quotients as kernels make them: of doubles."""
    return pc.divide(pc.cast(part, pa.float64()), pc.cast(whole, pa.float64()))
