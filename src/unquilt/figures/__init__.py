"""Figures of a run: the data of each, its drawing as SVG, and the file. Only the standard library draws.

    phrases               the data and figures of runs of phrases
    reuse                 the data and figures of runs of reuse
    quilts_experiment     the figures of the experiment with quilts
    reuse_experiment      the figures of the experiment with reuse
    passages_experiment   the figures of the experiment with passages
    phrases_experiment    the figures of the experiment with phrases
    imatch                the figures of the experiment with I-Match
    sites                 the picture of who draws on whom
    sweep                 the figure of a sweep
    figure                a figure: charts, a sentence on what they show, rows; saved as SVG or as CSV
    chart                 axes, and points, lines, bars, discs and names between them
    axis                  scales, plain and logarithmic, and the numbers along them
    style                 colours, light and dark

Commands save figures into RUN/figures; the report and the page show the same ones. In Python:

    from unquilt.figures import phrases

    for figure in phrases.plot(run):
        figure.save("figures")

Names of sites come from pages, which are hostile: every text is escaped, and characters that act are shown as others.
"""
