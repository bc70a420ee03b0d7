"""Analyses are gone through without data before they run, so that a misfit shows before anything is written."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from snapshots import Snapshots

import unquilt
from unquilt.analyses.analysis import Analysis, Outcome
from unquilt.analyses.catalogue import find_function, jobs
from unquilt.analyses.quilt_parameters import QuiltParameters
from unquilt.errors import ParameterError, PlanError
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel
from unquilt.flow.rehearsal import rehearse
from unquilt.flow.verbs import Verbs
from unquilt.jobs.work import analyse
from unquilt.parameters import ParameterInfo
from unquilt.tables.neardups import EDGES, PAIRS

ANALYSES = {job.name: job for job in jobs() if isinstance(job, Analysis)}
TEXTS: dict[str, Any] = {
    "between": ("a", "b"),
    "candidates": "words > 2",
    "exclude_site": ("host.example",),
    "key": "0123456789abcdef" * 2,
    "keep": "longest",
    "prefer": "words > 2",
    "sample_site": "host.example",
    "site": "host.example",
}
"""A value of each parameter that may be any text, but for files."""
NEVER = {("passages", "signature", "fuzzy"), ("neardups", "functions", 1), ("quilts", "max_largest", 0)}
"""Values that are declared, and refused whatever else is given here: they lead to another analysis, do not fit another
value, or leave nothing that could be found."""
BESIDE: dict[str, dict[str, Any]] = {
    "neardups": {"method": "spotsigs", "threshold": 0.5, "antecedents": 1},
    "sweep": {"k": (5,), "m": (50,), "c": (4,), "sigma": (0.5,)},
}
"""What some values need beside them, which is more than one other value."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A file for each parameter that names one."""
    folder = tmp_path_factory.mktemp("files")
    pages = pa.table({"id": ["a", "b", "c"], "text": ["one two three", "two three four", "three four five"]})
    unquilt.build_lexicon(pages, folder / "made.lexicon", nidf=(0, 1))
    unquilt.label(pages, folder / "made.labels")
    (folder / "stop.txt").write_text("0" * 40 + "\n")
    made = {"lexicon": "made.lexicon", "labels": "made.labels", "stop": "stop.txt"}
    return {name: str(folder / file) for name, file in made.items()}


def list_values(info: ParameterInfo, texts: dict[str, Any]) -> list[Any]:
    """The values of a parameter that may make an analysis ask for something else than by default: all choices, and one
    end of a range."""
    bounds = info.constraint
    if bounds.one_of:
        values = [value.replace(":N", ":2") if isinstance(value, str) else value for value in bounds.one_of]
    elif info.type is bool:
        values = [True, False]
    elif info.type is str:
        values = [texts[info.name]]
    elif info.many:
        values = [(info.default[0], info.default[-1])]
    else:
        ends = [bounds.at_least, bounds.at_most]
        values = [end for end in ends if end not in (None, info.default)][:1]
    return [value for value in values if value != info.default]


@pytest.mark.parametrize("analysis", ANALYSES.values(), ids=ANALYSES)
def test_every_pair_of_values_fits(analysis: Analysis, files: dict[str, str]) -> None:
    """Defaults, each other value, and each two of them, as far as the parameters allow them."""
    needed = {"labels": files["labels"]} if analysis.name == "detect" else {}
    infos = analysis.parameters.describe()
    values = [(info.name, value) for info in infos for value in list_values(info, TEXTS | files)]
    pairs = [(one, other) for one, other in itertools.combinations(values, 2) if one[0] != other[0]]
    beside = tuple(BESIDE.get(analysis.name, {}).items())
    further = [(*beside, value) for value in values if value[0] not in dict(beside)] if beside else []
    fit, function = set(), find_function(analysis.function)
    for case in [(), *((value,) for value in values), *pairs, *further]:
        try:
            parameters = analysis.parameters(**needed | dict(case))
        except ParameterError:
            assert case, "the defaults exclude each other"
            continue
        named = {name: getattr(parameters, name) for name in analysis.files}
        read = {name: analysis.files[name](file) for name, file in named.items() if file}
        rehearse(lambda verbs, corpus, given=parameters, more=read: function(verbs, corpus, given, **more))
        fit |= set(case)
    left = {(analysis.name, *value) for value in values if value not in fit}
    assert left == {value for value in NEVER if value[0] == analysis.name}


def misfit(verbs: Verbs, corpus: Kept, _: QuiltParameters) -> Outcome:
    """The first table could be kept; the second cannot."""
    (rows,) = verbs.map(corpus, Kernel("select", ("doc", "path")))
    (ends,) = verbs.map(verbs.keep(verbs.map(corpus, Kernel("select", ("doc", "words")))[0], EDGES), Kernel("ends"))
    return Outcome([verbs.keep(ends, EDGES), verbs.keep(rows, PAIRS)], {})


def test_a_misfit_at_the_end_shows_before_anything_is_written(tmp_path: Path, snapshots: Snapshots) -> None:
    function = f"{__name__}:misfit"
    analysis = Analysis(name="misfit", parameters=QuiltParameters, function=function, results=(PAIRS,), labels={})
    with snapshots.error(PlanError):
        analyse(analysis, QuiltParameters(), pa.table({"id": ["a"], "text": ["b"]}), tmp_path / "run")
    assert not (tmp_path / "run").exists()
