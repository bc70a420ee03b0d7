"""`unquilt reuse`: paragraphs and files that occur again and again."""

from __future__ import annotations

import click

from unquilt.cli.group import LazyGroup, usual_options

COMMANDS = {
    "discover": ("unquilt.cli.commands.reuse_discover:discover", "Find what occurs again and again, blindly."),
    "label": ("unquilt.cli.commands.reuse_label:label", "Make a set of labels: what to look for."),
    "info": ("unquilt.cli.commands.reuse_label:info", "Say what is in a set of labels."),
    "detect": ("unquilt.cli.commands.reuse_detect:detect", "Find labelled content, and the sites that copied it."),
    "answer": ("unquilt.cli.commands.reuse_answer:answer", "Say of documents, as they come, what they contain."),
    "merge": ("unquilt.cli.commands.reuse_merge:merge", "Put the results for parts of a corpus together."),
}
EXAMPLES = """\b
Examples:
  unquilt reuse discover crawl/*.warc.gz -o copied
  unquilt show copied objects
  unquilt reuse label our-pages/ -o ours.labels
  unquilt reuse detect crawl/*.warc.gz --labels ours.labels -o copies
  cat pages.jsonl | unquilt reuse answer --labels ours.labels
"""


@click.group(cls=LazyGroup, list_table=lambda: COMMANDS, epilog=EXAMPLES, invoke_without_command=True)
@usual_options
@click.pass_context
def reuse(ctx: click.Context) -> None:
    """Find paragraphs and files that occur again and again, and who copies known ones.

    Paragraphs (chunks) and files are compared by their SHA-1. To discover needs no knowledge of what is copied; to
    detect takes labels: reference content, or what was discovered.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)
