"""Experiments: the papers' evaluations, rerun on any corpus, as tables and figures.

    reuse       copies that are discovered, and how much of them may be changed (Ardi and Heidemann 2014)
    quilts      quilts by the definitions of the paper, and for many parameters (Najork 2012)
    phrases     popular phrases of one corpus or several (Fetterly, Manasse and Najork 2005)
    passages    quality of passages by signature and parameter (Zhang et al. 2010)
    planting    passages of one document in the midst of another
    imatch      recall of I-Match by number of lexicons, and how stable signatures are (Kołcz et al. 2004)
    calls       `unquilt.experiment`: the experiments as calls in Python
    tables      the corpus of an experiment, and tables of rows that are counted in Python
    mutations   chunks that are added, deleted or changed, and the rest of the page

`figures.reuse`, `figures.imatch`, `figures.sweep`, `figures.phrases_experiment` and `figures.passages_experiment` draw
the figures. A new experiment has its parameters and a `Job` in `analyses`, its tables in `tables`, a function
`(given, inputs, output, options) -> Run` here, a command in `cli/commands/experiment.py`, and a call in `calls`.
"""
