"""Words that kernels look up in place, packed from a table `words`: those in many documents, or in a range of them.

Words are read one part of the table after the other, and only those that are packed are held in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from unquilt import _native
from unquilt.columns import buffers
from unquilt.flow.kept import Kept

_COLUMNS = ["word", "df"]


def pack_no_words() -> bytes:
    """A list without words."""
    return _pack([])


def pack_most_frequent(words: Kept, number: int, primary: int) -> bytes:
    """So many words, those in most documents; of equal ones, the first by spelling. The first `primary` of them are the
    primary lexicon."""
    found = pa.schema([("word", pa.string()), ("df", pa.int64())]).empty_table()
    order = [("df", "descending"), ("word", "ascending")]
    for split in words.splits():
        found = pa.concat_tables([found, split.read(_COLUMNS).cast(found.schema)]).sort_by(order).slice(0, number)
    return _pack(found["word"].chunks, primary)


def pack_between(words: Kept, least: int, most: int) -> bytes:
    """The words in at least `least` and at most `most` documents."""
    return _choose(words, lambda df: pc.and_(pc.greater_equal(df, least), pc.less_equal(df, most)))


def pack_above(words: Kept, most: int) -> bytes:
    """The words in more than `most` documents."""
    return _choose(words, lambda df: pc.greater(df, most))


def _choose(words: Kept, choose: Callable[[pa.ChunkedArray], pa.ChunkedArray]) -> bytes:
    """The words whose number of documents is chosen."""
    parts = (split.read(_COLUMNS) for split in words.splits())
    return _pack([chunk for part in parts for chunk in part.filter(choose(part["df"]))["word"].chunks])


def _pack(words: Sequence[pa.Array], primary: int | None = None) -> bytes:
    column = pa.chunked_array(words, pa.string())
    return _native.pack_lexicon(buffers(column), len(column) if primary is None else min(primary, len(column)))
