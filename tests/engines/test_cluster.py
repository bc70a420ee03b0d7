"""A real standalone cluster: a master and two workers on the loopback interface, asked from another folder."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import unquilt as uq
from unquilt.demo import write_jsonl
from unquilt.engines.spark_session import _explain_slow_start, check_master, find_reason, read_configuration
from unquilt.errors import EngineError

pytestmark = [pytest.mark.slow, pytest.mark.spark]

JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData"
"""Options of JVMs of short life, which are not worth much compiling."""
EXECUTORS = f'--conf "spark.executor.extraJavaOptions={JAVA}"'
SECONDS = 180
"""How long anything may take on a busy machine."""


class Cluster:
    """Processes of a cluster, each with a log in a folder."""

    def __init__(self, folder: Path) -> None:
        import pyspark

        self.folder = folder
        self.home = Path(pyspark.__file__).parent
        self._processes: list[subprocess.Popen[bytes]] = []
        self._workers = 0
        told = self._start("master", "org.apache.spark.deploy.master.Master", "--port", "0", "--webui-port", "0")
        self.master = self._wait(told, r"Starting Spark master at (spark://\S+)")

    def add_worker(self, *options: str, before: str = "") -> None:
        """A worker; a command of the shell that is run before it gets a mount namespace of its own."""
        self._workers += 1
        work = self.folder / f"work-{self._workers}"
        arguments = ("--webui-port", "0", "--work-dir", str(work), *options, self.master)
        kind = "org.apache.spark.deploy.worker.Worker"
        told = self._start(f"worker-{self._workers}", kind, *arguments, before=before)
        self._wait(told, "Successfully registered with master (.*)")

    def _start(self, name: str, kind: str, *arguments: str, before: str = "") -> Path:
        log = self.folder / f"{name}.log"
        command = [str(self.home / "bin" / "spark-class"), kind, "--host", "127.0.0.1", *arguments]
        if before:
            command = ["unshare", "--mount", "sh", "-c", f'{before} && exec "$@"', "sh", *command]
        environment = os.environ | {
            "SPARK_HOME": str(self.home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": JAVA,
            "SPARK_LOG_DIR": str(self.folder),
        }
        with log.open("wb") as file:
            self._processes.append(
                subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, env=environment, cwd=self.folder)
            )
        return log

    def _wait(self, log: Path, wanted: str) -> str:
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            found = re.search(wanted, log.read_text(errors="replace"))
            if found:
                return found[1]
            assert self._processes[-1].poll() is None, log.read_text(errors="replace")
            time.sleep(0.1)
        raise AssertionError(f"{wanted} is not in {log.read_text(errors='replace')}")

    def stop(self) -> None:
        for process in reversed(self._processes):
            process.terminate()
            process.wait(60)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("there is no Java for Spark")
    started = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        yield started
    finally:
        started.stop()


@pytest.fixture(scope="module")
def two_workers(cluster: Cluster) -> Cluster:
    for _ in range(2):
        cluster.add_worker("--cores", "1", "--memory", "600m")
    return cluster


def call(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command in a folder, with a configuration of Spark for small machines."""
    configured = {
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_SUBMIT_ARGS": f"--conf spark.executor.memory=512m --conf spark.cores.max=2 {EXECUTORS} pyspark-shell",
    }
    return subprocess.run(
        [sys.executable, "-m", "unquilt", *arguments],
        capture_output=True, text=True, check=False, cwd=folder, timeout=2 * SECONDS,
        env=os.environ | configured | environment,
    )  # fmt: skip


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small web in `web`, and its corpus and quilts in `corpus` and `here`, made on this machine."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "web").mkdir()
    write_jsonl(folder / "web" / "pages.jsonl", 120, seed=1, start=0, stop=120)
    uq.ingest(folder / "web", folder / "corpus")
    uq.neardups(folder / "corpus", folder / "here")
    return folder


@pytest.fixture(scope="module")
def waiting(two_workers: Cluster, pages: Path) -> Iterator[subprocess.Popen[str]]:
    """A command that asks for more memory than any worker has. It begins before the first test: it says so only after
    some time, in which the others run."""
    command = [sys.executable, "-m", "unquilt", "neardups", "corpus", "-o", "waiting", "--engine", "spark"]
    environment = os.environ | {
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_SUBMIT_ARGS": "--conf spark.executor.memory=900g pyspark-shell",
    }
    with subprocess.Popen(
        [*command, "--master", two_workers.master], cwd=pages, env=environment, stderr=subprocess.PIPE, text=True
    ) as started:
        yield started
        started.kill()


@pytest.mark.usefixtures("waiting")
def test_the_commands_of_the_guide_run_in_any_folder_by_relative_paths(two_workers: Cluster, pages: Path) -> None:
    """Ingest and an analysis, by the master of Spark's own configuration, give the bytes of this machine."""
    configuration = pages / "configuration"
    configuration.mkdir()
    settings = f"spark.master {two_workers.master}\nspark.executor.memory=512m\n# spark.ui.enabled true\n"
    settings += f"spark.executor.extraJavaOptions {JAVA}\n"
    (configuration / "spark-defaults.conf").write_text(settings)
    environment = {"SPARK_CONF_DIR": str(configuration), "PYSPARK_SUBMIT_ARGS": "pyspark-shell"}
    for arguments in (("ingest", "web", "-o", "corpus-there"), ("neardups", "corpus-there", "-o", "there")):
        done = call(pages, *arguments, "--engine", "spark", **environment)
        assert done.returncode == 0, done.stderr
    tables = sorted(path.name for path in (pages / "here").glob("*.parquet"))
    assert "clusters.parquet" in tables
    for name in tables:
        assert (pages / "there" / name).read_bytes() == (pages / "here" / name).read_bytes(), name
    executors = [*two_workers.folder.glob("work-*/app-*/*/stderr")]
    assert len({path.parent.parent.name for path in executors}) == 2, "both commands ran on the cluster"


def test_unquilt_missing_on_executors_is_said(two_workers: Cluster, pages: Path, tmp_path: Path) -> None:
    python = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(python)], check=True)
    environment = {"PYSPARK_PYTHON": str(python / "bin" / "python")}
    done = call(pages, "neardups", "corpus", "-o", str(tmp_path / "run"), "--engine", "spark", "--master",
                two_workers.master, **environment)  # fmt: skip
    assert done.returncode == 1
    assert re.search(r"the Python of the executors \(.*\) has no module \w+: unquilt must be installed", done.stderr)
    assert "Traceback" not in done.stderr


def test_no_executors_are_waited_for_with_a_reason(waiting: subprocess.Popen[str]) -> None:
    assert waiting.stderr is not None
    stop = threading.Timer(SECONDS, waiting.kill)
    stop.start()
    try:
        said = next((line for line in waiting.stderr if "no executors yet" in line), "")
    finally:
        stop.cancel()
        waiting.send_signal(signal.SIGINT)
    assert "900g of memory free" in said
    waiting.communicate(timeout=SECONDS)
    assert waiting.returncode == 130


def test_a_folder_that_a_worker_does_not_see_is_named(two_workers: Cluster, pages: Path) -> None:
    """A worker in a mount namespace of its own has an empty folder where corpus and run are. It alone has the memory
    that is asked for, so it is asked, however fast the others are."""
    blind = f"mount -t tmpfs none {shlex.quote(str(pages))}"
    if subprocess.run(["unshare", "--mount", "sh", "-c", blind], capture_output=True, check=False).returncode:
        pytest.skip("this user cannot make a mount namespace")
    two_workers.add_worker("--cores", "1", "--memory", "800m", before=blind)
    environment = {"PYSPARK_SUBMIT_ARGS": f"--conf spark.executor.memory=700m {EXECUTORS} pyspark-shell"}
    done = call(pages, "neardups", "corpus", "-o", "unseen", "--engine", "spark", "--master", two_workers.master,
                **environment)  # fmt: skip
    assert done.returncode == 1
    assert f"does not see {pages}/unseen" in done.stderr, done.stderr
    assert "Traceback" not in done.stderr


class TestMasters:
    """Each wrong master has its own reason, at once."""

    def test_an_unknown_scheme(self) -> None:
        with pytest.raises(EngineError, match=r"Spark has no master 'mesos://head:5050'; a master is local\[2\]"):
            check_master("mesos://head:5050")

    def test_spark_connect(self) -> None:
        with pytest.raises(EngineError, match="Spark Connect cannot run"):
            check_master("sc://head:15002")

    def test_a_port_is_missing(self) -> None:
        with pytest.raises(EngineError, match="has no port"):
            check_master("spark://head")

    def test_nobody_listens(self) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            port = taken.getsockname()[1]
        with pytest.raises(EngineError, match=r"no Spark master answers at spark://127\.0\.0\.1:"):
            check_master(f"spark://127.0.0.1:{port}")

    def test_one_that_takes_connections_and_says_nothing(self) -> None:
        """After a minute, when Spark has given it up; before that, it is said what is waited for."""
        said = ": java.lang.IllegalStateException: Cannot call methods on a stopped SparkContext.\n\tat x"
        assert find_reason(said).startswith("Spark has ended the session, as its master does not answer;")
        assert "takes connections and has not let us in yet" in _explain_slow_start("spark://head:7077")

    def test_one_of_several_is_enough(self) -> None:
        with socket.socket() as opened:
            opened.bind(("127.0.0.1", 0))
            opened.listen()
            check_master(f"spark://127.0.0.1:1,127.0.0.1:{opened.getsockname()[1]}")


class TestConfiguration:
    """The user's own settings of Spark are read where Spark reads them."""

    @pytest.fixture(autouse=True)
    def _clean(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("SPARK_CONF_DIR", "SPARK_HOME", "MASTER", "SPARK_MASTER", "PYSPARK_SUBMIT_ARGS"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)

    def test_nothing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A folder of data may have one called conf."""
        (tmp_path / "conf").mkdir()
        (tmp_path / "conf" / "spark-defaults.conf").write_text("spark.master spark://a:7077\n")
        monkeypatch.chdir(tmp_path)
        assert read_configuration() == {}

    def test_a_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        text = "# no\nspark.master   spark://a:7077\n\nspark.executor.memory=2g\nspark.x: y z\n"
        (tmp_path / "spark-defaults.conf").write_text(text)
        monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
        found = {"spark.master": "spark://a:7077", "spark.executor.memory": "2g", "spark.x": "y z"}
        assert read_configuration() == found

    def test_arguments_win(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("MASTER", "yarn")
        monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--master local[3] --conf a=b=c pyspark-shell")
        assert read_configuration() == {"spark.master": "local[3]", "a": "b=c"}
