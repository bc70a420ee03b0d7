"""Documents without what a run of repeats takes out of them: the intervals of `removed` are cut, or masked.

A document of `emptied` goes altogether. Read and cut row group by row group.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from unquilt.columns import measure
from unquilt.errors import Advice, ParameterError
from unquilt.flow.kept import Split
from unquilt.results.folders import RunFolder
from unquilt.results.rows import Read, Selection
from unquilt.results.trimming import ShortenedDocuments
from unquilt.tables.repeats import EMPTIED, REMOVED

REPEATS = "repeats"
"""What documents are written without, by the name of the analysis that finds it."""


class CleanedDocuments(ShortenedDocuments):
    """The documents of the corpus of a run of repeats, without what it takes out of them. With `mask`, this stands
    in the place of each piece; with `empty`, documents of which nothing is left are written, too."""

    def __init__(
        self, folder: RunFolder, selection: Selection, *, mask: str | None = None, empty: bool = False
    ) -> None:
        if REMOVED.name not in folder.tables:
            raise ParameterError(
                f"{folder.run.path} does not say what is repeated: it has no table {REMOVED.name}",
                advice=Advice("find it first: unquilt.repeats", "find it first: unquilt repeats"),
            )
        super().__init__(folder, selection)
        self._removed, self._emptied = folder.tables[REMOVED.name], folder.tables[EMPTIED.name]
        self._mask, self._empty = mask, empty

    def _reader(self, first: int, split: Split) -> Read:
        def read(columns: Sequence[str]) -> pa.Table:
            part = split.read(list(dict.fromkeys([*columns, "text"])))
            last = first + part.num_rows - 1
            pieces: dict[int, list[tuple[int, int]]] = {}
            if self._removed.paths:
                for row in self._removed.between(first, last, ["doc", "begin", "end"]).to_pylist():
                    pieces.setdefault(row["doc"], []).append((row["begin"], row["end"]))
            gone = self._emptied.between(first, last, ["doc"])["doc"].to_pylist() if self._emptied.paths else []
            texts = [
                cut_pieces(text.as_py(), pieces[doc], self._mask) if doc in pieces else text.as_py()
                for doc, text in enumerate(part["text"], first)
            ]
            for doc in gone:
                texts[doc - first] = "" if self._empty else None
            kept = pa.array([text for text in texts if text is not None], pa.large_string())
            part = part.filter(pa.array([text is not None for text in texts], pa.bool_()))
            for name, values in {"text": kept, "words": measure(kept)[0] if "words" in columns else None}.items():
                if name in columns:
                    part = part.set_column(part.column_names.index(name), part.schema.field(name), values)
            return part.select(list(columns))

        return read


def cut_pieces(text: str, pieces: Sequence[tuple[int, int]], mask: str | None = None) -> str:
    """A text without these pieces, which are in order and apart; white space that is left at its end goes, too. Pieces
    side by side have one mask.

    >>> cut_pieces("one two three. Four", [(4, 8), (8, 15)])
    'one Four'
    >>> cut_pieces("one two three. Four", [(4, 8), (8, 15)], "[…] ")
    'one […] Four'
    """
    left: list[str] = []
    at = 0
    for begin, end in pieces:
        if mask and (begin > at or not left):
            left += [text[at:begin], mask]
        else:
            left.append(text[at:begin])
        at = end
    left.append(text[at:])
    return "".join(left).rstrip() if at >= len(text) else "".join(left)
