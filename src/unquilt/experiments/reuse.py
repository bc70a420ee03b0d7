"""The controlled experiments of reuse (Ardi and Heidemann, ISI-TR-692, 2014, 5.2 to 5.4) on any corpus.

The pages of one site are taken for those that somebody copies. Discovery: how many of their files and chunks occur
often enough once they stand on so many other sites, as they are and with a head and a tail of their own (Figures 1 to
3)? Detection: how many of their chunks may be added, deleted or changed until pages, and the site, are no longer above
the thresholds (Figures 4 to 10)? Labels are all of their chunks (informed), or those that discovery finds (blind).

Occurrences in the corpus and stop chunks are those of `discover` over the whole corpus. Thresholds are the published
ones, mean + σ of a crawl of the web: a site of some size would have too great a share in those of a small corpus.
Copies and changes are counted, not carried out: a chunk that occurs n times in the corpus, and m times in the pages,
occurs n + d·m times when these are copied d times. That this is what discovery and detection find in pages that were
copied and changed indeed is a test (`tests/experiments`). Memory: the chunks of the pages. Time: a run of `discover`
and the simulation.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from unquilt import _native
from unquilt.analyses.discover import DECLARATION as DISCOVER
from unquilt.analyses.discover import DiscoverParameters
from unquilt.analyses.reuse_experiment import DECLARATION, ReuseExperimentParameters
from unquilt.columns import buffers
from unquilt.errors import InputError
from unquilt.experiments.mutations import OPERATIONS, Flags, Point, mutate, tolerate
from unquilt.experiments.tables import keep_rows, read_corpus
from unquilt.jobs.corpora import documents, measures
from unquilt.jobs.named import Inputs
from unquilt.jobs.options import JobOptions
from unquilt.jobs.work import analyse, open_run
from unquilt.runs import InputRecord, Run
from unquilt.stores.labels import cut
from unquilt.tables import INJECTIONS, MUTATIONS, STOP_CHUNKS, TOLERANCES

Row = dict[str, Any]


def run_reuse(
    given: ReuseExperimentParameters,
    inputs: Inputs,
    output: str | Path | None = None,
    options: JobOptions | None = None,
) -> Run:
    """Carries the experiments out over inputs, or over a corpus folder, into a run folder. What is read becomes a
    corpus beside it, so that whoever runs another experiment need not read it again."""
    options = options or JobOptions()
    output, corpus = read_corpus(inputs, output, options)
    record = InputRecord(str(corpus.path), measures(corpus)["bytes"], corpus.manifest["fingerprint"])
    with open_run(DECLARATION.name, given.to_dict(), [record], output, options) as run, _temporary() as folder:
        if not run.complete:
            site = read_site(corpus, given)
            stopped = _find_stop_chunks(corpus, folder, options)
            keep_rows(run, INJECTIONS, count_injections(site, given, stopped))
            points = change_pages(site, given, stopped)
            keep_rows(run, MUTATIONS, [row for case, found in points.items() for row in _tabulate(case, found, site)])
            keep_rows(run, TOLERANCES, list(_find_tolerances(points, given, site)))
            rows = {table.name: run.table(table.name).num_rows for table in DECLARATION.results}
            facts = {"site_pages": len(site.pages), "site_chunks": len(site.occurrences)}
            run.finish(measures(corpus) | rows | facts, results=rows)
    return run


@contextmanager
def _temporary() -> Iterator[Path]:
    """A folder for runs that are of no use afterwards; they cannot lie within another."""
    with tempfile.TemporaryDirectory(prefix="unquilt-") as folder:
        yield Path(folder)


@dataclass(frozen=True)
class CopiedSite:
    """Pages that are copied: of each the hashes of its chunks; how often each of these occurs in the pages, and in all
    of the corpus; and how often the file of each page occurs there."""

    prefix: str
    pages: Sequence[Sequence[bytes]]
    occurrences: Mapping[bytes, int]
    everywhere: Mapping[bytes, int]
    files: Sequence[int]

    @property
    def mean_chunks(self) -> float:
        return sum(map(len, self.pages)) / len(self.pages)

    def discover(self, copies: int, threshold: int) -> set[bytes]:
        """The chunks that occur more often than the threshold after the pages were copied so many times."""
        return {chunk for chunk, here in self.occurrences.items() if self.everywhere[chunk] + copies * here > threshold}


def read_site(corpus: Run, given: ReuseExperimentParameters) -> CopiedSite:
    """The pages of a site that have chunks, and how often their chunks occur in the corpus."""
    prefix = given.site or f"{_find_largest_host(corpus)}/"
    pages: list[Sequence[bytes]] = []
    digests: list[bytes] = []
    for part in _read(corpus, ["url", "chunks", "trivial_chunks", "chunk_sha1", "raw_sha1"]):
        own = pc.starts_with(pc.replace_substring_regex(part["url"], "^[a-z]+://", ""), prefix)
        part = part.filter(pc.fill_null(own, False))
        for row in range(min(part.num_rows, given.pages - len(pages))):
            chunks, trivial, texts = (buffers(part[name].slice(row, 1)) for name in part.column_names[1:4])
            if hashes := cut(_native.chunk_hashes(chunks, trivial, texts, False, 0)):
                pages.append(hashes)
                digests.append(part["raw_sha1"][row].as_py())
    if not pages:
        raise InputError(f"no page whose URL begins with {prefix[:200]} has any chunks: say which with site")
    occurrences = Counter(chunk for page in pages for chunk in page)
    everywhere = _count(corpus, "chunk_sha1", list(occurrences))
    files = _count(corpus, "raw_sha1", list(set(digests)))
    return CopiedSite(prefix, pages, occurrences, everywhere, [files[digest] for digest in digests])


def _read(corpus: Run, columns: Sequence[str]) -> Iterator[pa.Table]:
    for split in documents(corpus).splits():
        part = split.read([*columns, "recursive"])
        yield part.filter(pc.invert(part["recursive"])).select(list(columns))


def _find_largest_host(corpus: Run) -> str:
    """The host with the most pages; of several, the first by name."""
    hosts: Counter[str] = Counter()
    for part in _read(corpus, ["host"]):
        hosts.update(part["host"].drop_null().to_pylist())
    if not hosts:
        raise InputError("no document has a URL, so there is no site to copy: say --base-url, or which with site")
    return min(hosts, key=lambda host: (-hosts[host], host))


def _count(corpus: Run, column: str, wanted: Sequence[bytes]) -> Counter[bytes]:
    """How often each of these hashes occurs in the corpus."""
    found: Counter[bytes] = Counter()
    values = pa.array(wanted, pa.binary(20))
    for part in _read(corpus, [column]):
        hashes = part[column].combine_chunks()
        hashes = hashes.flatten() if pa.types.is_list(hashes.type) else hashes
        found.update(hashes.filter(pc.is_in(hashes, value_set=values)).to_pylist())
    return found


def _find_stop_chunks(corpus: Run, folder: Path, options: JobOptions) -> set[bytes]:
    given = DiscoverParameters(pages_only=True)
    found = analyse(DISCOVER, given, corpus.path, folder / "discovered", replace(options, overwrite=False))
    return set(found.table(STOP_CHUNKS.name)["sha1"].to_pylist())


def count_injections(site: CopiedSite, given: ReuseExperimentParameters, stopped: set[bytes]) -> list[Row]:
    """How much of the pages is discovered, by number of copies."""
    rows = []
    chunks = site.occurrences.keys() - stopped
    for copies in sorted(set(given.copies)):
        files = sum(there + copies > given.file_threshold for there in site.files)
        altered = sum(there > given.file_threshold for there in site.files)  # each copy is another file
        found = len(site.discover(copies, given.chunk_threshold) & chunks)
        counted = (
            ("altered files", given.file_threshold, len(site.pages), altered),
            ("chunks", given.chunk_threshold, len(chunks), found),
            ("files", given.file_threshold, len(site.pages), files),
        )
        for what, threshold, there, discovered in counted:
            row = {"copies": copies, "what": what, "threshold": threshold, "there": there, "discovered": discovered}
            rows.append(row | {"share": discovered / max(1, there)})
    return rows


Case = tuple[str, str, str]
"""Which labels, stop chunks out or in, which operation."""


def change_pages(site: CopiedSite, given: ReuseExperimentParameters, stopped: set[bytes]) -> dict[Case, list[Point]]:
    """What detection sees of pages after chunks were added, deleted and changed, for all labels."""
    found: dict[Case, list[Point]] = {}
    number = int(given.most / given.step + 1e-9) + 1
    steps = sorted({round(at * given.step * site.mean_chunks) for at in range(number)})
    labels = {"blind": site.discover(given.blind_copies, given.chunk_threshold), "informed": set(site.occurrences)}
    for name, known in labels.items():
        for stops, gone in (("in", set[bytes]()), ("out", stopped)):
            kept = [[chunk for chunk in page if chunk not in gone] for page in site.pages]
            pages: list[Flags] = [[chunk in known for chunk in page] for page in kept]
            for operation in OPERATIONS:
                threshold = given.page_threshold
                points = mutate(pages, operation, steps, threshold, given.runs, given.seed)
                found[name, stops, operation] = points
    return dict(sorted(found.items()))


def _tabulate(case: Case, points: Sequence[Point], site: CopiedSite) -> Iterator[Row]:
    labels, stops, operation = case
    for point in points:
        yield {
            "labels": labels,
            "stop_chunks": stops,
            "operation": operation,
            "chunks": point.mutations,
            "times": point.mutations / site.mean_chunks,
            "pages": round(point.pages),
            "contains": point.contains,
            "error": point.error,
            "ratio": point.ratio,
            "targets": point.targets,
        }


def _find_tolerances(
    points: Mapping[Case, Sequence[Point]], given: ReuseExperimentParameters, site: CopiedSite
) -> Iterator[Row]:
    page, place = given.page_threshold, given.neighbourhood_threshold
    for (labels, stops, operation), found in points.items():
        shares, ratios = [point.contains for point in found], [point.ratio for point in found]
        for what, values, threshold in (
            ("neighbourhood", shares, place),
            ("neighbourhood ratio", ratios, place),
            ("pages", shares, page),
        ):
            most, always = tolerate(found, values, threshold)
            case = {"labels": labels, "stop_chunks": stops, "operation": operation, "what": what}
            yield case | {"threshold": threshold, "times": (most or 0) / site.mean_chunks, "always": always}
