"""Samples of results that people judge, and what came of it (paper 000: the judging tool, Table 2).

samples     some rows of a table, drawn by keyed hashes     labels   the file that judgements are kept in
agreement   shares with intervals, agreement of judges      results  counts, comparisons, exports
"""
