"""Worker processes for Python code that holds the interpreter's lock, such as readers.

Not `multiprocessing`: its workers import the caller's main module again, which a script without a guard does not
survive. A worker here is a Python that knows where unquilt is and nothing else: it imports nothing from the current
folder, where the data lie and with them, perhaps, a `struct.py`. It is fed pickles through a pipe.

A worker that dies, for whatever reason, costs time: it is replaced and its item tried again, in the way that the item
says (`retry`), else just so. All functions given to workers may be called twice.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from unquilt.errors import EngineError
from unquilt.guard import Item, Result, ending

TRIES = 3
"""How often an item that does not say what to do is given to a process before it is given up."""
SOON = 60
"""Seconds within which a process that has closed its pipe has ended."""

_PACKAGE = str(Path(__file__).resolve().parents[1])
_START = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
where = sys.argv[1]
spec = spec_from_file_location("unquilt", where + "/__init__.py", submodule_search_locations=[where])
sys.modules["unquilt"] = package = module_from_spec(spec)
spec.loader.exec_module(package)
from unquilt.engines.workers import serve
serve()
"""


class Died(Exception):  # noqa: N818 - what happened, not what went wrong
    """The process of a worker has ended."""

    def __init__(self, code: int) -> None:
        super().__init__(ending(code))
        self.code = code


class Worker:
    """One process, from now until `end` or `kill`."""

    def __init__(self) -> None:
        self.setting = _setting()
        # In a group of its own a Ctrl-C does not reach it: it is for the parent to end it.
        self._process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-P", "-c", _START, _PACKAGE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": self.setting},
            process_group=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._inbox, self._outbox = self._process.stdin, self._process.stdout

    @property
    def alive(self) -> bool:
        """Whether it can still be asked."""
        return self._process.poll() is None

    def ask(self, function: Callable[[Item], Result], item: Item) -> Result:
        """`function(item)`, or what it raises. Raises `Died` if the process ends before it has answered."""
        try:
            _send(self._inbox, (_folder(), function, item))
            result, raised = _receive(self._outbox)
        except (BrokenPipeError, EOFError):
            raise Died(self._wait()) from None
        if raised is not None:
            raise raised
        return result  # type: ignore[no-any-return]

    def kill(self) -> None:
        """End the process now; whoever waits for its answer gets `Died`."""
        self._process.kill()

    def end(self) -> None:
        """Let the process end, and see to it that nothing is left of it."""
        with suppress(BrokenPipeError):  # it died with something in the pipe
            self._inbox.close()
        self._wait()
        self._outbox.close()

    def _wait(self) -> int:
        try:
            return self._process.wait(SOON)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()


class _Shelf:
    """Workers that have nothing to do, for whoever has next: a process takes half a second to start."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._keepers = 0
        self._idle: list[Worker] = []

    def take(self) -> Worker:
        """One that is there, or a new one."""
        wanted = _setting()
        while True:
            with self._lock:
                worker = next((worker for worker in reversed(self._idle) if worker.setting == wanted), None)
                if worker is None:
                    break
                self._idle.remove(worker)
            if worker.alive:
                return worker
            worker.end()
        return Worker()

    def put(self, worker: Worker) -> None:
        """Keep a worker that has answered all it was asked, if anybody wants it kept."""
        with self._lock:
            kept = self._keepers > 0
            if kept:
                self._idle.append(worker)
        if not kept:
            worker.end()

    @contextmanager
    def keeping(self) -> Iterator[None]:
        with self._lock:
            self._keepers += 1
        try:
            yield
        finally:
            with self._lock:
                self._keepers -= 1
                ended, self._idle = ([], self._idle) if self._keepers else (self._idle, [])
            for worker in ended:
                worker.end()


_shelf = _Shelf()
keeping = _shelf.keeping
"""A `with` block in which workers, once started, stay for whoever needs some next."""


class Workers:
    """A few processes that apply functions to items; each is started when there is first something for it to do."""

    def __init__(self, count: int) -> None:
        self._count = count

    def __enter__(self) -> Workers:
        self._lock = threading.Lock()
        self._idle: list[Worker] = []  # the last one in is the first one out: as few as possible are started
        self._busy: set[Worker] = set()
        self._pool = ThreadPoolExecutor(self._count)
        self._over = False
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        with self._lock:
            self._over = True
            for worker in self._busy:
                worker.kill()
        self._pool.shutdown(wait=True, cancel_futures=True)
        for worker in self._idle:
            _shelf.put(worker)

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """`function(item)` for each item, in order."""
        futures: list[Future[Result]] = [self._pool.submit(self._call, function, item) for item in items]
        try:
            for future in futures:
                yield future.result()
        finally:
            for future in futures:
                future.cancel()

    def _call(self, function: Callable[[Item], Result], item: Item) -> Result:
        deaths = 0
        while True:
            worker = self._take()
            try:
                result = worker.ask(function, item)
            except Died as died:
                self._let_go(worker)
                worker.end()
                deaths += 1
                if self._over:
                    raise EngineError("stopped") from died  # nobody waits for it any more
                item = _again(item, deaths, died.code)
            except BaseException:
                self._let_go(worker, idle=True)
                raise
            else:
                self._let_go(worker, idle=True)
                return result

    def _take(self) -> Worker:
        with self._lock:
            worker = self._idle.pop() if self._idle else None
        worker = worker or _shelf.take()
        with self._lock:
            self._busy.add(worker)
            if self._over:  # since it was decided to start it: nobody else will end it
                worker.kill()
        return worker

    def _let_go(self, worker: Worker, *, idle: bool = False) -> None:
        with self._lock:
            self._busy.discard(worker)
            if idle:
                self._idle.append(worker)


def _again(item: Any, deaths: int, code: int) -> Any:
    """What to do after an item's process was lost. Raises `EngineError` if nothing helps."""
    if hasattr(item, "retry"):
        return item.retry(code)
    if deaths < TRIES:
        return item
    what = str(item)[:200]
    raise EngineError(f"{what}: the process at work on it was lost {deaths} times, the last time by {ending(code)}")


def _setting() -> str:
    """What a process is told at its start: where else to look for modules, but not in the current folder."""
    return os.pathsep.join(filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)))


def _folder() -> str | None:
    """The folder that relative paths begin at; None if it is gone."""
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        return None


def _send(pipe: IO[bytes], message: object) -> None:
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.write(struct.pack("<Q", len(data)))
    pipe.write(data)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> Any:
    header = pipe.read(8)
    size = struct.unpack("<Q", header)[0] if len(header) == 8 else 1
    data = pipe.read(size) if len(header) == 8 else b""
    if len(data) < size:
        raise EOFError
    return pickle.loads(data)  # noqa: S301 - from the process that we started


def serve() -> None:
    """A worker's life: items in, results out, until the pipe closes."""
    inbox, outbox = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not end up in the pipe
    with suppress(EOFError, KeyboardInterrupt, BrokenPipeError):  # nobody is left to answer to
        while True:
            folder, function, item = _receive(inbox)
            _send(outbox, _answer(folder, function, item))


def _answer(folder: str | None, function: Callable[[Any], Any], item: Any) -> tuple[Any, Exception | None]:
    try:
        if folder is not None and folder != _folder():
            os.chdir(folder)
        return function(item), None
    except Exception as error:  # noqa: BLE001 - goes to the parent, which raises it
        return None, error
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)  # whatever an item was allowed, the next one is not under its clock
