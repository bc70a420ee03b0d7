"""Files that are built once and asked often, and tables that are packed for kernels to look things up in.

lexicons    the words that I-Match makes signatures of
filters     sets of prototypes
labels      sets of labels
detectors   asks a set of labels about one page
words       the words of a table `words`, packed for kernels
stems       stems and boilerplate, packed for kernels
"""
