"""unquilt finds copied text in web-size corpora.

    import unquilt as uq

    run = uq.quilts("crawl/*.warc.gz", k=5)
    run.quilts.to_pylist()

Names are looked up when they are first used, so that `import unquilt` and the help of the command line stay quick.
DESIGN.md says how the packages and modules work together:

    api              one function for each command
    cli/             the command line
    page/            the report, and the local page in the browser
    figures/         the figures of a run: their data, and the drawing
    results/         the tables of a run with names, conditions, order; exports
    judgements/      samples that people judge
    experiments/     the evaluations of the papers
    jobs/            the jobs that the command line and the API share
    engines/         threads, processes, workers elsewhere, and Spark
    analyses/        the analyses, written in verbs
    stores/          lexicons, sets of prototypes and of labels, packed words and stems
    flow/            the verbs, and the checks of plans
    corpus/          from files to documents
    runs/            run folders
    remote/          files and folders by URL
    columns          Arrow columns to buffers of the core, and back
    _native          the only import of the compiled core
    tables/          the columns and meanings of all tables
    parameters       declaration and validation of parameters
    settings         engine, threads, memory
    site_names       what a site is, and what it is called
    spelling         numbers with their nouns, and names, for people
    parquet          our Parquet files, with checksums
    guard            work in processes that may crash
    arrow_start      starts Arrow without pandas
    systems          the operating systems that are supported
    errors           all exceptions
    demo/            a small synthetic web
"""

from __future__ import annotations

import sys

# With `python -m unquilt`, Python looks for modules in the current folder first. That folder holds data, and no file in
# it may be run as a module, so it is taken off the path. (This comes too late for modules that Python has imported by
# now, and for an `unquilt` in that folder: there, only `python -P` and the command `unquilt` are safe.)
_AS_MODULE = sys.argv[:1] == ["-m"] and any(word.partition(".")[0] == "unquilt" for word in sys.orig_argv[1:3])
if _AS_MODULE and not sys.flags.safe_path:
    del sys.path[0]

from importlib import import_module  # noqa: E402
from typing import TYPE_CHECKING, Any  # noqa: E402

from unquilt.analyses.catalogue import public_names  # noqa: E402
from unquilt.systems import check_system  # noqa: E402

if TYPE_CHECKING:
    from unquilt.analyses.detect import DetectParameters
    from unquilt.analyses.discover import DiscoverParameters
    from unquilt.analyses.neardups import NeardupParameters
    from unquilt.analyses.passages import PassageParameters
    from unquilt.analyses.phrases import PhraseParameters
    from unquilt.analyses.quilt_parameters import QuiltParameters
    from unquilt.analyses.repeats import RepeatParameters
    from unquilt.analyses.reworded import RewordedParameters
    from unquilt.analyses.sweep import SweepParameters
    from unquilt.api import (
        Alignment,
        AnalysisCall,
        Detector,
        Fields,
        Filter,
        JobOptions,
        LabelSet,
        Lexicon,
        Limits,
        Reading,
        Run,
        Settings,
        SignatureParameters,
        StemRates,
        align,
        build_filter,
        build_lexicon,
        copies,
        experiment,
        grams,
        ingest,
        judge,
        label,
        merge_runs,
        read,
        score,
        sites,
        words,
    )

    detect: AnalysisCall
    discover: AnalysisCall
    neardups: AnalysisCall
    passages: AnalysisCall
    phrases: AnalysisCall
    quilts: AnalysisCall
    repeats: AnalysisCall
    reworded: AnalysisCall
    sweep: AnalysisCall

__all__ = [
    "Alignment",
    "DetectParameters",
    "Detector",
    "DiscoverParameters",
    "Fields",
    "Filter",
    "JobOptions",
    "LabelSet",
    "Lexicon",
    "Limits",
    "NeardupParameters",
    "PassageParameters",
    "PhraseParameters",
    "QuiltParameters",
    "Reading",
    "RepeatParameters",
    "RewordedParameters",
    "Run",
    "Settings",
    "SignatureParameters",
    "StemRates",
    "SweepParameters",
    "align",
    "build_filter",
    "build_lexicon",
    "copies",
    "experiment",
    "grams",
    "ingest",
    "judge",
    "label",
    "merge_runs",
    "read",
    "score",
    "sites",
    "words",
]
__all__ = sorted({*__all__, *public_names()})


def __getattr__(name: str) -> Any:
    if name in __all__ or name in public_names():
        check_system()
        return getattr(import_module("unquilt.api"), name)
    raise AttributeError(f"module 'unquilt' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__, *public_names()]
