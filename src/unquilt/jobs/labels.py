"""Making sets of labels: of reference content, of what was discovered, of lists, and of other sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from unquilt.analyses.detect import ThresholdParameters
from unquilt.analyses.discover import ChunkParameters, DiscoverParameters
from unquilt.errors import InputError, ParameterError
from unquilt.jobs.corpora import documents, measures, open_corpus
from unquilt.jobs.how import How
from unquilt.jobs.inputs import ArrowStream, Inputs, list_paths, name_paths
from unquilt.jobs.places import CORPUS, choose_place, workshop
from unquilt.jobs.work import ingest
from unquilt.parameters import parameter
from unquilt.runs import Run
from unquilt.runs.manifest import read_manifest
from unquilt.runs.storage import shown
from unquilt.stores.labels import CHUNKS, FILES, STOPS, About, HashList, LabelSet, collect_hashes, is_set, subtract
from unquilt.tables import OBJECTS, STOP_CHUNKS


@dataclass(frozen=True)
class LabelParameters(ThresholdParameters, ChunkParameters):
    """What a set of labels is made of."""

    list: str = parameter("", "file with further labels: on each line a SHA-1, `file` and a SHA-1, or a text")
    stop: str = parameter("", "file with stop chunks: on each line a SHA-1 or a text")
    subtract: tuple[str, ...] = parameter((), "sets of labels whose labels are taken out")
    files: bool = parameter(True, "label whole files, too, not only their chunks")


@dataclass
class _Gathered:
    """Hashes, 20 bytes after the other, and how the chunks among them were cut."""

    about: About | None = None
    parts: tuple[list[bytes], list[bytes], list[bytes]] = field(default_factory=lambda: ([], [], []))

    def add(self, where: str, about: About, *hashes: bytes) -> None:
        """Adds hashes of chunks, files and stop chunks; chunks that were cut in another way are refused."""
        if self.about is None:
            self.about = about
        for name, what in (("by", "compared by"), ("min_length", "longer than")):
            ours, other = getattr(self.about, name), getattr(about, name)
            if ours != other:
                raise InputError(
                    f"chunks of {where} are {what} {other}, others {what} {ours}: they do not fit together"
                )
        for part, each in zip(self.parts, hashes, strict=False):
            part.append(each)


def build_labels(
    given: LabelParameters, inputs: Inputs, output: str | Path, how: How | None = None
) -> tuple[LabelSet, dict[str, Any]]:
    """Makes a set of labels and its file; also returns what is known of the documents that were read, if any.

    All labels are in memory meanwhile, some 80 bytes each.
    """
    how = how or How()
    named = [given.list, given.stop, *given.subtract]
    output = choose_place(output, [*name_paths(inputs), *(name for name in named if name)])
    gathered, summary = _Gathered(), {"documents": 0, "rejects": 0}
    asked = About(by=given.by, min_length=given.min_length)
    gone = [LabelSet.read(path) for path in given.subtract]
    listed = HashList.read(given.list) if given.list else HashList()
    stops = HashList.read(given.stop) if given.stop else HashList()
    with workshop(output, "a set of labels", overwrite=how.overwrite) as folder:
        runs, sets, others = _sort(inputs)
        for run in runs:
            _add_run(gathered, run)
        for each in sets:
            gathered.add(shown(each.path), each.about, *(each.hashes(part) for part in (CHUNKS, FILES, STOPS)))
        if others is not None:
            corpus = open_corpus(others) or ingest(others, folder / CORPUS, how)
            summary = measures(corpus)
            gathered.add("documents", asked, *collect_hashes(documents(corpus, others=not given.pages_only), asked))
        about = gathered.about or asked
        _refuse_other_cuts(given, about, others is not None or not (runs or sets))
        gathered.add("lists", about, listed.hash_chunks(about.by), b"".join(listed.files), stops.hash_chunks(about.by))
        chunks, files, stopped = (b"".join(part) for part in gathered.parts)
        for each in gone:
            if each.about.by != about.by and each.counts["chunks"]:
                raise InputError(f"chunks of {shown(each.path)} are compared by {each.about.by}, not by {about.by}")
        chunks = subtract(chunks, [each.hashes(CHUNKS) for each in gone])
        files = subtract(files if given.files else b"", [each.hashes(FILES) for each in gone])
        made = LabelSet.pack(output, _with_thresholds(about, given, sets), chunks=chunks, files=files, stops=stopped)
    return made, summary


def _sort(inputs: Inputs) -> tuple[list[Run], list[LabelSet], Inputs | None]:
    """Runs of discovery, sets of labels, and the inputs that are neither; None if there are no others."""
    if isinstance(inputs, ArrowStream):
        return [], [], inputs
    runs, sets, others = [], [], []
    for path in list_paths(inputs):
        if is_set(path):
            sets.append(LabelSet.read(path))
        elif (manifest := read_manifest(Path(path))) is not None and manifest["analysis"] == "discover":
            runs.append(_open_run(path))
        else:
            others.append(path)
    return runs, sets, others or None


def _open_run(path: str | Path) -> Run:
    run = Run.read(path)
    if not run.complete:
        raise InputError(f"{shown(path)} is a run that was not finished; run unquilt reuse discover again")
    return run


def _add_run(gathered: _Gathered, run: Run) -> None:
    known = {info.name for info in DiscoverParameters.describe()}
    asked = {name: value for name, value in run.manifest["parameters"].items() if name in known}
    given = DiscoverParameters.from_dict(asked)
    objects = run.table(OBJECTS.name)
    kinds = {kind: b"".join(_hashes(objects, kind)) for kind in ("chunk", "file")}
    stopped = b"".join(run.table(STOP_CHUNKS.name)["sha1"].to_pylist())
    about = About(by=given.by, min_length=given.min_length)
    gathered.add(shown(run.path), about, kinds["chunk"], kinds["file"], stopped)


def _hashes(objects: Any, kind: str) -> Iterator[bytes]:
    for batch in objects.select(["kind", "sha1"]).to_batches():
        yield from (
            sha1 for each, sha1 in zip(*(column.to_pylist() for column in batch.columns), strict=True) if each == kind
        )


def _refuse_other_cuts(given: LabelParameters, about: About, ours: bool) -> None:
    """Refuse options about chunks that have no effect: runs and sets were cut already."""
    usual = LabelParameters()
    for name in ("raw", "normalise", "min_length"):
        if not ours and getattr(given, name) != getattr(usual, name) and given.by != about.by:
            raise ParameterError(f"{name} has no effect: the chunks that are given were cut already; leave it out")


def _with_thresholds(about: About, given: LabelParameters, sets: Sequence[LabelSet]) -> About:
    """With the thresholds that are given, or else those of the only set that is."""
    old = sets[0].about if len(sets) == 1 else About()
    return replace(
        about,
        page_threshold=old.page_threshold if given.page_threshold is None else given.page_threshold,
        neighbourhood_threshold=(
            old.neighbourhood_threshold if given.neighbourhood_threshold is None else given.neighbourhood_threshold
        ),
    )
