"""What the report says of one run, ready for the template; of it, only `Markup` is HTML, made by `marked`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unquilt.analyses.catalogue import ENTRIES, find_label, load
from unquilt.figures.figure import Figure
from unquilt.jobs.corpora import CORPUS
from unquilt.page.report.spelling import CellShare, count, cut, duration, size, value
from unquilt.results import RunFolder, Selection, TableRows
from unquilt.results.rows import arrange
from unquilt.tables.corpus import DOCUMENTS, REJECTS
from unquilt.tables.table import Table

if TYPE_CHECKING:
    from markupsafe import Markup

ROWS = 10
"""Rows of a table, at most."""
EXAMPLES = 3
"""Pages with their evidence for each run, unless other numbers are asked for: with ten, reports had 150 pages."""
_CORPUS = ("documents", "words", "bytes", "rejects")


@dataclass(frozen=True)
class Listed:
    """The first rows of a table: `total` says of how many."""

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    total: int

    @property
    def numeric(self) -> Sequence[bool]:
        """Of each column, whether it has numbers."""
        return [any(isinstance(cell, int | float) for cell in cells) for cells in zip(*self.rows, strict=True)]


@dataclass(frozen=True)
class Line:
    """A page in the legend of an example, by its number there."""

    number: int
    name: str
    facts: str


@dataclass(frozen=True)
class Example:
    """A page with its evidence: `text` has it marked, `bar` shows where it lies."""

    name: str
    url: str | None
    facts: Sequence[tuple[str, str]]
    text: Markup
    sources: Sequence[Line] = ()
    bar: Markup | None = None
    note: str = ""
    other: Example | None = None
    """The other document of a pair."""
    title: str = ""
    """Of a pair, if that is not the name of the first document, which then stands above its text."""
    number: int = 0
    """Its number elsewhere in the report; 0 for its place among examples."""
    own_facts: Sequence[tuple[str, str]] = ()
    """What is known of the first document of a pair with a title."""


@dataclass(frozen=True)
class Content:
    """What an analysis has to show: three sentences, figures, the first rows of tables, examples.

    Sentences are shown everywhere, and cost little. The rest may be given as functions, which are called where it is
    shown: that of examples is told how many are wanted.
    """

    says: Sequence[str]
    figures: Sequence[Figure] | Callable[[], Sequence[Figure]] = ()
    tables: Sequence[Listed] | Callable[[], Sequence[Listed]] = ()
    examples: Sequence[Example] | Callable[[int], Sequence[Example]] = ()
    examples_are: str = ""
    usual_examples: int = EXAMPLES
    """How many examples a report has, unless other numbers are asked for."""

    def draw_figures(self) -> Sequence[Figure]:
        """The figures."""
        return self.figures() if callable(self.figures) else self.figures

    def list_tables(self) -> Sequence[Listed]:
        """The first rows of tables."""
        return self.tables() if callable(self.tables) else self.tables

    def show_examples(self, most: int) -> Sequence[Example]:
        """The first examples."""
        if not most:
            return ()
        return self.examples(most) if callable(self.examples) else self.examples[:most]


@dataclass(frozen=True)
class Given:
    """A parameter: `changed` says that it is not the default."""

    name: str
    value: str
    means: str
    changed: bool


@dataclass(frozen=True)
class Section:
    """A run: what was asked of which corpus, what came out, and how."""

    place: int
    analysis: str
    purpose: str
    folder: str
    corpus: str
    corpus_facts: Sequence[tuple[str, str]]
    inputs: Sequence[tuple[str, str]]
    more_inputs: int
    asked: Sequence[Given]
    says: Sequence[str]
    figures: Sequence[Figure]
    tables: Sequence[Listed]
    examples: Sequence[Example]
    examples_are: str
    warnings: Sequence[str]
    rejects: Listed | None
    rejected: int | None
    stages: Sequence[Sequence[str]]
    total_time: str
    made: Sequence[tuple[str, str]]


def describe(folder: RunFolder, content: Content, place: int, examples: int | None = None) -> Section:
    """All there is to say of a finished run. The report is sent to others, so files go by their names, without the
    folders of this machine."""
    manifest = folder.run.manifest
    of_corpus = folder.corpus.manifest if folder.corpus is not None else {}
    facts = of_corpus.get("summary", {}) | manifest.get("summary", {})
    inputs = of_corpus.get("inputs") or manifest["inputs"]
    entry = ENTRIES.get(manifest["analysis"])
    stages = manifest["stages"]
    rejects = next(iter(list_rows(folder, REJECTS, "Records that were left out")), None)
    if rejects is not None and "file" in rejects.columns:
        place_of = list(rejects.columns).index("file")
        cells = [
            [name_folder(value) if n == place_of and value else value for n, value in enumerate(row)]
            for row in rejects.rows
        ]
        rejects = replace(rejects, rows=cells)
    return Section(
        place=place,
        analysis=manifest["analysis"],
        purpose=entry.purpose if entry else "",
        folder=name_folder(folder.run.path),
        corpus=name_folder(folder.corpus.path) if folder.corpus is not None else "",
        corpus_facts=list(_corpus_facts(facts)),
        inputs=[(name_folder(record["path"]), size(record["size"])) for record in inputs[:ROWS]],
        more_inputs=max(0, len(inputs) - ROWS),
        asked=[replace(each, value=_hide_folder(each.value)) for each in describe_parameters(manifest)],
        says=content.says,
        figures=content.draw_figures(),
        tables=content.list_tables(),
        examples=content.show_examples(content.usual_examples if examples is None else examples),
        examples_are=content.examples_are,
        warnings=[cut(_hide_folders(warning, inputs)) for warning in facts.get("warnings", [])],
        rejects=rejects,
        rejected=facts.get("rejects"),
        stages=list(_sum_up(stages)),
        total_time=duration(sum(stage["seconds"] for stage in stages.values())),
        made=list(_made(manifest)),
    )


def name_folder(path: str | Path) -> str:
    """A file or folder by its name alone; a corpus within a run by the name of the run."""
    place = Path(path).absolute()
    return cut(place.parent.name if place.name == CORPUS else place.name) or "/"


def _hide_folder(given: str) -> str:
    """The value of a parameter; a file goes by its name."""
    return name_folder(given) if given.startswith("/") else given


def _hide_folders(text: str, inputs: Sequence[Mapping[str, Any]]) -> str:
    """A text without the folders of inputs."""
    folders = {f"{Path(record['path']).parent}/" for record in inputs} - {"./"}
    for folder in sorted(folders, key=len, reverse=True):
        text = text.replace(folder, "")
    return text


def _corpus_facts(facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    known = [(name, facts[name]) for name in _CORPUS if facts.get(name) is not None]
    return [(name, size(number) if name == "bytes" else count(number)) for name, number in known]


def describe_parameters(manifest: Mapping[str, Any]) -> list[Given]:
    """Every parameter, what it means, and whether it was changed; those of files that it names are not described."""
    name = manifest["analysis"]
    job = load(name) if name in ENTRIES else None
    known = {each.name: each for each in job.parameters.describe()} if job and job.parameters else {}
    found = []
    for name, given in manifest["parameters"].items():
        if isinstance(given, dict):
            found += [Given(cut(inner), value(each), "", False) for inner, each in given.items() if each != inner]
            continue
        info = known.get(name)
        default = list(info.default) if info and isinstance(info.default, tuple) else info.default if info else given
        found.append(Given(cut(name), value(given), info.help if info else "", given != default))
    return found


def _sum_up(stages: Mapping[str, Mapping[str, Any]]) -> Iterator[list[str]]:
    """The stages with what they took; those of one kind, such as steps until nothing changes, as one."""
    kinds: dict[str, list[Mapping[str, Any]]] = {}
    for name, stage in stages.items():
        kinds.setdefault(find_label(name) or cut(name), []).append(stage)
    for label, same in kinds.items():
        yield [
            label if len(same) == 1 else f"{label} ({len(same)} times)",
            duration(sum(stage["seconds"] for stage in same)),
            size(max(stage["peak_memory"] for stage in same)),
            count(same[-1]["rows"]) if same[-1]["rows"] else "",
        ]


def _made(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    machine, settings = manifest.get("machine", {}), manifest.get("settings", {})
    found = [(name, str(version)) for name, version in manifest.get("versions", {}).items()]
    found.append(("finished", str(manifest.get("finished") or "")[:16].replace("T", " ") + " UTC"))
    if machine:
        memory = size(machine.get("memory") or 0)
        found.append(("machine", f"{machine.get('platform')}, {machine.get('cpus')} processors, {memory}"))
    if settings:
        engine = f"{settings.get('engine')}, {settings.get('threads')} threads, {size(settings.get('memory') or 0)}"
        found.append(("engine", engine))
    found.append(("fingerprint of the run", str(manifest.get("fingerprint", ""))[:16]))
    return [(cut(name), cut(said)) for name, said in found]


def list_rows(folder: RunFolder, table: Table, title: str, columns: Sequence[str] = ()) -> list[Listed]:
    """The first rows of a table, in the order in which people want them; nothing if there are none."""
    rows = read_first(folder, table, columns) if table.name in folder.tables else []
    if not rows:
        return []
    shown = list(columns) or [name for name in table.schema.names if name not in table.hidden]
    shown = [name for name in shown if not _is_told(name, shown, rows)]
    shares = {each.name for each in table.columns if each.is_share}
    cells = [[_mark_share(row.get(name), name in shares) for name in shown] for row in rows]
    return [Listed(table.name, title, shown, cells, folder.table(table.name).rows)]


def _mark_share(value: Any, is_share: bool) -> Any:
    return CellShare(value) if is_share and value is not None else value


def _is_told(name: str, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a column says nothing: an id beside URLs that all rows have, or URLs that none has."""
    if name.endswith("id") and name[:-2] + "url" in columns:
        return all(row.get(name[:-2] + "url") for row in rows)
    return name.endswith("url") and not any(row.get(name) for row in rows)


def read_first(folder: RunFolder, table: Table, columns: Sequence[str] = (), limit: int = ROWS) -> list[Any]:
    """The rows of a table that people want to see first, as dicts; with ids and URLs if these are asked for."""
    there = TableRows(folder, table.name).columns
    wanted = [name for name in columns or table.schema.names if name in there]
    return list(TableRows(folder, table.name, arrange(folder, table.name, Selection(wanted, limit=limit))).rows())


def read_examples(folder: RunFolder, table: Table, most: int) -> list[Any]:
    """The rows to show with their evidence; none without the corpus, which has the texts."""
    return read_first(folder, table, limit=most) if has_texts(folder) and table.name in folder.tables else []


def name_page(folder: RunFolder, number: int) -> tuple[str, str | None]:
    """What a document is called, and its URL."""
    id_, url = folder.pages([number]).get(number, (f"document {number}", None))
    return cut(id_), None if url is None else cut(url)


def has_texts(folder: RunFolder) -> bool:
    """Whether the corpus of a run is there."""
    return DOCUMENTS.name in folder.tables
