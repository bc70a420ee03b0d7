"""The output of `unquilt show`: summaries, tables, pages with their evidence marked.

summary       what is known about a run, for programs and for people
views         the summary of any job
quilts        the summary of quilts
neardups      the summary of near-duplicates
passages      the summary of passages, and two texts side by side
reworded      the summary of reworded passages
phrases       the summary of phrases, and a site
copies        the summary of copies of ours
sites         the summary of sites
reuse         the summaries of reuse
tables        tables, aligned to the terminal
table_views   the form of each table
own_options   options of some tables only
selecting     options that choose columns, rows and order
choice        the document that `--doc` means
judged        verdicts, and quilts by other limits
evidence      one page with its evidence marked, and the patches of a quilt
clusters      clusters of near-duplicates
page          a page with marked patches
"""
