"""Documents on disk: batches, and numbered Parquet parts.

batches    records become Arrow batches
given      columns of inputs, before their types are known
raw        the tables that reading makes
numbering  texts that are written once, before their numbers are known
parts      the Parquet parts of a corpus
results    what was in a piece, kept for a resumed ingest
revisits   records that refer to documents
indices    indices of compressed files, kept for a resumed ingest
"""
