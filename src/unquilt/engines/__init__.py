"""Where analyses run: the engines that carry out the verbs, on one machine, on some that share a folder, or on Spark.

engine     the common part: tables are kept in the run folder
local      threads on this machine
objects/   tasks that leave objects, in processes of one machine or of many
spark      Apache Spark as a scheduler of these tasks
spark_session  a context of Spark, and whether its machines can work
spark_java     Java, as Spark starts it
tasks      the work of one task
blocks     blocks between stages, in memory or on disk
workers    worker processes for Python code
forker     the process that workers are forked from
progress   the interface for progress
"""
