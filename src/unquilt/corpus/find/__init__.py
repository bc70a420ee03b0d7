"""What to read: inputs become sources of some kind, and sources become pieces that are read in parallel.

inputs      files, folders, globs and standard input as sources
identity    whether inputs are still what they were
wacz        the archives in a WACZ file
kinds       the kinds of files, and their readers
addresses   URLs for files of a folder
pieces      the units of parallel reading
"""
