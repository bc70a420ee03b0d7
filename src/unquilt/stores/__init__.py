"""Files that are built once and asked often, and tables that kernels look things up in, packed.

lexicons  the words of I-Match, as a file       words  words of a table `words`, packed for kernels
filters   sets of prototypes                    stems  stems and boilerplate, packed for kernels
labels    sets of labels                        detectors  labels, asked about texts at hand
"""
