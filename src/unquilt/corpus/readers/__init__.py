"""One reader for each kind of file: each finds the records, and what they declare about themselves.

html           HTML files
text           plain text files
files          files without text
mail           mailboxes and single mails
jsonl          JSON lines
json_values    other JSON: arrays and objects
parquet        Parquet
column_pages   sizes of Parquet values before they are decoded
warc           WARC, WET and WAT
arc            ARC
archives       the common part of WARC and ARC
framing        the records of a member
captures       the page in a record
http           HTTP messages
members        gzip members and zstd frames of an archive
compression    plain, gzip and zstd files as streams
"""
