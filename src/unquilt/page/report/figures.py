"""A figure of the report: a chart, what it shows in a sentence, and the data behind it as CSV, to be saved."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from unquilt.page.report.svg import Chart

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Figure:
    """`name` is that of the file of data; `says` is what to see in the chart, which may be of several panels."""

    name: str
    title: str
    says: str
    charts: Sequence[Chart]
    rows: Sequence[Row]

    @property
    def data(self) -> str:
        """The rows as an address that has the whole file in it."""
        return "data:text/csv;charset=utf-8," + quote(write_csv(self.rows))


def write_csv(rows: Sequence[Row]) -> str:
    r"""Rows as CSV.

    >>> write_csv([{"a": 1, "b": "x,y"}])
    'a,b\r\n1,"x,y"\r\n'
    """
    text = io.StringIO()
    if rows:
        writer = csv.DictWriter(text, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return text.getvalue()


def reach(values: Sequence[float], least: float = 1) -> float:
    """The upper end of an axis: the largest value, or at least so much."""
    return max([least, *values])
