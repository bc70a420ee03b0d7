"""Documents at rest: batches, and numbered Parquet parts."""
