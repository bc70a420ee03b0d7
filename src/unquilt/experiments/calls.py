"""`unquilt.experiment`: the papers' evaluations as calls in Python, one for each command of `unquilt experiment`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from unquilt.analyses.imatch_experiment import ImatchExperimentParameters
from unquilt.analyses.passages_experiment import PassagesExperimentParameters
from unquilt.analyses.phrases_experiment import PhrasesExperimentParameters
from unquilt.analyses.quilts_experiment import QuiltsExperimentParameters
from unquilt.analyses.reuse_experiment import ReuseExperimentParameters
from unquilt.experiments.imatch import run_imatch
from unquilt.experiments.passages import run_passages
from unquilt.experiments.phrases import run_phrases
from unquilt.experiments.quilts import run_quilts
from unquilt.experiments.reuse import run_reuse
from unquilt.jobs.named import Inputs
from unquilt.jobs.options import JobOptions
from unquilt.results.run import ReadableRun


class Experiments:
    """The experiments. Each takes inputs or a corpus folder, and the parameters of its command."""

    def imatch(
        self, inputs: Inputs, output: str | Path | None = None, *, options: JobOptions | None = None, **parameters: Any
    ) -> ReadableRun:
        """How many near-duplicates I-Match finds, by number of randomised lexicons (tables recalls and stability).

        >>> import pyarrow as pa
        >>> words = ["oaks", "elms", "reeds", "ferns", "mosses", "willows", "herons", "otters"]
        >>> texts = [" ".join([*words, f"page{n}"]) for n in range(4)] + ["bread butter cheese honey pepper salt"]
        >>> run = Experiments().imatch(pa.table({"text": texts}), nidf=(0.0, 0.9), cosine=0.8, most=2)
        >>> [row["recall"] for row in run.recalls.to_pylist()]
        [1.0, 1.0, 1.0]
        """
        return ReadableRun.of(run_imatch(ImatchExperimentParameters.from_dict(parameters), inputs, output, options))

    def passages(
        self, inputs: Inputs, output: str | Path | None = None, *, options: JobOptions | None = None, **parameters: Any
    ) -> ReadableRun:
        """How well passages are found, by signature and parameter (qualities), and beyond near-duplicates (beyond)."""
        return ReadableRun.of(run_passages(PassagesExperimentParameters.from_dict(parameters), inputs, output, options))

    def phrases(
        self, inputs: Inputs, output: str | Path | None = None, *, options: JobOptions | None = None, **parameters: Any
    ) -> ReadableRun:
        """The figures of popular phrases, of one corpus or several (phrase_corpora, popular_curves, cover_sizes,
        phrase_sites and shingle_curves)."""
        return ReadableRun.of(run_phrases(PhrasesExperimentParameters.from_dict(parameters), inputs, output, options))

    def quilts(
        self, inputs: Inputs, output: str | Path | None = None, *, options: JobOptions | None = None, **parameters: Any
    ) -> ReadableRun:
        """How many quilts there are by the definitions of the paper, by default, and for many parameters (variants and
        sweep)."""
        return ReadableRun.of(run_quilts(QuiltsExperimentParameters.from_dict(parameters), inputs, output, options))

    def reuse(
        self, inputs: Inputs, output: str | Path | None = None, *, options: JobOptions | None = None, **parameters: Any
    ) -> ReadableRun:
        """Copies that are discovered, and how much of them may be changed (injections, mutations and tolerances)."""
        return ReadableRun.of(run_reuse(ReuseExperimentParameters.from_dict(parameters), inputs, output, options))


experiment = Experiments()
