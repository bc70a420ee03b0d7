"""`unquilt.experiment`: the papers' evaluations as calls in Python, one for each command of `unquilt experiment`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unquilt.experiments import imatch, passages, phrases, quilts, reuse
from unquilt.experiments.experiment import Experiment
from unquilt.jobs.named import Inputs
from unquilt.jobs.options import JobOptions
from unquilt.parameters import Parameters
from unquilt.results.run import ReadableRun


@dataclass(frozen=True)
class Call:
    """An experiment as a function of inputs, or of a corpus folder, and of the parameters of its command."""

    experiment: Experiment

    def __call__(
        self, inputs: Inputs, output: str | Path | None = None, *, options: JobOptions | None = None, **parameters: Any
    ) -> ReadableRun:
        """Carries it out into a run folder, and opens that."""
        given = (self.experiment.job.parameters or Parameters).from_dict(parameters)
        return ReadableRun.of(self.experiment.carry_out(given, inputs, output, options))


class Experiments:
    """The experiments.

    >>> import pyarrow as pa
    >>> words = ["oaks", "elms", "reeds", "ferns", "mosses", "willows", "herons", "otters"]
    >>> texts = [" ".join([*words, f"page{n}"]) for n in range(4)] + ["bread butter cheese honey pepper salt"]
    >>> run = Experiments().imatch(pa.table({"text": texts}), nidf=(0.0, 0.9), cosine=0.8, most=2)
    >>> [row["recall"] for row in run.recalls.to_pylist()]
    [1.0, 1.0, 1.0]
    """

    imatch = Call(imatch.EXPERIMENT)
    """How many near-duplicates I-Match finds, by number of randomised lexicons (tables recalls and stability)."""
    passages = Call(passages.EXPERIMENT)
    """How well passages are found, by signature and parameter (qualities), and beyond near-duplicates (beyond)."""
    phrases = Call(phrases.EXPERIMENT)
    """The figures of popular phrases, of one corpus or several (phrase_corpora, popular_curves, cover_sizes,
    phrase_sites and shingle_curves)."""
    quilts = Call(quilts.EXPERIMENT)
    """How many quilts there are by the definitions of the paper, by default, and for many parameters (variants and
    sweep)."""
    reuse = Call(reuse.EXPERIMENT)
    """Copies that are discovered, and how much of them may be changed (injections, mutations and tolerances)."""


experiment = Experiments()
