"""The server: on this machine alone, until Ctrl-C."""

from __future__ import annotations

import os
import socket
import tempfile
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import quote

import uvicorn

from unquilt.errors import ParameterError, StorageError
from unquilt.judgements.labels import FILE, LabelFile
from unquilt.page.application import make_application
from unquilt.page.guarding import ENTRANCE, KEY
from unquilt.page.shelf import Shelf
from unquilt.page.shell import Shell
from unquilt.results.folders import RunFolder
from unquilt.runs.manifest import MANIFEST

HOST = "127.0.0.1"
PORT = 8017
"""Tried first, if no other is asked for."""


def open_shell(runs: Sequence[str | Path], labels: str | Path | None = None) -> Shell:
    """The runs, and the labels beside the first of them unless they are said to be elsewhere.

    A folder that holds runs stands for these. Raises RunError for one that holds none; what happens to runs later is
    told on the page.
    """
    places = [place for given in runs for place in find_runs(Path(given))]
    shelf = Shelf(places)
    beside = Path(labels) if labels else places[0].absolute().parent / FILE
    return Shell(shelf, LabelFile(beside))


def find_runs(given: Path) -> list[Path]:
    """A run, or the runs in a folder: a corpus among them only if there is nothing else."""
    if not os.path.lexists(given / MANIFEST):
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


def serve(shell: Shell, opened: socket.socket, *, path: str = "/", browse: bool, ready: Callable[[str], None]) -> None:
    """Answer until Ctrl-C; `ready` is told the address, with the key, once somebody can be sent there."""
    address = f"http://{HOST}:{opened.getsockname()[1]}{path}?{KEY}={shell.key.value}"
    config = uvicorn.Config(
        make_application(shell), log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=2
    )
    with tempfile.TemporaryDirectory(prefix="unquilt-page-") as private:

        def announce() -> None:
            ready(address)
            if browse:
                webbrowser.open(_write_entrance(Path(private), address))

        try:
            _Server(config, announce).run(sockets=[opened])
        except KeyboardInterrupt:
            pass  # the usual way to end it
        finally:
            opened.close()


def _write_entrance(private: Path, address: str) -> str:
    """The address of a file that leads to the page.

    All users of a machine can see the arguments of a browser that is started, so the key must not be among them.
    """
    entrance = private / "unquilt.html"
    entrance.write_text(ENTRANCE.format(address=address), encoding="utf-8")
    return "file://" + quote(str(entrance))


class _Server(uvicorn.Server):
    """A server that says when it is ready."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._tell = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._tell()
