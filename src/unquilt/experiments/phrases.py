"""The evaluation of phrases (Fetterly, Manasse and Najork, SIGIR 2005, Figures 1 to 9) on one corpus or several.

Each corpus is analysed twice, once with covering sets of a sample for each number of popular shingles (Figures 3 and
5), once with those of a uniform sample (Figures 4 and 6); a site that is asked for has a uniform sample of its own
(Figure 7), and a curve in Figure 2. The runs are folders beside that of the experiment, so that an interrupted one goes
on where it was. Time: two runs of `phrases` without whole phrases for each corpus, and one for the site.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from unquilt.analyses.phrases import DECLARATION as PHRASES_ANALYSIS
from unquilt.analyses.phrases import PhraseParameters
from unquilt.analyses.phrases_experiment import DECLARATION, PhrasesExperimentParameters
from unquilt.errors import InputError
from unquilt.experiments.experiment import Begun, Experiment, read_corpus
from unquilt.experiments.tables import Row, Runs
from unquilt.figures import phrases, phrases_experiment
from unquilt.jobs.options import JobOptions
from unquilt.runs import Run
from unquilt.tables.phrases_experiment import COVER_SIZES, PHRASE_CORPORA, PHRASE_SITES, POPULAR_CURVES, SHINGLE_CURVES

OWN = "own"
"""The name of the corpus that the experiment is about."""


def _read_others(given: PhrasesExperimentParameters, place: Path, options: JobOptions) -> dict[str, Run]:
    found: dict[str, Run] = {}
    for path in given.beside:
        name = Path(path).name or path
        if name in (OWN, *found):
            raise InputError(f"two corpora are called {name[:200]}: rename a folder, as the charts tell them by name")
        _, found[name] = read_corpus(path, place.with_name(f"{place.name}-{name}"), options)
    return found


@dataclass(frozen=True)
class CorpusRows:
    """What is drawn of one corpus: rows by table, without the name of the corpus."""

    rows: Mapping[str, list[Row]]

    def add_to(self, corpus: str, kept: Mapping[str, list[Row]]) -> None:
        """Adds the rows with the name of the corpus."""
        for table, rows in self.rows.items():
            kept[table] += [{"corpus": corpus} | row for row in rows]


def _measure(name: str, corpus: Run, given: PhrasesExperimentParameters, runs: Runs) -> CorpusRows:
    """All tables of one corpus."""
    counts = runs.carry_out(PHRASES_ANALYSIS, choose_parameters(given, "counts"), f"{name}-counts", corpus)
    uniform = runs.carry_out(PHRASES_ANALYSIS, choose_parameters(given, "uniform"), f"{name}-uniform", corpus)
    samples = {"counts": phrases.bubbles(counts), "uniform": phrases.bubbles(uniform)}
    of_84 = uniform.table("document_phrases")["of_84"].to_pylist()
    sets = sum(row["documents"] for row in samples["uniform"])
    facts = {
        "documents": len(of_84),
        "mean": sum(of_84) / len(of_84) if of_84 else None,
        "many": sum(each >= given.least for each in of_84) / len(of_84) if of_84 else None,
        "sources": sum(row["documents"] * row["sources"] for row in samples["uniform"]) / sets if sets else None,
        "foreign": sum(row["documents"] * row["foreign"] for row in samples["uniform"]) / sets if sets else None,
        "candidates": sum(uniform.table("hosts")["candidate"].to_pylist()),
    }
    shares = [{"site": "", **row} for row in phrases.counts(uniform)]
    return CorpusRows(
        {
            PHRASE_CORPORA.name: [facts],
            SHINGLE_CURVES.name: phrases.frequencies(uniform),
            POPULAR_CURVES.name: shares,
            COVER_SIZES.name: [{"sample": sample, **row} for sample, rows in samples.items() for row in rows],
            PHRASE_SITES.name: phrases.sites(uniform),
        }
    )


def _measure_site(corpus: Run, given: PhrasesExperimentParameters, runs: Runs, kept: Mapping[str, list[Row]]) -> None:
    """The curve and the covering sets of one site."""
    site = given.sample_site
    run = runs.carry_out(PHRASES_ANALYSIS, choose_parameters(given, "uniform", site), f"{OWN}-site")
    rows = phrases.counts(run, site, corpus)
    curve = [{"site": site, "popular": row["popular"], "share": row["site_share"]} for row in rows]
    sizes = [{"sample": "site", **row} for row in phrases.bubbles(run)]
    CorpusRows({POPULAR_CURVES.name: curve, COVER_SIZES.name: sizes}).add_to(OWN, kept)


def choose_parameters(given: PhrasesExperimentParameters, sample: str, site: str = "") -> PhraseParameters:
    """The parameters of the run with one sample."""
    return PhraseParameters(
        popular=given.popular,
        whole=False,
        family=given.family,
        sample=sample,
        sample_size=given.sample_size,
        least=given.least,
        sample_site=site,
        group=given.group,
        seed=given.seed,
    )


def _fill(begun: Begun, given: PhrasesExperimentParameters) -> None:
    own = begun.corpus
    if given.sample_site and not phrases.documents_of(given.sample_site, own):
        raise InputError(f"no document of the corpus is on the host, domain or address {given.sample_site[:200]}")
    corpora = {OWN: own, **begun.others}
    runs = begun.compare(2 * len(corpora) + bool(given.sample_site))
    kept: dict[str, list[Row]] = {table.name: [] for table in DECLARATION.results}
    with begun.run.stage("phrases"):
        for name, corpus in corpora.items():
            _measure(name, corpus, given, runs).add_to(name, kept)
        if given.sample_site:
            _measure_site(own, given, runs, kept)
    for table in DECLARATION.results:
        begun.keep(table, partial(kept.__getitem__, table.name))


EXPERIMENT = Experiment(DECLARATION, _fill, phrases_experiment.plot, phrases_experiment.NAMES, _read_others)
