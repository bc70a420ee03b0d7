"""The Python API: one function for each command, the same defaults, the same run folders.

The public names are listed in `unquilt`. The functions that run analyses (`quilts`, `neardups`, …) and the classes of
their parameters are made from what `analyses.catalogue` lists: `__getattr__` finds them there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields as list_fields
from dataclasses import replace
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import Any, Protocol

import pyarrow as pa

from unquilt._native import grams, words
from unquilt.analyses import catalogue
from unquilt.analyses.lexicon import LexiconParameters
from unquilt.analyses.neardups import SignatureParameters
from unquilt.corpus.options import Fields, Limits, Reading
from unquilt.errors import ParameterError
from unquilt.experiments.calls import experiment
from unquilt.jobs import work
from unquilt.jobs.alignment import Alignment, StemRates, align
from unquilt.jobs.named import Inputs
from unquilt.jobs.options import JobOptions
from unquilt.jobs.verdicts import judge_run
from unquilt.parameters import ParameterInfo
from unquilt.results.run import ReadableRun as Run
from unquilt.results.scoring import Score, score_run
from unquilt.settings import Settings
from unquilt.stores.detectors import Detector
from unquilt.stores.filters import Filter
from unquilt.stores.labels import LabelSet
from unquilt.stores.lexicons import Lexicon
from unquilt.tables.quilts import VERDICTS

FIELDS = tuple(each.name for each in list_fields(Fields))


class AnalysisCall(Protocol):
    """A function that runs an analysis, such as `unquilt.quilts`."""

    def __call__(
        self,
        inputs: Inputs,
        output: str | Path | None = None,
        *,
        options: JobOptions | None = None,
        fields: Mapping[str, str] | None = None,
        **parameters: Any,
    ) -> Run: ...


def __getattr__(name: str) -> Any:
    analysis = catalogue.public_names().get(name)
    if analysis is None:
        raise AttributeError(f"module 'unquilt.api' has no attribute {name!r}")
    return make_call(name) if name == analysis else catalogue.load_analysis(analysis).parameters


@cache
def make_call(name: str) -> AnalysisCall:
    """The function that runs an analysis."""
    analysis = catalogue.load_analysis(name)

    def call(
        inputs: Inputs,
        output: str | Path | None = None,
        *,
        options: JobOptions | None = None,
        fields: Mapping[str, str] | None = None,
        **parameters: Any,
    ) -> Run:
        if other := analysis.leads(parameters):
            return make_call(other[0])(inputs, output, options=options, fields=fields, **other[1])
        given = analysis.parameters.from_dict(parameters)
        return Run.of(work.analyse(analysis, given, inputs, output, rename_fields(options, fields)))

    call.__name__ = call.__qualname__ = name
    lines = [
        catalogue.ENTRIES[name].purpose,
        "",
        "`inputs` are files, folders, globs, `-`, an Arrow table, corpora that `ingest` made, or runs, of which what",
        "they keep is taken; several together are one corpus. Without `output`, results live in a temporary folder.",
        "`fields` says what fields or columns are called there, such",
        f"as `{{'text': 'body'}}`. `parameters` are those of `{analysis.parameters.__name__}`:",
        "",
        *map(_describe, analysis.parameters.describe()),
    ]
    call.__doc__ = "\n".join([*lines, dedent(analysis.example).rstrip()]) + "\n"
    return call


def _describe(info: ParameterInfo) -> str:
    return f"    {info.word or info.name}: {info.help} (default {info.default!r}; {info.allowed})"


def rename_fields(options: JobOptions | None, fields: Mapping[str, str] | None) -> JobOptions | None:
    """How to carry out a job, with some fields of the inputs under other names."""
    if not fields:
        return options
    options = options or JobOptions()
    unknown = [name for name in fields if name not in FIELDS]
    if unknown:
        raise ParameterError(f"fields has no {unknown[0]!r}; there are: {', '.join(FIELDS)}")
    return replace(options, reading=replace(options.reading, fields=replace(options.reading.fields, **fields)))


def ingest(
    inputs: Inputs,
    output: str | Path | None = None,
    *,
    into: str | Path | None = None,
    options: JobOptions | None = None,
    fields: Mapping[str, str] | None = None,
) -> Run:
    """Reads files, folders, globs, `-` or an Arrow table (columns id, url, text, ip) into a corpus folder.

    Analyses take the folder in place of the inputs, and then need not read them again. `fields` says what the fields of
    JSON lines, or columns of tables, are called: `{"text": "body", "id": "key"}`. Corpora and runs among the inputs are
    taken as they are: of a run, what it keeps. `into` is a corpus to add to, instead of `output`.

    >>> import pyarrow as pa
    >>> corpus = ingest(pa.table({"id": ["a", "b"], "text": ["one two three", "two three four"]}))
    >>> corpus.manifest["summary"]["words"]
    6
    >>> ingest(pa.table({"body": ["one two three"]}), fields={"text": "body"}).documents.column("words").to_pylist()
    [3]
    """
    given = rename_fields(options, fields)
    if into is None:
        return Run.of(work.ingest(inputs, output, given))
    if output is not None:
        raise ParameterError("give either output, for a new corpus, or into, for one to add to")
    return Run.of(work.add_to(into, inputs, given))


def build_filter(
    inputs: Inputs,
    output: str | Path,
    *,
    base: str | Path | None = None,
    options: JobOptions | None = None,
    fields: Mapping[str, str] | None = None,
    **parameters: Any,
) -> Filter:
    """Makes a set of prototypes, which is one file; `match` then says which of them a text is a near-duplicate of.

    `parameters` are those of `SignatureParameters`. `base` is a set to add to: its prototypes come first, and documents
    are compared by its parameters; `output` may be the same file.

    >>> import pyarrow as pa
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "spam.set"
    >>> spam = build_filter(pa.table({"id": ["offer"], "text": ["Buy one and get two for the price of three"]}), path)
    >>> spam.match("buy ONE, and get two for the price of three!")
    ['offer']
    """
    given = SignatureParameters.from_dict(parameters)
    if base is not None and parameters:
        raise ParameterError(f"{next(iter(parameters))} is fixed by the set that is added to; leave it out")
    known = None if base is None else Filter.load(base)
    return work.build_filter(given, inputs, output, rename_fields(options, fields), known)[0]


def build_lexicon(
    inputs: Inputs,
    output: str | Path | None = None,
    *,
    options: JobOptions | None = None,
    fields: Mapping[str, str] | None = None,
    nidf: Sequence[float] = LexiconParameters.nidf,
    min_df: int = LexiconParameters.min_df,
) -> Lexicon:
    """Makes the lexicon of a corpus: the words that I-Match signatures are made of, there or in another corpus.

    `nidf` is the range of normalised idf of its words. Rarer words fill up short signatures; `min_df` says in how many
    documents these must be, at least. With `output`, the lexicon is written to a file, which `Lexicon.read` reads.

    >>> import pyarrow as pa
    >>> pages = pa.table({"id": list("wxyz"), "text": ["Good morning", "good evening", "Good night", "GOOD night"]})
    >>> lexicon = build_lexicon(pages, nidf=(0.2, 0.6))
    >>> lexicon.words.to_pylist()[0], lexicon.primary, lexicon.secondary
    ({'word': 'night', 'df': 2}, 1, 2)
    """
    parameters = LexiconParameters.from_dict({"nidf": nidf, "min_df": min_df})
    return work.build_lexicon(parameters, inputs, output, rename_fields(options, fields))[0]


def copies(
    ours: str | Path,
    inputs: Inputs,
    output: str | Path | None = None,
    *,
    options: JobOptions | None = None,
    fields: Mapping[str, str] | None = None,
    **parameters: Any,
) -> Run:
    """Finds who has text of ours: `copies` has a row for each page of ours and page of others that has text of it.

    `ours` is a site, how our URLs begin, a file with a list of URLs, or a file or folder with our pages; `inputs` are
    those of `ingest`, or a corpus folder. `parameters` are those of `OwnCopyParameters`, such as
    `except_=["partner.example"]`.

    >>> text = "The old mill by the river had stood still for a hundred years when a baker from the town bought it, "
    >>> text += "mended the wheel, and ground the flour for his bread there, as people in the valley still remember."
    >>> pages = {"url": ["http://we.example/1", "http://they.example/2", "http://others.example/3"]}
    >>> pages |= {"id": ["x", "y", "z"], "text": [text, f"Do you know this? {text}", "Nothing of the kind."]}
    >>> run = copies("we.example", pa.table(pages))
    >>> [(row["ours"], row["theirs"], row["words"], row["strength"]) for row in run.copies.to_pylist()]
    [(0, 1, 39, 'paragraphs')]
    """
    from unquilt.analyses.own_copies import OwnCopyParameters
    from unquilt.jobs.own_copies import find_own_copies

    given = OwnCopyParameters.from_dict(parameters)
    return Run.of(find_own_copies(given, ours, inputs, output, rename_fields(options, fields)))


def judge(run: Run | str | Path, **limits: Any) -> pa.Table:
    """The verdicts of a finished run of `quilts` by other limits, without computing it again.

    `limits` are sigma, sigma_of, c, min_share, min_part, max_largest, max_own, max_sections, min_sewn, max_reads_on,
    max_in_order and max_attributed; others stay. The table is `verdicts` with other values of `quilt` and `why`. A
    smaller min_share needs a new run. A larger one needs the sources of all documents that come into question, which
    the run has if the other limits are no looser than they were. Of documents that are no quilts either way, numbers
    then stay as they were.

    >>> pages = pa.table({"id": ["x", "y", "z"], "text": ["a b c d", "d e f g", "a b c d e f g"]})
    >>> import unquilt as uq
    >>> run = uq.quilts(pages, k=3, c=2, min_grams=1, max_sections=1)
    >>> uq.judge(run, sigma=0.9).select(["doc", "quilt", "why"]).to_pylist()[2]
    {'doc': 2, 'quilt': False, 'why': 'sigma'}
    """
    opened = run if isinstance(run, Run) else Run.read(run)
    judged = judge_run(opened, limits)
    columns = VERDICTS.schema.names
    return pa.concat_tables([VERDICTS.schema.empty_table(), *(split.read(columns) for split in judged.splits())])


def label(inputs: Inputs, output: str | Path, *, options: JobOptions | None = None, **parameters: Any) -> LabelSet:
    """Makes a set of labels, which is one file: what `detect` looks for.

    `inputs` are documents whose chunks and files are to be found elsewhere, runs of `discover` (their objects and
    stop chunks), or sets of labels. `parameters` are those of `LabelParameters`, such as `min_length`, `subtract`,
    `page_threshold`.

    >>> import pyarrow as pa
    >>> import tempfile
    >>> text = "A paragraph of ours.\\n\\nAnother one."
    >>> label(pa.table({"id": ["ours"], "text": [text]}), Path(tempfile.mkdtemp()) / "ours.labels").counts
    {'chunks': 2, 'files': 1, 'stop_chunks': 0}
    """
    from unquilt.jobs.labels import LabelParameters, build_labels

    return build_labels(LabelParameters.from_dict(parameters), inputs, output, options)[0]


def merge_runs(
    runs: Sequence[str | Path],
    output: str | Path | None = None,
    *,
    options: JobOptions | None = None,
    **parameters: Any,
) -> Run:
    """Puts runs of `detect` together, as if their documents had been one corpus: all tables but `objects`.

    `parameters` are `page_threshold` and `neighbourhood_threshold` (without them, mean + σ of the whole), and `bad_by`.
    """
    from unquilt.analyses.detect import JudgingParameters
    from unquilt.jobs import merging

    return Run.of(merging.merge_runs(JudgingParameters.from_dict(parameters), runs, output, options))


def read(path: str | Path) -> Run:
    """Opens a run or corpus folder, in any state: `run.quilts` is its table `quilts`; see `Run` for more."""
    return Run.of(Run.read(path))


def score(
    run: Run | str | Path,
    *,
    pan: str | Path | None = None,
    labels: str | Path | None = None,
    all_pairs: bool = False,
) -> Score:
    """How good the passages of a run are, by known ones: PAN's measures by category, in characters and in sentences.

    `pan` is a folder of labels as PAN publishes them, `labels` a file of JSON lines or CSV with the columns a, b,
    a_begin, a_end, b_begin, b_end. With `all_pairs`, what was found in pairs without labels is false.

    >>> import json, tempfile
    >>> text = "The old mill stood by the river. Its wheel had not turned for years. Nobody knew who owned it. "
    >>> text += "Then a baker from the town bought it and mended the wheel for good."
    >>> import unquilt as uq
    >>> run = uq.passages(pa.table({"id": ["x", "y"], "text": [text, text]}))
    >>> known = Path(tempfile.mkdtemp()) / "known.jsonl"
    >>> label = {"a": "x", "b": "y", "a_begin": 0, "a_end": len(text), "b_begin": 0, "b_end": len(text)}
    >>> _ = known.write_text(json.dumps(label))
    >>> uq.score(run, labels=known).sentences["labels"].plagdet
    1.0
    """
    from unquilt.results.folders import RunFolder
    from unquilt.results.passage_labels import read_labels, read_pan

    if (pan is None) == (labels is None):
        raise ParameterError("give either pan or labels")
    given = read_pan(pan) if pan is not None else read_labels(labels or "")
    opened = run if isinstance(run, Run) else Run.read(run)
    return score_run(RunFolder(opened), given, all_pairs=all_pairs)


def sites(
    runs: Sequence[str | Path],
    output: str | Path | None = None,
    *,
    options: JobOptions | None = None,
    **parameters: Any,
) -> Run:
    """Judges whole sites by finished runs over one corpus: `sites` has a row for each, with verdict and reasons.

    `runs` are folders of runs of `quilts`, `neardups`, `phrases`, `detect`, `passages` or `reworded`. `parameters` are
    those of `SiteParameters`, such as `site="host"`.
    """
    from unquilt.analyses.site_verdicts import SiteParameters
    from unquilt.jobs.sites import judge_sites

    return Run.of(judge_sites(SiteParameters.from_dict(parameters), runs, output, options))
