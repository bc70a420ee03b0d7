"""`unquilt lexicon show`: look at a lexicon."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from unquilt.cli.group import usual_options
from unquilt.cli.options import number_option
from unquilt.cli.terminal.output import count, emit, json_line, pad, printable

if TYPE_CHECKING:
    from unquilt.stores.lexicons import Lexicon

FEW = 10
LONGEST = 40
EXAMPLES = """\b
Examples:
  unquilt lexicon show news.lexicon
  unquilt lexicon show news.lexicon --limit 100
  unquilt lexicon show news.lexicon --json
"""


@click.command(epilog=EXAMPLES)
@click.argument("file", metavar="FILE")
@number_option("limit", f"Words to show from each end of each part (default {FEW}).", at_least=1, default=FEW)
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON, for programs.")
@usual_options
def show(file: str, limit: int, as_json: bool) -> None:
    """Show what is in a lexicon: how many documents it is of, how many words it has, which are commonest and rarest.

    The primary lexicon has the words that signatures are made of, the secondary one those that fill up short ones.
    FILE is Parquet, with the columns word and df: other tools can read all of it.
    """
    from unquilt.stores.lexicons import Lexicon

    lexicon = Lexicon.read(file)
    for line in [json_line(gather(file, lexicon, limit))] if as_json else describe(file, lexicon, limit):
        emit(line)


def gather(file: str, lexicon: Lexicon, limit: int) -> dict[str, Any]:
    """All that is known about a lexicon, and some of its words."""
    return {
        "file": file,
        "documents": lexicon.documents,
        "nidf": list(lexicon.nidf),
        "min_df": lexicon.min_df,
        "unicode": lexicon.unicode,
        "primary": lexicon.primary,
        "secondary": lexicon.secondary,
    } | {
        f"{end}_{part}": words
        for part, ends in _parts(lexicon, limit).items()
        for end, words in zip(("commonest", "rarest"), ends, strict=True)
    }


def describe(file: str, lexicon: Lexicon, limit: int) -> Iterator[str]:
    """The same for people."""
    low, high = lexicon.nidf
    yield f"{printable(file)}: lexicon of {count(lexicon.documents, 'document')}"
    yield ""
    yield f"primary    {count(lexicon.primary, 'word')}: normalised idf {low:g} to {high:g}"
    least = f", in at least {count(lexicon.min_df, 'document')}" if lexicon.min_df > 1 else ""
    yield f"secondary  {count(lexicon.secondary, 'word')}: rarer ones{least}"
    yield f"unicode    {printable(lexicon.unicode)}"
    for part, (first, last) in _parts(lexicon, limit).items():
        if first:
            yield ""
            yield f"{'documents':>11}  {part}"
            yield from map(_line, first)
            if last:
                yield f"{'…':>11}"
                yield from map(_line, last)


def _line(row: dict[str, Any]) -> str:
    return f"{row['df']:>11,}  {pad(row['word'], LONGEST)}".rstrip()


def _parts(lexicon: Lexicon, limit: int) -> dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]]:
    """Of each part the first and the last words, no word twice."""
    parts = {
        "primary": lexicon.words.slice(0, lexicon.primary),
        "secondary": lexicon.words.slice(lexicon.primary),
    }
    return {
        name: (words.slice(0, limit).to_pylist(), words.slice(max(limit, len(words) - limit)).to_pylist())
        for name, words in parts.items()
    }
