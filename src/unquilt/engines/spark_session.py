"""A Spark session to work in, and whether the machines behind it can do the work.

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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from unquilt.engines.progress import Progress, Silent
from unquilt.errors import EngineError, MissingDependencyError
from unquilt.runs import storing
from unquilt.runs.manifest import unquilt_version
from unquilt.settings import Settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SAFE_PATH = "PYTHONSAFEPATH"
LEAST_JAVA = 17
PATIENCE = 15
"""Seconds after which people are told what Spark is waiting for."""
_MASTERS = re.compile(r"local(\[.*\])?|local-cluster\[.*\]|spark://.+|yarn|k8s://.+")
_CONNECT = "sc://"
_GUIDE = "docs/howto/spark.md says how to bring it there"


def open_session(settings: Settings, progress: Progress | None = None) -> SparkSession:
    """The active Spark session, or a new one: on `settings.master`, on the master of Spark's own configuration, or on
    this machine.

    Workers of the new one import nothing from the folder they start in; of an active one, that is up to its owner.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        message = 'the Spark engine needs pyspark and Java 17: pip install "unquilt[spark]"'
        raise MissingDependencyError(message) from error
    active = SparkSession.getActiveSession()
    if active is not None:
        if not hasattr(active, "_jsc") and not hasattr(active, "_jsparkSession"):
            raise _refuse_connect()
        return active
    configured = read_configuration()
    master = settings.master or configured.get("spark.master")
    if master is not None:
        check_master(master)
    elif os.environ.get("SPARK_REMOTE"):
        raise _refuse_connect()
    # Driver and workers must run the same Python. (The 4 in `local[…,4]`: tasks are tried again even on one machine.)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    builder = SparkSession.builder.appName(configured.get("spark.app.name", "unquilt"))
    for name, value in {**_defaults(settings, configured), **_NEEDED}.items():
        builder = builder.config(name, value)
    if settings.master or master is None:
        builder = builder.master(master or f"local[{settings.threads},4]")
    try:
        # The variable is for whatever Python the JVM starts by itself.
        with (
            _environment(SAFE_PATH, "1"),
            _telling(progress or Silent(), lambda: f"Spark is still starting ({master or 'here'})"),
        ):
            return builder.getOrCreate()
    except Exception as error:
        raise EngineError(f"Spark did not start: {_explain_start(str(error))}") from error


_NEEDED: dict[str, object] = {
    f"spark.executorEnv.{SAFE_PATH}": 1,  # workers begin in a folder of data, and import nothing from there
    "spark.sql.adaptive.enabled": False,  # partitions are what kernels say they are
    "spark.sql.execution.arrow.maxRecordsPerBatch": 64,  # a row is a whole block
}


def _defaults(settings: Settings, configured: dict[str, str]) -> dict[str, object]:
    """What a session has unless the user says otherwise."""
    logging = Path(__file__).with_name("log4j2.properties").as_uri()
    usual: dict[str, object] = {
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={logging}",
        "spark.driver.maxResultSize": 0,
        "spark.driver.memory": f"{max(1024, settings.memory // 4 >> 20)}m",  # blocks in flight; kernels have their own
        "spark.ui.enabled": False,
        "spark.ui.showConsoleProgress": False,
    }
    return {name: value for name, value in usual.items() if name not in configured}


def read_configuration() -> dict[str, str]:
    """What the user has configured: with spark-submit, in spark-defaults.conf, or in variables of the environment."""
    if "PYSPARK_GATEWAY_PORT" in os.environ:  # started by spark-submit, which has read all of it
        from pyspark import SparkConf, SparkContext

        SparkContext._ensure_initialized()
        return dict(SparkConf().getAll())
    found: dict[str, str] = {}
    folder = os.environ.get("SPARK_CONF_DIR") or str(Path(os.environ.get("SPARK_HOME", "")) / "conf")
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
    for place in master.removeprefix("spark://").split(","):
        host, _, port = place.rpartition(":")
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


def _refuse_connect() -> EngineError:
    return EngineError(
        "Spark Connect cannot run unquilt's tasks; give the master of the cluster, such as spark://head:7077 or yarn"
    )


def _explain_start(message: str) -> str:
    """Why Spark did not start."""
    if "masters are unresponsive" in message.lower():
        return "the master takes connections and does not answer; is it a Spark master, of this version?"
    if "JAVA_GATEWAY_EXITED" in message or "Java gateway process exited" in message or "JAVA_HOME" in message:
        home = os.environ.get("JAVA_HOME")
        java = shutil.which(str(Path(home) / "bin" / "java")) if home else shutil.which("java")
        if java is None:
            where = f"no java in JAVA_HOME ({home})" if home else "no Java here"
            return f"there is {where}; Spark needs Java {LEAST_JAVA} or newer"
        told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr  # noqa: S603
        version = re.search(r'version "(\d+)', told)
        if version and int(version[1]) < LEAST_JAVA:
            return f"{java} is Java {version[1]}; Spark needs Java {LEAST_JAVA} or newer (JAVA_HOME)"
        return "Java ended while it was starting; the lines above say why (memory, or Spark's configuration)"
    return find_reason(message)


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
    telling = [line for line in lines if "Error" in line and not line.startswith(("at ", "File "))]
    return (telling or lines or ["no reason given"])[-1][:300]


class WorkerSight(NamedTuple):
    """What a worker says about itself."""

    host: str
    reads: bool
    version: str


class _Look:
    """A task that says what a worker sees."""

    def __init__(self, file: str, content: str) -> None:
        self._file, self._content = file, content

    def __call__(self, _: int) -> WorkerSight:
        try:
            reads = Path(self._file).read_text(encoding="ascii") == self._content
        except OSError:
            reads = False
        return WorkerSight(socket.gethostname(), reads, unquilt_version())


def check_workers(session: SparkSession, folder: Path, progress: Progress) -> None:
    """Raise EngineError unless all workers that answer see `folder`, and have this version of unquilt."""
    context = session.sparkContext
    if re.match(r"local(\[|$)", context.master or ""):
        return
    content = secrets.token_hex(16)
    file = folder.absolute() / f"seen-{content}"
    with storing(file):
        file.write_text(content, encoding="ascii")
    try:
        with _telling(progress, lambda: _explain_waiting(context)):
            tasks = max(2 * _count_executors(context), context.defaultParallelism, 2)
            answers = context.parallelize(range(tasks), tasks).map(_Look(str(file), content)).collect()
    except Exception as error:
        raise EngineError(f"the executors cannot work for unquilt: {find_reason(str(error))}") from error
    finally:
        file.unlink(missing_ok=True)
    for seen in answers:
        if not seen.reads:
            raise EngineError(
                f"{seen.host} does not see {folder.absolute()}; corpus and run must be in folders that all machines of "
                "the cluster share under the same path"
            )
        if seen.version != unquilt_version():
            raise EngineError(f"{seen.host} has unquilt {seen.version}, and this is {unquilt_version()}; {_GUIDE}")


def _count_executors(context: Any) -> int:
    """The executors that are there now; the driver counts as one of them for Spark, and not here."""
    return int(context._jsc.sc().getExecutorMemoryStatus().size()) - 1


def _explain_waiting(context: Any) -> str:
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
