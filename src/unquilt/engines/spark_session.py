"""A Spark context to work in, and whether the machines behind it can do the work.

The user's own configuration counts: a session that is active, `spark-submit`, `spark-defaults.conf` and
`PYSPARK_SUBMIT_ARGS`; ours are defaults. What can be wrong with a cluster is found out first, and told in one line: a
master that does not answer, no Java, no executors, no unquilt on them, or a folder that they do not see.
"""

from __future__ import annotations

import os
import re
import secrets
import shlex
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from unquilt.engines.progress import Progress, Silent
from unquilt.engines.spark_java import JavaError, find_java_reason, starting
from unquilt.errors import EngineError, MissingDependencyError, RunError
from unquilt.remote.paths import place
from unquilt.runs import created
from unquilt.runs.manifest import unquilt_version
from unquilt.runs.storage import read_own
from unquilt.settings import LEAST_MEMORY, Settings

if TYPE_CHECKING:
    from pyspark import SparkContext

SAFE_PATH = "PYTHONSAFEPATH"
SLOTS = 32
"""Tasks at once where Spark adds executors as there is work: small stages are cut for about so many."""
PATIENCE = 15
"""Seconds after which people are told what Spark is waiting for."""
_MASTERS = re.compile(r"local(\[.*\])?|local-cluster\[.*\]|spark://.+|yarn|k8s://.+")
_CONNECT = "sc://"
_LIGHT_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Options of a JVM that computes nothing: to compile much for speed would cost more than all else that it does."""
_SHORT = "is memory short (spark.executor.memoryOverhead)? Run again to go on: what is done is kept"
_GUIDE = "docs/howto/spark.md says how to bring it there"


def open_context(settings: Settings, progress: Progress | None = None) -> SparkContext:
    """The context of the active Spark session, or a new one: on `settings.master`, on the master of Spark's own
    configuration, or on this machine.

    Workers of the new one import nothing from the folder they start in; of an active one, that is up to its owner.
    """
    try:
        from pyspark import SparkConf, SparkContext
    except ImportError as error:
        message = 'the Spark engine needs pyspark and Java: pip install "unquilt[spark]"'
        raise MissingDependencyError(message) from error
    if SparkContext._active_spark_context is not None:
        return SparkContext._active_spark_context
    configured = read_configuration()
    master = settings.master or configured.get("spark.master")
    if master is not None:
        check_master(master)
    if "SPARK_CONNECT_MODE_ENABLED" in os.environ or (master is None and os.environ.get("SPARK_REMOTE")):
        raise _refuse_connect()  # the active session is one of Spark Connect, or all sessions are
    # Driver and workers must run the same Python. (The 4 in `local[…,4]`: tasks are tried again even on one machine.)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    ours = SparkConf().setAppName(configured.get("spark.app.name", "unquilt"))
    for name, value in {**_defaults(configured), **_NEEDED}.items():
        ours.set(name, str(value))
    if settings.master or master is None:
        ours.setMaster(master or f"local[{settings.threads},4]")
    try:
        # The variable is for whatever Python the JVM starts by itself.
        with (
            _environment(SAFE_PATH, "1"),
            _telling(progress or Silent(), lambda: _explain_slow_start(master)),
            starting(ours),
        ):
            return SparkContext.getOrCreate(ours)
    except Exception as error:
        raise EngineError(f"Spark did not start: {_explain_start(error)}") from error


_NEEDED = {f"spark.executorEnv.{SAFE_PATH}": "1"}
"""Workers begin in a folder of data, and import nothing from there."""


def _defaults(configured: Mapping[str, str]) -> dict[str, str]:
    """What a session has unless the user says otherwise."""
    logging = Path(__file__).with_name("log4j2.properties").as_uri()
    usual = {
        "spark.driver.extraJavaOptions": f"{_LIGHT_JAVA} -Dlog4j2.configurationFile={logging}",
        "spark.driver.maxResultSize": "0",
        "spark.executor.extraJavaOptions": _LIGHT_JAVA,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    return {name: value for name, value in usual.items() if name not in configured}


def read_configuration() -> dict[str, str]:
    """What the user has configured: with spark-submit, in spark-defaults.conf, or in variables of the environment."""
    if "PYSPARK_GATEWAY_PORT" in os.environ:  # started by spark-submit, which has read all of it
        from pyspark import SparkConf, SparkContext

        SparkContext._ensure_initialized()
        return dict(SparkConf().getAll())
    found: dict[str, str] = {}
    home = os.environ.get("SPARK_HOME")  # without it there is no folder: not one called conf where we are
    folder = os.environ.get("SPARK_CONF_DIR") or str(Path(home or os.devnull) / "conf")
    try:
        lines = (Path(folder) / "spark-defaults.conf").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        lines = []
    for line in lines:
        parts = re.split(r"[\s=:]+", line.strip(), maxsplit=1)
        if len(parts) == 2 and not parts[0].startswith(("#", "!")):
            found[parts[0]] = parts[1].strip()
    for name in ("MASTER", "SPARK_MASTER"):
        if os.environ.get(name):
            found["spark.master"] = os.environ[name]
    for name, value in pairwise(shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", ""))):
        if name == "--master":
            found["spark.master"] = value
        elif name == "--conf" and "=" in value:
            key, _, rest = value.partition("=")
            found[key] = rest
    return found


def check_master(master: str) -> None:
    """Raise EngineError if a master is none, or does not answer."""
    if master.startswith(_CONNECT):
        raise _refuse_connect()
    if not _MASTERS.fullmatch(master):
        kinds = "local[2], spark://HOST:PORT, yarn or k8s://URL"
        raise EngineError(f"Spark has no master {master[:80]!r}; a master is {kinds}")
    if not master.startswith("spark://"):
        return
    why = ""
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        if not host or not port.isdecimal():
            raise EngineError(
                f"the Spark master {master[:80]!r} has no port; it is spark://HOST:PORT, usually port 7077"
            )
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or str(error)
        else:
            return
    raise EngineError(f"no Spark master answers at {master} ({why}); is it running, and are host and port right?")


def _explain_slow_start(master: str | None) -> str:
    if master is not None and master.startswith("spark://"):
        return (
            f"{master} takes connections and has not let us in yet; is it a Spark master, of the version that is "
            "installed here? Still waiting for it"
        )
    return f"Spark is still starting ({master or 'here'})"


def _refuse_connect() -> EngineError:
    return EngineError(
        "Spark Connect cannot run unquilt's tasks; give the master of the cluster, such as spark://head:7077 or yarn"
    )


def _explain_start(error: Exception) -> str:
    """Why Spark did not start."""
    message = str(error)
    if "masters are unresponsive" in message.lower():
        return "the master takes connections and does not answer; is it a Spark master, of this version?"
    if isinstance(error, JavaError):
        home = os.environ.get("JAVA_HOME")
        java = shutil.which(str(Path(home) / "bin" / "java")) if home else shutil.which("java")
        if java is None:
            where = f"no java in JAVA_HOME ({home})" if home else "no Java here"
            return f"there is {where}; this version of Spark needs Java {_least_java()} or newer"
        told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr  # noqa: S603
        version = re.search(r'version "(\d+)', told)
        if version and int(version[1]) < _least_java():
            return f"{java} is Java {version[1]}; this version of Spark needs Java {_least_java()} or newer (JAVA_HOME)"
        why = find_java_reason(error.lines) or "it does not say why"
        short = "; give it more memory (spark.driver.memory)" if re.search("heap|memory", why, re.IGNORECASE) else ""
        return f"Java ended while it was starting: {why}{short}"
    return find_java_reason(message.splitlines()) if "\n" in message else find_reason(message)


def _least_java() -> int:
    import pyspark

    return 17 if int(pyspark.__version__.partition(".")[0]) >= 4 else 8


def find_reason(message: str) -> str:
    """The line of a Spark failure that says why."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    missing = re.search(r"No module named '(\w+)", message)
    if missing:
        python = os.environ.get("PYSPARK_PYTHON", "python3")
        where = f"the Python of the executors ({python})"
        return f"{where} has no module {missing[1]}: unquilt must be installed there; {_GUIDE}"
    if any("PYTHON_VERSION_MISMATCH" in line for line in lines):
        return "executors run another version of Python than this process; set PYSPARK_PYTHON to the same version"
    if "stopped SparkContext" in message:
        return "Spark has ended the session, as its master does not answer; is it a Spark master, of this version?"
    lost = re.search(r"ExecutorLostFailure \(.*?\) Reason: (.*)", message)
    if lost:
        return f"executors were lost, one after the other ({lost[1].strip()[:200]}); {_SHORT}"
    if "Python worker exited unexpectedly" in message:
        return f"the Python process of a task ended, again and again; {_SHORT}"
    said = [line for line in lines if not line.startswith(("at ", "File ", "... "))]
    telling = [line for line in said if "Error" in line] or said[1:2] or said
    return (telling or ["no reason given"])[-1].removeprefix(": ")[:300]


class Sight(NamedTuple):
    """What a worker must see: a file with this content, and this version of unquilt where it works."""

    file: str
    content: str
    version: str

    def check(self) -> None:
        """Raise EngineError, naming this machine, if it cannot work for the run."""
        there, pauses = self._reads(), [0.1, 0.4, 1.5]
        while not there and pauses:  # a shared folder may take a moment
            time.sleep(pauses.pop(0))
            there = self._reads()
        host = socket.gethostname()
        if not there:
            raise EngineError(
                f"{host} does not see {place(self.file).parents[1]}; corpus and run must be in folders that all "
                "machines of the cluster share under the same path"
            )
        if self.version != unquilt_version():
            raise EngineError(f"{host} has unquilt {unquilt_version()}, and this is {self.version}; {_GUIDE}")

    def _reads(self) -> bool:
        try:
            return read_own(place(self.file)) == self.content.encode()
        except (OSError, RunError):
            return False


def show_folder(folder: Path) -> Sight:
    """Leaves something to see in the folder for temporary files of a run."""
    content = secrets.token_hex(16)
    file = folder.absolute() / f"seen-{content}"
    with created(file, durable=False) as new:
        new.write(content.encode())
    return Sight(str(file), content, unquilt_version())


def check_workers(context: SparkContext, probe: Callable[[int], None], progress: Progress) -> None:
    """Have workers look at what they need, by `probe`, so that it is known before any work."""
    if _is_local(context):
        return
    try:
        with _telling(progress, lambda: _explain_waiting(context)):
            probe(max(2 * _count_executors(context), context.defaultParallelism, 2))
    except EngineError:
        raise
    except Exception as error:
        raise EngineError(f"the executors cannot work for unquilt: {find_reason(str(error))}") from error


def _is_local(context: SparkContext) -> bool:
    return re.match(r"local(\[|$)", context.master or "") is not None


def count_slots(context: SparkContext) -> int:
    """How many tasks may run at once: what Spark has now; where executors come and go, that says little."""
    slots = int(context.defaultParallelism)
    dynamic = context.getConf().get("spark.dynamicAllocation.enabled", "false") == "true"
    return max(slots, SLOTS) if dynamic else max(1, slots)


def count_tries(context: SparkContext) -> int:
    """How often Spark tries a task."""
    if _is_local(context):
        tries = re.fullmatch(r"local\[[^,]*,\s*(\d+)\s*\]", context.master or "")
        return int(tries[1]) if tries else 1
    return int(context.getConf().get("spark.task.maxFailures", "4"))


def count_memory(context: SparkContext, settings: Settings) -> int:
    """The memory that a task may take, as far as the driver knows: its share of the budget; and in a container, half of
    what is there for Python, shared by the tasks of an executor."""
    budget, asked = settings.memory // settings.threads, context.getConf().get
    if not re.match(r"yarn|k8s:", context.master or ""):
        return budget
    heap = _read_size(asked("spark.executor.memory", "1g"))
    factor = float(asked("spark.executor.memoryOverheadFactor", "0.1" if context.master == "yarn" else "0.4"))
    least = _read_size(asked("spark.executor.minMemoryOverhead", "384m"))
    given = asked("spark.executor.pyspark.memory") or asked("spark.executor.memoryOverhead")
    room = _read_size(given) if given else max(least, int(factor * heap))
    tasks = max(1, int(asked("spark.executor.cores", "1")) // max(1, int(asked("spark.task.cpus", "1"))))
    return max(LEAST_MEMORY, min(budget, room // tasks // 2))


def _read_size(text: str) -> int:
    """Bytes of a size as Spark writes it: 512m, 2g; a bare number is MiB.

    >>> _read_size("2g") == _read_size("2048") == 2 << 30
    True
    """
    parts = re.fullmatch(r"(\d+)\s*([bkmgt]?)b?", text.strip().lower())
    if parts is None:
        raise EngineError(f"Spark has no memory size {text[:40]!r}; a size is 512m or 2g")
    return int(parts[1]) << {"b": 0, "k": 10, "": 20, "m": 20, "g": 30, "t": 40}[parts[2]]


def _count_executors(context: SparkContext) -> int:
    """The executors that are there now; the driver counts as one of them for Spark, and not here."""
    return int(context._jsc.sc().getExecutorMemoryStatus().size()) - 1


def _explain_waiting(context: SparkContext) -> str:
    if _count_executors(context):
        return "Spark's executors have not begun yet"
    memory = context.getConf().get("spark.executor.memory", "1g")
    cores = context.getConf().get("spark.executor.cores", "all")
    return (
        f"Spark has no executors yet: no worker of {context.master} has {memory} of memory free "
        f"(spark.executor.memory) and cores (spark.executor.cores: {cores}), or none is running; waiting for one"
    )


@contextmanager
def _telling(progress: Progress, what: Callable[[], str]) -> Iterator[None]:
    """Tells people what is waited for, if the block takes long."""
    timer = threading.Timer(PATIENCE, lambda: progress.say(what()))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    """A variable for processes that are started in the block, and for no others."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
