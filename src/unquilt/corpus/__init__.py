"""From files to documents.

    find/      which files, of which kind, cut and packed for parallel reading    → Source, Piece
    readers/   one module a kind of file: where its records are                   → Frame, Page
    extract/   from the content of a record to text, chunks, links, digests       → Document
    write/     documents and rejects in Arrow batches, and the files of a corpus  → Batch
    read       takes the records of a piece along this way, under guard           → PieceReader

Each kind of file has one line in the table of `find.kinds`. Whatever is wrong with a record becomes a row of `rejects`;
only an input that cannot be read at all raises.
"""
