"""What unquilt computes: parameters and the verbs. No engine, no I/O."""
