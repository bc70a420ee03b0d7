"""A run: the folder in which an analysis leaves its tables, and from which it resumes when it was interrupted.

    RUN/
      manifest.json        what was asked of what, by which versions, on which machine; stages with time and memory
      quilts.parquet …     the tables; any tool can read them
      .done/STAGE.json     completion markers, each written after all that it vouches for
      .lock  .spill/       only while a process works here
      .NAME.partial        a file in the making; a leftover is removed when the run is next opened

Nothing is ever half there: a file is written under another name, synced, renamed, and its folder synced. A stage is
done when its marker is there, carries the fingerprint of this run (format, analysis, parameters, inputs, versions) and
each table it names has the size and the number of rows it says. So a run that was killed at any point never looks
complete, and its next `Run.open` continues after the last stage that is done.

    with Run.open("out", analysis="quilts", parameters=parameters.to_dict(), inputs=records) as run:
        if not run.done("quilts"):
            with run.stage("quilts") as stage, run.writer("quilts", schema) as out:
                for batch in batches:
                    out.write(batch)
                stage.record(rows=out.rows)
            run.mark("quilts", tables=["quilts"])
        if not run.complete:
            run.finish({"quilts": 17})
    run.quilts                                  # a pyarrow.Table; later: Run.read("out").quilts

One file each (POSIX only):

    run           all of it: open or resume, stages, tables, the end
    folders       the folder that a run works in
    storage       atomic files, no links, full disks
    lock          one process for each run folder
    shapes        checks of JSON
    manifest      identity, and how two runs differ
    digests       of inputs, by blocks
    markers       completion markers
    tables        the Parquet writer
    row_groups    a table of which many processes write the row groups
    thrift        the protocol of footers of Parquet files
    replacement   overwriting a run
    stored        runs at a store that are made here, and uploaded
    store_lock    one process for each run that is made at a store
"""

from unquilt.runs.manifest import FORMAT, InputRecord
from unquilt.runs.run import Run, StageRecord
from unquilt.runs.storage import created, storing
from unquilt.runs.tables import ROWS_PER_GROUP, TableWriter

__all__ = [
    "FORMAT",
    "ROWS_PER_GROUP",
    "InputRecord",
    "Run",
    "StageRecord",
    "TableWriter",
    "created",
    "storing",
]
