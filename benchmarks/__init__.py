"""What unquilt costs, beside its rivals, on the same input in one run."""
