"""From the content of a record to a document: text, chunks, links, digests, and where it lives."""
