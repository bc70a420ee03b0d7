"""From the content of a record to a document: text, chunks, links, digests, and its host.

documents   content of any kind becomes a document
messages    the subject and body of a mail
urls        host, registered domain and IP address
"""
