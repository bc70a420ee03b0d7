"""`unquilt reuse`: paragraphs and files that occur again and again."""

from __future__ import annotations

import click

from unquilt.cli.group import LazyGroup, usual_options

COMMANDS = {
    "discover": ("unquilt.cli.commands.reuse_discover:discover", "Find what occurs again and again, blindly."),
}
EXAMPLES = """\b
Examples:
  unquilt reuse discover crawl/*.warc.gz -o copied
  unquilt show copied objects
"""


@click.group(cls=LazyGroup, list_table=lambda: COMMANDS, epilog=EXAMPLES, invoke_without_command=True)
@usual_options
@click.pass_context
def reuse(ctx: click.Context) -> None:
    """Find paragraphs and files that occur again and again.

    Paragraphs (chunks) and files are compared by their SHA-1.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)
