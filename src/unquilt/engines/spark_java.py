"""Java, as Spark starts it. What it says meanwhile is kept back, so that what goes wrong is told in one line."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from pyspark import SparkConf

MOST = 10_000
"""Lines that are kept back at most."""
ENDING = 2.0
"""Seconds to wait for the last words of a Java that has ended."""
_NOISE = "WARNING: Using incubator modules"
_TELLING = re.compile(
    "Error occurred during initialization|Exception in thread|Caused by: |Error: "
    r"|:? ?[a-z][\w.$]*\.\w*(Error|Exception)\b"
)
_THREAD = re.compile(r'^(Exception in thread "[^"]*" |Caused by: |: )+')
_CLASS = re.compile(r"^[a-z][\w$]*(\.[\w$]+)+: ")


class JavaSays:
    """What Java writes to standard output and error: kept back at first, and passed on when `pass_on` was called."""

    def __init__(self) -> None:
        read, self.descriptor = os.pipe()
        self._source: BinaryIO = os.fdopen(read, "rb")
        self._kept: list[bytes] | None = []
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        with self._source:
            for line in self._source:
                with self._lock:
                    if self._kept is None:
                        _write(line)
                    elif len(self._kept) < MOST:
                        self._kept.append(line)

    def close(self) -> None:
        """No other process will be started that writes here."""
        os.close(self.descriptor)

    def pass_on(self) -> None:
        """Write what was kept back to our standard error, and from now on everything at once."""
        with self._lock:
            for line in self._kept or ():
                if _NOISE not in line.decode(errors="replace"):
                    _write(line)
            self._kept = None

    def lines(self) -> list[str]:
        """What was said until Java ended, or until now if it works on."""
        self._thread.join(ENDING)
        with self._lock:
            return [line.decode(errors="replace").rstrip() for line in self._kept or ()]


def _write(line: bytes) -> None:
    with suppress(OSError, ValueError):
        os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, line)


@contextmanager
def starting(conf: SparkConf) -> Iterator[JavaSays]:
    """Java for a session with this configuration, in a block that begins the session; what Java has said is passed on
    if that succeeds. Java that runs already is taken as it is."""
    from pyspark import SparkContext
    from pyspark.java_gateway import launch_gateway

    says = JavaSays()
    try:
        if SparkContext._gateway is None and "PYSPARK_GATEWAY_PORT" not in os.environ:
            both = {"stdout": says.descriptor, "stderr": says.descriptor}
            gateway = launch_gateway(conf, popen_kwargs=both)  # type: ignore[no-untyped-call]
            SparkContext._ensure_initialized(gateway=gateway, conf=conf)
    except Exception as error:
        says.close()
        raise JavaError(says.lines() or [str(error)]) from error
    says.close()
    yield says
    says.pass_on()


class JavaError(Exception):
    """Java has not started; these are the lines that it said."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


def find_java_reason(lines: list[str]) -> str:
    """The line of many that says why Java, or something in it, has failed; with the last of the causes."""
    lines = [line.strip() for line in lines if line.strip()]
    telling = [number for number, line in enumerate(lines) if _TELLING.match(line)]
    if not telling:
        return lines[-1][:300] if lines else ""
    first = lines[telling[0]]
    if first.startswith("Error occurred") and telling[0] + 1 < len(lines):
        return lines[telling[0] + 1][:300]
    causes = [lines[number] for number in telling if lines[number].startswith("Caused by: ")]
    told = _shorten(first)
    return f"{told} ({_shorten(causes[-1])})"[:300] if causes and _shorten(causes[-1]) != told else told[:300]


def _shorten(line: str) -> str:
    """Without the thread and the class of what happened, if there is more than that."""
    line = _THREAD.sub("", line)
    return _CLASS.sub("", line).rstrip(".") or line
