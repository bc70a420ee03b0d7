"""The commands, a small file each.

ingest           read pages into a corpus
quilts           pages stitched together from other pages
sweep            counts of quilts for many parameters
neardups         near-duplicates
passages         shared passages
reworded         reworded passages
phrases          popular phrases
copies           who has text of ours
sites            verdicts on whole sites, over finished runs
repeats          text that stands elsewhere, too
lexicon          the group of commands for lexicons
lexicon_build    make a lexicon
lexicon_show     look at a lexicon
reuse            the group of commands for reuse
reuse_discover   paragraphs and files that occur again and again
reuse_label      make a set of labels, or describe one
reuse_detect     documents and sites that contain labelled content
reuse_answer     what documents contain, as they come
reuse_merge      merge the results for parts of a corpus
experiment       the evaluations of the papers
filter           a set of prototypes, and documents that are near to one
show             look at a run or a corpus
serve            look at runs in the browser
judge            judge a random sample
score            compare passages with known ones
export           write results to files
report           write runs as one HTML file
work             take tasks of a run that another machine has begun
demo             make a small web, and find its planted quilts
"""
