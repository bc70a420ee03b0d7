"""What may happen to tasks, objects and the driver, without any effect on results."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from quilting import ASKED, local, measure, open_run, read_files, run_quilts

from unquilt.analyses.quilt_parameters import QuiltParameters
from unquilt.analyses.quilts import quilts
from unquilt.engines import engine as engine_base
from unquilt.engines.objects import engine as engines
from unquilt.engines.objects import plan, processes
from unquilt.engines.objects.engine import Objects
from unquilt.engines.objects.making import Made, Means, Task
from unquilt.engines.objects.processes import Processes
from unquilt.engines.objects.stages import read_stage
from unquilt.engines.objects.tables import pack
from unquilt.engines.objects.tasks import perform
from unquilt.engines.progress import Step
from unquilt.errors import EngineError, RunError
from unquilt.flow.verbs import Verbs
from unquilt.jobs.corpora import documents
from unquilt.runs import Run

pytestmark = pytest.mark.slow

HERE = os.pathsep.join(map(str, Path(__file__).parents[:2]))
"""For workers that are given functions of this file, which imports others of the folder above."""


@pytest.fixture(scope="module")
def wanted(few_corpus: Run, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What the local engine makes of it."""
    return read_files(run_quilts(few_corpus, tmp_path_factory.mktemp("local") / "run", local(few_corpus), **ASKED))


def perform_after_death(task: Task, means: Means, signs: Path) -> Made:
    """Does a task, in a process that ends when the task is done for the first time."""
    made = perform(task, means)
    try:
        (signs / f"{task.folder.name}-{task.number}").touch(exist_ok=False)
    except FileExistsError:
        return made
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def test_each_task_is_killed_once(
    few_corpus: Run, wanted: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/faults.md 59: when its object is there already."""
    monkeypatch.setenv("PYTHONPATH", HERE, prepend=os.pathsep)
    monkeypatch.setattr(processes, "perform", partial(perform_after_death, signs=tmp_path))

    def engine(run: Run) -> Verbs:
        return Objects(run, measure(few_corpus), Processes(2, 1 << 30, run.spill), partitions=3)

    assert read_files(run_quilts(few_corpus, tmp_path / "run", engine, **ASKED)) == wanted
    assert sum("-" in path.name for path in tmp_path.iterdir()) > 20


class Here:
    """A scheduler that does tasks itself, and writes down which."""

    slots = 3

    def __init__(self, done: Counter[str], times: int = 1) -> None:
        self._done, self._times = done, times

    def __enter__(self) -> Here:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, tasks: Sequence[Task], name: str, step: Step) -> Iterator[Made]:
        for _ in range(self._times):
            for task in reversed(tasks):
                self._done[task.folder.name] += 1
                yield perform(task, Means(1 << 26))

    def each(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        return list(map(function, items))


def here(corpus: Run, done: Counter[str], times: int = 1) -> Callable[[Run], Verbs]:
    return lambda run: Objects(run, measure(corpus), Here(done, times), partitions=4)


def test_two_attempts_at_each_task_change_nothing(few_corpus: Run, wanted: dict[str, bytes], tmp_path: Path) -> None:
    """docs/faults.md 59: neither rows nor counters."""
    run = run_quilts(few_corpus, tmp_path / "run", here(few_corpus, Counter(), 2), **ASKED)
    assert read_files(run) == wanted


class Stopped(Exception):  # noqa: N818 - what happened
    """The driver was killed."""


def test_the_driver_is_killed_after_each_stage(
    few_corpus: Run, wanted: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/faults.md 33: no stage that is done runs again, and nothing is left of the objects."""
    marked: list[str] = []
    ending = engines.end_stage

    def end_and_stop(folder: Path, marker: Any) -> None:
        ending(folder, marker)
        marked.append(folder.name)
        raise Stopped

    monkeypatch.setattr(engines, "end_stage", end_and_stop)
    done: Counter[str] = Counter()
    for _ in range(200):
        before = dict(done)
        try:
            with open_run(few_corpus, tmp_path / "run", ASKED) as run, here(few_corpus, done)(run) as verbs:  # type: ignore[attr-defined]
                outcome = quilts(verbs, documents(few_corpus), QuiltParameters.from_dict(ASKED))
                run.finish({}, results=[table.name for table in outcome.tables])
            break
        except Stopped:
            assert len(done - Counter(before)) == 1, "one stage each time"
    assert len(marked) > 15
    assert read_files(run) == wanted
    assert not (run.path / ".pieces").exists()
    monkeypatch.undo()
    at_once: Counter[str] = Counter()
    run_quilts(few_corpus, tmp_path / "at once", here(few_corpus, at_once), **ASKED)
    assert len(marked) == len(at_once)
    assert done.total() == at_once.total()


@pytest.fixture
def _packed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small tables are written by tasks, too, in several row groups."""
    monkeypatch.setattr(plan, "WRITTEN_HERE", 0)
    monkeypatch.setattr(plan, "LEAST", 1 << 10)
    monkeypatch.setattr(engine_base, "ROWS_PER_GROUP", 7)


@pytest.mark.usefixtures("_packed")
def test_the_driver_is_killed_while_tables_are_put_together(
    few_corpus: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/faults.md 33: before and after row groups are pasted, each of which is pasted twice."""
    wanted = read_files(run_quilts(few_corpus, tmp_path / "local", local(few_corpus), **ASKED))
    stops, joins = iter(range(1000)), []
    joining = Objects._join

    def join(self: Objects, packed: Path, table: Any) -> int:
        joins.append(table.name)
        when = next(stops) % 3
        if when == 0:
            raise Stopped
        rows = joining(self, packed, table)
        if when == 1:
            raise Stopped
        return rows

    monkeypatch.setattr(Objects, "_join", join)
    done: Counter[str] = Counter()
    for _ in range(200):
        try:
            run = run_quilts(few_corpus, tmp_path / "run", here(few_corpus, done, 2), **ASKED)
            break
        except Stopped:
            pass
    assert read_files(run) == wanted
    assert len(joins) == 3 * len(set(joins)) > 10
    assert all(count == 2 for name, count in done.items() if not name.endswith("-paste") and count < 4)


def test_another_pyarrow_packs_no_row_group(tmp_path: Path) -> None:
    """Bytes would differ."""
    with pytest.raises(EngineError, match=r"is written with pyarrow 1\.2\.3, and a worker has"):
        pack(Task(tmp_path, 0), {"pyarrow": "1.2.3"})


def test_a_damaged_object_is_named_and_made_anew(
    few_corpus: Run, wanted: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/faults.md 49."""
    ending, harmed = engines.end_stage, []

    def end_and_harm(folder: Path, marker: Any) -> None:
        ending(folder, marker)
        if not harmed and read_stage(folder)["does"] == "map":
            harmed.append(folder / marker.objects[0][0])
            harmed[0].write_bytes(bytes(harmed[0].stat().st_size))

    monkeypatch.setattr(engines, "end_stage", end_and_harm)
    engine = here(few_corpus, Counter())
    with pytest.raises(RunError, match=r"is damaged: .*; remove it and run again: what it was made of is made anew"):
        run_quilts(few_corpus, tmp_path / "run", engine, **ASKED)
    harmed[0].unlink()
    assert read_files(run_quilts(few_corpus, tmp_path / "run", here(few_corpus, Counter()), **ASKED)) == wanted
