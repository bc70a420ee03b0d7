"""The report: one or several runs as one HTML file, to be mailed, printed and kept.

    section      what is said of every run              svg          figures as vector graphics
    sections/    what each analysis has to show         excerpts     texts with their evidence, shortened
    figures      a figure and the data behind it        writing      the file itself, by report.html and report.css

The file loads nothing and runs nothing: there is no script in it, its policy allows one style sheet, by its digest, and
data for saving is in the links themselves.
"""

from unquilt.page.report.writing import make_report, write_report

__all__ = ["make_report", "write_report"]
