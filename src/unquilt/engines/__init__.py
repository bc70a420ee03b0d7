"""Where analyses run: the engines that carry out the verbs, on this machine or on Spark."""
