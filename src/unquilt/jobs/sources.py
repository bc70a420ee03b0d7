"""Which documents may be sources of covering sets, and which are preferred, by conditions on the columns of the corpus
(`phrases --candidates WHERE --prefer WHERE`)."""

from __future__ import annotations

import pyarrow as pa

from unquilt.analyses.phrases import PREFERRED, SOURCE, PhraseParameters
from unquilt.errors import InputError
from unquilt.flow.kept import Kept
from unquilt.jobs.conditions import Condition
from unquilt.jobs.corpora import open_table
from unquilt.runs import Run
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.phrases import SOURCE_MARKS


def read_conditions(given: PhraseParameters, schema: pa.Schema) -> dict[str, Condition]:
    """The conditions that were asked for, by parameter; ParameterError unless they are about columns that there are."""
    there = {field.name: field.type for field in schema}
    asked = {name: getattr(given, name) for name in ("candidates", "prefer")}
    return {name: Condition(text, there, DOCUMENTS.name) for name, text in asked.items() if text}


def mark_sources(documents: Kept, given: PhraseParameters, run: Run) -> Kept:
    """Which documents may be sources, as a table of the run; made unless it is there already."""
    assert documents.schema is not None
    conditions = read_conditions(given, documents.schema)
    if not run.done(SOURCE_MARKS.name):
        table, found = SOURCE_MARKS, dict.fromkeys(conditions, 0)
        with run.stage(table.name) as stage, run.writer(table.name, table.schema, on_the_way=True) as writer:
            for split in documents.splits():
                columns = dict.fromkeys(name for each in conditions.values() for name in each.columns)
                part = split.read(["doc", *(name for name in columns if name != "doc")])
                marks = [0 if "candidates" in conditions else SOURCE] * part.num_rows
                for name, condition in conditions.items():
                    places = condition.choose(part.select(condition.columns)).to_pylist()
                    found[name] += len(places)
                    for place in places:
                        marks[place] |= SOURCE if name == "candidates" else PREFERRED
                columns_of_marks = [part["doc"].combine_chunks().cast(pa.int64()), pa.array(marks, pa.int64())]
                writer.write(pa.Table.from_arrays(columns_of_marks, schema=table.schema))
            stage.record(rows=writer.rows)
        for name, documents_so in found.items():
            if not documents_so:
                raise InputError(f"{name}: no document of the corpus meets this condition")
        run.mark(table.name, tables=[table.name])
    return open_table(run, table.name, table)
