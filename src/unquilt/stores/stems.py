"""Stems and boilerplate that kernels look up in place, packed from the tables that `reworded` makes on the way."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from unquilt import _native
from unquilt.columns import buffers, pack
from unquilt.flow.kept import Kept
from unquilt.tables.reworded import BOILERPLATE, STEMS

MOST_STEMS = 1 << 22
"""Stems whose number of documents kernels know."""
MOST_GRAMS = 1 << 20
"""Sequences of words that kernels know as boilerplate."""
ALL_WORDS = 0
"""In place of a stem: how many documents and words a language has."""
LEAST_TIMES = 9
"""A stem that occurs less often is not common, as 100,000 words are added to those of any language."""
COUNTS = pa.schema([(name, pa.int64()) for name in ("stem", "language", "times")])


def pack_documents(stems: Kept) -> bytes:
    """In how many documents stems are, of those in most documents; of equal ones, those that come first."""
    table = _choose_highest(_count_all(stems), MOST_STEMS, "df", "stem")
    return _native.pack_stems(buffers(table["stem"]), buffers(table["df"]))


def pack_boilerplate(grams: Kept) -> bytes:
    """The sequences in most documents; of equal ones, those that come first. Eight megabytes at most."""
    parts = [split.read(["gram", "documents"]) for split in grams.splits()]
    table = pa.concat_tables([BOILERPLATE.schema.empty_table(), *parts])
    chosen = _choose_highest(table, MOST_GRAMS, "documents", "gram")
    return pack(chosen["gram"])


def pack_rates(stems: Kept, words: int) -> bytes:
    """The rates of stems that are common in all documents, or in those of a language: three megabytes at most."""
    everywhere = _count_all(stems).select(["stem", "times"])
    everywhere = everywhere.append_column("language", pa.repeat(_native.ALL_LANGUAGES, everywhere.num_rows))
    usual = pa.array(_native.usual_stems(), pa.int64())
    sizes = {_native.ALL_LANGUAGES: words}
    counts = []
    for part in (everywhere, *(split.read(["stem", "language", "times"]) for split in stems.splits())):
        of_all = part.filter(pc.equal(part["stem"], ALL_WORDS))
        sizes |= dict(zip(of_all["language"].to_pylist(), of_all["times"].to_pylist(), strict=True))
        often = pc.or_(pc.greater_equal(part["times"], LEAST_TIMES), pc.is_in(part["stem"], usual))
        wanted = part.filter(pc.and_(often, pc.not_equal(part["stem"], ALL_WORDS)))
        counts.append(wanted.select(["stem", "language", "times"]).cast(COUNTS))
    table = pa.concat_tables(counts)
    stem, language, times = (buffers(table[name]) for name in table.column_names)
    return _native.pack_rates(stem, language, times, sorted(sizes.items()))


def _count_all(stems: Kept) -> pa.Table:
    """Stems with the number of documents that have them, and how often they occur, in all languages."""
    parts = [split.read(["stem", "df", "times"]) for split in stems.splits()]
    table = pa.concat_tables([STEMS.schema.empty_table().select(["stem", "df", "times"]), *parts])
    sums = table.group_by("stem", use_threads=False).aggregate([("df", "sum"), ("times", "sum")])
    return sums.rename_columns(["stem", "df", "times"]).filter(pc.not_equal(sums["stem"], ALL_WORDS))


def _choose_highest(table: pa.Table, most: int, number: str, name: str) -> pa.Table:
    """The rows with the highest numbers, if there are more; of equal ones, those with the lowest names."""
    if table.num_rows <= most:
        return table
    return table.take(pc.select_k_unstable(table, most, [(number, "descending"), (name, "ascending")]))
