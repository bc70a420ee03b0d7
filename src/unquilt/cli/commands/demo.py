"""`unquilt demo`: make a web whose quilts are known, look for them, and compare."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unquilt.cli.job_options import JobArguments, running_options
from unquilt.cli.options import number_option
from unquilt.cli.terminal.output import count, emit, json_line, printable, typed, wrap

if TYPE_CHECKING:
    from unquilt.demo.report import Measured, Report
    from unquilt.jobs.options import JobOptions
    from unquilt.runs import Run

PART = 1_000
"""Pages in one file."""
SHOWN = 3
OTHERS = ("near", "passages", "phrases", "copied", "targets")
"""The runs of the other analyses, which a report shows, too."""
RETOLD = ("http://*/retold/", "http://*/20")
"""The URLs of pages that retell others, and of articles, which have a year."""
MOST_MISSED = 20
PLANTED_SITES = {
    "pool": "the farm with one pool",
    "network": "the network of four domains",
    "original": "the originals that it took apart",
    "farm": "link farms, five domains each",
    "twin": "the mirror",
    "column": "the site that it mirrors",
}
"""The kinds of pages that have sites of their own, and what these are."""
INTRODUCTION = """A quilt is a page stitched together from passages of other pages. This demo made a small web in which
the quilts are known, because it planted them, and then looked for them as if it knew nothing."""
EXAMPLES = """\b
Examples:
  unquilt demo
  unquilt demo --report                            # all analyses, and what they find as one HTML file
  unquilt demo --pages 6000 --seed 7 -o larger-demo
  unquilt show demo-run/quilts quilts --limit 5
"""


@click.command(epilog=EXAMPLES)
@click.option("-o", "--output", metavar="FOLDER", default="demo-run", help="Where to put it (default demo-run).")
@number_option("pages", "Pages of the web (default 3000).", at_least=1, default=3000)
@number_option("seed", "Another seed makes another web (default 1).", at_least=0, default=1)
@click.option("--report", is_flag=True, help="Run all analyses, and write what they find to FOLDER/report.html.")
@running_options
def demo(output: str, pages: int, seed: int, report: bool, asked: JobArguments) -> None:
    """Make a small web in which some pages are quilts, find them, and compare.

    The pages, the corpus and the results stay in FOLDER to look at and to play with. The same command again uses what
    is there. It takes a few seconds, and needs no network.
    """
    from unquilt import api
    from unquilt.demo.report import has_kind
    from unquilt.runs.storage import inside

    options, folder = asked.job_options(), Path(output)
    if report:
        from unquilt.page.report.writing import refuse_report_without_extra

        refuse_report_without_extra()
    made = make_pages(folder, pages, seed, options)
    corpus = api.ingest(made, inside(folder, "corpus"), options=options)
    run = api.quilts(folder / "corpus", inside(folder, "quilts"), options=options)
    judged = api.sites([folder / "quilts"], inside(folder, "sites"), options=options)
    shared = api.passages(folder / "corpus", inside(folder, "passages"), options=options)
    retold = find_reworded(folder, options) if has_kind(pages, seed, "reworded") else None
    written = write_report(folder, options) if report else None
    compared = hold_against(run, pages, seed)
    pairs = hold_pairs_against(shared, pages, seed)
    # Where no page was reworded there is no run of its own, and nothing to count in either.
    reworded = [hold_pairs_against(each, pages, seed, ["reworded"]) for each in (retold or shared, shared)]
    reasons = explain_missed(compared, run)
    sites = group_sites(corpus, judged, seed)
    if asked.as_json:
        counted = {"planted_pairs": pairs[0], "passage_pairs": pairs[1]}
        counted |= {"reworded_pairs": reworded[0][0], "reworded_pairs_found": reworded[0][1]}
        emit(json_line(facts(compared, reasons, folder) | counted | {"sites": sites}))
    elif not asked.quiet:
        told = (
            _introduce(folder, made, corpus, run),
            _tell(compared, reasons),
            _examples(compared, run),
            _tell_sites(sites),
            _tell_passages(shared, *pairs),
            _tell_reworded(*reworded[0], reworded[1][1]),
            _next(folder, compared, written),
        )
        for line in chain(*told):
            emit(line)


def make_pages(folder: Path, pages: int, seed: int, options: JobOptions) -> Path:
    """Write the pages as JSON lines, those that are not there yet; returns their folder."""
    from unquilt.demo import write_jsonl
    from unquilt.errors import RunError
    from unquilt.runs import storing
    from unquilt.runs.storage import inside, make_folder, partial_name, publish, remove

    if folder.is_dir() and any(folder.iterdir()) and not any(folder.glob("pages-*")):
        raise RunError(f"{folder} holds something else than a demo; choose another folder with -o")
    made = inside(folder, f"pages-{pages}-seed-{seed}")
    make_folder(made)
    with options.progress.stage("make", pages) as step:
        for start in range(0, pages, PART):
            stop = min(pages, start + PART)
            path = inside(made, f"part-{start // PART:04}.jsonl")
            partial = partial_name(path)
            remove(partial)
            if not path.exists():
                with storing(path):
                    write_jsonl(partial, pages, seed=seed, start=start, stop=stop)
                    publish(partial, path)
            step(stop - start)
    return made


def find_reworded(folder: Path, options: JobOptions) -> Run:
    """What pages that retell others took from articles."""
    from unquilt import api
    from unquilt.runs.storage import inside

    run: Run = api.reworded(folder / "corpus", inside(folder, "reworded"), between=RETOLD, options=options)
    return run


def write_report(folder: Path, options: JobOptions) -> Path:
    """Run the other analyses, and write a report of all of them; what is there already is used."""
    from unquilt import api
    from unquilt.page.report.writing import write_report
    from unquilt.results import RunFolder
    from unquilt.runs.storage import inside

    corpus, place = folder / "corpus", inside(folder, "report.html")
    api.neardups(corpus, inside(folder, "near"), options=options)
    api.passages(corpus, inside(folder, "passages"), options=options)
    api.phrases(corpus, inside(folder, "phrases"), group="ip", options=options)
    api.discover(corpus, inside(folder, "copied"), options=options)
    labels = inside(folder, "copied.labels")
    if not labels.exists():
        api.label([folder / "copied"], labels, options=options)
    api.detect(corpus, inside(folder, "targets"), labels=str(labels), options=options)
    if not place.exists():
        runs = [RunFolder.open(folder / name) for name in ("quilts", "sites", *OTHERS)]
        return write_report(runs, place, title="Copied text in the web of the demo")
    return place


def hold_against(run: Run, pages: int, seed: int) -> Report:
    """Compare the quilts of a run with those that were planted."""
    from unquilt.demo.report import compare_with_planted

    ids = {row["doc"]: row["id"] for row in run.table("quilts").select(["doc", "id"]).to_pylist()}
    drawn_on = {ids[doc]: named for doc, named in sources(run).items() if doc in ids}
    return compare_with_planted(pages, seed, measured(run), drawn_on, originals(run))


def hold_pairs_against(run: Run, pages: int, seed: int, kinds: Sequence[str] = ()) -> tuple[int, int]:
    """How many planted pairs there are, and how many of them share passages that were found; of other kinds than those
    that copied word for word, if these are named."""
    from unquilt.demo.report import WHOLE, count_pairs
    from unquilt.results import RunFolder

    rows = run.table("passage_pairs").select(["a", "b"]).to_pylist()
    ids = RunFolder(run).pages({number for row in rows for number in row.values()})
    return count_pairs(pages, seed, [(ids[row["a"]][0], ids[row["b"]][0]) for row in rows], kinds or WHOLE)


def measured(run: Run) -> list[Measured]:
    """The quilts of a run as the report takes them."""
    from unquilt.demo.report import Measured

    return [Measured(**row) for row in run.table("quilts").select(["id", "covered", "sources", "largest"]).to_pylist()]


def originals(run: Run) -> list[str]:
    """The ids of pages that others took from, by their verdicts."""
    from unquilt.results import RunFolder

    verdicts = run.table("verdicts").select(["doc", "verdict"]).to_pylist()
    docs = [row["doc"] for row in verdicts if row["verdict"] == "original"]
    return [name for name, _ in RunFolder(run).pages(docs).values()]


def sources(run: Run) -> dict[int, list[str]]:
    """The ids of the sources of each page that has some, best first: of quilts, and of pages that come near."""
    from unquilt.results import RunFolder

    rows = run.table("sources").select(["quilt", "source"]).to_pylist()
    pages = RunFolder(run).pages([row["source"] for row in rows])
    found: dict[int, list[str]] = defaultdict(list)
    for row in rows:
        found[row["quilt"]].append(pages[row["source"]][0])
    return found


def explain_missed(report: Report, run: Run) -> dict[str, str]:
    """Why planted quilts were not found, by their verdicts."""
    if not report.missed:
        return {}
    from unquilt.demo.report import Measured, explain_miss
    from unquilt.results import RunFolder

    verdicts = run.table("verdicts").select(["doc", "covered", "sources", "largest", "why"]).to_pylist()
    ids = RunFolder(run).pages(row["doc"] for row in verdicts)
    numbers = {ids[doc][0]: Measured(ids[doc][0], **row) for row in verdicts for doc in [row.pop("doc")]}
    limits = {name: run.manifest["parameters"][name] for name in ("c", "sigma", "max_largest")}
    return {page.id: explain_miss(numbers.get(page.id), **limits) for page in report.missed}


def group_sites(corpus: Run, judged: Run, seed: int) -> dict[str, list[dict[str, Any]]]:
    """The planted sites by kind, each with its verdict, its network, and how many pages it has."""
    from unquilt.demo.layout import World, role

    world = World(seed)
    names: dict[str, set[str]] = defaultdict(set)
    for row in corpus.table("documents").select(["id", "domain"]).to_pylist():
        kind = role(world, int(row["id"].removeprefix("page-"))).kind
        if kind in PLANTED_SITES and row["domain"] is not None:
            names[kind].add(row["domain"])
    columns = ["site", "verdict", "network", "pages", "twin"]
    rows = {row["site"]: row for row in judged.table("sites").select(columns).to_pylist()}
    return {kind: [rows[name] for name in sorted(names[kind])] for kind in PLANTED_SITES if names[kind]}


def facts(report: Report, reasons: dict[str, str], folder: Path) -> dict[str, Any]:
    """The comparison for programs."""
    return {
        "folder": str(folder),
        "pages": dict(report.pages),
        "found": {kind: len(pages) for kind, pages in report.found.items()},
        "missed": reasons,
        "originals": dict(report.originals),
        "not_planted": {kind: [page.id for page in report.found[kind]] for kind in not_planted(report)},
        "stitched_sources": report.stitched,
        "named_sources": report.named,
    }


def _introduce(folder: Path, made: Path, corpus: Run, run: Run) -> Iterator[str]:
    from unquilt.cli.show.views import count_hosts
    from unquilt.results import RunFolder

    summary, asked = corpus.manifest["summary"], run.manifest["parameters"]
    hosts = count_hosts(RunFolder(corpus)) or 0
    yield from wrap(INTRODUCTION)
    yield ""
    yield f"1. made    {count(summary['documents'], 'page')} on {count(hosts, 'host')}, in {printable(str(made))}"
    yield f"2. read    {count(summary['words'], 'word')} into a corpus, in {printable(str(folder / 'corpus'))}"
    yield f"3. found   {count(run.table('quilts').num_rows, 'quilt')}, in {printable(str(folder / 'quilts'))}"
    yield ""
    yield from wrap(
        f"A gram is {asked['k']} words in a row. Here a page counts as a quilt if at least {asked['sigma']:.0%} of its "
        f"grams occur on pages of other sites too (but on {asked['m']} pages at most), if it takes at "
        f"least {asked['c']} of these to explain them, and if none holds more than {asked['max_largest']:.0%} of that."
    )
    yield ""


def _tell(report: Report, reasons: dict[str, str]) -> Iterator[str]:
    yield from _by_kind(report)
    yield ""
    if report.missed:
        yield f"Planted quilts that were not found, {count(len(report.missed))}:"
        yield from (f"  {page.id}  {reasons[page.id]}" for page in report.missed[:MOST_MISSED])
        if len(report.missed) > MOST_MISSED:
            yield f"  … and {len(report.missed) - MOST_MISSED:,} more"
    elif report.pages.get("quilt"):
        yield "Every planted quilt was found."
    else:
        yield "So small a web has no planted quilts; try more --pages."
    if report.stitched:
        of_these = f"{report.named:,} of these were named as sources"
        yield f"Those found were stitched from {report.stitched:,} pages; {of_these}."
    yield from _not_planted(report)


def _by_kind(report: Report) -> Iterator[str]:
    from unquilt.demo.report import KINDS

    yield f"{'kind of page':<16} {'pages':>7} {'quilts':>7} {'originals':>9}"
    for kind, (name, what) in KINDS.items():
        numbers = f"{report.pages.get(kind, 0):>7,} {len(report.found[kind]):>7,} {report.originals.get(kind, 0):>9,}"
        yield f"{name:<16} {numbers}   {what}"


def not_planted(report: Report) -> list[str]:
    """The kinds of pages that were not made to be quilts."""
    from unquilt.demo.report import THIEVES

    return [kind for kind in report.found if kind not in THIEVES]


def _not_planted(report: Report) -> Iterator[str]:
    from unquilt.demo.report import KINDS, REASONS

    others = {kind: report.found[kind] for kind in not_planted(report) if report.found[kind]}
    if others:
        yield ""
        yield "Found, though not planted as quilts:"
    for kind, pages in others.items():
        reason = REASONS.get(kind, "which is a surprise")
        yield from wrap(f"{len(pages):,} {KINDS[kind][0]}: {reason}", indent="  ")
        for page in pages[:SHOWN]:
            yield f"    {page.id}  {page.covered:.0%} of it from {count(page.sources, 'source')}"
        if len(pages) > SHOWN:
            yield f"    and {len(pages) - SHOWN:,} more"


def _examples(report: Report, run: Run) -> Iterator[str]:
    some = {page.id: page for page in report.found["quilt"][:SHOWN]}
    rows = [row for row in run.table("quilts").select(["doc", "id", "url"]).to_pylist() if row["id"] in some]
    if not rows:
        return
    named = sources(run)
    yield ""
    yield "Some of the quilts:"
    for row in rows:
        first, page = named[row["doc"]], some[row["id"]]
        more = f" and {len(first) - SHOWN} more" if len(first) > SHOWN else ""
        yield f"  {printable(row['id'])}  {printable(row['url'] or '')}"
        yield f"    {page.covered:.0%} of its grams come from {', '.join(map(printable, first[:SHOWN]))}{more}"


def _tell_sites(sites: dict[str, list[dict[str, Any]]]) -> Iterator[str]:
    """What planted sites are called."""
    if not sites:
        return
    yield ""
    yield "Sites, judged by their pages (`unquilt sites`):"
    for kind, rows in sites.items():
        verdicts = Counter(row["verdict"] for row in rows)
        said = ", ".join(f"{number:,} {verdict}" for verdict, number in verdicts.most_common())
        networks = len({row["network"] for row in rows if row["network"] is not None})
        together = f"; {count(networks, 'network')}" if networks else ""
        yield f"  {PLANTED_SITES[kind]:<32} {said}{together}"
    if any(row["verdict"] == "cannot tell" for rows in sites.values() for row in rows):
        yield "  A verdict needs five pages of a site; with more --pages, each has as many."


def _tell_passages(run: Run, planted: int, found: int) -> Iterator[str]:
    if not planted:
        return
    yield ""
    yield from wrap(
        f"Passages, from pair to pair: of {count(planted, 'pair')} of a quilt, mirror or near-copy and a page that it "
        f"was made of, {found:,} share passages that were found, with where each begins and ends in both. In all there "
        f"are {count(run.table('passages').num_rows, 'passage')}, most of them in versions of manuals."
    )


def _tell_reworded(planted: int, found: int, by_words: int) -> Iterator[str]:
    if not planted:
        return
    yield ""
    yield from wrap(
        f"Reworded: {count(planted, 'page')} retell an article in other words and in another order. By `unquilt "
        f"reworded`, {found:,} were found, with what each took and from where; by equal words in a row, {by_words:,}."
    )


def _next(folder: Path, report: Report, written: Path | None) -> Iterator[str]:
    from unquilt.cli.show.summary import suggest

    where = typed(folder)
    yield ""
    yield "Next:"
    some = {
        f"unquilt show {where}/quilts quilts --doc {page.id}": "one of them, its patches marked"
        for page in report.found["quilt"][:1]
    }
    commands = some | {
        f"unquilt serve {where}": "in the browser, patches beside sources",
        f"unquilt show {where}/quilts quilts --limit 5": "the quilts as a table",
        f"unquilt show {where}/quilts sources --limit 10": "which pages they draw on",
        f"unquilt show {where}/sites draws --limit 10": "which sites draw on which",
        f"unquilt show {where}/passages passage_pairs": "which pages share passages",
        f"unquilt quilts {where}/corpus -o {where}/strict --sigma 0.8": "only pages with more copied text",
        f"unquilt phrases {where}/corpus -o {where}/phrases --site ip": "a site that dices sentences of others",
        f"unquilt quilts {where}/corpus -o {where}/paper --as-published": "as in the paper: mirrors are sources, too",
    }
    if report.pages.get("reworded"):
        commands |= {f"unquilt show {where}/reworded passages --limit 5": "what was reworded, and what it was before"}
    if written is None:
        commands |= {f"unquilt demo -o {where} --report": "all analyses, and one HTML file to read"}
    yield from suggest(commands)
    if written is not None:
        yield ""
        yield f"A report of all that was found is in {printable(str(written))}; open it in a browser."
        yield "To look through it, texts side by side, on a page in the browser (Ctrl-C ends it):"
        yield f"  unquilt serve {where}"
