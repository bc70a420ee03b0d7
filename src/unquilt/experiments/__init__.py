"""Experiments: the papers' evaluations, rerun on any corpus, as tables and figures.

    reuse           copies that are discovered, and how much of them may be changed (Ardi and Heidemann 2014)
    copied_site     the pages of a site that are copied, and how often their chunks occur
    mutations       chunks that are added, deleted or changed, and the rest of the page
    quilts          quilts by the definitions of the paper, for many parameters, and planted ones (Najork 2012)
    planted_quilts  pages that are stitched together from documents of a corpus
    phrases         popular phrases of one corpus or several (Fetterly, Manasse and Najork 2005)
    passages        quality of passages by signature and parameter (Zhang et al. 2010)
    planting        passages of one document in the midst of another
    imatch          recall of I-Match by number of lexicons, and how stable signatures are (Kołcz et al. 2004)
    near            all near-duplicates of a sample of documents, by exact cosine
    calls           `unquilt.experiment`: the experiments as calls in Python
    experiment      what an experiment is, and how each is carried out
    tables          the runs that an experiment compares, and tables of rows that are counted in Python

`figures` has a module for each that draws the figures. A new experiment has its parameters and a `Job` in `analyses`,
its tables in `tables`, an `EXPERIMENT` here, a command in `cli/commands/experiment.py`, and a call in `calls`.
"""
