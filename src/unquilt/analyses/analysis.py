"""What people are told of a job, said once: which tables it makes, and what its stages are called.

An analysis is a job with parameters and a function; see `catalogue` for what follows from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from unquilt.flow.kept import Kept
from unquilt.parameters import Parameters
from unquilt.tables.table import Table


@dataclass(frozen=True, kw_only=True)
class Job:
    """A job by the tables it makes and the names of its stages.

    `results` are the tables that it is run for, the most important first; of these, those `on_request` are made only
    where the parameters say so. `others` are further tables, also those only made on the way. `labels` says what
    a stage does, by the name of its kernel, or by what it keeps or folds ("{}" stands for the value in counts_5).
    """

    name: str
    results: tuple[Table, ...]
    parameters: type[Parameters] | None = None
    """The class that says what each parameter means; None for a job that has none."""
    others: tuple[Table, ...] = ()
    on_request: tuple[Table, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    summary: str | None = None
    """The class of its summaries (a `View` of `cli.show`), as `module:class`; empty for a plain one. Analyses must
    say."""
    report: str | None = None
    """The function that makes its section of the report, as `module:function`; empty for a plain one. Analyses must
    say."""

    @property
    def tables(self) -> tuple[Table, ...]:
        """All tables that it makes."""
        return (*self.results, *self.others)

    @property
    def tabs(self) -> tuple[Table, ...]:
        """The tables with a tab on the page, in the order of the tabs."""
        return tuple(table for table in self.tables if table.page is not None and table.page.tab)


@dataclass(frozen=True)
class Outcome:
    """The tables that were kept for the user, and the numbers that go into the run's summary."""

    tables: Sequence[Kept]
    statistics: dict[str, int]


@dataclass(frozen=True, kw_only=True)
class Analysis(Job):
    """An analysis: its function, called with (verbs, corpus, parameters), makes its tables.

    `function` is an address, `module:function`: the verbs, stores and other analyses that it needs are imported when it
    is called, not when something is asked of its results. `files` are parameters that name files, each with the
    function that reads it: what comes of it is given to `function` by the same name, and a run with another file is
    another run. `example` is of the call in the API, as a doctest.
    """

    parameters: type[Parameters]
    function: str
    files: Mapping[str, Callable[[str], Any]] = field(default_factory=dict)
    example: str = ""
    said: Callable[[Any], Mapping[str, Any]] = field(default=lambda _: {})
    """The parameters that a file decides, such as the range of a lexicon: a manifest has those, not the defaults."""

    costs: Callable[[Mapping[str, Any]], Iterable[tuple[str, float]]] = field(default=lambda _: ())
    """What its longer stages cost beside each other, in their order, by the parameters that are given; measured. From
    this, progress knows how much is to come."""

    leads: Callable[[Mapping[str, Any]], tuple[str, dict[str, Any]] | None] = field(default=lambda _: None)
    """The name and the parameters of another analysis, if the parameters that are given ask for that one:
    `passages(signature="fuzzy")` is `reworded`."""

    foreign: Callable[[Any], str] = field(default=lambda _: "")
    """What sites are to it, by its parameters, if it needs pages of several sites: `jobs.foresight`."""

    counts_sites: bool = False
    """Whether it finds something on a single site, too, and says on how many sites that is."""

    other_texts: Callable[[Any], bool] = field(default=lambda _: False)
    """Whether, by its parameters, it also looks at JavaScript, CSS and robots.txt: `tables.corpus`."""

    source: Callable[[Any, Mapping[str, Any]], bool] = field(default=lambda _, __: False)
    """Whether, by its parameters and by the files that were read, it looks at the source of pages, not at their
    text."""

    def say(self, read: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters that the files decide which were read."""
        return {name: value for each in read.values() for name, value in self.said(each).items()}
