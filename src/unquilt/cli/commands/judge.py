"""`unquilt judge`: judge a random sample of what was found, and say what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unquilt.cli.group import usual_options
from unquilt.cli.options import number_option, usage_error
from unquilt.cli.terminal.output import count, emit, json_line, printable
from unquilt.errors import InputError, ParameterError

if TYPE_CHECKING:
    from unquilt.judgements.labels import LabelFile, Sample
    from unquilt.page.workspace import Workspace

EXAMPLES = """\b
Examples:
  unquilt judge run quilts --categories "spam,digest,legitimate"      # 100 of them, in the browser
  unquilt judge run quilts --sample 50 --seed 7 --where "sources > 9" --categories "spam,other"
  unquilt judge copies neighbourhoods --top 40 --sort "-matched"      # those with most labelled chunks
  unquilt judge phrases hosts --judge ada                             # under another name than that of the account
  unquilt judge run quilts --top 200 --sample 50 --blind              # of the surest 200, without the verdict
  unquilt judge copies neighbourhoods --several --categories "spam,shop,empty" # all that is true of an item
  unquilt judge run --results                                         # shares with intervals, agreement of judges
  unquilt judge run --export labels.csv                               # the labels, for other tools
  unquilt judge passages --export right.jsonl --only right            # known passages, for unquilt score --labels
"""


@click.command(epilog=EXAMPLES)
@click.argument("run", metavar="RUN")
@click.argument("others", metavar="[TABLE|RUN]...", nargs=-1)
@number_option("sample", "How many rows to draw (default 100).", at_least=1)
@number_option("seed", "Another seed draws another sample (default 1).", at_least=0)
@click.option("--categories", metavar="TEXT", help="Names of the categories, separated by commas (2 to 9).")
@click.option("--where", metavar="SQL", help="Draw only from rows for which this is true, as with unquilt show.")
@number_option("top", "Draw from the first N rows only, in the order in which unquilt show lists them.", at_least=1)
@click.option("--sort", metavar="COLUMNS", help="With --top: the order of rows, as with unquilt show.")
@click.option("--guidelines", metavar="FILE", help="Text file that explains the categories to the judges.")
@click.option("--blind", is_flag=True, help="Show only the texts, not the results of the run.")
@click.option("--several", is_flag=True, help="Let judges give an item several of the categories.")
@click.option("--judge", "name", metavar="NAME", help="Name of the judge (default: the name of your account).")
@click.option("--labels", metavar="FILE", help="File with the labels (default: labels.sqlite beside the run).")
@click.option("--results", is_flag=True, help="Print shares and agreement of all samples of the run.")
@click.option("--export", "output", metavar="OUT", help="Write all labels of the run to a file: .csv or .jsonl.")
@click.option(
    "--only",
    metavar="CATEGORY",
    help="With --export: write only items that were given this label, perhaps among others.",
)
@click.option("--json", "as_json", is_flag=True, help="With --results: print lines of JSON, for programs.")
@number_option("port", "Port on 127.0.0.1 (default 8017, or any that is free).", at_least=1)
@click.option("--browser/--no-browser", default=True, help="Open the page in the browser (the default), or do not.")
@usual_options
def judge(run: str, others: tuple[str, ...], **asked: Any) -> None:
    """Judge a random sample of the rows of a TABLE of RUN, in the browser: one key for each category.

    The same command goes on where judging was left. Several people can judge the same sample under different names,
    without seeing each other's labels. Each label is on disk before the next item is shown. --results gives the share
    of each category with its interval (Wilson, 95 %) and, for any two judges, Cohen's kappa. With --several, shares can
    add up to more than 100 %, and judges agree on an item if they gave it exactly the same labels. Of several runs,
    --results makes one table of shares, as unquilt judge RUN RUN --results.
    """
    several = asked["results"] and not asked["output"]
    if len(others) > 1 and not several:
        raise usage_error("name one RUN and one TABLE; only --results takes several runs")
    if others and several:
        _compare((run, *others), asked)
        return
    table = others[0] if others else None
    if (table is None) == (not asked["results"] and not asked["output"]):
        raise usage_error("name the TABLE to draw from, or give --results or --export")
    if asked["results"] or asked["output"]:
        _tell(run, asked)
        return
    from unquilt.cli.commands.serve import open_page

    def prepare(workspace: Workspace) -> str:
        from unquilt.judgements.labels import check_judge
        from unquilt.judgements.preparation import prepare as draw
        from unquilt.judgements.preparation import want_sample
        from unquilt.page.links import address

        name, *others = workspace.runs.names
        if others:
            raise ParameterError(f"{run} holds several runs; name one: {name}, {', '.join(others)}")
        folder = workspace.runs.open(name)
        options = ("sample", "seed", "categories", "where", "top", "sort")
        given = {key: str(asked[key]) for key in options if asked[key] is not None}
        given |= {flag: "yes" for flag in ("blind", "several") if asked[flag]}
        given |= {"guidelines": _read_guidelines(asked["guidelines"])} if asked["guidelines"] else {}
        sample = draw(workspace.labels, folder, want_sample(name, folder, table or "", given))
        who = check_judge(asked["name"] or _account())
        done = sum(1 for item in workspace.labels.items(sample.name, who) if item.category)
        drawn = f"{count(sample.items, 'item')} of {sample.population:,}"
        where = printable(str(workspace.labels.path))
        emit(f"Sample {sample.name}: {drawn}; {done:,} judged by {printable(who)}, in {where}")
        return address("judging", sample.name, who)

    open_page([run], asked["port"], browse=asked["browser"], labels=asked["labels"], prepare=prepare)


def _read_guidelines(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror})") from error


def _account() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "judge"


def _tell(run: str, asked: dict[str, Any]) -> None:
    file, samples = _find_samples(run, asked["labels"])
    if asked["output"]:
        _export(file, samples, asked["output"], asked["only"] or "")
    if asked["results"]:
        _print_results(file, samples, as_json=asked["as_json"])


def _compare(runs: tuple[str, ...], asked: dict[str, Any]) -> None:
    """The shares of several runs, as one table."""
    from unquilt.cli.show.tables import print_rows
    from unquilt.judgements.results import sum_up, tell

    rows = [
        {"run": run} | {name: value for name, value in row.items() if name not in ("run", "sample")}
        for run in runs
        for file, samples in [_find_samples(run, asked["labels"])]
        for sample in samples
        for row in tell(sum_up(file, sample))
    ]
    if asked["as_json"]:
        for row in rows:
            emit(json_line(row))
    elif rows:
        print_rows(rows)
    else:
        emit("Nothing of these runs is labelled yet; unquilt judge RUN TABLE draws a sample.")


def _find_samples(run: str, labels: str | None) -> tuple[LabelFile, list[Sample]]:
    """The file with the labels of a run, and its samples."""
    from unquilt.judgements.labels import LabelFile, find_labels
    from unquilt.results.folders import RunFolder

    folder = RunFolder.open(run)
    file = LabelFile(Path(labels) if labels else find_labels(folder.run.path))
    return file, [each for each in file.samples() if each.fingerprint == folder.run.manifest["fingerprint"]]


def _export(file: LabelFile, samples: list[Sample], output: str, only: str) -> None:
    from unquilt.judgements.results import write_labels

    rows = write_labels(file, samples, Path(output), only)
    emit(f"{count(rows, 'label')} in {printable(output)}")


def _print_results(file: LabelFile, samples: list[Sample], *, as_json: bool) -> None:
    from unquilt.cli.show.tables import print_rows
    from unquilt.judgements.results import sum_up, tell

    if not samples and not as_json:
        emit(f"No sample of this run is in {printable(str(file.path))}; unquilt judge RUN TABLE draws one.")
    for sample in samples:
        outcome = sum_up(file, sample)
        rows = list(tell(outcome))
        if as_json:
            for row in rows:
                emit(json_line(row))
            continue
        emit(f"{sample.name}: {count(sample.items, 'item')} of {count(sample.population, 'row')} of {sample.table}")
        shown = ("judge", "category", "items", "labelled", "share", "low", "high")
        if rows:
            print_rows([{name: row[name] for name in shown} for row in rows])
        else:
            emit("  nothing is labelled yet")
        for each in outcome.agreements:
            kappa = "not defined" if each.kappa is None else f"{each.kappa:.2f}"
            both = f"{printable(each.one)} and {printable(each.other)}"
            emit(f"  {both}: the same for {each.same:,} of {count(each.items, 'item')}, Cohen's kappa {kappa}")
