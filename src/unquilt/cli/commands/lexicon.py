"""`unquilt lexicon`: the words by which I-Match recognises near-duplicates."""

from __future__ import annotations

import click

from unquilt.cli.group import LazyGroup, usual_options

COMMANDS = {
    "build": ("unquilt.cli.commands.lexicon_build:build", "Make a lexicon of a corpus."),
    "show": ("unquilt.cli.commands.lexicon_show:show", "Look at a lexicon."),
}
EXAMPLES = """\b
Examples:
  unquilt lexicon build news/*.jsonl.gz -o news.lexicon
  unquilt lexicon show news.lexicon
"""


@click.group(cls=LazyGroup, list_table=lambda: COMMANDS, epilog=EXAMPLES, invoke_without_command=True)
@usual_options
@click.pass_context
def lexicon(ctx: click.Context) -> None:
    """Make lexicons, the words by which I-Match recognises near-duplicates, and look at them.

    A lexicon of one large and varied corpus serves any other: it need not be made anew as pages come and go.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)
