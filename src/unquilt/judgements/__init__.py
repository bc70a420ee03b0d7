"""Samples of results that people judge, and what came of it: the judging tool of Najork 2012 (Table 2 there).

samples       some rows of a table, drawn by keyed hashes
preparation   draws a sample once, as a form or a command asks for it
labels        the file that judgements are kept in
results       counts, comparisons, exports
"""
