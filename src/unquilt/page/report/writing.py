"""The report as a file: made in memory, since it is small whatever the runs, and written in one go."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Sequence
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from unquilt.errors import MissingDependencyError, RunError
from unquilt.jobs.places import choose_place
from unquilt.results import RunFolder
from unquilt.results.export.places import list_inputs, one_file, refuse_existing

if TYPE_CHECKING:
    from jinja2 import Environment

MOST_SOURCES = 20
"""Lines of a legend."""


def write_report(
    folders: Sequence[RunFolder],
    output: str | Path,
    *,
    title: str | None = None,
    examples: int | None = None,
    overwrite: bool = False,
) -> Path:
    """Write the report of finished runs to a file, which is there when it is complete; with so many examples of each.

    An output that is, contains or lies in one of the runs or their inputs is refused.
    """
    inputs: list[str | Path] = []
    for folder in folders:
        corpus = folder.corpus or folder.run
        inputs += [folder.run.path, corpus.path, *list_inputs(folder.run.manifest), *list_inputs(corpus.manifest)]
    place = choose_place(output, inputs)
    refuse_existing(place, overwrite=overwrite, folder=False)
    content = make_report(folders, title=title, examples=examples)
    with one_file(place) as file:
        file.write(content.encode("utf-8", "replace"))
    return place


def make_report(folders: Sequence[RunFolder], *, title: str | None = None, examples: int | None = None) -> str:
    """The report of finished runs, as HTML."""
    environment = _environment()
    from unquilt.figures.style import make_style
    from unquilt.page.report.section import describe
    from unquilt.page.report.sections import show

    for folder in folders:
        if not folder.complete:
            raise RunError(f"{folder.run.path} is not complete; the command that made it resumes it")
    sections = [describe(folder, show(folder), place, examples) for place, folder in enumerate(folders, 1)]
    style = make_style() + (files(__package__) / "report.css").read_text(encoding="utf-8")
    digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    from markupsafe import Markup

    return environment.get_template("report.html").render(
        title=title or _title(folders),
        sections=sections,
        style=Markup(style),  # noqa: S704  ours
        style_hash=f"sha256-{digest}",
        version=version("unquilt"),
        most_sources=MOST_SOURCES,
    )


def _title(folders: Sequence[RunFolder]) -> str:
    from unquilt.page.report.section import name_folder

    corpora = dict.fromkeys(name_folder((folder.corpus or folder.run).path) for folder in folders)
    return f"Copied text in {', '.join(corpora)}"


def refuse_report_without_extra() -> None:
    """Raise MissingDependencyError where a report cannot be written, before other work is done for it."""
    _environment()


def _environment() -> Environment:
    try:
        from jinja2 import Environment, FunctionLoader, StrictUndefined
        from markupsafe import Markup
    except ImportError as error:
        raise MissingDependencyError('the report needs Jinja2: pip install "unquilt[page]"') from error
    from unquilt.page.report.spelling import cell, cut
    from unquilt.spelling import sentence

    made = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        loader=FunctionLoader(lambda name: (files(__package__) / name).read_text(encoding="utf-8")),
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: cut(value, 1_000_000) if type(value) is str else value,
    )
    made.filters |= {"number": lambda value: f"{value:,}", "cell": cell, "sentence": sentence, "safe_svg": Markup}
    return made
