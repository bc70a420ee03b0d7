"""Results as pages: one to mail (`unquilt report`), and those that a local server shows (`unquilt serve`).

    shelf        the runs that are shown            application  which address shows what
    database     DuckDB over their tables           guarding     who may ask, and what browsers may do
    listing      some rows of a table, as a query   server       the server itself, on this machine alone
    texts        parts of long texts                views/       one file for each kind of result
    marked       a text with its evidence marked    templates/ static/   how it looks
    evidence     what is marked in a page           report/      all of the report

Whatever comes from documents (texts, ids, URLs, hosts) is hostile: templates escape everything, `marked` escapes what
it marks, nothing is loaded from elsewhere, and no address contains more of a document than its number.
"""
