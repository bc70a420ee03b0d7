"""docs/definitions.md and docs/faults.md: their defaults are those of the code, and citations lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from unquilt.analyses import catalogue
from unquilt.analyses.analysis import Analysis
from unquilt.analyses.imatch_experiment import ImatchExperimentParameters
from unquilt.analyses.own_copies import OwnCopyParameters
from unquilt.analyses.passages_experiment import PassagesExperimentParameters
from unquilt.analyses.phrases_experiment import PhrasesExperimentParameters
from unquilt.analyses.quilts_experiment import QuiltsExperimentParameters
from unquilt.analyses.reuse_experiment import ReuseExperimentParameters
from unquilt.analyses.site_verdicts import SiteParameters
from unquilt.corpus.options import Reading
from unquilt.jobs.labels import LabelParameters
from unquilt.parameters import ParameterInfo, Parameters
from unquilt.settings import Settings

ROOT = Path(__file__).parents[2]
DEFINITIONS = (ROOT / "docs/definitions.md").read_text(encoding="utf-8")
FAULT_PAGE = (ROOT / "docs/faults.md").read_text(encoding="utf-8")
PLACES: dict[str, str | type[Parameters]] = {
    "2.2": Reading,
    "3.1": "quilts",
    "3.1.1": "sweep",
    "3.2": "neardups",
    "3.2.1": "lexicon",
    "3.3": "phrases",
    "3.4.1": "discover",
    "3.4.2": LabelParameters,
    "3.4.3": "detect",
    "3.4.4": ReuseExperimentParameters,
    "3.5": "passages",
    "3.6": "reworded",
    "3.8": SiteParameters,
    "3.9": "repeats",
    "3.10": OwnCopyParameters,
    "3.11": ImatchExperimentParameters,
    "3.12": QuiltsExperimentParameters,
    "3.14": PassagesExperimentParameters,
    "3.13": PhrasesExperimentParameters,
    "5": Settings,
}
"""Which section has the parameters of what: the name of an analysis, or a class."""
_HEADING = re.compile(r"^#+ (\d+(?:\.\d+)*) .+$", re.MULTILINE)
_TABLE = re.compile(r"^\| parameter \| default \| meaning \|\n\|[- |]+\|\n((?:\|.*\n)+)", re.MULTILINE)
_FAULT = re.compile(r"^\*\*(\d+)\*\* ", re.MULTILINE)
_CITED = re.compile(r"docs/(definitions|faults)\.md\s+(\d[\d., ]*(?:(?:\s*(?:to|and|-)\s*|\s)\d[\d., ]*)*)")
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_OLD = re.compile(r"\b(?:SPEC|FAULTS)\b")
_KINDS = (".py", ".rs", ".md", ".toml", ".txt", "Makefile")
_OWN = Path(__file__).name


def cut_sections() -> dict[str, str]:
    """The text of each section that has a number."""
    headings = list(_HEADING.finditer(DEFINITIONS))
    ends = [heading.start() for heading in headings[1:]] + [len(DEFINITIONS)]
    return {heading[1]: DEFINITIONS[heading.end() : end] for heading, end in zip(headings, ends, strict=True)}


SECTIONS = cut_sections()


def describe(what: str | type[Parameters]) -> dict[str, ParameterInfo]:
    """The parameters of an analysis or class, with those of its parts."""
    kind = what
    if isinstance(kind, str):
        kind = catalogue.load_analysis(kind).parameters
    classes = [kind, *kind.parts().values()]
    return {info.name: info for each in classes for info in each.describe()}


def say(info: ParameterInfo) -> str:
    """A default as the page writes it."""
    default = info.default
    if default is None or default in ("", ()):
        return "none"
    if isinstance(default, bool):
        return str(default).lower()
    items = default if isinstance(default, tuple) else (default,)
    words = [f"{item:g}" if isinstance(item, float) else str(item) for item in items]
    return (":" if info.is_range else ", ").join(words)


def read_table(section: str) -> dict[str, tuple[str, str]]:
    """Default and meaning of each parameter in the table of a section; a row may have several, one behind the other."""
    (table,) = _TABLE.findall(SECTIONS[section])
    found: dict[str, tuple[str, str]] = {}
    for line in table.splitlines():
        names, defaults, meaning = (cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])
        parameters = re.findall(r"`(\w+)`", names)
        values = re.findall(r"`(\w+)`", defaults) if len(parameters) > 1 else [defaults]
        found |= {name: (value, meaning) for name, value in zip(parameters, values, strict=True)}
    return found


@pytest.mark.parametrize("section", PLACES)
def test_every_parameter_is_there_with_its_default(section: str) -> None:
    written = read_table(section)
    expected = {name: say(info) for name, info in describe(PLACES[section]).items()}
    assert {name: default for name, (default, _) in written.items()} == expected
    assert all(meaning for _, meaning in written.values())


def test_every_analysis_has_its_place() -> None:
    analyses = {name for name in catalogue.ENTRIES if isinstance(catalogue.load(name), Analysis)}
    assert analyses == {what for what in PLACES.values() if isinstance(what, str)}


def test_numbers_are_given_once_and_in_order() -> None:
    sections = [tuple(map(int, found.split("."))) for found in _HEADING.findall(DEFINITIONS)]
    assert sections == sorted(set(sections))
    faults = [int(found) for found in _FAULT.findall(FAULT_PAGE)]
    assert faults == sorted(set(faults))
    assert set(range(1, 51)) <= set(faults)


def find_citations(text: str) -> dict[str, set[str]]:
    """The numbers that a text cites of each page, ranges included."""
    cited: dict[str, set[str]] = {"definitions": set(), "faults": set()}
    for page, numbers in _CITED.findall(text):
        cited[page] |= set(_NUMBER.findall(numbers))
        for first, last in re.findall(r"(\d+)(?:\s+to\s+|-)(\d+)", numbers):
            cited[page] |= {str(number) for number in range(int(first), int(last) + 1)}
    return cited


def test_citations_are_found() -> None:
    text = "docs/faults.md 3, 18 to 20 and 25-26. See docs/definitions.md\n3.1.1, and 3.2 of docs/definitions.md 4"
    numbers = {"3", "18", "19", "20", "25", "26"}
    assert find_citations(text) == {"definitions": {"3.1.1", "3.2", "4"}, "faults": numbers}


def read_sources() -> dict[Path, str]:
    """All that people write: sources, tests, documents."""
    folders = [ROOT / name for name in ("src", "tests", "native", "docs", "benchmarks")]
    paths = [path for folder in folders for path in folder.rglob("*")] + list(ROOT.glob("*"))
    named = [path for path in paths if path.name.endswith(_KINDS) and path.is_file() and path.name != _OWN]
    return {path: path.read_text(encoding="utf-8") for path in named}


def test_citations_lead_somewhere() -> None:
    known = {"definitions": set(SECTIONS), "faults": set(_FAULT.findall(FAULT_PAGE))}
    count = 0
    for path, text in read_sources().items():
        for page, numbers in find_citations(text).items():
            assert numbers <= known[page], (path, page, numbers - known[page])
            count += len(numbers)
    assert count > 60


def test_no_document_is_cited_that_readers_do_not_have() -> None:
    """Definitions and faults once had other names, and were not in the repository."""
    named = {path: _OLD.findall(text) for path, text in read_sources().items()}
    assert {path: found for path, found in named.items() if found} == {}
