"""The evaluation of passages (Zhang, Zhang, Yu and Huang, SIGIR 2010) on any corpus: quality by signature and parameter
(Figures 6 to 9, Table 2), documents beyond near-duplicates and time (Figures 10 and 11).

Known passages are those of labels, or planted ones: then the corpus that is analysed consists of documents of the given
one, half of them with a passage of another. As in the paper, the first figures are about single sentences, and Table 2
about passages of more than γ. All is as published, except that sentences in more than 1,000 documents and repeated
sentences are paired as by default: else pages with one template would have a square of pairs. Whole-document detection
is `neardups` by spot signatures, and by super-shingles beside it. The runs are folders in RUN-runs, so that an
interrupted experiment goes on where it was. Memory: the planted documents. Time: a run for each value, and three for
each part of the corpus.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from unquilt.analyses.neardups import DECLARATION as NEARDUPS
from unquilt.analyses.neardups import NeardupParameters
from unquilt.analyses.passages import DECLARATION as PASSAGES_ANALYSIS
from unquilt.analyses.passages import PUBLISHED, PassageParameters
from unquilt.analyses.passages_experiment import DECLARATION, PassagesExperimentParameters
from unquilt.experiments.experiment import Begun, Experiment
from unquilt.experiments.planting import plant
from unquilt.experiments.tables import Row, Runs
from unquilt.figures import passages_experiment
from unquilt.jobs.corpora import documents, measures
from unquilt.results.folders import RunFolder
from unquilt.results.passage_labels import Label, read_labels, read_pan
from unquilt.results.scoring import score_run
from unquilt.runs import Run
from unquilt.runs.storage import make_folder
from unquilt.tables.passages_experiment import BEYOND, QUALITIES

AS_PUBLISHED = {name: value for name, value in PUBLISHED.items() if name not in ("max_df", "all_diagonals")}
SPOTTED = NeardupParameters(method="spotsigs", threshold=0.44)
"""Whole-document detection as in the paper, by spot signatures, with the threshold that their authors chose."""
OURS: Mapping[str, Mapping[str, Any]] = {
    "imatch, refined": {"signature": "imatch", "foreign": "none"},
    "grams, by default": {"foreign": "none"},
}
"""What is compared with the paper's signatures: our defaults."""


def find_known(corpus: Run, given: PassagesExperimentParameters, runs: Runs) -> tuple[Run, Sequence[Label]]:
    """Known passages, and the corpus that has them."""
    if given.pan:
        return corpus, list(read_pan(given.pan))
    if given.labels:
        return corpus, list(read_labels(given.labels))
    texts, labels = plant(corpus, given.pairs, given.edited, given.seed)
    table = pa.table({"id": list(texts), "text": list(texts.values())})
    return runs.ingest(table, "planted"), labels


def list_cases(given: PassagesExperimentParameters) -> Iterator[tuple[str, str, float, dict[str, Any]]]:
    """What is varied, the signature, the value, and the parameters."""
    single = AS_PUBLISHED | {"gamma": 1}
    for n in given.n:
        for tau in given.tau:
            yield "tau", f"{n}-shingles", tau, single | {"signature": "shingles", "n": n, "tau": tau}
    for least in given.least_nidf:
        yield "nidf", "imatch", least, single | {"nidf": (least, 1.0), "idf_always": True}
    for number in given.antecedents:
        yield "antecedents", "spotsigs", number, single | {"signature": "spotsigs", "antecedents": number}
    for tau in given.tau:
        yield "tau", "spotsigs", tau, single | {"signature": "spotsigs", "tau": tau}
    for gamma in given.gamma:
        passages = AS_PUBLISHED | {"gamma": gamma + 1}
        for n in given.n:
            yield "gamma", f"{n}-shingles", gamma, passages | {"signature": "shingles", "n": n}
        yield "gamma", "imatch", gamma, passages | {"idf_always": True}
        yield "gamma", "spotsigs", gamma, passages | {"signature": "spotsigs"}
    for name, parameters in OURS.items():
        yield "ours", name, 0, dict(parameters)


def measure_quality(
    corpus: Run, labels: Sequence[Label], given: PassagesExperimentParameters, runs: Runs
) -> Iterator[Row]:
    """Precision and recall of all cases."""
    for varied, signature, value, parameters in list_cases(given):
        name = f"{varied}-{signature}-{value:g}".replace(", ", "-").replace(" ", "-")
        run = runs.carry_out(PASSAGES_ANALYSIS, PassageParameters.from_dict(parameters), name, corpus)
        *_, found = score_run(RunFolder(run), labels).sentences.values()
        row: Row = {"varied": varied, "signature": signature, "value": float(value)}
        row |= {"signatures": _count_signatures(run)}
        row |= {"known": found.known, "found": found.found}
        yield row | {"precision": found.precision, "recall": found.recall, "f1": found.f1}


def _count_signatures(run: Run) -> float | None:
    """The mean number of different signatures of a sentence."""
    summary = run.manifest["summary"]
    sentences = summary.get("sentences", 0)  # with grams there are none
    return summary.get("signatures", 0) / sentences if sentences else None


def _compare(corpus: Run, given: PassagesExperimentParameters, runs: Runs) -> Iterator[Row]:
    """Near-duplicates and passages of parts of the corpus."""
    whole = measures(corpus)["documents"]
    for size in sorted({max(1, round(share * whole)) for share in given.shares}):
        part = corpus if size == whole else _take(corpus, size, runs)
        near = runs.carry_out(NEARDUPS, SPOTTED, f"near-{size}", part)
        shingled = runs.carry_out(NEARDUPS, NeardupParameters(), f"shingled-{size}", part)
        asked = PassageParameters.from_dict(AS_PUBLISHED)
        shared = runs.carry_out(PASSAGES_ANALYSIS, asked, f"passages-{size}", part)
        copies = set(near.table("clusters")["doc"].to_pylist())
        pairs = shared.table("passage_pairs").select(["a", "b"]).to_pylist()
        sharing = {doc for pair in pairs for doc in pair.values()}
        yield {
            "documents": size,
            "near": len(copies),
            "beyond": len(sharing - copies),
            "shingled": shingled.table("clusters").num_rows,
            "near_seconds": _count_seconds(near),
            "shingled_seconds": _count_seconds(shingled),
            "passage_seconds": _count_seconds(shared),
        }


def _take(corpus: Run, size: int, runs: Runs) -> Run:
    """The first documents as a corpus."""
    file, left = runs.place(f"first-{size}.jsonl"), size
    with file.open("w", encoding="utf-8") as lines:
        for split in documents(corpus).splits():
            for row in split.read(["id", "url", "text"]).slice(0, left).to_pylist():
                lines.write(json.dumps({name: value for name, value in row.items() if value is not None}) + "\n")
                left -= 1
            if not left:
                break
    return runs.ingest(str(file), f"first-{size}")


def _count_seconds(run: Run) -> float:
    return float(sum(stage["seconds"] for stage in run.manifest["stages"].values()))


def _fill(begun: Begun, given: PassagesExperimentParameters) -> None:
    folder = begun.folder / f"{begun.place.name}-runs"
    make_folder(folder)
    runs = begun.compare(len(list(list_cases(given))) + 3 * len(given.shares), folder)
    judged, labels = find_known(begun.corpus, given, runs)
    begun.keep(QUALITIES, lambda: measure_quality(judged, labels, given, runs))
    begun.keep(BEYOND, lambda: _compare(begun.corpus, given, runs))


EXPERIMENT = Experiment(DECLARATION, _fill, passages_experiment.plot, passages_experiment.NAMES)
