"""From files to documents.

    find/         which files, of which kind, cut and packed for parallel reading: Source, Piece
    readers/      one module for each kind of file, which finds the records: Frame, Page
    extract/      from the content of a record to text, chunks, links, digests: Document
    write/        documents and rejects in Arrow batches, and the files of a corpus: Batch
    read          takes the records of a piece along this way, under guard: PieceReader
    records       the types of pages, documents and rejects
    sources       the types of input files and slices
    options       the parameters of reading
    given         columns of inputs that are kept beside documents
    first_records  a look at the fields of tables before the long part
    no_documents  the message for inputs without a document

Each kind of file has one line in the table of `find.kinds`. A faulty record becomes a row of `rejects`; only an input
that cannot be read at all raises an error.
"""
