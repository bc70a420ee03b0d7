"""From files to documents.

    inputs   which files, and of which kind          find → Source
    pieces   cut and packed for parallel reading     pieces → Piece
    read     documents and rejects, batch by batch   read → Batch

Each kind of file has one module (`jsonl`, `parquet`, `text`) and one line in the table of `kinds`. Whatever is wrong
with a record becomes a row of `rejects`; only an input that cannot be read at all raises.
"""
