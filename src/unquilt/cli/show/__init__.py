"""What `unquilt show` prints: summaries, tables, pages with their evidence marked."""
