"""`make near`: which tests are run for which files."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tools.near import HOUSE, ROOT, find_tests


@pytest.mark.parametrize(
    ("changed", "near"),
    [
        ([], []),
        (["README.md"], [HOUSE]),
        (["docs/quilts.md", "mkdocs.yml"], [HOUSE]),
        (["src/unquilt/corpus/readers/warc.py"], ["tests/corpus", HOUSE]),
        (["src/unquilt/corpus/gone.py"], ["tests/corpus", HOUSE]),
        (["src/unquilt/page/static/page.js"], [HOUSE, "tests/page"]),
        (["src/unquilt/api.py"], ["tests/cli", HOUSE]),
        (["native/kernels/src/text/words.rs"], ["tests/analyses", HOUSE, "tests/text"]),
        (["native/kernels/src/store.rs"], [HOUSE, "tests/stores"]),
        (["tests/runs/test_runs_open.py"], [HOUSE, "tests/runs/test_runs_open.py"]),
        (["tests/runs/test_gone.py"], [HOUSE]),
        (["tests/runs/test_runs_open.py", "src/unquilt/runs/run.py"], [HOUSE, "tests/runs"]),
        (["tests/snapshots/runs/test_runs_open.txt"], [HOUSE, "tests/runs/test_runs_open.py"]),
        (["tests/page/conftest.py"], [HOUSE, "tests/page"]),
        (["tests/conftest.py", "README.md"], ["tests"]),
    ],
)
def test_tests_near_to_files(changed: list[str], near: list[str]) -> None:
    assert find_tests(changed) == near


@pytest.mark.parametrize(
    ("changed", "user"),
    [
        ("src/unquilt/jobs/places.py", "tests/runs/test_tables_damage.py"),
        ("src/unquilt/parameters.py", "tests/cli/test_cli_usage.py"),
        ("src/unquilt/tables/table.py", "tests/flow/test_rehearsal.py"),
        ("tests/twin_neardups.py", "tests/analyses/test_neardups.py"),
        ("tools/release/checks.py", HOUSE),
    ],
)
def test_modules_without_a_room_have_the_tests_that_import_them(changed: str, user: str) -> None:
    assert user in find_tests([changed])


def test_changes_of_all_native_code_reach_all_its_rooms() -> None:
    assert {"tests/analyses", "tests/corpus", "tests/flow", "tests/stores", "tests/text"} <= set(
        find_tests(["native/binding/src/lib.rs"])
    )


def test_the_command_prints_tests() -> None:
    command = [sys.executable, ROOT / "tools" / "near.py", "docs/cost.md"]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == f"{HOUSE}\n"
