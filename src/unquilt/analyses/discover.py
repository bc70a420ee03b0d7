"""Blind discovery: which paragraphs and files occur again and again (Ardi and Heidemann, ISI-TR-692, 2014).

    chunks(d)      the paragraphs of d, each compared by its SHA-1, without stop chunks
    objects        chunks that occur more than `chunk_threshold` times, and files that occur more than `file_threshold`
                   times, in documents whose URLs are no crawler's recursion error
    weight(o)      length × (log₂ sites + log₂ documents / 16): what is long, and found on many sites, comes first

A chunk is compared by its text with white space collapsed; or by its words alone (`normalise`); or, as published, by
its source (`raw`): then it is all bytes between two boundaries of paragraphs, and the corpus must have been read so.
Stop chunks are those with fewer than two letters or digits (`trivial_stop`), those that a file names, and, beyond the
paper, those too short for the number of documents that have them (`auto_stop`):

    length < 10 · log₂ documents

Menus, headings and names are like that, sentences are not. The constant was chosen on 340 chunks of Kafka's and
Debian's documentation, labelled by hand: of those that it stops, 98.6 % say nothing by themselves (docs/reuse.md).

The published thresholds, 10⁵ for 40.5 billion chunks and 10³ for 2.86 billion files, are about one in 400,000 and one
in 3 million: for a corpus of up to some hundred thousand pages that is 1, the default here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unquilt.analyses.analysis import Analysis, Outcome
from unquilt.analyses.sites import see_names
from unquilt.errors import ParameterError
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel
from unquilt.flow.verbs import Rows, Verbs
from unquilt.parameters import Parameters, parameter
from unquilt.site_names import SITES
from unquilt.stores.labels import PLAIN, RESTORED, About, HashList, pack_hashes
from unquilt.tables.reuse import FOUND_OBJECTS, FREQUENCIES, OBJECTS, STOP_CHUNKS

LENGTHS_OF = ("all", "labels")
RANKS = ("weight", "occurrences")
AUTO_STOP = 10
"""Characters that a chunk needs for each doubling of the documents that have it."""
OBJECT_LABELS = {
    "objects": "counting chunks and files",
    "examples": "looking up examples",
    "histograms": "counting frequencies",
}


@dataclass(frozen=True)
class PageParameters(Parameters):
    """Which documents are looked at."""

    pages_only: bool = parameter(False, "leave out JavaScript, CSS and robots.txt of archives")


@dataclass(frozen=True)
class ChunkParameters(PageParameters):
    """What a chunk is."""

    raw: bool = parameter(
        False,
        "compare all bytes between the paragraph boundaries of the source, as published, instead of texts",
    )
    normalise: bool = parameter(False, "compare only the words of chunks, not case and punctuation")
    min_length: int = parameter(0, "ignore chunks of at most this many characters", at_least=0, at_most=2**31)
    min_length_of: str = parameter(
        "all",
        "what --min-length restricts. all: labels and documents alike; labels: labels alone, as published",
        one_of=LENGTHS_OF,
    )
    trivial_stop: bool = parameter(True, "ignore chunks with fewer than two letters or digits")

    def check(self) -> None:
        if self.raw and self.normalise:
            raise ParameterError("raw and normalise exclude each other; leave one out")
        if self.min_length_of == "labels" and not self.min_length:
            raise ParameterError("min_length_of has no effect without min_length; leave it out")

    @property
    def by(self) -> str:
        """What makes two chunks equal, as kernels say it."""
        return "raw" if self.raw else "words" if self.normalise else "text"

    def about(self, words: str = RESTORED) -> About:
        """How documents are cut in which labels of these chunks are looked for."""
        length = 0 if self.min_length_of == "labels" else self.min_length
        return About(by=self.by, min_length=length, trivial_stop=self.trivial_stop, words=words)


@dataclass(frozen=True)
class DiscoverParameters(ChunkParameters):
    """What makes an object."""

    file_threshold: int = parameter(
        1, "a file is an object if it occurs more often than this", at_least=0, at_most=2**40
    )
    chunk_threshold: int = parameter(
        1, "a chunk is an object if it occurs more often than this", at_least=0, at_most=2**40
    )
    min_sites: int = parameter(1, "minimum number of sites with an object", at_least=1, at_most=2**40)
    top: int = parameter(0, "maximum number of objects, the best first", at_least=0, at_most=10**8, usual="all")
    rank: str = parameter("weight", "order of objects for --top", one_of=RANKS)
    site: str = parameter("domain", "what a site is", one_of=SITES)
    stop: str = parameter(
        "", "file with further stop chunks and files: on each line a SHA-1, `file` and a SHA-1, or a text"
    )
    auto_stop: bool = parameter(True, "ignore chunks that are short and in many documents")


def discover(verbs: Verbs, corpus: Kept, given: DiscoverParameters, stop: HashList | None = None) -> Outcome:
    """Finds what occurs again and again.

    Reads hashes, and no text unless words are compared. Shuffles 50 bytes for each chunk, equal ones of a site counted
    together batch by batch; keeps no more of a chunk than its counts, however often it occurs. The texts of
    objects are looked up in the first document that has them: one pass over these.
    """
    stops = verbs.side("stops", lambda: pack_stops(given, stop))
    sited, site = see_names(corpus, given.site)
    cutting: dict[str, Any] = {"by": given.by, "min_length": given.min_length, "trivial_stop": given.trivial_stop}
    kernel = Kernel("object places", **cutting, site=site, stops=stops)
    chunks, files = verbs.map(sited, kernel)
    counters = verbs.fold(chunks, "object_places")
    pages = counters.get("pages", 0)
    found, frequencies = count_objects(verbs, chunks, files, given, pages)
    counters |= verbs.fold(frequencies, "objects_counted")
    (histogram,) = verbs.group([frequencies], Kernel("histograms"))
    table = verbs.keep(histogram, FREQUENCIES)
    objects, stopped = look_up_examples(verbs, corpus, found, pages, once=True)
    return Outcome([verbs.keep(objects, OBJECTS), verbs.keep(stopped, STOP_CHUNKS), table], counters)


def looks_at_others(given: PageParameters) -> bool:
    """Whether JavaScript, CSS and robots.txt are looked at, too."""
    return not given.pages_only


def pack_stops(given: ChunkParameters, stop: HashList | None) -> bytes:
    """The stop chunks and stop files of a list, as kernels look them up."""
    # In either spelling: the corpus has its chunks in one of them.
    hashes = b"" if stop is None else stop.hash_chunks(given.by, RESTORED) + stop.hash_chunks(given.by, PLAIN)
    files = b"" if stop is None else b"".join(stop.files)
    return pack_hashes(About(by=given.by), files=files, stops=hashes)


def count_objects(
    verbs: Verbs, chunks: Rows, files: Rows, given: DiscoverParameters, pages: int, *, with_sites: bool = False
) -> tuple[Rows, ...]:
    """The objects that are wanted, by the first document of each, and how many chunks and files occur how often; on
    request, also on which sites each chunk and file stands. The first `pages` documents are pages; what occurs in
    others only is no better than what occurs in one."""
    wanted: dict[str, Any] = {
        name: getattr(given, name) for name in ("chunk_threshold", "file_threshold", "min_sites", "rank", "top")
    }
    wanted |= {"auto_stop": AUTO_STOP if given.auto_stop else 0, "ranked": given.top > 0, "pages": pages}
    found, *others = verbs.group([chunks, files], Kernel("objects", with_sites=with_sites, **wanted))
    if given.top:
        (found,) = verbs.group([found], Kernel("best", top=given.top))
    return found, *others


def look_up_examples(verbs: Verbs, corpus: Kept, found: Rows, pages: int, *, once: bool = False) -> tuple[Rows, Rows]:
    """Objects and stop chunks with what they say; with `once`, chunks that are all of a file are marked."""
    table = verbs.keep(found, FOUND_OBJECTS)
    objects, stopped = verbs.map(corpus, Kernel("examples", pages=pages, once=once), among=table)
    return objects, stopped


COSTS = (("object places", 258), ("objects", 152), ("examples", 529))
"""What the longer stages cost beside each other: per mille of the processor time on the small Debian corpus."""

DECLARATION = Analysis(
    name="discover",
    summary="unquilt.cli.show.reuse:DiscoverView",
    report="unquilt.page.report.sections.reuse:show_discover",
    parameters=DiscoverParameters,
    function="unquilt.analyses.discover:discover",
    costs=lambda _: COSTS,
    files={"stop": HashList.read},
    other_texts=looks_at_others,
    source=lambda given, _: bool(given.raw),
    results=(OBJECTS, STOP_CHUNKS),
    others=(FREQUENCIES, FOUND_OBJECTS),
    labels=OBJECT_LABELS
    | {
        "object places": "hashing chunks",
        "object_places": "hashing chunks",
        "objects_counted": "counting chunks and files",
        "best": "choosing the best",
    },
    example="""
    >>> import pyarrow as pa
    >>> texts = ["A paragraph of some length.\\n\\nAnother.", "A paragraph of some length.", "None of it."]
    >>> run = discover(pa.table({"id": ["a", "b", "c"], "text": texts}))
    >>> run.objects.select(["kind", "documents", "example"]).to_pylist()
    [{'kind': 'chunk', 'documents': 2, 'example': 'A paragraph of some length.'}]
    """,
)
