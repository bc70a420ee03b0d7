"""What unquilt computes: parameters and the verbs. No engine, no I/O.

    catalogue   which analyses there are                    analysis   what people are told of one
    quilts, sweep, neardups, lexicon, ingest                one module each, with its `DECLARATION`
    standing, components, sites, keys, outcome              what several have in common

DESIGN.md says how to add one.
"""
