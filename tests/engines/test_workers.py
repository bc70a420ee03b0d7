"""Worker processes: order, errors, and what happens when one dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from unquilt.engines.workers import Workers, keeping, prepare
from unquilt.errors import EngineError, ParameterError
from unquilt.settings import parse_size

pytestmark = pytest.mark.slow

HERE = os.pathsep.join(map(str, Path(__file__).parents[:2]))
"""For workers that are given functions of this file, or of those in the folder above."""


def test_results_come_in_order() -> None:
    with Workers(2) as workers:
        assert list(workers.map(abs, range(-20, 0))) == list(range(20, 0, -1))


def test_what_was_prepared_is_used() -> None:
    with keeping():
        prepare()
        prepare()
        with Workers(1) as workers:
            assert list(workers.map(abs, [-1])) == [1]


def test_what_a_function_raises_comes_out() -> None:
    with pytest.raises(ParameterError, match="twelve"), Workers(2) as workers:
        list(workers.map(parse_size, ["1MB", "twelve", "2MB"]))


@pytest.mark.parametrize("items", [1, 2, 7])
def test_a_worker_that_dies_is_named_however_much_was_left_to_do(items: int) -> None:
    with pytest.raises(EngineError, match="exit code 7"), Workers(2) as workers:
        list(workers.map(os._exit, [7] * items))


def killed(marker: str) -> str:
    """Dies the first time it is asked."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return marker
    os.kill(os.getpid(), signal.SIGKILL)
    return ""


def test_an_item_whose_worker_is_killed_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", HERE)
    markers = [str(tmp_path / str(number)) for number in range(5)]
    with Workers(2) as workers:
        assert list(workers.map(killed, markers)) == markers


def test_a_worker_that_is_killed_while_nobody_asks_it_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", HERE)
    with keeping():
        for _ in range(3):
            with Workers(1) as workers:
                (pid,) = workers.map(_pid, [0])
                os.kill(pid, signal.SIGKILL)
                assert list(workers.map(abs, [-1, -2])) == [1, 2]
            os.kill(workers._nursery._idle[-1].number, signal.SIGKILL)


def _pid(_: int) -> int:
    return os.getpid()


def test_a_message_is_short_whatever_the_item(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", HERE)
    with pytest.raises(EngineError) as raised, Workers(1) as workers:
        list(workers.map(exit_with, ["x" * 100_000]))
    assert len(str(raised.value)) < 400


def exit_with(_: str) -> None:
    os._exit(3)


READ = "from unquilt.corpus.find.inputs import find; from unquilt.engines.workers import Workers\n"
READ += "with Workers(1) as workers: print([source.kind for (source,) in workers.map(find, [['a.txt']])])"


@pytest.mark.parametrize("path", [None, "", os.pathsep])
def test_fault_46_nothing_is_imported_from_the_current_folder(path: str | None, tmp_path: Path) -> None:
    """Whatever a worker imports, and whatever it may be called: all modules there are lie beside the data, planted."""
    names = {name.partition(".")[0] for name in [*sys.modules, *sys.stdlib_module_names]}
    for name in [*names, "sitecustomize", "usercustomize"]:
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'canary')!r}, 'w').close()\n")
    (tmp_path / "a.txt").write_text("some words of a page")
    here = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment = here if path is None else here | {"PYTHONPATH": path}
    # What the user starts is the user's to start safely: -P, and no PYTHONPATH that names the current folder.
    script = f"import os; os.environ.update({environment!r}); {READ}"
    command = [sys.executable, "-P", "-c", script]
    ended = subprocess.run(command, cwd=tmp_path, env=here, capture_output=True, text=True, timeout=120)
    assert (ended.stdout, ended.stderr) == ("['text']\n", "")
    assert not (tmp_path / "canary").exists()


def test_a_forker_that_is_killed_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", HERE)
    with Workers(2) as workers:
        for number in range(3):
            assert list(workers.map(abs, [-1, -2])) == [1, 2]
            process = workers._nursery._forker._process
            assert process is not None
            process.kill()
            process.wait()
            if number == 1:  # no worker is left either
                for worker in workers._nursery._idle:
                    worker.kill()
