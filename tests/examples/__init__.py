"""Runs the examples of README.md and docs/, and compares what they print with what the pages show.

A page is run from top to bottom in a folder of its own. In a block ```console, a line that begins with `$ ` is a
command for bash; the lines below it, up to the next command, are its standard output.

- A command with no lines below it must succeed, and may print anything.
- A line `…` stands for any number of lines that the page leaves out.
- `≈` before a figure says that it varies: `in ≈2.3 s`. Times, rates and amounts of memory are marked.
- Where the first line below a command begins with `unquilt: `, the command must fail, with that line as its error.

Blocks ```python are run as well, each in a process of its own. A block ```sh shows what cannot be run here.

    blocks      finds the examples of a page                    comparing   shown and printed output; new output
    desk        the files that examples take for granted        running     runs a page

Only the standard library is used: examples are run for environments in which nothing but unquilt is installed.

    python tests/examples --unquilt .venv/bin/unquilt README.md docs/quilts.md      # compare
    python tests/examples --unquilt .venv/bin/unquilt --write docs/quilts.md        # write what is printed now
"""
