"""Jobs: the functions that the command line and the API both call.

    work       the jobs
    opening    run folders to make runs in
    options    settings, reading and progress of a job
    ingestion  from input files to a corpus
    joining    from corpora, and what runs keep, to one corpus
    joined_parts  parts of corpora become parts of another
    foresight  what can be said of a corpus before an analysis begins
    matching   the prototypes that documents are near to, one document at a time
    alignment  the shared passages of two texts, without a corpus
    inputs     the inputs of a job, found and checked
    named      what inputs are: paths, corpora, runs, or rows
    audit      what a deletion would take, and alarms
    preferences  the order of documents by columns
    sources    which documents may be sources, by conditions
    conditions  which rows: an expression over columns
    patience   how long somebody waits for rows
    corpora    tables of runs and of their corpora
    readings   how the files of a corpus were read
    places     where results go
    verdicts   quilts of a finished run by other limits
    labels     makes sets of labels
    sites      verdicts on whole sites, over finished runs
    site_tables  the numbers of sites, by SQL
    own_copies  who has text of ours
    own_pages  which pages are ours
    copied_texts  what the texts of both sides say of copies
    working    takes tasks of somebody else's run
    merging    merges runs of detection
    merged_tables  the tables of parts as tables of the whole, by SQL

Commands that only look at results need corpora and places, but no readers. So nothing is imported here.

Pages that a job reads go into a corpus folder of their own, or into the folder `corpus` of the run that needs them.
"""
