"""`between`: only documents of one collection are compared with those of another, each named by a pattern."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from unquilt.errors import InputError, ParameterError
from unquilt.parameters import parameter


def between_parameter() -> tuple[str, ...]:
    """The parameter, for each analysis that compares pairs of documents."""
    return parameter(
        (),
        "compare only documents whose id, URL or file begins with A with those that begin with B; * matches anything",
        is_pair=True,
    )


def check_between(between: Sequence[str]) -> None:
    """Refuse an empty pattern."""
    if not all(between):
        raise ParameterError("between must name two collections, none of them empty")


def name_collections(between: Sequence[str]) -> dict[str, Any]:
    """The two collections as kernels take them."""
    return dict(zip("ab", between or ("", ""), strict=True))


def refuse_empty(counters: Mapping[str, int], between: Sequence[str]) -> None:
    """Refuse a collection without documents: the pattern is a mistake."""
    for name, pattern in zip("ab", between, strict=False):
        if counters.get(f"documents_in_{name}") == 0:  # it is not counted where an analysis is only tried
            raise InputError(f"no document has an id, URL or file that begins with {pattern!r}; --between needs two")
