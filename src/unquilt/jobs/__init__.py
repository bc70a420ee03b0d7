"""Jobs: what the command line and the API both call.

    inputs    the inputs of a job                how       how to carry a job out
    corpora   corpus folders as inputs           work      the jobs themselves
    places    where results go                   verdicts  quilts by other limits, from a finished run
    labels    sets of labels                     merging   runs of parts of a corpus, put together

Commands that only look at results need corpora and places, but none of the readers: so nothing is imported here.

What is read goes into a corpus folder of its own, or into the folder `corpus` of the run that needs it.
"""
