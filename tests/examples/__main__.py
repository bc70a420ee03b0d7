"""`python tests/examples`: see the docstring of the package."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).parents[1]))

from examples.blocks import read_examples
from examples.running import EXTRAS, Program, Ran, needed_extra, run_page

ROOT = Path(__file__).parents[2]


def all_pages() -> list[Path]:
    """The pages that have examples."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in pages if read_examples(page)]


def pages_for(extra: str) -> list[Path]:
    """The pages with a command that needs an extra."""
    return [page for page in all_pages() if any(needed_extra(each.code) == extra for each in read_examples(page))]


def run_pages(pages: list[Path], program: Program, store: Path, *, write: bool = False, at_once: int = 2) -> int:
    """Run pages, a few at a time, and say what differs; returns the number of pages that differ."""
    failed = 0
    with tempfile.TemporaryDirectory(prefix="unquilt-examples-") as made, ThreadPoolExecutor(at_once) as pool:

        def run(page: Path) -> tuple[Ran, float]:
            begin = time.monotonic()
            name = str(page.relative_to(ROOT)).replace("/", "-") if page.is_relative_to(ROOT) else page.name
            return run_page(page, program, store, Path(made) / name), time.monotonic() - begin

        for ran, seconds in pool.map(run, pages):
            failed += bool(ran.differences)
            verdict = f"{len(ran.differences)} differ" if ran.differences else "as shown"
            print(f"{ran.page.name}: {ran.examples} examples, {verdict} ({seconds:.0f} s)", flush=True)
            for difference in ran.differences:
                print(f"\n{difference}\n", flush=True)
            if write and ran.text != ran.page.read_text(encoding="utf-8"):
                ran.page.write_text(ran.text, encoding="utf-8")
    return failed


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
        store.mkdir(parents=True, exist_ok=True)
        Program.run(program, "unquilt demo --quiet", store)
        pages = [page.absolute() for page in given.pages] or all_pages()
        return 1 if run_pages(pages, program, store, write=given.write) else 0


if __name__ == "__main__":
    sys.exit(main())
