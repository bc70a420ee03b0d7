"""Files that are built once and asked often.

lexicons    the words that I-Match makes signatures of
filters     sets of prototypes
labels      sets of labels
detectors   asks a set of labels about one page
"""
