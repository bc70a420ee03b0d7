"""Every table of unquilt: the one contract between stages, and with whoever reads a run.

    table                 the declaration of a table
    corpus                documents, other texts, rejects, disguises
    lexicon               words
    quilts                pages stitched together, their sources and patches
    sweep                 counts of quilts
    neardups              clusters of near-duplicates
    passages              passages that two documents share
    copies                who has what of ours
    reworded              stems and candidates, on the way to reworded passages
    phrases               popular phrases, covering sets, sites
    repeats               text that can be taken out, as it stands elsewhere
    reuse                 paragraphs and files that occur again and again, and where
    sites                 verdicts on whole sites, and who draws on whom
    experiments           results of the papers' evaluations
    phrases_experiment    results of that of phrases
    passages_experiment   results of that of passages
    reuse_experiment      results of that of reuse

Document numbers and counts are `int64`, fingerprints too (many readers have no unsigned integers). Offsets are
half-open, in code points of `text`. The analyses say which tables they make (`analyses.catalogue`).
"""

from __future__ import annotations

from unquilt.tables.copies import COPIES, COPYING_SITES, EQUAL_PASSAGES, REWORDED_PASSAGES, SIDES
from unquilt.tables.corpus import DISGUISES, DOCUMENTS, OTHER_TEXTS, REJECTS, REVISITS
from unquilt.tables.experiments import NEAR_DOCUMENTS, PLANTED_QUILTS, RECALLS, STABILITY, VARIANTS
from unquilt.tables.lexicon import WORDS
from unquilt.tables.neardups import (
    AUDIT,
    CANDIDATES,
    CHOSEN,
    CLUSTERS,
    COMPARED,
    COMPONENTS,
    DROPPED,
    EDGES,
    FURTHER,
    KEPT,
    LINKED,
    LINKS,
    MEMBERS,
    OVERLAPS,
    PAIRS,
    PREFERENCES,
    SIMILARITY,
    TREES,
    UNSETTLED,
)
from unquilt.tables.passages import MARKS, PASSAGE_PAIRS, PASSAGE_RUNS, PASSAGES, STOP_GROUPS, STOP_RUNS
from unquilt.tables.passages_experiment import BEYOND, QUALITIES
from unquilt.tables.phrases import (
    ASKED_GRAMS,
    ASKED_PHRASES,
    COVER_SOURCES,
    COVERS,
    DOCUMENT_PHRASES,
    DRAWN,
    HISTOGRAM,
    HOSTS,
    PHRASES,
    POPULAR,
    SOURCE_MARKS,
)
from unquilt.tables.phrases_experiment import (
    COVER_SIZES,
    PHRASE_CORPORA,
    PHRASE_SITES,
    POPULAR_CURVES,
    SHINGLE_CURVES,
)
from unquilt.tables.quilts import (
    ASKED,
    KEPT_COPIES,
    NAMED,
    PATCHES,
    QUILTING_DOMAINS,
    QUILTING_HOSTS,
    QUILTS,
    SLICES,
    SOURCE_DOMAINS,
    SOURCE_HOSTS,
    SOURCES,
    VERDICTS,
)
from unquilt.tables.repeats import CUT_REQUESTS, CUTS, EMPTIED, MENU_UNITS, REMOVED
from unquilt.tables.reuse import (
    CONTENTS,
    FOUND_OBJECTS,
    FREQUENCIES,
    NEIGHBOURHOOD_SUMS,
    NEIGHBOURHOODS,
    OBJECT_SITES,
    OBJECTS,
    OCCURRENCES,
    ORIGINS,
    PATH_LENGTHS,
    SHARES,
    STOP_CHUNKS,
    TARGETS,
)
from unquilt.tables.reuse_experiment import CLEANINGS, INJECTED, INJECTIONS, MUTATIONS, TOLERANCES
from unquilt.tables.reworded import BOILERPLATE, REWORDED_CANDIDATES, STEMS
from unquilt.tables.sites import DRAWS, NETWORK_PAIRS, SITES
from unquilt.tables.sweep import COUNTS, SWEEP
from unquilt.tables.table import BESIDE, NOT_LISTED, Column, OnPage, Table, column, document, integer

__all__ = [
    "ASKED",
    "ASKED_GRAMS",
    "ASKED_PHRASES",
    "AUDIT",
    "BESIDE",
    "BEYOND",
    "BOILERPLATE",
    "CANDIDATES",
    "CHOSEN",
    "CLEANINGS",
    "CLUSTERS",
    "COMPARED",
    "COMPONENTS",
    "CONTENTS",
    "COPIES",
    "COPYING_SITES",
    "COUNTS",
    "COVERS",
    "COVER_SIZES",
    "COVER_SOURCES",
    "CUTS",
    "CUT_REQUESTS",
    "DISGUISES",
    "DOCUMENTS",
    "DOCUMENT_PHRASES",
    "DRAWN",
    "DRAWS",
    "DROPPED",
    "EDGES",
    "EMPTIED",
    "EQUAL_PASSAGES",
    "FOUND_OBJECTS",
    "FREQUENCIES",
    "FURTHER",
    "HISTOGRAM",
    "HOSTS",
    "INJECTED",
    "INJECTIONS",
    "KEPT",
    "KEPT_COPIES",
    "LINKED",
    "LINKS",
    "MARKS",
    "MEMBERS",
    "MENU_UNITS",
    "MUTATIONS",
    "NAMED",
    "NEAR_DOCUMENTS",
    "NEIGHBOURHOODS",
    "NEIGHBOURHOOD_SUMS",
    "NETWORK_PAIRS",
    "NOT_LISTED",
    "OBJECTS",
    "OBJECT_SITES",
    "OCCURRENCES",
    "ORIGINS",
    "OTHER_TEXTS",
    "OVERLAPS",
    "PAIRS",
    "PASSAGES",
    "PASSAGE_PAIRS",
    "PASSAGE_RUNS",
    "PATCHES",
    "PATH_LENGTHS",
    "PHRASES",
    "PHRASE_CORPORA",
    "PHRASE_SITES",
    "PLANTED_QUILTS",
    "POPULAR",
    "POPULAR_CURVES",
    "PREFERENCES",
    "QUALITIES",
    "QUILTING_DOMAINS",
    "QUILTING_HOSTS",
    "QUILTS",
    "RECALLS",
    "REJECTS",
    "REMOVED",
    "REVISITS",
    "REWORDED_CANDIDATES",
    "REWORDED_PASSAGES",
    "SHARES",
    "SHINGLE_CURVES",
    "SIDES",
    "SIMILARITY",
    "SITES",
    "SLICES",
    "SOURCES",
    "SOURCE_DOMAINS",
    "SOURCE_HOSTS",
    "SOURCE_MARKS",
    "STABILITY",
    "STEMS",
    "STOP_CHUNKS",
    "STOP_GROUPS",
    "STOP_RUNS",
    "SWEEP",
    "TARGETS",
    "TOLERANCES",
    "TREES",
    "UNSETTLED",
    "VARIANTS",
    "VERDICTS",
    "WORDS",
    "Column",
    "OnPage",
    "Table",
    "column",
    "document",
    "integer",
]
