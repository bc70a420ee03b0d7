"""The engine of tasks and objects: a task makes one file, and a stage is done when its marker lists these files.

A stage has a folder, called by a digest of all that it depends on, so that a resumed run finds it again:

    RUN/.pieces/STAGE/
      stage.json              what the stage does: kernel, parameters, what it reads
      00012-5e1f….object      what an attempt at task 12 made; each attempt has a name of its own
      marker.json             the objects that count, with their sizes; written last of all

A task is a few numbers: the folder of its stage, and its own row groups or partitions. It reads the rest from
`stage.json` and from the markers of the stages before it. So tasks stay small however large the corpus is, and a
scheduler is whatever can call a function with each of them. A task that is lost is tried again. One that is tried
twice leaves two objects, of which the marker lists one.

blocks_file   the format of an object: blocks by port and partition, an index, checksums
plan          how large tasks are
stages        folders of stages: what they do, and which objects count
making        what all tasks have in common
tasks         what a task does: maps and groups
tables        what tasks do for tables that are kept
names         what stages are called
engine        the engine
processes     the scheduler for one machine: a pool of processes
posting       the scheduler for machines that share a folder: posts tasks there
taking        the other side of it: workers that take tasks
"""
