"""`unquilt serve`: look at runs in the browser."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from unquilt.arrow_start import start_without_pandas
from unquilt.cli.group import usual_options
from unquilt.cli.options import number_option
from unquilt.cli.terminal.output import emit, flush, printable
from unquilt.errors import MissingDependencyError

if TYPE_CHECKING:
    from unquilt.page.workspace import Workspace

PARTS = ("jinja2", "starlette", "uvicorn")

EXAMPLES = """\b
Examples:
  unquilt serve run                               # open a run in the browser
  unquilt serve run near phrases                  # several, over one corpus or over several
  unquilt serve demo-run                          # all runs in a folder
  unquilt serve run --port 8080 --no-browser      # only say where it is
"""


@click.command(epilog=EXAMPLES)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@number_option("port", "Port on 127.0.0.1 (default 8017, or any that is free).", at_least=1)
@click.option("--browser/--no-browser", default=True, help="Open the page in the browser (the default), or do not.")
@click.option("--labels", metavar="FILE", help="File with the labels (default: labels.sqlite beside the first run).")
@usual_options
def serve(runs: tuple[str, ...], port: int | None, browser: bool, labels: str | None) -> None:
    """Show RUNs, or all runs in a folder, on a page in the browser: tables to sort and search, with the evidence.

    A quilt stands beside its sources, near-duplicates are compared word by word, sites and folders can be looked
    through, and samples can be judged. Every view has an address to share, and exports what it shows. The page answers
    nobody but the browser that opens the printed address, and loads nothing from elsewhere. Ctrl-C ends it.
    """
    start_without_pandas()
    open_page(runs, port, browse=browser, labels=labels)


def open_page(
    runs: Sequence[str],
    port: int | None,
    *,
    browse: bool,
    labels: str | None,
    prepare: Callable[[Workspace], str] = lambda _: "/",
) -> None:
    """Serve runs until Ctrl-C; `prepare` may do something with them first, and says where on the page to begin."""
    try:
        from unquilt.page.server import bind, open_workspace, serve
    except ImportError as error:
        if error.name not in PARTS:
            raise
        raise MissingDependencyError(f'the page needs {error.name}: pip install "unquilt[page]"') from error
    workspace = open_workspace(runs, labels)
    path = prepare(workspace)
    serve(workspace, bind(port), path=path, browse=browse and not _is_remote(), ready=_announce)


def _announce(address: str) -> None:
    emit(f"The page is at {printable(address)} (Ctrl-C ends it)")
    if _is_remote():
        port = urlsplit(address).port
        emit(f"To open it on the machine in front of you, run there: ssh -L {port}:127.0.0.1:{port} THIS-MACHINE")
    flush()


def _is_remote() -> bool:
    """Whether the terminal is one of ssh, and no browser of this machine can be seen."""
    return "SSH_CONNECTION" in os.environ and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
