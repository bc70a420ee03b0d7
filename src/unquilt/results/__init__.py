"""What came out, for people and programs: tables with ids and URLs beside numbers, chosen, sorted, written.

    run              a run as Python has it
    folders          a run, and the corpus it was made from
    rows             the rows of a table, with names
    names            ids and URLs of documents by number
    sorting          in which order
    finding          rows with given values in a column; documents by id, number or URL
    export/          files for others: JSONL, CSV, Parquet
    given            documents as their inputs gave them: names and types of columns
    keeping          documents without near-duplicates
    annotating       all documents with what a run says of each
    cleaning         documents without what a run of repeats takes out
    trimming         documents without repeated paragraphs
    evidence         what is marked in a page, and where else it stands
    judged           a quilt with its evidence; why a page is or is not a quilt
    quilt_rows       quilts with their texts, sources and copied passages
    texts            parts of long texts; restored and hidden words of a document
    hosts            the hosts of a corpus, as a table
    passages         passages as XML for PAN
    passage_labels   known passages to compare with
    measures         precision, recall and plagdet of passages
    scoring          how good the passages of a run are
    phrases          popular phrases in texts
    sites            who lives off whom, in rows and sentences
    occurrences      all documents that have a paragraph or a file
    marks            a text in spans, each of one source
    differences      two texts as one, with their differences marked

Everything is read by row groups and never held as a whole, except for `Run.table`, which gives a table in memory.
"""

from __future__ import annotations

from unquilt.results.folders import RunFolder
from unquilt.results.rows import Selection, TableRows

__all__ = ["RunFolder", "Selection", "TableRows"]
