"""Files and folders that are named by URL: s3://bucket/key, gs://…, hdfs://…, hf://…

A store is not a disk. Objects appear whole or not at all, are never changed in part, and cannot be renamed; folders are
only beginnings of names; and each request costs some 30 ms and a little money. So files are read by ranges, and written
by one upload of something that is complete. What counts is listed in a marker with sizes, which is written last.

A request that fails for a reason that passes (503, a connection that breaks, a body that is cut off) is tried again, a
few times. What fails for good is a `PlaceError` of one line, and never a word of damage.

names      which names are URLs, and their parts
systems    the file system of a URL
failures   trying again, and the one line
files      a file that is read by ranges
folders    what there is, and whole objects
copies     parts of a file as a file of this machine
fetched    a whole file as a file of this machine
paths      paths, for those who read runs
"""
