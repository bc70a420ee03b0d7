"""What the page shows: one file for each kind of result.

A view takes the shell and a request, and answers with a page; a view of rows also answers with these rows as a file.
"""
