"""The analyses: parameters, and functions in the verbs of `flow`. No engine, no I/O.

    catalogue             the list of all analyses
    analysis              the declaration of an analysis: tables, labels of stages, parameters, function
    labels                what stages of several analyses are called for people
    ingest                the declaration of reading
    quilts                pages stitched together from other pages
    quilt_parameters      the declaration of quilts, and its parameters
    quilt_passages        reworded passages in place of grams
    limits                the table of the limits of quilts
    judging               other limits for the verdicts of a finished run
    sites                 counts of quilts by domain or host
    own_copies            who has text of ours
    site_verdicts         the rule for verdicts on whole sites
    sweep                 counts of quilts for many k, m, c and σ
    neardups              near-duplicates
    preference            which of several copies is preferred
    threshold             near-duplicates with a least Jaccard coefficient
    banding               candidate pairs for a threshold
    components            connected components of edges
    comparison            exact similarity of pairs
    lexicon               document frequencies of words
    passages              shared passages
    reworded              reworded passages
    reworded_candidates   pairs of documents that are aligned for them
    between               the two collections of `--between`
    phrases               popular phrases
    repeats               text that stands elsewhere, too, and can be taken out
    discover              paragraphs and files that occur again and again
    detect                documents and sites that contain labelled content
    reuse_experiment      the declaration of the reuse experiment
    imatch_experiment     the declaration of the experiment with I-Match
    quilts_experiment     the declaration of the experiment with quilts
    passages_experiment   the declaration of the experiment with passages
    phrases_experiment    the declaration of the experiment with phrases
    copies                servers of documents, and copies that are collapsed
    keys                  secret keys of fingerprints

DESIGN.md says how to add one.
"""
