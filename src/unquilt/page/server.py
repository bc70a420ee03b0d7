"""The server: on this machine alone, until Ctrl-C."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from urllib.parse import quote

import uvicorn

from unquilt.errors import ParameterError, StorageError
from unquilt.page.application import make_application
from unquilt.page.guarding import ENTRANCE, KEY
from unquilt.page.run_list import RunList
from unquilt.page.turns import PatientProtocol
from unquilt.page.workspace import Workspace
from unquilt.remote.names import refuse_url
from unquilt.remote.paths import place
from unquilt.results.folders import RunFolder
from unquilt.runs.manifest import MANIFEST

HOST = "127.0.0.1"
PORT = 8017
"""Tried first, if no other is asked for."""
MOST_CONNECTIONS = 200
"""A browser has a handful."""
END_WITHIN = 0.7
"""Seconds after Ctrl-C that requests may still take."""


def open_workspace(runs: Sequence[str | Path], labels: str | Path | None = None) -> Workspace:
    """The runs, and the labels: beside the first of them, or here if that is at a store, unless they are said to be
    elsewhere.

    A folder that holds runs stands for these. Raises RunError for one that holds none; what happens to runs later is
    told on the page.
    """
    if labels:
        refuse_url(labels, "labels are kept in")
    places = [found for given in runs for found in find_runs(place(given))]
    return Workspace(RunList(places), Path(labels) if labels else None)


def find_runs(given: Path) -> list[Path]:
    """A run, or the runs in a folder: a corpus among them only if there is nothing else."""
    if not (given / MANIFEST).exists():
        within = [path.parent for path in sorted(given.glob(f"*/{MANIFEST}"))]
        opened = {path: RunFolder.open(path).run.manifest["analysis"] for path in within}
        if opened:
            return [path for path, analysis in opened.items() if analysis != "ingest"] or within
    RunFolder.open(given)
    return [given]


def bind(port: int | None) -> socket.socket:
    """A socket on the loopback interface: the port that is asked for, or the usual one, or any."""
    for wanted in (PORT, 0) if port is None else (port,):
        opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            opened.bind((HOST, wanted))
            opened.listen()  # whoever asks from now on waits for an answer, and is not refused
        except OverflowError as error:
            opened.close()
            raise ParameterError(f"port must be between 1 and 65535, not {port}") from error
        except OSError as error:
            opened.close()
            if port is not None:
                raise StorageError(
                    f"port {port} of {HOST} cannot be used ({error.strerror}); choose another"
                ) from error
            continue
        return opened
    raise StorageError(f"no port of {HOST} can be used")


def serve(
    workspace: Workspace, opened: socket.socket, *, path: str = "/", browse: bool, ready: Callable[[str], None]
) -> None:
    """Answer until Ctrl-C; `ready` is told the address, with the key, once somebody can be sent there."""
    address = f"http://{HOST}:{opened.getsockname()[1]}{workspace.key.root}{path}?{KEY}={workspace.key.value}"
    with tempfile.TemporaryDirectory(prefix="unquilt-page-") as private:

        def announce() -> None:
            ready(address)
            if browse:
                webbrowser.open(_write_entrance(Path(private), address))

        try:
            PageServer(workspace, announce, private).run(sockets=[opened])
        except KeyboardInterrupt:
            pass  # the usual way to end it
        finally:
            opened.close()


def _write_entrance(private: Path, address: str) -> str:
    """The address of a file that leads to the page.

    All users of a machine can see the arguments of a browser that is started, so the key must not be among them.
    """
    entrance = private / "unquilt.html"
    entrance.write_text(ENTRANCE.format(address=address, icon="data:,"), encoding="utf-8")
    return "file://" + quote(str(entrance))


class PageServer(uvicorn.Server):
    """A server that says when it is ready, and ends soon after Ctrl-C, whatever it is doing."""

    def __init__(self, workspace: Workspace, started: Callable[[], None] = lambda: None, private: str = "") -> None:
        super().__init__(
            uvicorn.Config(
                make_application(workspace),
                http=PatientProtocol,
                ws="none",
                log_level="critical",
                access_log=False,
                server_header=False,
                limit_concurrency=MOST_CONNECTIONS,
            )
        )
        self._tell, self._private = started, private

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._tell()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Threads that read tables cannot be ended from outside; labels are on disk before anybody is told so."""
        super().handle_exit(sig, frame)
        timer = threading.Timer(END_WITHIN, self._end)
        timer.daemon = True
        timer.start()

    def _end(self) -> None:
        if self._private:
            shutil.rmtree(self._private, ignore_errors=True)
        os._exit(0)
