"""Every table of unquilt: the one contract between stages, and with whoever reads a run.

    table                 the declaration of a table
    corpus                documents, other texts, rejects, disguises
    quilts                pages stitched together, their sources and patches
    sweep                 counts of quilts
    neardups              clusters of near-duplicates
    passages              passages that two documents share
    copies                who has what of ours
    reworded              stems and candidates, on the way to reworded passages
    phrases               popular phrases, covering sets, sites
    repeats               text that can be taken out, as it stands elsewhere
    reuse                 paragraphs and files that occur again and again, and where
    sites                 verdicts on whole sites, and who draws on whom
    experiments           results of the papers' evaluations
    phrases_experiment    results of that of phrases
    passages_experiment   results of that of passages
    reuse_experiment      results of that of reuse

Document numbers and counts are `int64`, fingerprints too (many readers have no unsigned integers). Offsets are
half-open, in code points of `text`. The analyses say which tables they make (`analyses.catalogue`). Whoever needs
a table imports it from its module, since few need most of them.
"""
