"""What all views share: the runs, the labels, and the templates that they are shown by."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from unquilt.analyses.catalogue import ENTRIES, load
from unquilt.errors import ParameterError
from unquilt.page.findings import RunFindings
from unquilt.page.guarding import EntryKey, Token
from unquilt.page.links import address
from unquilt.page.listing import Listing
from unquilt.page.marked import colour
from unquilt.page.run_list import RunList
from unquilt.results.folders import RunFolder
from unquilt.results.hosts import HOSTS_OF_CORPUS
from unquilt.results.marks import clean
from unquilt.spelling import sentence
from unquilt.tables.corpus import DOCUMENTS

if TYPE_CHECKING:
    from unquilt.judgements.labels import LabelFile

SCHEMES = ("http", "https")
EXPORTS = ("csv", "json")


@dataclass
class Workspace:
    """Everything that a view needs to answer."""

    runs: RunList
    labelled: Path | None = None
    """The file with the labels; by default it is beside the first run (`find_labels`)."""
    key: EntryKey = field(default_factory=EntryKey)
    token: Token = field(default_factory=Token)
    _found: WeakKeyDictionary[RunFolder, RunFindings] = field(default_factory=WeakKeyDictionary)

    @cached_property
    def labels(self) -> LabelFile:
        """The labels, for those who judge."""
        from unquilt.judgements.labels import LabelFile, find_labels

        return LabelFile(self.labelled or find_labels(self.runs.first))

    @cached_property
    def templates(self) -> Environment:
        environment = Environment(
            loader=PackageLoader("unquilt.page"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.filters |= {"clean": clean_text, "number": spell_number, "share": spell_share, "cell": spell_cell}
        environment.filters["sentence"] = sentence
        environment.globals |= {
            "colour": colour,
            "address": address,
            "is_outside": is_outside,
            "token": self.token.value,
            "all_runs": self.runs,
        }
        return environment

    def found(self, folder: RunFolder) -> RunFindings:
        """What was found in a run; of a finished one, this is looked up once."""
        if not folder.complete:
            return RunFindings(folder)
        known = self._found.get(folder)
        if known is None:
            known = self._found[folder] = RunFindings(folder)
        return known

    def show(self, request: Request, template: str, status: int = 200, **context: Any) -> Response:
        """A page made from a template."""
        context = {"asked": dict(request.query_params), "path": request.url.path} | context
        page = self.templates.get_template(template).render(**context)
        return HTMLResponse(page, status)

    def answer(self, request: Request, listing: Listing, template: str, status: int = 200, **context: Any) -> Response:
        """A page about the rows of a listing, or these rows as a file, if the address asks for that."""
        wanted = request.query_params.get("format", "")
        if wanted in EXPORTS:
            from unquilt.page.exporting import send_rows

            return send_rows(listing, wanted)
        if wanted:
            raise ParameterError(f"format must be {' or '.join(EXPORTS)}, not {wanted[:40]!r}")
        return self.show(request, template, status, listing=listing, query=listing.query() + ";", **context)


class Tab(NamedTuple):
    """A tab of a run: its table, what it is called, and where it leads, if not to the table."""

    table: str
    label: str
    at: str = ""


def views_of(folder: RunFolder) -> list[Tab]:
    """The tables of a run that have a view of their own, as far as they are there, and those that all runs have."""
    analysis = folder.run.manifest["analysis"]
    wanted = load(analysis).tabs if analysis in ENTRIES else ()
    found = [Tab(table.name, table.page.tab, table.page.at) for table in wanted if table.page]
    found = [tab for tab in found if tab.table in folder.tables and tab.table != DOCUMENTS.name]
    if DOCUMENTS.name in folder.tables:
        found += [Tab(table.name, table.page.tab) for table in (DOCUMENTS, HOSTS_OF_CORPUS) if table.page]
    return found


def clean_text(value: object) -> str:
    """A text in which nothing acts, for a template to escape."""
    return clean(str(value))


def spell_number(value: object) -> str:
    """A number for people.

    >>> spell_number(1234567), spell_number(0.12345)
    ('1,234,567', '0.123')
    """
    if isinstance(value, bool) or value is None:
        return "" if value is None else "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{round(value, 3) + 0.0:.3f}" if abs(value) < 100 else f"{value:,.1f}"  # never -0.000
    return str(value)


def spell_share(value: float) -> str:
    """A share of one as a percentage.

    >>> spell_share(0.054), spell_share(0.5)
    ('5.4\xa0%', '50\xa0%')
    """
    return f"{value * 100:.1f}\xa0%" if 0 < value < 0.1 or 0.9 < value < 1 else f"{value * 100:.0f}\xa0%"


def spell_cell(value: object) -> str:
    """Any value in a cell of a table."""
    return clean(value) if isinstance(value, str) else spell_number(value)


def is_outside(url: object) -> bool:
    """Whether a URL is one that a browser can be sent to.

    >>> is_outside("https://a.example/"), is_outside("javascript:alert(1)")
    (True, False)
    """
    try:
        parts = urlsplit(str(url).strip())
    except ValueError:
        return False
    return parts.scheme.lower() in SCHEMES and bool(parts.netloc)


STATIC = Path(__file__).parent / "static"
