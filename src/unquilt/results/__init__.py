"""What came out, for people and programs: tables with ids and URLs beside numbers, chosen, sorted, written.

    folders     a run, and the corpus it was made from      conditions  which rows: an expression over columns
    names       ids and URLs of documents by number         sorting     in which order
    rows        the rows of a table, with names             export      files for others: JSONL, CSV, Parquet
    run         all of it as methods of a run               evidence    quilts with texts, sources and what was copied
    choice      which document is meant                     finding     rows by what stands in a column
    marks       a text in spans, each of one source         differences two texts as one
    labelled    labelled chunks of a document               phrases     popular phrases in texts

Everything is read by row groups and never held as a whole, but for `Run.table`, which gives a table in memory.
"""

from __future__ import annotations

from unquilt.results.folders import RunFolder
from unquilt.results.rows import Selection, TableRows

__all__ = ["RunFolder", "Selection", "TableRows"]
