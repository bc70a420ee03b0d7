"""Verdicts on other limits: which documents of a finished run would be quilts, without computing it again.

A verdict has what the limits are held against, so σ, c, `max_largest`, `max_own`, `max_sections` and `max_attributed`
may be any; so may `min_sewn`, but how much is sewn in is known only of documents whose patches the run looked for.
A cover made with a larger `min_share` is the beginning of the one that was made, since what sources newly cover never
rises: its numbers follow from the rows of `sources`. These are there for the quilts of the run. Only documents that
pass the other limits as they were counted can pass them with fewer sources, which cover less, and of which the first
holds more. (That is not so of other limits: a page that the run left out for its sections stays out with a larger
`min_share`, and what of it is its own site's or sewn in stays as it was counted.)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from unquilt.analyses.quilt_parameters import LIMITS, PUBLISHED, QuiltParameters
from unquilt.errors import ParameterError
from unquilt.tables import VERDICTS

NO_SOURCES = ("short", "nothing shared", "own site", "min_share")
"""What `why` says of documents without sources; else it names limits."""


def change_limits(made: Mapping[str, Any], asked: Mapping[str, Any]) -> QuiltParameters:
    """The parameters of a run with other limits; those that cannot be changed afterwards are refused."""
    for name in asked:
        if name not in LIMITS:
            raise ParameterError(f"{name} cannot be changed without a new run; what can: {', '.join(LIMITS)}")
    changed = QuiltParameters.from_dict({name: made.get(name, PUBLISHED.get(name)) for name in LIMITS} | dict(asked))
    if changed.min_share < made["min_share"]:
        smaller = f"this run has no sources below its min_share of {made['min_share']:g}"
        raise ParameterError(f"{smaller}; for {changed.min_share:g}, make a new run")
    if changed.min_sewn > 0 and not (made.get("min_sewn", 0) or (made.get("patches") and "min_sewn" in made)):
        raise ParameterError("this run did not count how much is sewn in; for a min_sewn, make a new run")
    if changed.max_own < 1 and made.get("max_own", 1) == 1 and (made["foreign"] == "none" or "max_own" not in made):
        raise ParameterError("this run did not count what pages of the own site have; for a max_own, make a new run")
    return changed


def judge(verdicts: pa.Table, sources: pa.Table, made: Mapping[str, Any], limits: QuiltParameters) -> pa.Table:
    """Verdicts by other limits (see `change_limits`), from verdicts of a run and the sources of the documents in them.

    With a larger `min_share`, the numbers of documents that are no quilts either way stay those of the run. Raises
    ParameterError if that needs sources that the run does not have.
    """
    if limits.min_share > made["min_share"]:
        verdicts = _end_covers(verdicts, sources, limits)
    words = [pc.if_else(fails, f", {limit}", "") for limit, fails in fail_limits(verdicts, limits).items()]
    why = pc.utf8_slice_codeunits(pc.binary_join_element_wise(*words, ""), 2)
    without = pc.is_in(verdicts["why"], value_set=pa.array(NO_SOURCES))
    why = pc.if_else(without, verdicts["why"], why)
    quilt = pc.equal(why, "")
    return _replace(verdicts, {"quilt": quilt, "why": pc.if_else(quilt, pa.scalar(None, pa.string()), why)})


def fail_limits(verdicts: pa.Table, limits: QuiltParameters) -> dict[str, pa.ChunkedArray]:
    """For each limit, which documents fail it, by the numbers of their verdicts; those without sources fail some."""
    return {
        "sigma": pc.less(verdicts["covered"], limits.sigma),
        "max_largest": pc.greater(verdicts["largest"], limits.max_largest),
        "c": pc.less(verdicts["sources"], limits.c),
        "max_own": pc.greater(pc.fill_null(verdicts["own"], 0), limits.max_own),
        "max_sections": pc.greater(pc.fill_null(verdicts["sections"], 0), limits.max_sections),
        "min_sewn": pc.less(pc.fill_null(verdicts["sewn"], 1), limits.min_sewn),
        "max_attributed": pc.greater(verdicts["attributed"], limits.max_attributed),
    }


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
    concerned = pc.and_(concerned, pc.less_equal(pc.fill_null(verdicts["sections"], 0), limits.max_sections))
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
    numbers = {
        "covered": share,
        "sources": count,
        "largest": _divide(counted("all_grams_max"), pc.max_element_wise(covered, 1)),
        "sections": _divide(counted("section_grams_max"), pc.max_element_wise(covered, 1)),
        "attributed": _divide(counted("linked_grams_max"), pc.max_element_wise(verdicts["patch_grams"], 1)),
        "evidence": pc.multiply(pc.multiply(pc.cast(count, pa.float64()), share), _left(verdicts["own"])),
        "why": pc.if_else(pc.equal(covered, 0), pa.scalar("min_share"), verdicts["why"]),
    }
    return _replace(verdicts, {name: pc.if_else(known, new, verdicts[name]) for name, new in numbers.items()})


def _left(share: pa.ChunkedArray) -> pa.ChunkedArray:
    """What is left without a share; runs of older versions may not know it."""
    return pc.subtract(1.0, pc.fill_null(share, 0))


def _divide(part: pa.ChunkedArray, whole: pa.ChunkedArray) -> pa.ChunkedArray:
    """Quotients as kernels make them: of doubles."""
    return pc.divide(pc.cast(part, pa.float64()), pc.cast(whole, pa.float64()))
