"""The page in the browser, as commands open it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from unquilt.cli.terminal.output import emit, flush, printable
from unquilt.errors import MissingDependencyError

if TYPE_CHECKING:
    from unquilt.page.workspace import Workspace

PARTS = ("jinja2", "starlette", "uvicorn")


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
