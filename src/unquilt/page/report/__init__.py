"""The report: one or several runs as one HTML file, to be mailed, printed and kept.

    writing     the file itself, by report.html and report.css
    section     the part about one run
    sections/   the results of each analysis
    examples    a page with its evidence
    excerpts    texts with their evidence, shortened
    spelling    numbers and names

The file loads nothing and runs nothing: there is no script in it, its policy allows one style sheet, by its digest, and
data for saving is in the links themselves.
"""
