"""Worker processes for Python code that holds the interpreter's lock, such as readers.

Not `multiprocessing`: its workers import the caller's main module again, which a script without a guard does not
survive. A worker here is `python -m unquilt.engines.workers`, fed pickles through a pipe; one that dies is noticed at
once and replaced if its item knows how to go on (`Retried`); otherwise what it was doing is said.
"""

from __future__ import annotations

import os
import pickle
import queue
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Protocol

from unquilt.engines.verbs import Item, Result
from unquilt.errors import EngineError


class Retried(Protocol):
    """An item that knows what to do if the process at work on it dies, such as leaving out what killed it."""

    def retry(self, code: int) -> Any | None:
        """The item to work on instead, given the exit code of the process; None if nothing helps."""


class Workers:
    """A few processes that apply functions to items; each is started when there is first something for it to do."""

    def __init__(self, count: int) -> None:
        self._count = count

    def __enter__(self) -> Workers:
        self._processes: list[subprocess.Popen[bytes] | None] = [None] * self._count
        self._free: queue.LifoQueue[int] = queue.LifoQueue()  # the last one in has a process to offer
        for number in range(self._count):
            self._free.put(number)
        self._pool = ThreadPoolExecutor(self._count)
        self._over = False
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._over = True
        for process in filter(None, self._processes):
            if kind is not None:
                process.kill()
            assert process.stdin is not None
            with suppress(BrokenPipeError):  # it died with something in the pipe
                process.stdin.close()
        self._pool.shutdown(wait=True, cancel_futures=True)
        for process in filter(None, self._processes):
            _close(process)

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
        number = self._free.get()
        try:
            while True:
                process = self._processes[number] or self._begin(number)
                try:
                    return _ask(process, function, item)
                except (BrokenPipeError, EOFError) as error:
                    code = process.wait(timeout=10)
                    instead = item.retry(code) if hasattr(item, "retry") and not self._over else None
                    if instead is None:
                        died = f"a worker process died (exit code {code}) while working on {item}"
                        raise EngineError(died) from error
                    item = instead
                    _close(process)
                    self._processes[number] = None
        finally:
            self._free.put(number)

    def _begin(self, number: int) -> subprocess.Popen[bytes]:
        process = self._processes[number] = _start()
        if self._over:  # since it was decided to start it: nobody else will end it
            process.kill()
        return process


def _start() -> subprocess.Popen[bytes]:
    package = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "unquilt.engines.workers"]
    # In a group of its own a Ctrl-C does not reach it: it is for the parent to end it.
    return subprocess.Popen(  # noqa: S603
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": path},
        process_group=0,
    )


def _close(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(BrokenPipeError):
        process.stdin.close()
    process.wait()
    process.stdout.close()


def _ask(process: subprocess.Popen[bytes], function: Callable[[Item], Result], item: Item) -> Result:
    assert process.stdin is not None
    assert process.stdout is not None
    _send(process.stdin, (function, item))
    result, raised = _receive(process.stdout)
    if raised is not None:
        raise raised
    return result  # type: ignore[no-any-return]


def _send(pipe: IO[bytes], message: object) -> None:
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.write(struct.pack("<Q", len(data)) + data)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> Any:
    header = pipe.read(8)
    if len(header) < 8:
        raise EOFError
    return pickle.loads(pipe.read(struct.unpack("<Q", header)[0]))  # noqa: S301 - from the process that we started


def _serve() -> None:
    """A worker's life: items in, results out, until the pipe closes."""
    inbox, outbox = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not end up in the pipe
    while True:
        try:
            function, item = _receive(inbox)
        except (EOFError, KeyboardInterrupt):
            return
        answer: tuple[Any, Exception | None]
        try:
            answer = (function(item), None)
        except Exception as error:  # noqa: BLE001 - goes to the parent, which raises it
            answer = (None, error)
        except KeyboardInterrupt:
            return
        try:
            _send(outbox, answer)
        except BrokenPipeError:  # nobody is left to answer to
            return


if __name__ == "__main__":
    _serve()
