"""What is in a file of documents that wait for their numbers."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from unquilt.corpus.write.numbering import UNNUMBERED, TextsBeside, read_said
from unquilt.corpus.write.results import said_path


def read_texts(path: Path) -> pa.Table:
    """All of its documents."""
    with path.open("rb") as file:
        texts = TextsBeside(file, read_said(said_path(path)))
        batches = [texts.read(number, UNNUMBERED.names) for number in range(len(texts.groups))]
        return pa.Table.from_batches(batches, schema=UNNUMBERED)
