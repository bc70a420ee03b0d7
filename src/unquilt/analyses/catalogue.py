"""Which analyses there are: all that the command line and `import unquilt` know before one of them is used.

An analysis is one line here, and an `Analysis` (or a `Job`) called `DECLARATION` in its own module, which is imported
when it is needed. Its command, its call in the API, progress, `unquilt show` and docs/runs.md follow from the two.
Nothing is imported here that costs time, so that `unquilt --help` answers at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unquilt.analyses.analysis import Analysis, Job
    from unquilt.tables.table import Table

_OF_ONE_VALUE = re.compile(r"_([0-9]+)(?=_|$)")
"""The number in the name of a stage or table that is made for each value of a parameter, or in each round: counts_5."""


@dataclass(frozen=True)
class Entry:
    """A job by name, what it is for in one line, and where to find the rest of it, as `module` or `module:name`.

    `command` is empty for a job whose command belongs to a group of commands, such as `unquilt reuse discover`.
    `parameters` names the class of its parameters, if the job can be called as `unquilt.NAME(inputs, **parameters)`.
    `views` are pages of its own in the browser: the address below that of a run, and the function that shows it, as
    `module:function`.
    """

    name: str
    purpose: str
    module: str
    command: str
    parameters: str = ""
    views: Mapping[str, str] = field(default_factory=dict)


ENTRIES: dict[str, Entry] = {}
"""By name, in the order in which people read of them."""


def register(entry: Entry) -> None:
    """Add a job to those that there are."""
    if entry.name in ENTRIES:
        raise ValueError(f"there is a job {entry.name} already")
    ENTRIES[entry.name] = entry


def _register_analysis(
    name: str, parameters: str, purpose: str, views: Mapping[str, str] | None = None, module: str = ""
) -> None:
    """Add an analysis whose command and call have its name, and its module, too, unless this is another."""
    module = f"unquilt.analyses.{module or name}"
    register(Entry(name, purpose, module, f"unquilt.cli.commands.{name}:{name}", parameters, views or {}))


register(
    Entry(
        "ingest",
        "Read pages into a corpus, for several analyses.",
        "unquilt.analyses.ingest",
        "unquilt.cli.commands.ingest:ingest",
    )
)
_register_analysis(
    "quilts", "QuiltParameters", "Find pages stitched together from other pages.", module="quilt_parameters"
)
_register_analysis("sweep", "SweepParameters", "Count quilts for many k, m, c and sigma at once.")
_register_analysis(
    "neardups",
    "NeardupParameters",
    "Find documents that are the same but for small changes.",
    {"clusters/{cluster:int}": "unquilt.page.views.clusters:show_cluster"},
)
_register_analysis(
    "passages",
    "PassageParameters",
    "Find passages that documents share, and where they are.",
    {"pairs/{a:int}/{b:int}": "unquilt.page.views.passages:show_pair"},
)
_register_analysis("reworded", "RewordedParameters", "Find passages that were reworded, shuffled or summarised.")
_register_analysis(
    "phrases",
    "PhraseParameters",
    "Find popular phrases, and the sites that are made of them.",
    {"phrases": "unquilt.page.views.phrases:show_site"},
)
_register_analysis("repeats", "RepeatParameters", "Find text that occurs elsewhere, too, and can be removed.")
register(
    Entry(
        "copies",
        "Find who copied from us: which pages, what text, how much.",
        "unquilt.analyses.own_copies",
        "unquilt.cli.commands.copies:copies",
    )
)
register(
    Entry(
        "sites",
        "Judge whole sites: who copies from others, and from whom.",
        "unquilt.analyses.site_verdicts",
        "unquilt.cli.commands.sites:sites",
        views={"site": "unquilt.page.views.sites:show_site"},
    )
)
register(
    Entry(
        "lexicon",
        "Make lexicons for near-duplicates, and look at them.",
        "unquilt.analyses.lexicon",
        "unquilt.cli.commands.lexicon:lexicon",
    )
)


register(
    Entry(
        "discover",
        "Find paragraphs and files that occur again and again.",
        "unquilt.analyses.discover",
        "",
        "DiscoverParameters",
        {"objects/{first:int}/{begin:int}/{kind}": "unquilt.page.views.reuse:show_object"},
    )
)
register(
    Entry(
        "detect",
        "Find documents and sites that contain labelled content.",
        "unquilt.analyses.detect",
        "",
        "DetectParameters",
        {"neighbourhoods": "unquilt.page.views.reuse:show_tree"},
    )
)
register(
    Entry(
        "quilts_experiment",
        "Count quilts by the definitions of the paper and by default, and for many parameters.",
        "unquilt.analyses.quilts_experiment",
        "",
    )
)
register(
    Entry(
        "passages_experiment",
        "Measure how well passages are found, by signature and parameter.",
        "unquilt.analyses.passages_experiment",
        "",
    )
)
register(
    Entry(
        "phrases_experiment",
        "Draw the figures of popular phrases, of one corpus or several.",
        "unquilt.analyses.phrases_experiment",
        "",
    )
)
register(
    Entry(
        "imatch_experiment",
        "Measure how many near-duplicates I-Match finds, by number of randomised lexicons.",
        "unquilt.analyses.imatch_experiment",
        "",
    )
)
register(
    Entry(
        "reuse_experiment",
        "Copy pages of a corpus, change the copies, and see what reuse still finds.",
        "unquilt.analyses.reuse_experiment",
        "",
    )
)


def public_names() -> dict[str, str]:
    """The names that analyses add to the API, each with the name of its analysis: calls, and classes of parameters."""
    calls = [entry for entry in ENTRIES.values() if entry.parameters]
    return {name: entry.name for entry in calls for name in (entry.name, entry.parameters)}


def load(name: str) -> Job:
    """The job of this name, which must be registered."""
    job: Job = import_module(ENTRIES[name].module).DECLARATION
    if job.name != name:
        raise TypeError(f"{ENTRIES[name].module} declares {job.name}, not {name}")
    return job


def load_analysis(name: str) -> Analysis:
    """The same, if it is an analysis."""
    from unquilt.analyses.analysis import Analysis

    job = load(name)
    if not isinstance(job, Analysis):
        raise TypeError(f"{name} is not an analysis")
    return job


def jobs() -> Iterator[Job]:
    """All jobs, in the order in which people read of them."""
    return map(load, ENTRIES)


def find_table(name: str, made_by: str = "") -> Table | None:
    """What is known of a table that some job makes; also if it is that of one round, or of one value of a parameter.

    Jobs are looked through one by one, first the one that made the run, so that few of them need be imported.
    """
    stem = _OF_ONE_VALUE.sub("", name, count=1)
    for job in map(load, sorted(ENTRIES, key=lambda entry: entry != made_by)):
        for table in job.tables:
            if table.name == name:
                return table
            if table.name == stem:
                return table.named(name)
    return None


def find_label(name: str) -> str | None:
    """What a stage is called for people."""
    from unquilt.analyses.labels import SHARED_LABELS

    labels = SHARED_LABELS | {stage: label for job in jobs() for stage, label in job.labels.items()}
    if name in labels:
        return labels[name]
    stem = _OF_ONE_VALUE.sub("", name, count=1)
    if stem in labels:
        value = _OF_ONE_VALUE.search(name)
        return labels[stem].format(value[1] if value else "")
    table = find_table(name)
    return None if table is None else f"writing {name.replace('_', ' ')}"


def find_function(name: str) -> Any:
    """The function or class that an analysis or a table names as `module:function`, so that it is imported late."""
    module, _, function = name.partition(":")
    return getattr(import_module(module), function)


def find_summary(job: Job | None) -> Any:
    """The class of the summaries of a job: its own, or the plain one, which jobs have that the catalogue lacks."""
    return find_function((job.summary if job is not None else None) or "unquilt.cli.show.views:View")
