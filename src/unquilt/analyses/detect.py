"""Detection: which documents and neighbourhoods contain labelled content (Ardi and Heidemann, ISI-TR-692, 2014).

    L                 labelled chunks and files, and stop chunks, which are taken out of every document first
    contains(L, d)    the share of the remaining chunks of d, with repetition, that are in L; 0 if none remain
    ours(L, d)        the page that L has labels of from which most of d's labelled text is, if L knows
    d is a target     iff it is a labelled file, or contains(L, d) > mean + σ over all documents (a partial target)
    N                 a neighbourhood: all documents under one URL prefix, the site or a folder of it
    badness(N)        the mean of contains over the documents of N; N is bad iff badness(N) > mean + σ over all N

With `bad_by` ratio, neighbourhoods are judged by the share of labelled chunks among all of theirs. With `stop_of`
neighbourhoods, stop chunks are taken out only there. Either threshold may be given as a number, here or with the
labels. Documents whose URLs are a crawler's recursion errors are dropped; documents without a URL are in no
neighbourhood.

Shares are whole numbers in units of 2⁻³⁰, rounded down: they add up to the same in any order, over any split of a
corpus, and mean + σ of whole numbers is found without a rounding (`find_threshold`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any

from unquilt.analyses.analysis import Analysis, Outcome
from unquilt.analyses.discover import (
    OBJECT_LABELS,
    DiscoverParameters,
    PageParameters,
    count_objects,
    look_up_examples,
    looks_at_others,
)
from unquilt.analyses.sites import see_names
from unquilt.errors import ParameterError
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel
from unquilt.flow.verbs import Verbs, look_up
from unquilt.parameters import Parameters, parameter
from unquilt.site_names import SITES, strip_scheme
from unquilt.stores.labels import BY, LabelSet
from unquilt.tables.reuse import (
    CONTENTS,
    FOUND_OBJECTS,
    NEIGHBOURHOOD_SUMS,
    NEIGHBOURHOODS,
    OBJECT_SITES,
    OBJECTS,
    OCCURRENCES,
    ORIGINS,
    PATH_LENGTHS,
    SHARES,
    TARGETS,
)

BAD_BY = ("badness", "ratio")
STOP_OF = ("all", "neighbourhoods")
SCALE = 1 << 30
"""One, as shares are counted."""
VERDICT_LABELS = {
    "detection": "looking for labelled chunks",
    "neighbourhood sums": "adding up neighbourhoods",
    "neighbourhood_sums": "adding up neighbourhoods",
    "badness": "adding up neighbourhoods",
    "targets": "choosing targets",
    "pages": "choosing targets",
    "neighbourhoods": "judging neighbourhoods",
    "object_sites": "counting chunks and files",
    "object origins": "looking up pages of ours",
    "origins": "looking up pages of ours",
    "judged_neighbourhoods": "judging neighbourhoods",
}


@dataclass(frozen=True)
class ThresholdParameters(Parameters):
    """From which share on a document is a target, and a neighbourhood bad."""

    page_threshold: float | None = parameter(
        None,
        "minimum share of labelled content of a target, exclusive",
        at_least=0,
        at_most=1,
        usual="mean + σ, or that of the labels",
    )
    neighbourhood_threshold: float | None = parameter(
        None,
        "minimum badness of a bad neighbourhood, exclusive",
        at_least=0,
        at_most=1,
        usual="mean + σ, or that of the labels",
    )


@dataclass(frozen=True)
class JudgingParameters(ThresholdParameters):
    """What makes a neighbourhood bad."""

    bad_by: str = parameter(
        "badness",
        "what of a neighbourhood is held against its threshold: badness, the mean share of its documents, or ratio, "
        "the share of all its chunks",
        one_of=BAD_BY,
    )


@dataclass(frozen=True)
class DetectParameters(JudgingParameters, PageParameters):
    """What is looked for."""

    labels: str = parameter("", "set of labels to look for; unquilt reuse label makes one")
    stop_of: str = parameter(
        "all",
        "what stop chunks are taken out of: all documents, or neighbourhoods alone, as published",
        one_of=STOP_OF,
    )
    site: str = parameter("domain", "what a site is, for the columns that say where else a chunk stands", one_of=SITES)
    occurrences: bool = parameter(False, "also write where each labelled chunk stands")
    exclude_site: tuple[str, ...] = parameter(
        (), "sites, or prefixes of URLs, to leave out, such as our own sites and licensed partners"
    )

    def check(self) -> None:
        if not self.labels:
            raise ParameterError("labels is missing: name the set of labels to look for")


def pack_names(names: Sequence[str]) -> bytes:
    """Sites and beginnings of URLs, as kernels read them."""
    plain = (strip_scheme(name) if "/" in name.rstrip("/") else name.rstrip("/").lower() for name in names)
    return "\n".join(plain).encode(errors="replace")


def find_threshold(counted: Mapping[str, int], given: float | None) -> int:
    """The greatest share, in units of 1 / SCALE, that is not above the threshold: the number that was given, or else
    mean + σ of what was counted.

    A whole number x is above (S + √D) / n, for whole S and D, just if it is above ⌊(S + ⌊√D⌋) / n⌋.
    """
    if given is not None:
        return int(given * SCALE)
    number, total = counted.get("number", 0), counted.get("sum", 0)
    squares = counted.get("squares", 0) * SCALE + counted.get("squares_rest", 0)
    return (total + isqrt(number * squares - total * total)) // number if number else SCALE


def detect(verbs: Verbs, corpus: Kept, given: DetectParameters, labels: LabelSet) -> Outcome:
    """Finds labelled content.

    One pass over hashes; shuffles about 60 bytes a document, and for each batch of documents 70 for each neighbourhood
    and 50 for each labelled chunk that is found.
    """
    about = labels.about
    side = verbs.side("labels", lambda: memoryview(labels.mapped))
    labels.release()  # kernels map the side: the set need not be in memory twice
    cutting: dict[str, Any] = {"by": about.by, "min_length": about.min_length, "trivial_stop": about.trivial_stop}
    sited, site = see_names(corpus, given.site)
    excluded = verbs.side("excluded sites", lambda: pack_names(given.exclude_site))
    cutting |= {"stop_of": given.stop_of, "occurrences": given.occurrences}
    kernel = Kernel("contents", **cutting, labels=side, site=site, excluded=excluded)
    contents, prefixes, chunks, files, paths, *occurrences = verbs.map(sited, kernel)
    counters = verbs.fold(contents, "detection")
    table = verbs.keep(look_up(verbs, contents, corpus, ("id", "url")), CONTENTS)
    thresholds = JudgingParameters(
        about.page_threshold if given.page_threshold is None else given.page_threshold,
        about.neighbourhood_threshold if given.neighbourhood_threshold is None else given.neighbourhood_threshold,
        given.bad_by,
    )
    (sums,) = verbs.group([prefixes], Kernel("neighbourhood sums", bad_by=given.bad_by))
    badness = verbs.fold(sums, "badness")
    tables, statistics = judge(verbs, table, verbs.keep(sums, NEIGHBOURHOOD_SUMS), counters, badness, thresholds)
    (lengths,) = verbs.group([paths], Kernel("histograms"))
    tables.append(verbs.keep(lengths, PATH_LENGTHS))
    pages = counters.get("pages", 0)
    everything = DiscoverParameters(chunk_threshold=0, file_threshold=0, auto_stop=False)
    found, _, sites = count_objects(verbs, chunks, files, everything, pages, with_sites=True)
    tables.append(verbs.keep(sites, OBJECT_SITES))
    objects, _ = look_up_examples(verbs, corpus, found, pages)
    tables.append(verbs.keep(objects, OBJECTS))
    (origins,) = verbs.map(tables[-1], Kernel("object origins", labels=side))
    tables.append(verbs.keep(origins, ORIGINS))
    tables += [verbs.keep(rows, OCCURRENCES) for rows in occurrences]
    known = {name: counters.get(name, 0) for name in ("recursive", "without_url", "chunks", "matched", "excluded")}
    known["pages_of_ours"] = labels.pages or 0
    known["compared_by"] = BY.index(about.by)
    return Outcome([table, *tables], known | statistics)


def judge(
    verbs: Verbs,
    contents: Kept,
    sums: Kept,
    counted: Mapping[str, int],
    badness: Mapping[str, int],
    thresholds: JudgingParameters,
) -> tuple[list[Kept], dict[str, int]]:
    """Targets, neighbourhoods and how many there are of each share: from the contents of documents and the sums of
    neighbourhoods, and from number, sum and sum of squares of the shares in both."""
    above_page = find_threshold(counted, thresholds.page_threshold)
    above_place = find_threshold(badness, thresholds.neighbourhood_threshold)
    targets, page_shares = verbs.map(contents, Kernel("targets", threshold=above_page))
    statistics = verbs.fold(targets, "pages")
    neighbourhoods, place_shares = verbs.map(
        sums, Kernel("neighbourhoods", threshold=above_place, bad_by=thresholds.bad_by)
    )
    statistics |= verbs.fold(neighbourhoods, "judged_neighbourhoods")
    (shares,) = verbs.group([page_shares, place_shares], Kernel("histograms"))
    tables = [
        verbs.keep(targets, TARGETS),
        verbs.keep(neighbourhoods, NEIGHBOURHOODS),
        verbs.keep(shares, SHARES),
    ]
    return tables, statistics | {"above_page": above_page, "above_neighbourhood": above_place}


COSTS = (("contents", 238), ("select", 25), ("objects", 27), ("examples", 617))
"""What the longer stages cost beside each other: per mille of the processor time on the small Debian corpus."""

DECLARATION = Analysis(
    name="detect",
    summary="unquilt.cli.show.reuse:DetectView",
    report="unquilt.page.report.sections.reuse:show_detect",
    parameters=DetectParameters,
    costs=lambda _: COSTS,
    function="unquilt.analyses.detect:detect",
    other_texts=looks_at_others,
    source=lambda _, read: "labels" in read and read["labels"].about.by == "raw",
    files={"labels": LabelSet.read},
    results=(TARGETS, NEIGHBOURHOODS, OBJECTS, ORIGINS, OCCURRENCES),
    on_request=(OCCURRENCES,),
    others=(CONTENTS, OBJECT_SITES, SHARES, PATH_LENGTHS, NEIGHBOURHOOD_SUMS, FOUND_OBJECTS),
    labels=OBJECT_LABELS | VERDICT_LABELS | {"contents": "looking for labelled chunks"},
    example="""
    >>> import pyarrow as pa, tempfile
    >>> ours = pa.table({"id": ["ours"], "text": ["A paragraph of ours.\\n\\nAnother one."]})
    >>> labels = label(ours, tempfile.mkdtemp() + "/ours.labels")
    >>> texts = ["Something else.", "Nothing.", "A paragraph of ours.\\n\\nWith something else."]
    >>> run = detect(pa.table({"id": ["x", "y", "z"], "text": texts}), labels=str(labels.path))
    >>> run.targets.select(["id", "contains"]).to_pylist()
    [{'id': 'z', 'contains': 0.5}]
    """,
)
