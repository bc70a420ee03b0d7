"""The runner of examples (`tests/examples`) itself; `make stranger` runs the examples."""

from __future__ import annotations

import doctest

import pytest
from examples import __main__ as pages
from examples import blocks, comparing, running
from examples.blocks import read_examples
from examples.running import needed_extra

KINDS = {"console", "python", "sh", "sql", "text", "json", "toml", "yaml", "dockerfile", "rust"}


@pytest.mark.parametrize("module", [blocks, comparing, running], ids=lambda module: module.__name__)
def test_examples_in_docstrings_of_the_runner_run(module) -> None:
    failed, tried = doctest.testmod(module)
    assert (failed, tried > 0) == (0, True)


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        (["…"], ["a", "b"], True),
        (["…"], [], True),
        (["a", "…"], ["a"], True),
        (["…", "b"], ["a", "b", "b"], True),
        (["a", "…", "c", "…"], ["a", "c", "b", "c"], True),
        (["a"], ["a", "b"], False),
        (["a", "b"], ["a"], False),
        (["…", "b"], ["a", "b", "c"], False),
        (["3,000 documents"], ["3,001 documents"], False),
        (["12 documents in ≈3 s"], ["12 documents in 0.4 s"], True),
        (["12 documents in 3 s"], ["12 documents in 3 s"], False),
    ],
)
def test_output_agrees_but_for_gaps_and_varying_figures(shown: list[str], printed: list[str], same: bool) -> None:
    assert comparing.agrees(shown, printed) is same


@pytest.mark.parametrize("shown", [["a", "…", "m", "n", "…", "z"], ["…", "n", "…"], ["a", "…"], ["…"], ["old"]])
def test_new_output_agrees_with_what_is_printed(shown: list[str]) -> None:
    printed = [*"abcdefghijklmnopqrstuvwxyz", "took 3 s"]
    renewed = comparing.renew(shown, printed)
    assert comparing.agrees(renewed, printed)
    assert comparing.renew(renewed, printed) == renewed


def test_pages_say_what_their_blocks_are() -> None:
    """A block without a language would be an example that nothing runs."""
    for page in [pages.ROOT / "README.md", *sorted((pages.ROOT / "docs").rglob("*.md"))]:
        kinds = {kind for kind, _, _ in blocks._fences(page.read_text(encoding="utf-8").splitlines())}
        assert kinds <= KINDS, page


def test_every_extra_has_examples() -> None:
    examples = [example for _, group in pages.find_groups(pages.all_pages()) for example in group]
    assert {needed_extra(example.code) for example in examples} == {None, *running.EXTRAS}


def test_each_command_of_the_reference_runs() -> None:
    """On its page, or on another one, which shows what it prints."""
    run = {blocks.command(example) for _, group in pages.find_groups(pages.all_pages()) for example in group}
    reference = [blocks.command(example) for example in read_examples(pages.ROOT / "docs" / running.REFERENCE)]
    assert set(reference) <= run
    alone = [each for page, group in pages.find_groups(pages.all_pages()) for each in group if page.name == "cli.md"]
    assert 0 < len(alone) < len(reference)


def test_what_cannot_be_run_is_not_called_an_example() -> None:
    for page in pages.all_pages():
        for example in read_examples(page):
            assert not running.NOT_HERE.match(example.code), f"{page}:{example.begin}"


def test_commands_are_known_to_need_an_extra() -> None:
    assert needed_extra("unquilt demo --report") == "page"
    assert needed_extra("unquilt quilts corpus -o run --engine spark --master 'local[2]'") == "spark"
    assert needed_extra("unquilt export run quilts -o report.jsonl") is None
