"""What to read: inputs become sources of some kind, and these pieces that are read in parallel."""
