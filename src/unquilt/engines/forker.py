"""Where workers come from: a process that has imported all they need, and makes them by forking itself.

A fork takes milliseconds; to start a Python that imports readers takes far longer. So small inputs are read sooner,
and a worker that was lost is replaced at once. The forker does nothing else, so it has no threads, which a fork would
cut off in the middle of something. It knows where unquilt is, and imports nothing from the current folder: there may be
a `struct.py` beside the data.

Requests come over a socket, one at a time: `fork`, with the ends of two pipes, is answered with the number of the new
process; `wait` with its exit code, or with "" while it lives. A process that was not waited for keeps its number, so
none can be mistaken for another. If the forker is lost, a new one is started; the processes that it made live on.
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

from unquilt.arrow_start import start_without_pandas
from unquilt.errors import EngineError

PRELOADED = "unquilt.corpus.write.parts"
"""What the forker imports, so that its forks need not: what reads and writes. By name, as engines know no readers."""
TRIES = 3
SOON = 60.0
"""Seconds to wait for the end of a process that has closed its pipe, before it is killed."""
_REQUEST = 4096
_PACKAGE = str(Path(__file__).resolve().parents[1])
_START = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
where, descriptor, life = sys.argv[1:]
spec = spec_from_file_location("unquilt", where + "/__init__.py", submodule_search_locations=[where])
sys.modules["unquilt"] = package = module_from_spec(spec)
spec.loader.exec_module(package)
from unquilt.engines.forker import answer_requests
answer_requests(int(descriptor), life)
"""


def setting() -> str:
    """Where workers look for modules besides unquilt's: PYTHONPATH, without the current folder."""
    return os.pathsep.join(filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)))


class Forker:
    """The process that forks; it is started by the first request, or by `start`. `life` is `module:function`, to be run
    by each fork with the ends of its two pipes. Threads may share a forker."""

    def __init__(self, life: str) -> None:
        self._life = life
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None

    def start(self) -> None:
        """Start the process now, without waiting for it."""
        with self._lock:
            if self._socket is None:
                self._start()

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
        """The exit code of a process that has closed its pipes, or soon will. If the forker was lost, nobody knows the
        exit code; then it is that of a killed process."""
        until, pause = time.monotonic() + SOON, 0.001
        try:
            while True:
                with self._lock:
                    code = self._ask(b"wait %d" % number)
                if code:
                    return int(code)
                if time.monotonic() > until:
                    os.kill(number, signal.SIGKILL)  # not waited for yet, so the number is still its own
                time.sleep(pause)
                pause = min(2 * pause, 0.1)
        except OSError:
            return -signal.SIGKILL

    def end(self) -> None:
        """End the forker, but not the processes that it made."""
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
            # In a process group of its own, Ctrl-C does not reach it: its parent ends it. It needs no threads of BLAS.
            self._process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-P", "-c", _START, _PACKAGE, str(its.fileno()), self._life],
                stdin=subprocess.DEVNULL,
                stdout=_stderr(),  # what a library prints must not get among the results
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


def answer_requests(descriptor: int, life: str) -> None:
    """What the forker does: answer requests, until the socket closes."""
    import importlib

    start_without_pandas()
    importlib.import_module(PRELOADED)
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
    except BaseException:  # noqa: BLE001 - this process ends here, whatever it is
        traceback.print_exc()
    finally:
        os._exit(code)
