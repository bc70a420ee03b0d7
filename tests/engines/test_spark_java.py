"""Java that does not start is one line, whatever it says (docs/faults.md 36)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from unquilt.engines.spark_java import JavaSays, find_java_reason

OF_KUBERNETES = """\
An error occurred while calling None.org.apache.spark.api.java.JavaSparkContext.
: io.fabric8.kubernetes.client.KubernetesClientException: An error has occurred.
	at io.fabric8.kubernetes.client.KubernetesClientException.launderThrowable(KubernetesClientException.java:129)
Caused by: java.io.IOException: Failed to connect
	at java.base/java.lang.Thread.run(Thread.java:840)
Caused by: java.net.ConnectException: Connection refused: /127.0.0.1:1
	... 8 more
"""


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("Error occurred during initialization of VM\nToo small maximum heap\n", "Too small maximum heap"),
        (
            'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space\n\tat java.base/a.b(C.java:1)\n',
            "Java heap space",
        ),
        (
            "Exception in thread \"main\" org.apache.spark.SparkException: When running with master 'yarn' either "
            "HADOOP_CONF_DIR or YARN_CONF_DIR must be set in the environment.\n\tat org.apache.spark.A.b(A.scala:1)\n",
            "When running with master 'yarn' either HADOOP_CONF_DIR or YARN_CONF_DIR must be set in the environment",
        ),
        (OF_KUBERNETES, "An error has occurred (Connection refused: /127.0.0.1:1)"),
        (
            "line 71: /nowhere/bin/java: No such file or directory\n",
            "line 71: /nowhere/bin/java: No such file or directory",
        ),
        ("", ""),
    ],
)
def test_the_reason_is_found_among_the_lines(said: str, reason: str) -> None:
    assert find_java_reason(said.splitlines()) == reason


def test_what_java_says_is_kept_back_then_passed_on(capfd: pytest.CaptureFixture[str]) -> None:
    says = JavaSays()
    code = "import sys; print('one', 'WARNING: Using incubator modules: x', 'two', sep='\\n', file=sys.stderr)"
    subprocess.run([sys.executable, "-c", code], stderr=says.descriptor, check=True)
    with subprocess.Popen([sys.executable, "-c", "input(); import os; os.write(2, b'three\\n')"],
                          stdin=subprocess.PIPE, stderr=says.descriptor) as later:  # fmt: skip
        says.close()
        while len(says._kept or ()) < 3:
            pass
        assert capfd.readouterr().err == ""
        says.pass_on()
        assert capfd.readouterr().err == "one\ntwo\n"
        later.communicate(b"\n")
    says._thread.join()
    assert capfd.readouterr().err == "three\n"


@pytest.mark.slow
@pytest.mark.spark
@pytest.mark.parametrize(
    ("arguments", "home", "said"),
    [
        ("--conf spark.driver.memory=1m", "", r"Java ended while it was starting: .*heap.*spark\.driver\.memory"),
        ("--conf spark.driver.memory=lots", "", "Java ended while it was starting: "),
        ("--conf spark.driver.memory=100m", "", r"Insufficient driver memory: System memory \d+ must be at least"),
        (
            "--master yarn",
            "",
            "Java ended while it was starting: When running with master 'yarn' either HADOOP_CONF_DIR",
        ),
        ("", "/nowhere", r"there is no java in JAVA_HOME \(/nowhere\); this version of Spark needs Java"),
        ("", "old", r"bin/java is Java 7; this version of Spark needs Java \d+ or newer"),
    ],
)
def test_java_that_does_not_start_is_one_line(arguments: str, home: str, said: str, tmp_path: Path) -> None:
    """No lines of Java's own, which may be hundreds."""
    if home == "old":
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin" / "java").write_text("#!/bin/sh\necho 'java version \"7\"' >&2\nexit 1\n")
        (tmp_path / "bin" / "java").chmod(0o755)
    (tmp_path / "a.txt").write_text("some words")
    changed = {"PYSPARK_SUBMIT_ARGS": f"{arguments} pyspark-shell", "SPARK_LOCAL_IP": "127.0.0.1"}
    changed |= {"JAVA_HOME": str(tmp_path) if home == "old" else home} if home else {}
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("HADOOP", "YARN"))}
    done = subprocess.run(
        [sys.executable, "-m", "unquilt", "ingest", "a.txt", "-o", "corpus", "--engine", "spark"],
        capture_output=True, text=True, check=False, cwd=tmp_path, env=environment | changed,
    )  # fmt: skip
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("unquilt: Spark did not start: ")

    assert re.search(said, line), line
