"""A program that kills toy runs: `python kill_toy_runs.py SCENARIO FOLDER`.

It plays a scenario in a process of its own, which forks toy runs and kills them; it fails by an AssertionError and
prints at how many points it killed. The scenario `hold` waits in a run to be killed itself.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import time
import traceback
from pathlib import Path

from toy_run import SCHEMA, STAGES, compute, digests, names, no_exchange, open_run

from unquilt.runs import Run, replacement


def hold(path):
    """Work in a run until killed."""
    run = open_run(path)
    (run.spill / "block").write_bytes(b"block")
    run.writer("grams", SCHEMA).__enter__()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    time.sleep(60)


class DiskSteps:
    """Counts the calls that change the disk, and kills this process just before the one numbered `last`.

    Syncs are counted and not done: a kill does not need them, and they are slow.
    """

    def __init__(self, last=0):
        self.count, self.last = 0, last
        for name in ("open", "mkdir", "rmdir", "unlink", "rename", "replace"):
            setattr(os, name, self.counted(getattr(os, name)))
        os.fsync = self.counted(lambda _: None)
        replacement.exchange = self.counted(replacement.exchange)

    def counted(self, function):
        def call(*arguments, **options):
            self.count += 1
            if self.count == self.last:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **options)

        return call


def fork(action):
    """Run `action` in a child process; return its process id."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            action()
            status = 0
        except Exception:
            traceback.print_exc()
            raise
        finally:
            os._exit(status)
    return child


def was_killed(child):
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, -signal.SIGKILL)
    return status != 0


def choose_steps(action):
    """Choose where to kill `action`: at its last ten steps and at ten more at random; or, if told so, at all."""

    def count():
        steps = DiskSteps()
        action()
        os.write(write_end, b"%d" % steps.count)

    read_end, write_end = os.pipe()
    assert not was_killed(fork(count))
    steps = range(1, int(os.read(read_end, 100)) + 1)
    if os.environ.get("UNQUILT_KILL_EVERYWHERE"):
        return list(steps)
    return [*sorted(random.Random(0).sample(steps[:-10], 10)), *steps[-10:]]


def die_in(action, step):
    def act():
        DiskSteps(last=step)
        action()

    return was_killed(fork(act))


def assert_tidy(folder, tables=STAGES):
    assert names(folder) == ["out"]
    assert names(folder / "out") == [".done", *sorted(["manifest.json", *(f"{table}.parquet" for table in tables)])]


def kill_steps(folder, results=STAGES):
    """Kill a run at chosen steps, kill its resumption at the same step, then let it finish."""
    expected = digests(compute(folder / "whole", results=results).path)
    steps = choose_steps(lambda: compute(folder / "counted", results=results))
    for step in steps:
        place = folder / str(step)
        place.mkdir()
        assert die_in(lambda place=place: compute(place / "out", results=results), step)
        if (place / "out" / "manifest.json").exists():
            run = Run.read(place / "out")
            assert not run.complete or expected.items() <= digests(run.path).items()
        die_in(lambda place=place: compute(place / "out", results=results), step)
        assert compute(place / "out", results=results).complete
        assert digests(place / "out") == expected
        assert_tidy(place, results)
    return len(steps)


def kill_steps_with_scratch(folder):
    """The same where some tables go at the end: a kill before they are gone leaves none of them for good."""
    return kill_steps(folder, results=("quilts",))


def kill_times(folder):
    """Kill a run at random times, again and again until it gets through."""
    expected = digests(compute(folder / "out", count=20_000).path)
    begin = time.perf_counter()  # only now, when all is loaded: else most of them would end before they are killed
    compute(folder / "timed", count=20_000)
    seconds = time.perf_counter() - begin
    chance = random.Random(0)
    kills = 0
    while kills < 20:
        shutil.rmtree(folder / "out")
        killed = True
        while killed:
            child = fork(lambda: compute(folder / "out", count=20_000))
            time.sleep(chance.uniform(0, seconds))
            os.kill(child, signal.SIGKILL)
            killed = was_killed(child)
            kills += killed
            if (folder / "out" / "manifest.json").exists():
                run = Run.read(folder / "out")
                assert run.complete != killed or digests(run.path) == expected
        assert digests(folder / "out") == expected
    return kills


def kill_overwriting(folder):
    """Kill an overwriting run at chosen steps: what is at the path is always one of the two, in full."""
    older, newer = (compute(folder / "whole" / str(k), k).path for k in (5, 7))
    both = {5: digests(older), 7: digests(newer)}
    atomic = replacement.exchange is not no_exchange
    shutil.copytree(older, folder / "counted")
    steps = choose_steps(lambda: compute(folder / "counted", 7, overwrite=True))
    for step in steps:
        place = folder / str(step)
        shutil.copytree(older, place / "out")
        assert die_in(lambda place=place: compute(place / "out", 7, overwrite=True), step)
        if atomic or (place / "out").exists():
            run = Run.read(place / "out")
            assert run.complete
            assert digests(run.path) == both[run.manifest["parameters"]["k"]]
        assert compute(place / "out", 7, overwrite=True).complete
        assert digests(place / "out") == both[7]
        assert_tidy(place)
    return len(steps)


def kill_overwriting_renames(folder):
    """The same where names cannot be exchanged."""
    replacement.exchange = no_exchange
    return kill_overwriting(folder)


def main(scenario, folder):
    os.fsync = lambda _: None
    played = globals()[scenario.replace("-", "_")](Path(folder))
    sys.stdout.write(f"{played}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
