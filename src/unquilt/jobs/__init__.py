"""Jobs: the functions that the command line and the API both call.

    work       the jobs
    how        settings, reading and progress of a job
    inputs     the inputs of a job
    corpora    corpus folders as inputs
    places     where results go
    verdicts   quilts of a finished run by other limits
    labels     makes sets of labels
    merging    merges runs of detection

Commands that only look at results need corpora and places, but no readers. So nothing is imported here.

Pages that a job reads go into a corpus folder of their own, or into the folder `corpus` of the run that needs them.
"""
