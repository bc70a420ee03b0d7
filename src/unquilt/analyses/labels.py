"""What the stages that several analyses share are called for people, by the name of a kernel or of what is kept.

`Analysis.labels` has the stages of its own. This module imports nothing, so that declarations need not import the code
that these stages are in.
"""

_COMPONENTS = (f"{name}{size}" for name in ("components", "trees", "linked") for size in ("", "_large", "_small"))

SHARED_LABELS = {
    "shingles": "taking shingles",
    "signatures": "taking signatures",
    **dict.fromkeys(("buckets", "distinct", "edges"), "finding near-duplicates"),
    **dict.fromkeys(("ends", "large star", "small star", "links", *_COMPONENTS), "following chains of near-duplicates"),
    **dict.fromkeys(("places", "shared", "pool", "addresses", "kept_copies"), "telling servers apart"),
    "copies": "finding copies",
    "document words": "counting words",
    "word sums": "counting words",
    "scan": "cutting texts into grams",
    "lists": "finding shared grams",
    "grams": "finding shared grams",
    "elements": "sorting by document",
    **dict.fromkeys(("drawn", "visits", "sites"), "counting by site"),
}
