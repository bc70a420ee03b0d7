"""Experiments: the papers' evaluations, rerun on any corpus, as tables and figures.

    reuse       copies that are discovered, and how much of them may be changed (Ardi and Heidemann 2014)
    mutations   chunks that are added, deleted or changed, and the rest of the page

`figures.reuse` draws the figures. A new experiment has its parameters and a `Job` in `analyses`, its tables in
`tables.experiments`, a function `(given, inputs, output, options) -> Run` here, and a command in
`cli/commands/experiment.py`.
"""
