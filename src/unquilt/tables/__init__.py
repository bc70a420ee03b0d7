"""Every table of unquilt: the one contract between stages, and with whoever reads a run.

    table     what is known of a table               quilts    pages stitched together, and what they draw on
    corpus    documents, other texts, rejects         neardups  clusters of near-duplicates
    lexicon   words                                  sweep     counts of quilts
    reuse     what occurs again and again, and where
    phrases   popular phrases, covering sets, sites
    passages  what two documents share, and where
    reworded  words and candidates, on the way to reworded passages
    experiments  what the papers' evaluations give

Document numbers and counts are `int64`, fingerprints too (many readers have no unsigned integers). Offsets are
half-open, in code points of `text`. Which analysis makes which table is said by the analyses (`analyses.catalogue`).
"""

from __future__ import annotations

from unquilt.tables.corpus import DOCUMENTS, OTHER_TEXTS, REJECTS
from unquilt.tables.experiments import INJECTIONS, MUTATIONS, TOLERANCES
from unquilt.tables.lexicon import WORDS
from unquilt.tables.neardups import (
    CANDIDATES,
    CHOSEN,
    CLUSTERS,
    COMPARED,
    COMPONENTS,
    EDGES,
    FURTHER,
    KEPT,
    MEMBERS,
    PAIRS,
    SIMILARITY,
    TREES,
    UNSETTLED,
)
from unquilt.tables.passages import MARKS, PASSAGE_PAIRS, PASSAGE_RUNS, PASSAGES, STOP_GROUPS, STOP_RUNS
from unquilt.tables.phrases import (
    ASKED_PHRASES,
    COVER_SOURCES,
    COVERS,
    DOCUMENT_PHRASES,
    DRAWN,
    HISTOGRAM,
    HOSTS,
    POPULAR,
)
from unquilt.tables.quilts import (
    ASKED,
    NAMED,
    PATCHES,
    QUILTING_DOMAINS,
    QUILTING_HOSTS,
    QUILTS,
    SLICES,
    SOURCE_DOMAINS,
    SOURCE_HOSTS,
    SOURCES,
    STANDING,
    VERDICTS,
)
from unquilt.tables.reuse import (
    CONTENTS,
    FOUND_OBJECTS,
    FREQUENCIES,
    NEIGHBOURHOOD_SUMS,
    NEIGHBOURHOODS,
    OBJECT_SITES,
    OBJECTS,
    OCCURRENCES,
    PATH_LENGTHS,
    SHARES,
    STOP_CHUNKS,
    TARGETS,
)
from unquilt.tables.reworded import BOILERPLATE, FUZZY_CANDIDATES, STEMS
from unquilt.tables.sweep import COUNTS, SWEEP
from unquilt.tables.table import Column, Table, column, document, integer

__all__ = [
    "ASKED",
    "ASKED_PHRASES",
    "BOILERPLATE",
    "CANDIDATES",
    "CHOSEN",
    "CLUSTERS",
    "COMPARED",
    "COMPONENTS",
    "CONTENTS",
    "COUNTS",
    "COVERS",
    "COVER_SOURCES",
    "DOCUMENTS",
    "DOCUMENT_PHRASES",
    "DRAWN",
    "EDGES",
    "FOUND_OBJECTS",
    "FREQUENCIES",
    "FURTHER",
    "FUZZY_CANDIDATES",
    "HISTOGRAM",
    "HOSTS",
    "INJECTIONS",
    "KEPT",
    "MARKS",
    "MEMBERS",
    "MUTATIONS",
    "NAMED",
    "NEIGHBOURHOODS",
    "NEIGHBOURHOOD_SUMS",
    "OBJECTS",
    "OBJECT_SITES",
    "OCCURRENCES",
    "OTHER_TEXTS",
    "PAIRS",
    "PASSAGES",
    "PASSAGE_PAIRS",
    "PASSAGE_RUNS",
    "PATCHES",
    "PATH_LENGTHS",
    "POPULAR",
    "QUILTING_DOMAINS",
    "QUILTING_HOSTS",
    "QUILTS",
    "REJECTS",
    "SHARES",
    "SIMILARITY",
    "SLICES",
    "SOURCES",
    "SOURCE_DOMAINS",
    "SOURCE_HOSTS",
    "STANDING",
    "STEMS",
    "STOP_CHUNKS",
    "STOP_GROUPS",
    "STOP_RUNS",
    "SWEEP",
    "TARGETS",
    "TOLERANCES",
    "TREES",
    "UNSETTLED",
    "VERDICTS",
    "WORDS",
    "Column",
    "Table",
    "column",
    "document",
    "integer",
]
