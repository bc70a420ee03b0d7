"""Where analyses run: the verbs they are written in, and the engines that carry these out."""
