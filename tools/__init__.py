"""Tools beside the package: `release/` makes releases, `site_hooks` the documentation site, `near` finds near tests,
`reference` and `table_reference` write docs/cli.md and the tables of docs/runs.md."""
