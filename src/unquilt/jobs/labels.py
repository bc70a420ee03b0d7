"""Making sets of labels: of reference content, of what was discovered, of lists, and of other sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from unquilt.analyses.detect import ThresholdParameters
from unquilt.analyses.discover import ChunkParameters, DiscoverParameters
from unquilt.errors import InputError, ParameterError
from unquilt.jobs.corpora import CORPUS, PLAIN_WORDS, documents, has_plain_words, measures, open_table
from unquilt.jobs.inputs import fit_source
from unquilt.jobs.named import Inputs, is_path, list_paths, name_paths, open_corpus
from unquilt.jobs.options import JobOptions
from unquilt.jobs.places import SORTED, STOP_FILES, choose_place, workshop
from unquilt.jobs.work import ingest
from unquilt.parameters import parameter
from unquilt.remote.names import refuse_url
from unquilt.remote.paths import place
from unquilt.runs import Run
from unquilt.runs.manifest import read_manifest
from unquilt.runs.storage import make_folder, shown
from unquilt.stores.labels import PLAIN, RESTORED, About, HashList, LabelGathering, LabelSet, is_set
from unquilt.tables.reuse import OBJECTS, STOP_CHUNKS


@dataclass(frozen=True)
class LabelParameters(ThresholdParameters, ChunkParameters):
    """What a set of labels is made of."""

    list: str = parameter("", "file with further labels: on each line a SHA-1, `file` and a SHA-1, or a text")
    stop: str = parameter("", "file with stop chunks and files: on each line a SHA-1, `file` and a SHA-1, or a text")
    subtract: tuple[str, ...] = parameter((), "sets of labels to subtract")
    files: bool = parameter(True, "label whole files, too, not only their chunks")
    origins: bool = parameter(
        True, "remember which page each chunk is from, and where it stands there: 32 bytes for each chunk of a page"
    )


def build_labels(
    given: LabelParameters, inputs: Inputs, output: str | Path, options: JobOptions | None = None
) -> tuple[LabelSet, dict[str, Any]]:
    """Makes a set of labels and its file; also returns what is known of the documents that were read, if any.

    Labels are sorted within the memory that is allowed; 33 bytes for each of them must fit there.
    """
    options = options or JobOptions()
    named = [given.list, given.stop, *given.subtract]
    refuse_url(output, "a set of labels is written to")
    output = choose_place(output, [*name_paths(inputs), *(name for name in named if name)])
    summary = {"documents": 0, "rejects": 0}
    asked = given.about()
    gone = [LabelSet.read(path) for path in given.subtract]
    listed = HashList.read(given.list) if given.list else HashList()
    stops = HashList.read(given.stop) if given.stop else HashList()
    with workshop(output, "a set of labels", overwrite=options.overwrite) as folder:
        make_folder(folder / SORTED)
        gathering = LabelGathering(options.settings.memory, folder / SORTED)
        runs, sets, others = _sort(inputs)
        for run in runs:
            _add_run(gathering, run, files=given.files)
        for each in sets:
            gathering.fit(shown(each.path), each.about)
            gathering.add_set(each, files=given.files, origins=given.origins)
        if others is not None:
            options = fit_source(others, options, source=asked.by == "raw")
            corpus = open_corpus(others) or ingest(others, folder / CORPUS, options)
            summary = measures(corpus)
            if has_plain_words(corpus):
                asked = replace(asked, words=PLAIN)
            gathering.fit("documents", asked)
            read = documents(corpus, others=not given.pages_only)
            gathering.add_documents(read, asked, given.min_length, files=given.files, origins=given.origins)
        about = gathering.about or asked
        _refuse_other_cuts(given, about, others is not None or not (runs or sets))
        files = b"".join(listed.files) if given.files else b""
        gathering.add(listed.hash_chunks(about.by, about.words), files, stops.hash_chunks(about.by, about.words))
        for each in gone:
            if each.about.by != about.by and each.counts["chunks"]:
                raise InputError(f"chunks of {shown(each.path)} are compared by {each.about.by}, not by {about.by}")
            if each.spelling not in (None, about.words):
                said = f"chunks of {shown(each.path)} have {each.spelling} words, the others {about.words} ones"
                raise InputError(f"{said}; make it anew")
        if stops.files:
            gone.append(LabelSet.pack(folder / STOP_FILES, About(), files=b"".join(stops.files)))
        made = gathering.write(Path(output), _with_thresholds(about, given, sets), gone)
    return made, summary


def _sort(inputs: Inputs) -> tuple[list[Run], list[LabelSet], Inputs | None]:
    """Runs of discovery, sets of labels, and the inputs that are neither; None if there are no others."""
    if not is_path(inputs):
        return [], [], inputs
    runs, sets, others = [], [], []
    for path in list_paths(inputs):
        if is_set(path):
            sets.append(LabelSet.read(path))
        elif (manifest := read_manifest(place(path))) is not None and manifest["analysis"] == "discover":
            runs.append(_open_run(path))
        else:
            others.append(path)
    return runs, sets, others or None


def _open_run(path: str | Path) -> Run:
    run = Run.read(path)
    if not run.complete:
        raise InputError(f"{shown(path)} is a run that was not finished; run unquilt reuse discover again")
    return run


def _add_run(gathering: LabelGathering, run: Run, *, files: bool) -> None:
    known = {info.name for info in DiscoverParameters.describe()}
    asked = {name: value for name, value in run.manifest["parameters"].items() if name in known}
    given = DiscoverParameters.from_dict(asked)
    words = PLAIN if run.manifest["summary"].get(PLAIN_WORDS) else RESTORED
    gathering.fit(shown(run.path), given.about(words))
    for split in open_table(run, OBJECTS.name, OBJECTS).splits():
        table = split.read(("kind", "sha1"))
        chunks, whole = (_hashes(table.filter(pc.equal(table["kind"], kind))) for kind in ("chunk", "file"))
        gathering.add(chunks, whole if files else b"")
    for split in open_table(run, STOP_CHUNKS.name, STOP_CHUNKS).splits():
        gathering.add(stops=_hashes(split.read(("sha1",))))


def _hashes(table: pa.Table) -> bytes:
    return b"".join(table["sha1"].to_pylist())


def _refuse_other_cuts(given: LabelParameters, about: About, ours: bool) -> None:
    """Refuse options about chunks that have no effect: runs and sets were cut already."""
    usual, asked = LabelParameters(), given.about()
    others = [name for name in ("by", "min_length", "trivial_stop") if getattr(asked, name) != getattr(about, name)]
    for name in ("raw", "normalise", "min_length", "min_length_of", "trivial_stop"):
        cut = "by" if name in ("raw", "normalise") else name
        if not ours and getattr(given, name) != getattr(usual, name) and cut in (*others, "min_length_of"):
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
