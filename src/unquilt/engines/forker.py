"""Where workers come from: a process that has imported all they need, and makes them by forking itself.

To start a Python and to import readers takes a third of a second; a fork takes a hundredth of that, and a worker that
was lost is replaced as quickly. The forker does nothing else, so no thread of it can be in the middle of something when
it forks. It knows where unquilt is and imports nothing from the current folder, where the data lie and with them,
perhaps, a `struct.py`.

It is asked over a socket, one request at a time: `fork` comes with the ends of two pipes and is answered with the
number of the process, `wait` with its exit code, or with "" while it lives. A process that was not waited for keeps its
number, so none can be mistaken for another. Should the forker be lost, the next one is started; what it made lives on.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

from unquilt.errors import EngineError

TRIES = 3
SOON = 60.0
"""Seconds within which a process that has closed its pipe has ended."""
_REQUEST = 4096
_PACKAGE = str(Path(__file__).resolve().parents[1])
_START = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
where, descriptor, life, *modules = sys.argv[1:]
spec = spec_from_file_location("unquilt", where + "/__init__.py", submodule_search_locations=[where])
sys.modules["unquilt"] = package = module_from_spec(spec)
spec.loader.exec_module(package)
from unquilt.engines.forker import answer_requests
answer_requests(int(descriptor), life, modules)
"""

_preloaded: dict[str, None] = {}


def preload(module: str) -> None:
    """Have a module imported before forks are made, as all of them will need it."""
    _preloaded[module] = None


def setting() -> str:
    """What a process is told at its start: where else to look for modules, but not in the current folder."""
    return os.pathsep.join(filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)))


class Forker:
    """The process that forks, from the first request on. `life` names the function that is the life of a fork, which is
    given its pipes. Threads may share it."""

    def __init__(self, life: str) -> None:
        self._life = life
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None

    def fork(self) -> tuple[int, IO[bytes], IO[bytes]]:
        """A new process: its number, the pipe to it, and the pipe from it."""
        with self._lock:
            return self._fork()

    def _fork(self) -> tuple[int, IO[bytes], IO[bytes]]:
        for _ in range(TRIES):
            there, inbox = os.pipe()
            outbox, back = os.pipe()
            try:
                number = int(self._ask(b"fork", [there, back]))
                return number, os.fdopen(inbox, "wb"), os.fdopen(outbox, "rb")
            except OSError:
                os.close(inbox)
                os.close(outbox)
                self._end()
            finally:
                os.close(there)
                os.close(back)
        raise EngineError(f"no process could be started, in {TRIES} tries; is memory short? Run again to go on")

    def wait(self, number: int) -> int:
        """The exit code of a process that has closed its pipes, or does so soon. Of one whose forker was lost nobody
        knows it; that it was killed, too, is as good a guess as any."""
        until, pause = time.monotonic() + SOON, 0.001
        try:
            while True:
                with self._lock:
                    code = self._ask(b"wait %d" % number)
                if code:
                    return int(code)
                if time.monotonic() > until:
                    os.kill(number, signal.SIGKILL)  # it lives, or is not waited for yet: the number is its own
                time.sleep(pause)
                pause = min(2 * pause, 0.1)
        except OSError:
            return -signal.SIGKILL

    def end(self) -> None:
        """End the forker, not what it has made."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._socket is not None:
            self._socket.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._socket = self._process = None

    def _ask(self, request: bytes, descriptors: list[int] | None = None) -> bytes:
        """Raises `OSError` if the forker is gone."""
        if self._socket is None:
            if not descriptors:
                raise ConnectionResetError
            self._start()
        assert self._socket is not None
        socket.send_fds(self._socket, [request], descriptors or [])
        answer = self._socket.recv(_REQUEST)
        if not answer:
            raise ConnectionResetError
        return answer.removeprefix(b" ")

    def _start(self) -> None:
        ours, its = socket.socketpair()
        with its:
            # In a group of its own a Ctrl-C does not reach it: it is for the parent to end it. Nobody computes here.
            self._process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-P", "-c", _START, _PACKAGE, str(its.fileno()), self._life, *_preloaded],
                stdin=subprocess.DEVNULL,
                stdout=_stderr(),  # whatever prints must not end up among results
                env=os.environ | {"PYTHONPATH": setting(), "OPENBLAS_NUM_THREADS": "1"},
                pass_fds=[its.fileno()],
                process_group=0,
            )
        self._socket = ours


def _stderr() -> int:
    try:
        os.fstat(2)
    except OSError:
        return subprocess.DEVNULL
    return 2


def answer_requests(descriptor: int, life: str, modules: list[str]) -> None:
    """The forker's life: requests, until the socket closes."""
    import importlib

    for module in modules:
        importlib.import_module(module)
    module, _, function = life.partition(":")
    live = getattr(importlib.import_module(module), function)
    with suppress(ConnectionError), socket.socket(fileno=descriptor) as requests:
        while True:
            request, descriptors, _, _ = socket.recv_fds(requests, _REQUEST, 2)
            if not request:
                return
            if request == b"fork":
                number = _fork(live, requests, *descriptors)
                requests.sendall(b" %d" % number)
            else:
                gone, status = os.waitpid(int(request.split()[1]), os.WNOHANG)
                requests.sendall(b" %d" % os.waitstatus_to_exitcode(status) if gone else b" ")


def _fork(live: Callable[[int, int], None], requests: socket.socket, inbox: int, outbox: int) -> int:
    number = os.fork()
    if number:
        os.close(inbox)
        os.close(outbox)
        return number
    code = 1
    try:
        requests.close()
        os.setpgid(0, 0)
        live(inbox, outbox)
        code = 0
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else 1
    except BaseException:  # noqa: BLE001 - nobody is behind it
        traceback.print_exc()
    finally:
        os._exit(code)
