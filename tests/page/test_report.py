"""The report: one file that loads nothing, says what came out, and shows hostile pages as harmless text."""

from __future__ import annotations

import builtins
import csv
import hashlib
import json
import re
from base64 import b64decode, b64encode
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pytest
from browsing import NARROW, WIDE, Browser
from click.testing import CliRunner
from looking import RUNS, make_runs

import unquilt as uq
from unquilt.cli import cli
from unquilt.page.report.sections.copies import _read, choose
from unquilt.page.report.writing import make_report
from unquilt.results import RunFolder

pytestmark = pytest.mark.slow

HOSTILE = "<script>alert(1)</script></textarea><svg onload=alert(2)>\u202e\x1b[31m<img src=http://evil.example/x.png>"


def invoke(*arguments: object):
    return CliRunner().invoke(cli, ["report", *(str(each) for each in arguments)], prog_name="unquilt")


class Reader(HTMLParser):
    """Tags with their attributes, and the text between them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def runs(web: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    sweep = tmp_path_factory.mktemp("sweep") / "run"
    uq.sweep(web / "corpus", sweep, k=(4, 5), m=(10, 50), c=(2, 4), sigma=(0.3, 0.5))
    return {name: web / name for name in RUNS} | {"sweep": sweep}


@pytest.fixture(scope="module")
def html(runs: dict[str, Path]) -> str:
    return make_report([RunFolder.open(run) for run in runs.values()])


def test_it_loads_and_runs_nothing(html: str) -> None:
    found = Reader(html).tags
    assert not {tag for tag, _ in found} & {
        "script",
        "img",
        "iframe",
        "object",
        "embed",
        "link",
        "form",
        "input",
        "base",
    }
    for _, attributes in found:
        assert not [name for name in attributes if name.startswith("on") or name in ("style", "src", "srcset")]
        target = attributes.get("href") or "#"
        assert target.startswith(("#run-", "data:text/csv;charset=utf-8,")) or target == "#"


def test_its_policy_allows_one_style_sheet_by_its_digest(html: str) -> None:
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)
    assert style is not None
    digest = b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert f'<meta http-equiv="Content-Security-Policy" content="{policy.replace(chr(39), "&#39;")}">' in html or (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">' in html
    )


def test_every_run_has_its_sentences_figures_examples_and_stages(runs: dict[str, Path], html: str) -> None:
    parts = re.split(r'<h2 id="run-\d"', html)[1:]
    assert len(parts) == len(runs)
    for name, part in zip(runs, parts, strict=True):
        assert 1 <= part.count('<p class="says">') <= 3, name
        assert part.count("<figure>") == part.count('download="') >= 1, name
        assert part.count('<svg class="chart"') >= part.count("<figure>")
        assert (part.count("<article>") > 0) == (name != "sweep"), name
        assert "peak memory" in part
        assert "Nothing was rejected." in part
        assert "<td>" in part
    assert "<del>" in parts[1]
    assert 'class="number">2</span>' in parts[0]


def test_what_the_sentences_say_is_true(runs: dict[str, Path], html: str) -> None:
    summary = uq.read(runs["quilts"]).manifest["summary"]
    judged = summary["documents"] - summary["copies"]
    assert f"{summary['quilts']:,} documents of {judged:,} that were judged" in html
    near = uq.read(runs["near"]).manifest["summary"]["near_duplicates"]
    assert f"{near} documents of {summary['documents']:,}" in html


def test_figures_agree_with_the_run(runs: dict[str, Path], html: str) -> None:
    """By its own limits, a run has the quilts that it has."""
    summary = uq.read(runs["quilts"]).manifest["summary"]
    data = re.search(r'download="quilts-by-limits.csv" href="data:text/csv;charset=utf-8,([^"]*)"', html)
    assert data is not None
    shares = {(row["limit"], float(row["value"])): row["share"] for row in csv.DictReader(StringIO(unquote(data[1])))}
    expected = pytest.approx(summary["quilts"] / summary["verdicts"])
    assert float(shares["sigma", 0.5]) == float(shares["c", 4.0]) == expected


def test_the_command_writes_and_refuses(runs: dict[str, Path], tmp_path: Path, monkeypatch: Any) -> None:
    output = tmp_path / "report.html"
    result = invoke(runs["quilts"], "-o", output)
    assert (result.exit_code, result.stdout.startswith("The report of 1 run is in ")) == (0, True), result.output
    first = output.read_bytes()
    again = invoke(runs["quilts"], "-o", output)
    assert (again.exit_code, "exists; choose another name, or --overwrite" in again.stderr) == (1, True)
    said = json.loads(invoke(runs["quilts"], "-o", output, "--overwrite", "--json", "--title", "A <title>").stdout)
    assert said["bytes"] == output.stat().st_size
    assert "<h1>A &lt;title&gt;</h1>" in output.read_text()
    invoke(runs["quilts"], "-o", output, "--overwrite", "-q")
    assert output.read_bytes() == first  # the same run gives the same file
    within = invoke(runs["quilts"], "-o", runs["quilts"] / "report.html")
    assert within.exit_code != 0
    assert not (runs["quilts"] / "report.html").exists()
    assert invoke(tmp_path / "none", "-o", output).stderr == f"unquilt: {tmp_path / 'none'}: no such folder\n"
    assert invoke("-o", output).exit_code == 2
    real = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name.startswith(("jinja2", "markupsafe")):
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    missing = invoke(runs["quilts"], "-o", tmp_path / "other.html")
    assert missing.stderr == 'unquilt: the report needs Jinja2: pip install "unquilt[page]"\n'


def test_an_unfinished_run_is_refused(runs: dict[str, Path], tmp_path: Path) -> None:
    from shutil import copytree

    run = tmp_path / "run"
    copytree(runs["quilts"], run)
    (run / "sources.parquet").unlink()
    result = invoke(run, "-o", tmp_path / "report.html")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "report.html").exists()


def test_what_was_rejected_and_what_is_not_there_any_more_is_said(tmp_path: Path) -> None:
    lines = [json.dumps({"id": name, "text": "one two three four five six seven"}) for name in "ab"]
    (tmp_path / "pages.jsonl").write_text("\n".join([*lines, "{broken <b>"]))
    uq.ingest(tmp_path / "pages.jsonl", tmp_path / "corpus")
    run = uq.neardups(tmp_path / "corpus", tmp_path / "run")
    html = make_report([RunFolder(run), RunFolder.open(tmp_path / "corpus")])
    assert html.count("1 record was rejected") == 2
    assert ">bad json</td>" in html
    assert "The words of the two are the same." in html
    (tmp_path / "corpus").rename(tmp_path / "elsewhere")
    assert "There are no examples: the corpus of this run is not found" in make_report([RunFolder(run)])


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report about pages that try everything, in ids, URLs and texts."""
    folder = tmp_path_factory.mktemp("hostile")
    sentences = [
        f"{HOSTILE} of number {n} says {n * 7919} and also {n * 104729} in a row of words {n * 31}." for n in range(60)
    ]
    pages = [
        {
            "id": f"{HOSTILE}-{n}",
            "url": f"http://h{n % 7}.example/{'<script>alert(3)</script>' * (n % 2)}?q=\"'>{n}",
            "text": "\n\n".join(sentences[(n * 5 + step) % 60] for step in range(0, 30, 2)),
        }
        for n in range(24)
    ]
    pages += [{"id": "javascript:alert(4)", "url": "javascript:alert(5)", "text": pages[0]["text"] + " but changed"}]
    uq.ingest(pa.Table.from_pylist(pages), folder / "corpus")
    make_runs(folder / "corpus", folder)
    output = folder / "report.html"
    assert invoke(*(folder / name for name in RUNS), "-o", output, "--title", HOSTILE).exit_code == 0
    return output


def test_hostile_pages_are_text(hostile: Path) -> None:
    html = hostile.read_text(encoding="utf-8")
    assert "&lt;script&gt;alert(1)" in html
    for wrong in ("<script", "<svg onload", "<img", "</textarea", "\u202e", "\x1b"):
        assert wrong not in html
    test_it_loads_and_runs_nothing(html)


def test_in_a_browser(browser: Browser, hostile: Path) -> None:
    for size in (WIDE, NARROW):
        for scheme in ("light", "dark"):
            browser.resize(size)
            browser.prefer(scheme)
            browser.open(hostile.as_uri())
            assert browser.find("h1").text.startswith("<script>alert(1)")
            assert browser.complaints() == []
            assert [each for each in browser.requests() if each.startswith(("http", "javascript"))] == []
            assert browser.ask("return document.documentElement.scrollWidth") <= size[0]
            assert browser.ask("return getComputedStyle(document.querySelector('mark')).backgroundColor") != ""


def test_nothing_keeps_people_from_reading_it(browser: Browser, runs: dict[str, Path], tmp_path: Path) -> None:
    output = tmp_path / "report.html"
    assert invoke(runs["sweep"], runs["near"], "-o", output).exit_code == 0
    for scheme in ("light", "dark"):
        browser.resize(WIDE)
        browser.prefer(scheme)
        browser.open(output.as_uri())
        assert browser.barriers() == []


def test_the_printed_report_is_on_white(browser: Browser, runs: dict[str, Path], tmp_path: Path) -> None:
    output = tmp_path / "report.html"
    assert invoke(runs["quilts"], "-o", output).exit_code == 0
    browser.prefer("dark")
    browser.open(output.as_uri())
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    white = browser.ask("return getComputedStyle(document.body).backgroundColor")
    printed = browser.driver.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})["data"]
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert white == "rgb(255, 255, 255)"
    assert b64decode(printed).startswith(b"%PDF")


def test_copies_are_listed_and_some_are_printed_side_by_side(browser: Browser, tmp_path: Path) -> None:
    """Of three sites, the first has the two largest copies; examples are of different sites, by their numbers."""
    rng = Random(5)
    ours = [" ".join(f"w{rng.randrange(4000)}" for _ in range(90)) for _ in range(4)]
    pages = [(f"http://ours.example/{n}", text) for n, text in enumerate(ours)]
    taken = {
        "http://one.example/a": ours[0],
        "http://one.example/b": ours[1][:300],
        "http://two.example/": ours[2][:250],
    }
    pages += [*taken.items(), ("http://three.example/", ours[3][:200]), ("http://four.example/", "Nothing of it.")]
    columns = ("url", "text")
    table = pa.table({"id": [url for url, _ in pages]} | dict(zip(columns, zip(*pages, strict=True), strict=True)))
    folder = RunFolder.open(uq.copies("ours.example", table, tmp_path / "copies").path)
    report = make_report([folder], examples=2)
    assert re.findall(r"<h4>(\d+)\. (\S+) has text", report) == [
        ("1", "http://one.example/a"),
        ("3", "http://two.example/"),
    ]
    assert [row["number"] for row in choose(_read(folder), 9)] == [1, 3, 4, 2]
    listed = re.search(r"<caption>Copies.*?</table>", report, re.DOTALL)[0]
    assert listed.count("http://ours.example/") == 4
    (tmp_path / "report.html").write_text(report)
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    browser.resize((680, 960))
    browser.open((tmp_path / "report.html").as_uri())
    places = "return [...document.querySelector('.pair').children].map(e => e.getBoundingClientRect().top)"
    assert len(set(browser.ask(places))) == 1
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_its_length_is_chosen_and_it_names_no_folder_of_this_machine(runs: dict[str, Path]) -> None:
    folders = [RunFolder.open(run) for run in runs.values()]
    lengths = [make_report(folders, examples=number).count("<article>") for number in (0, 1, 2)]
    assert lengths[0] == 0
    assert 0 < lengths[1] < lengths[2] <= 2 * len(folders)
    report = make_report(folders)
    for run in runs.values():
        assert str(run.parent) not in report


def test_two_runs_of_one_kind_are_told_apart(web: Path, tmp_path: Path) -> None:
    uq.quilts(web / "corpus", tmp_path / "strict", sigma=0.9)
    report = make_report([RunFolder.open(path) for path in (web / "quilts", tmp_path / "strict")])
    contents = re.search(r"<nav.*?</nav>", report, re.DOTALL)[0]
    assert re.findall(r'<a href="#run-\d">([^<]+)</a>', contents) == ["quilts", "quilts, strict"]


def test_nothing_is_wider_than_a_telephone_or_a_sheet(browser: Browser, runs: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text(make_report([RunFolder.open(run) for run in runs.values()]))
    wide = "return [...document.querySelectorAll('table, figure, svg, .text, dl')]"
    wide += ".filter(e => e.getBoundingClientRect().right > document.documentElement.clientWidth + 1).length"
    for media, size in (("screen", (390, 800)), ("print", (680, 960))):
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media})
        browser.resize(size)
        browser.open((tmp_path / "report.html").as_uri())
        assert browser.ask(wide) == 0, media
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
