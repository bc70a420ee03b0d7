"""All that an analysis may say: the verbs, the tables it keeps, the kernels it names. No engine, no files of others."""
