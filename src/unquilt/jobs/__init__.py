"""Jobs: what the command line and the API both call.

    inputs    the inputs of a job                how     how to carry a job out
    corpora   corpus folders as inputs           work    the jobs themselves
    places    where results go                   verdicts  quilts by other limits, from a finished run

What is read goes into a corpus folder of its own, or into the folder `corpus` of the run that needs it.
"""

from __future__ import annotations

from unquilt.jobs.corpora import documents, measures, open_corpus, other_texts
from unquilt.jobs.how import How
from unquilt.jobs.inputs import Inputs
from unquilt.jobs.places import CORPUS
from unquilt.jobs.verdicts import judge_run
from unquilt.jobs.work import analyse, build_filter, build_lexicon, ingest

__all__ = [
    "CORPUS",
    "How",
    "Inputs",
    "analyse",
    "build_filter",
    "build_lexicon",
    "documents",
    "ingest",
    "judge_run",
    "measures",
    "open_corpus",
    "other_texts",
]
