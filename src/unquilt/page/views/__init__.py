"""What the page shows: one file for each kind of result.

    overview    all runs, and one run
    tables      any table
    documents   a document, and a host
    pages       quilts, covers and targets with their evidence
    clusters    a cluster of near-duplicates
    passages    two documents that share passages
    phrases     a site of a run of phrases
    sites       a site of a run of sites
    reuse       neighbourhoods as a tree
    judging     the judging tool

A view takes the workspace and a request and answers with a page; a view of rows also answers with the rows as a file.
"""
