"""Tools beside the package: `release/` makes releases, `site_hooks` the documentation site, `near` finds near tests."""
