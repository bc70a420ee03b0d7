"""How a command ends: with an exit code and, unless it is done, one line on standard error that says why.

    0 done   1 failed   2 usage   3 more rejects than --max-rejects   130 interrupted (Ctrl-C)   143 terminated

A reader that goes away (`unquilt show … | head -1`) is no error. Whatever is not foreseen is an internal error; its
traceback is shown if `--traceback` is given or UNQUILT_TRACEBACK=1 is set.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from typing import Any, NoReturn

import click

from unquilt.analyses.catalogue import ENTRIES
from unquilt.cli.terminal.output import STDOUT, flush, printable
from unquilt.errors import UnquiltError, tells_shortage

DONE, FAILED, USAGE, TOO_MANY_REJECTS = 0, 1, 2, 3
RESUMING = {*ENTRIES, "demo"} - {"lexicon"}
"""Commands that go on where they were stopped when they are given again."""


class RejectsError(UnquiltError):
    """More records were rejected than the user agreed to; all results are there."""

    exit_code = TOO_MANY_REJECTS


def check_rejects(rejected: int, most: int | None) -> None:
    """Complain if more records were rejected than the user agreed to; None stands for any number."""
    if most is not None and rejected > most:
        were = "record was" if rejected == 1 else "records were"
        limit = f"--max-rejects {most}"
        raise RejectsError(f"{rejected:,} {were} rejected, more than {limit}; everything else is done")


class Stopped(KeyboardInterrupt):
    """SIGINT or SIGTERM came."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.exit_code = 128 + number


def end(run: Callable[[], None], arguments: Sequence[str]) -> int:
    """Run a command to its end, whatever that is; return the exit code."""
    _make_printing_safe()
    try:
        with _stoppable():
            run()
            flush()
    except click.exceptions.Exit as asked:
        return _flushed(asked.exit_code)
    except BaseException as error:  # noqa: BLE001 - all that can happen ends here, in one line
        return _end_by(error, arguments)
    return DONE


def _end_by(error: BaseException, arguments: Sequence[str]) -> int:
    if isinstance(error, OSError) and error.filename == STDOUT:
        _drop_stdout()
        if isinstance(error, BrokenPipeError):
            return DONE
    if wants_traceback(arguments):
        for line in "".join(traceback.format_exception(error)).splitlines():
            _say(printable(line))
    line, code = explain(error, arguments)
    _say(f"unquilt: {printable(line)}")
    return code


def explain(error: BaseException, arguments: Sequence[str]) -> tuple[str, int]:
    """Why the command ended, in one line, and its exit code."""
    match error:
        case KeyboardInterrupt():
            words = (argument for argument in arguments if not argument.startswith("-") and argument != "reuse")
            command = next(words, "")
            hint = "; the same command resumes" if command in RESUMING else ""
            code: int = getattr(error, "exit_code", 128 + signal.SIGINT)
            return ("interrupted" if code == 128 + signal.SIGINT else "terminated") + hint, code
        case UnquiltError():
            return error.at_terminal, error.exit_code
        case click.UsageError():
            where = error.ctx.command_path if error.ctx else "unquilt"
            return f"{_sentence(error.format_message())} (see {where} --help)", USAGE
        case click.ClickException():
            return _sentence(error.format_message()), error.exit_code
        case MemoryError():
            return "out of memory; try a smaller --memory or fewer --threads", FAILED
        case RuntimeError() if tells_shortage(error):
            said = "out of memory, or no process is left for another thread (ulimit -a)"
            return f"{said}; try a smaller --memory or fewer --threads", FAILED
        case OSError() if error.errno:
            return _explain_os_error(error, arguments), FAILED
    return f"internal error: {type(error).__name__}: {error}; please report this with --traceback", FAILED


def _sentence(message: str) -> str:
    """Click's sentences as ours: no capital at the beginning, no full stop at the end."""
    return f"{message[:1].lower()}{message[1:]}".rstrip(".")


def _explain_os_error(error: OSError, arguments: Sequence[str]) -> str:
    reason = os.strerror(error.errno or 0)
    where = os.fsdecode(error.filename) if error.filename else _output(arguments) or str(error)
    return f"{reason[:1].lower()}{reason[1:]}: {where}"


def _output(arguments: Sequence[str]) -> str | None:
    """The output folder among the arguments: most likely the place of an error that names none."""
    for argument, after in pairwise([*arguments, ""]):
        if argument in ("-o", "--output"):
            return after
        if argument.startswith(("-o", "--output=")):
            return argument.removeprefix("--output=").removeprefix("-o")
    return None


def wants_traceback(arguments: Sequence[str]) -> bool:
    """Whether the user asked to see tracebacks."""
    return "--traceback" in arguments or os.environ.get("UNQUILT_TRACEBACK", "") not in ("", "0")


@contextmanager
def _stoppable() -> Iterator[None]:
    """SIGINT and SIGTERM raise `Stopped`, once: a second one kills at once, and a run folder survives that too.

    A signal that is ignored, as SIGINT is in the background jobs of a script, stays so.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    caught = [number for number, handler in before.items() if handler is not signal.SIG_IGN]

    def stop(number: int, _: Any) -> NoReturn:
        for each in caught:
            signal.signal(each, signal.SIG_DFL)
        raise Stopped(number)

    for number in caught:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number in caught:
            signal.signal(number, before[number])


def _make_printing_safe() -> None:
    """What the terminal's encoding does not have is printed as \\u escapes and raises nothing."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def _flushed(code: int) -> int:
    try:
        flush()
    except OSError:
        _drop_stdout()
    return code


def _drop_stdout() -> None:
    """Send what standard output still holds nowhere, so that Python does not try again when it exits."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _say(text: str) -> None:
    with suppress(OSError, ValueError):
        click.echo(text, err=True)
