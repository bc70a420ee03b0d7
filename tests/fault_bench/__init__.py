"""The fault bench: files of every kind, faults of every sort, and what may not come of them.

A *base* (`bases`) is a file, or a folder of files, whose records we know: their texts, and which stored bytes each of
them needs. A *fault* (`patchwork`) is done to a file of it, or two: a bit is flipped, a range zeroed, deleted, repeated
or swapped with another, junk put in, before or behind, the end cut off. The files are read, and what comes out is held
against the base (`verdicts`). There must never be

- a **silent** loss: a record of the base is missing or changed, and no row of `rejects` is about it. A row is about a
  record if it lies between the two intact records around what is left of it; in Parquet, if it has the number of the
  row (so there documents and rejects are the rows, each once); in lines that are not compressed, if it has the offset
  of the line (so there documents and rejects are the lines); for a file that is one document, if it names the file.
- a **neighbour** lost: a record is missing or changed of which no byte was touched, neither its own nor of the member,
  frame, line or row group that it is stored in. That holds for files that are refused as a whole, too.
- a **phantom**: a document that never was one, such as compressed bytes read as text.
- an **alarm**: a reject where nothing is broken.
- a **crash**, a **hang** (more processor time than any reading takes) or an error that is no `InputError`.

What a file cannot show is no failure. `verdicts.EXCEPTIONS` is the list of it; whatever was excused is counted by it.

A case has a name, `KIND SEED NUMBER`, and is made again from it: `PYTHONPATH=tests python -m fault_bench warc.gz 1 17`
says what was done, what came out and what is wrong with it, and looks for less that goes wrong in the same way. `make
test` runs a few hundred cases (`tests/faults`), `make fuzz` tens of thousands (`benchmarks/faults.py`).
Both also kill processes that read, at any time: the corpus must not show it (`kills`).
"""
