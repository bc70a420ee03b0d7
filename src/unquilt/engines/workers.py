"""Worker processes for Python code that holds the interpreter's lock, such as readers.

Not `multiprocessing`: its workers import the caller's main module again, which breaks scripts that do not ask for
`__name__ == "__main__"`. A worker here is the fork of a process that knows unquilt and nothing else (`forker`), and is
fed pickles through a pipe.

A worker that dies, for whatever reason, is replaced, and its item is tried again: if the item has a method `retry`,
what that returns is tried instead. So functions given to workers may be called twice for an item.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from unquilt.engines.forker import Forker, setting
from unquilt.errors import EngineError
from unquilt.guard import Item, Result, ending
from unquilt.remote.systems import name_settings

TRIES = 3
"""How often an item without a method `retry` is tried before it is given up."""


class Died(Exception):  # noqa: N818 - what happened, not what went wrong
    """The process of a worker has ended."""

    def __init__(self, code: int) -> None:
        super().__init__(ending(code))
        self.code = code


class Worker:
    """One process, from now until `end` or `kill`."""

    def __init__(self, forker: Forker) -> None:
        self._forker = forker
        self._ending = threading.Lock()
        self._code: int | None = None
        self.number, self._inbox, self._outbox = forker.fork()

    @property
    def alive(self) -> bool:
        """Whether the process can be asked: an idle one sends nothing, so if there is anything to read, its pipe is
        closed."""
        return not select.select([self._outbox], [], [], 0)[0]

    def ask(self, function: Callable[[Item], Result], item: Item) -> Result:
        """`function(item)`, or what it raises. Raises `Died` if the process ends before it has answered."""
        try:
            _send(self._inbox, (_folder(), function, item))
            result, raised = _receive(self._outbox)
        except (BrokenPipeError, EOFError):
            raise Died(self.end()) from None
        if raised is not None:
            raise raised
        return result  # type: ignore[no-any-return]

    def kill(self) -> None:
        """End the process now; whoever waits for its answer gets `Died`."""
        with self._ending:
            if self._code is None:  # else its number may be another's by now
                with suppress(ProcessLookupError):  # it and its forker were lost
                    os.kill(self.number, signal.SIGKILL)

    def end(self) -> int:
        """Let the process end, and wait for it. Returns its exit code."""
        with self._ending:
            if self._code is None:
                with suppress(BrokenPipeError):  # it died with something in the pipe
                    self._inbox.close()
                self._outbox.close()
                self._code = self._forker.wait(self.number)
        return self._code


class _Nursery:
    """The workers of one setting (see `forker.setting`): their forker, and those that are idle."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._forker = Forker("unquilt.engines.workers:serve")
        self._idle: list[Worker] = []

    def take(self) -> Worker:
        """An idle worker, or a new one."""
        while True:
            with self._lock:
                worker = self._idle.pop() if self._idle else None
            if worker is None:
                return Worker(self._forker)
            if worker.alive:
                return worker
            worker.end()

    def prepare(self) -> None:
        self._forker.start()

    def put(self, worker: Worker) -> None:
        """Give back a worker that is idle now."""
        with self._lock:
            self._idle.append(worker)

    def close(self) -> None:
        while self._idle:
            self._idle.pop().end()
        self._forker.end()


class _Shelf:
    """Nurseries by setting, and by what the environment says of stores. They are closed when the last `keeping` block
    ends."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._keepers = 0
        self._nurseries: dict[tuple[str, ...], _Nursery] = {}

    def nursery(self) -> _Nursery:
        """The nursery of the current setting."""
        with self._lock:
            return self._nurseries.setdefault((setting(), *name_settings()), _Nursery())

    @contextmanager
    def keeping(self) -> Iterator[None]:
        with self._lock:
            self._keepers += 1
        try:
            yield
        finally:
            with self._lock:
                self._keepers -= 1
                ended = [] if self._keepers else list(self._nurseries.values())
                if ended:
                    self._nurseries = {}
            for nursery in ended:
                nursery.close()


_shelf = _Shelf()
keeping = _shelf.keeping
"""A `with` block in which processes, once started, stay, to be used again."""


def prepare() -> None:
    """Start what workers are forked from, which takes a while, for whoever needs some soon. It ends with this process,
    or with the next `keeping` block."""
    _shelf.nursery().prepare()


class Workers:
    """A few processes that apply functions to items; each is started when there is first something for it to do."""

    def __init__(self, count: int) -> None:
        self._count = count

    def __enter__(self) -> Workers:
        self._keeping = keeping()
        self._keeping.__enter__()
        self._nursery = _shelf.nursery()
        self._lock = threading.Lock()
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
        self._keeping.__exit__(None, None, None)

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
                deaths += 1
                if self._over:
                    raise EngineError("stopped") from died  # nobody waits for it any more
                item = _again(item, deaths, died.code)
                continue
            except BaseException:
                self._let_go(worker)
                self._nursery.put(worker)
                raise
            self._let_go(worker)
            self._nursery.put(worker)
            return result

    def _take(self) -> Worker:
        worker = self._nursery.take()
        with self._lock:
            self._busy.add(worker)
            if self._over:  # `__exit__` came first, and did not see this worker
                worker.kill()
        return worker

    def _let_go(self, worker: Worker) -> None:
        with self._lock:
            self._busy.discard(worker)


def _again(item: Any, deaths: int, code: int) -> Any:
    """The item to try after the process of `item` was lost. Raises `EngineError` after too many."""
    if hasattr(item, "retry"):
        return item.retry(code)
    if deaths < TRIES:
        return item
    what = str(item)[:200]
    raise EngineError(f"{what}: the process at work on it was lost {deaths} times, the last time by {ending(code)}")


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


def serve(inbox: int, outbox: int) -> None:
    """A worker's life: items in, results out, until the pipe closes."""
    with suppress(EOFError, BrokenPipeError), os.fdopen(inbox, "rb") as items, os.fdopen(outbox, "wb") as results:
        while True:
            folder, function, item = _receive(items)
            _send(results, _answer(folder, function, item))


def _answer(folder: str | None, function: Callable[[Any], Any], item: Any) -> tuple[Any, Exception | None]:
    try:
        if folder is not None and folder != _folder():
            os.chdir(folder)
        return function(item), None
    except Exception as error:  # noqa: BLE001 - goes to the parent, which raises it
        return None, error
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)  # the time that this item was allowed must not end the next one
