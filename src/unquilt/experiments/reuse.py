"""The controlled experiments of reuse (Ardi and Heidemann, ISI-TR-692, 2014, 5.1 to 5.4) on any corpus.

The pages of one site are taken for those that somebody copies. Discovery: how many of their files and chunks occur
often enough once they stand on so many other sites, as they are and with a head and a tail of their own (Figures 1 to
3)? Detection: how many of their chunks may be added, deleted or changed until pages, and the site, are no longer above
the thresholds (Figures 4 to 10)? Labels are all of their chunks (informed), or those that discovery finds (blind).
Cleaning: how many neighbourhoods of the whole corpus are bad by its most frequent chunks, with and without stop
chunks?

Occurrences in the corpus and stop chunks are those of `discover` over the whole corpus. Thresholds are the published
ones, mean + σ of a crawl of the web: a site of some size would have too great a share in those of a small corpus.
Copies and changes are counted, not carried out: a chunk that occurs n times in the corpus, and m times in the pages,
occurs n + d·m times when these are copied d times. That this is what discovery and detection find in pages that were
copied and changed indeed is a test (`tests/experiments`).

The runs of `discover` and `detect` are folders beside that of the experiment, so that an interrupted experiment goes on
where it was. Memory: the chunks of the pages. Time: a run of `discover`, two of `detect`, and the simulation.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from unquilt.analyses.detect import DECLARATION as DETECT
from unquilt.analyses.detect import SCALE, DetectParameters
from unquilt.analyses.discover import DECLARATION as DISCOVER
from unquilt.analyses.discover import DiscoverParameters
from unquilt.analyses.reuse_experiment import DECLARATION, ReuseExperimentParameters
from unquilt.engines.progress import Progress
from unquilt.experiments.copied_site import CopiedSite, read_site
from unquilt.experiments.experiment import Begun, Experiment
from unquilt.experiments.mutations import OPERATIONS, Flags, Point, mutate, tolerate
from unquilt.experiments.tables import Row, Runs, read_rows
from unquilt.figures import reuse_experiment
from unquilt.jobs.corpora import PLAIN_WORDS
from unquilt.runs import Run
from unquilt.runs.storage import write_atomically
from unquilt.stores.labels import PLAIN, RESTORED, pack_hashes
from unquilt.tables.reuse import FREQUENCIES, NEIGHBOURHOODS, OBJECTS, STOP_CHUNKS, TARGETS
from unquilt.tables.reuse_experiment import CLEANINGS, INJECTED, INJECTIONS, MUTATIONS, TOLERANCES

DISCOVERY = DiscoverParameters(pages_only=True)
"""How chunks of the whole corpus are counted."""


def _clean(discovered: Run, stopped: set[bytes], given: ReuseExperimentParameters, runs: Runs) -> Iterator[Row]:
    """Bad neighbourhoods of the whole corpus by its most frequent chunks: with stop chunks, and without (5.1)."""
    objects = read_rows(discovered, OBJECTS, ["kind", "sha1", "occurrences"])
    chunks = ((-row["occurrences"], row["sha1"]) for row in objects if row["kind"] == "chunk")
    frequent = sorted(sha1 for _, sha1 in heapq.nsmallest(given.labelled, chunks))
    about = DISCOVERY.about(PLAIN if discovered.manifest["summary"].get(PLAIN_WORDS) else RESTORED)
    for stops, gone in (("in", set[bytes]()), ("out", stopped)):
        path = runs.place(f"labels-{stops}")
        write_atomically(path, pack_hashes(about, b"".join(frequent), b"", b"".join(sorted(gone))))
        found = runs.carry_out(DETECT, DetectParameters(labels=str(path), pages_only=True), f"detected-{stops}")
        summary = found.manifest["summary"]
        places = summary[NEIGHBOURHOODS.name]
        bad = sum(row["bad"] for row in read_rows(found, NEIGHBOURHOODS, ["bad"]))
        yield {
            "stop_chunks": stops,
            "labels": len(frequent),
            "stopped": len(gone),
            "chunks": summary["chunks"],
            "matched": summary["matched"],
            "targets": summary[TARGETS.name],
            "neighbourhoods": places,
            "threshold": summary["above_neighbourhood"] / SCALE,
            "bad": bad,
            "share": bad / max(1, places),
        }


def count_injected(site: CopiedSite, given: ReuseExperimentParameters, stopped: set[bytes]) -> Iterator[Row]:
    """How often the files and chunks of the pages occur in the corpus, by number of copies."""
    for copies in sorted({*given.copies, given.blind_copies}):
        chunks = Counter(number for chunk, number in site.count_chunks(copies).items() if chunk not in stopped)
        files = Counter(there + copies for there in site.files)
        for what, counts, threshold in (
            ("chunks", chunks, given.chunk_threshold),
            ("files", files, given.file_threshold),
        ):
            for number in sorted(counts):
                row = {"copies": copies, "what": what, "occurrences": number, "count": counts[number]}
                yield row | {"discovered": number > threshold}


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


def change_pages(
    site: CopiedSite, given: ReuseExperimentParameters, stopped: set[bytes], progress: Progress
) -> dict[Case, list[Point]]:
    """What detection sees of pages after chunks were added, deleted and changed, for all labels."""
    found: dict[Case, list[Point]] = {}
    number = int(given.most / given.step + 1e-9) + 1
    steps = sorted({round(at * given.step * site.mean_chunks) for at in range(number)})
    labels = {"blind": site.discover(given.blind_copies, given.chunk_threshold), "informed": set(site.occurrences)}
    cases = [(name, stops, operation) for name in labels for stops in ("in", "out") for operation in OPERATIONS]
    with progress.stage("changed_pages", len(cases)) as step:
        for name, stops, operation in cases:
            gone = stopped if stops == "out" else set[bytes]()
            kept = [[chunk for chunk in page if chunk not in gone] for page in site.pages]
            pages: list[Flags] = [[chunk in labels[name] for chunk in page] for page in kept]
            points = mutate(pages, operation, steps, given.page_threshold, given.runs, given.seed)
            found[name, stops, operation] = points
            step(1)
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
            "ratio_error": point.ratio_error,
            "targets": point.targets,
            "targets_error": point.targets_error,
            "mean_chunks": point.mean_chunks,
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


def _fill(begun: Begun, given: ReuseExperimentParameters) -> None:
    progress = begun.options.progress
    runs = begun.compare(3)
    with begun.run.stage("copied_pages"):
        site = read_site(begun.corpus, given, progress)
    with begun.run.stage("discovered"):
        discovered = runs.carry_out(DISCOVER, DISCOVERY, "discovered")
        stopped = {row["sha1"] for row in read_rows(discovered, STOP_CHUNKS, ["sha1"])}
    begun.keep(FREQUENCIES, lambda: discovered.table(FREQUENCIES.name).to_pylist())
    begun.keep(INJECTED, lambda: count_injected(site, given, stopped))
    begun.keep(INJECTIONS, lambda: count_injections(site, given, stopped))
    begun.keep(CLEANINGS, lambda: _clean(discovered, stopped, given, runs))
    with begun.run.stage("changed_pages"):
        points = change_pages(site, given, stopped, progress)
    begun.keep(MUTATIONS, lambda: [row for case, found in points.items() for row in _tabulate(case, found, site)])
    begun.keep(TOLERANCES, lambda: _find_tolerances(points, given, site))
    begun.facts["site_pages"], begun.facts["site_chunks"] = len(site.pages), len(site.occurrences)


EXPERIMENT = Experiment(DECLARATION, _fill, reuse_experiment.plot, reuse_experiment.NAMES)
