"""What people are told of reading, said as analyses say it; how pages are read is up to `ingestion`."""

from __future__ import annotations

from unquilt.analyses.analysis import Job
from unquilt.tables.corpus import DISGUISES, DOCUMENTS, OTHER_TEXTS, REJECTS, REVISITS

DECLARATION = Job(
    name="ingest",
    summary="unquilt.cli.show.views:CorpusView",
    report="",
    results=(DOCUMENTS,),
    others=(OTHER_TEXTS, REJECTS, DISGUISES, REVISITS),
    labels={
        "find": "finding files",
        "look": "telling kinds of files",
        "fingerprint": "fingerprinting files",
        "index": "looking where to cut",
        "read": "reading",
        "write": "writing the corpus",
        "join": "joining corpora",
    },
)
