"""One reader a kind of file: each finds the records, and what they declare about themselves."""
