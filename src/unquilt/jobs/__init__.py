"""Jobs: the functions that the command line and the API both call.

    work       the jobs
    how        settings, reading and progress of a job
    inputs     the inputs of a job
    corpora    corpus folders as inputs
    places     where results go
    verdicts   quilts of a finished run by other limits
    labels     makes sets of labels
    merging    merges runs of detection

Pages that a job reads go into a corpus folder of their own, or into the folder `corpus` of the run that needs them.
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
