"""How things look on a terminal: standard output, progress, curves, and how a command ends."""
