"""`unquilt sites`: judge whole sites by finished runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from unquilt.analyses.site_verdicts import TAKING, SiteParameters
from unquilt.cli.job_options import JobArguments, running_options
from unquilt.cli.options import given_parameters, parameter_options

EXAMPLES = """\b
Examples:
  unquilt sites run -o sites
  unquilt sites demo-run -o all-sites             # by all runs in a folder
  unquilt sites run near phrases -o hosts --site host
  unquilt sites run -o farms --block-list block.txt
"""


@click.command(epilog=EXAMPLES)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="RUN", required=True, help="Folder for the results; made if need be.")
@click.option("--block-list", metavar="FILE", help="Write the sites that copy from others to a file, one a line.")
@parameter_options(SiteParameters)
@running_options
def sites(runs: tuple[str, ...], output: str, block_list: str | None, asked: JobArguments, **values: Any) -> None:
    """Judge whole sites by finished runs over one corpus: who copies from others, and from whom.

    Runs of quilts, neardups, phrases, reuse detect, passages and reworded are read; RUN may be a folder with such runs,
    too. Each site has one verdict, with the
    numbers that it goes by: stitched, scraper, mirror, syndicated, original, ordinary, or cannot tell. Sites that are
    stitched from the same pages are one network.
    """
    from unquilt.cli.show.summary import conclude, is_complete
    from unquilt.jobs.sites import judge_sites

    before = is_complete(output)
    given = SiteParameters.from_dict(given_parameters(values))
    run = judge_sites(given, list(runs), output, asked.job_options())
    if block_list:
        rows = run.table("sites").select(["site", "verdict"]).to_pylist()
        names = sorted(row["site"] for row in rows if row["verdict"] in TAKING)
        Path(block_list).write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    conclude(output, asked, before=before)
