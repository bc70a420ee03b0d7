"""`python tests/examples`: see the docstring of the package."""

from __future__ import annotations

import argparse
import sys
import tempfile
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).parents[1]))

from examples.blocks import Example, command, read_examples
from examples.desk import Desk, replaces
from examples.running import EXTRAS, REFERENCE, Program, Ran, run_examples, split_page, write_page

ROOT = Path(__file__).parents[2]
AT_ONCE = 2
USUAL, SMALL = 3000, 400
"""Pages of the demo web: as `unquilt demo` makes it, and fewer for the reference, which shows no output."""


def all_pages() -> list[Path]:
    """The pages that have examples."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in pages if read_examples(page)]


def find_groups(pages: list[Path]) -> list[tuple[Path, list[Example]]]:
    """The groups of examples of pages. The reference has no output to compare, so that its commands only have to
    succeed: those that stand on another page, or further up, are left out if the desk provides what they make."""
    groups = [(page, group) for page in pages if page.name != REFERENCE for group in split_page(page)]
    known = {command(example) for _, group in groups for example in group}
    for page in pages:
        if page.name == REFERENCE:
            for group in split_page(page):
                new = [each for each in group if command(each) not in known or replaces(command(each))]
                known |= {command(example) for example in new}
                groups += [(page, new)] if new else []
    return groups


def run_groups(
    groups: list[tuple[Path, list[Example]]], program: Program, store: Path, pool: Executor, *, write: bool = False
) -> int:
    """Run groups of examples, as many at a time as the pool allows, and say what differs; returns how many pages
    differ."""
    desks = {size: Desk(store / str(size), program.run, size) for size in (SMALL, USUAL)}
    for desk in desks.values():
        desk.store.mkdir(parents=True, exist_ok=True)

    def run(page: Path, group: list[Example]) -> Ran:
        return run_examples(page, group, program, desks[SMALL if page.name == REFERENCE else USUAL])

    ran: dict[Path, list[Ran]] = {page: [] for page, _ in groups}
    for each in pool.map(run, *zip(*groups, strict=True)):
        ran[each.page].append(each)
        if len(ran[each.page]) == sum(page == each.page for page, _ in groups):
            _tell(each.page, ran[each.page])
    if write:
        for page, results in ran.items():
            write_page(page, [renewed for each in results for renewed in each.renewed])
    return sum(any(each.differences for each in results) for results in ran.values())


def _tell(page: Path, results: list[Ran]) -> None:
    examples, seconds = sum(each.examples for each in results), sum(each.seconds for each in results)
    differences = [difference for each in results for difference in each.differences]
    verdict = f"{len(differences)} differ" if differences else "as shown"
    print(f"{page.name}: {examples} examples, {verdict} ({seconds:.0f} s)", flush=True)
    for difference in differences:
        print(f"\n{difference}\n", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Run the examples of README.md and docs/, and compare what they print."
    )
    parser.add_argument("pages", nargs="*", type=Path, help="pages (default: all)")
    parser.add_argument("--unquilt", type=Path, required=True, help="the installed program unquilt")
    parser.add_argument("--with", dest="extras", default="", help=f"its extras, of {', '.join(EXTRAS)}")
    parser.add_argument("--store", type=Path, help="folder in which the demo web is kept for the next time")
    parser.add_argument("--write", action="store_true", help="write what is printed now into the pages")
    given = parser.parse_args()
    extras = frozenset(filter(None, given.extras.split(",")))
    program = Program(given.unquilt.absolute().parent, extras)
    with tempfile.TemporaryDirectory(prefix="unquilt-demo-") as made:
        store = (given.store or Path(made)).absolute()
        pages = [page.absolute() for page in given.pages] or all_pages()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return 1 if run_groups(find_groups(pages), program, store, pool, write=given.write) else 0


if __name__ == "__main__":
    sys.exit(main())
