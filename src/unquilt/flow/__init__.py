"""All that an analysis may say: the verbs, the tables it keeps, the kernels it names. No engine, no files of others.

verbs       the verbs
kernels     kernels by name, and their contracts
kept        tables on disk, read by pieces
fitting     checks whether tables, rows and kernels fit together
rehearsal   goes through an analysis without data
"""
