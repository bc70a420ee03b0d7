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

from unquilt.analyses.limits import DOUBT, LIMITS, MOSTLY_STITCHED, PART_OF_SIGMA, STRICTER, WITHOUT_SOURCES, column_of
from unquilt.analyses.quilt_parameters import CHANGEABLE, PUBLISHED, QuiltParameters
from unquilt.errors import ParameterError
from unquilt.tables.quilts import VERDICTS

JUDGED_BY = ["covered", "patchfrac", "stitched", "sewn_words", "sewn_sources", *(limit.column for limit in LIMITS)]
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
    in_part = pc.and_(pc.equal(why, "sigma"), is_sewn_in_part(verdicts, limits))
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
    for limit in LIMITS:
        column, value = column_of(limit, limits.sigma_of), getattr(limits, limit.name)
        numbers = verdicts[column]
        if column == "spanned":  # where passages were not looked for, they span what sources cover
            numbers = pc.coalesce(numbers, verdicts["covered"])
        if column == "reads_on" and 0 < value < 1:  # what only stitched pages have, too, they may have from here
            value = pc.if_else(pc.greater(verdicts["stitched"], MOSTLY_STITCHED), value / STRICTER, value)
        compare = pc.less if limit.fails == "<" else pc.greater
        failed[limit.name] = pc.fill_null(compare(numbers, value), False)
    return failed


def is_sewn_in_part(verdicts: pa.Table, limits: QuiltParameters) -> pa.ChunkedArray:
    """Of which documents so much is sewn in that they are quilts in part: passages span enough of σ, with enough words,
    and the page jumps where its sources read on."""
    words, sources = (pc.fill_null(verdicts[name], 0) for name in ("sewn_words", "sewn_sources"))
    enough = pc.and_(pc.greater_equal(words, limits.min_part), pc.greater_equal(sources, limits.c))
    spans = pc.greater_equal(pc.fill_null(verdicts["spanned"], 0), limits.sigma * PART_OF_SIGMA)
    jumps = pc.fill_null(pc.less_equal(verdicts["reads_on"], -limits.max_reads_on), True)
    return pc.and_(pc.and_(enough, pc.and_(spans, jumps)), limits.min_part > 0)


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
