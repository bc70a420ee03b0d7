"""The demo: what was planted is held against what was found, and told to someone who never saw a quilt."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import unquilt
from unquilt.cli import cli
from unquilt.cli.commands import demo as demo_command
from unquilt.demo import planted
from unquilt.demo.report import KINDS, REASONS, Measured, compare_with_planted, explain_miss

pytestmark = pytest.mark.slow

PAGES = 1_300


def invoke(*arguments: object):
    return CliRunner().invoke(cli, ["demo", *(str(argument) for argument in arguments)], prog_name="unquilt")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "run"
    result = invoke("--pages", PAGES, "-o", folder)
    assert result.exit_code == 0, result.output
    (folder / "said").write_text(result.stdout)
    return folder


def test_it_explains_itself(folder):
    said = (folder / "said").read_text()
    assert said.startswith("A quilt is a page stitched together from passages of other pages.")
    assert f"1. made    {PAGES:,} pages on " in said
    for name, what in KINDS.values():
        assert name in said
        assert what in said
    assert "Every planted quilt was found." in said
    assert "Found, though not planted as quilts:\n" in said
    assert f"unquilt show {folder}/quilts quilts --limit 5" in said
    assert max(map(len, said.splitlines())) < 100 + len(str(folder)) * 2


def test_the_numbers_are_true(folder):
    facts = json.loads(invoke("--pages", PAGES, "-o", folder, "--json").stdout)
    run = unquilt.read(folder / "quilts")
    assert sum(facts["found"].values()) == run.quilts.num_rows
    assert sum(facts["pages"].values()) == PAGES
    assert facts["found"]["quilt"] == facts["pages"]["quilt"] == sum(page.kind == "quilt" for page in planted(PAGES))
    assert facts["missed"] == {}
    assert [facts["found"][kind] for kind in ("pool", "network")] == [
        facts["pages"][kind] for kind in ("pool", "network")
    ]
    assert facts["found"]["original"] == 0
    assert [row["verdict"] for row in facts["sites"]["pool"]] == ["stitched"]
    assert 0.95 * facts["stitched_sources"] <= facts["named_sources"] <= facts["stitched_sources"]
    assert {kind for kind, pages in facts["not_planted"].items() if pages} <= set(REASONS)
    assert facts["reworded_pairs"] == facts["pages"]["reworded"] > 5
    assert facts["reworded_pairs_found"] > 0.9 * facts["reworded_pairs"]


def test_again_it_uses_what_is_there(folder):
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.*") if path.is_file()}
    said = (folder / "said").read_text()
    result = invoke("--pages", PAGES, "-o", folder)
    assert (result.exit_code, result.stdout) == (0, said)
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_a_quiet_demo_prints_nothing(folder):
    result = invoke("--pages", PAGES, "-o", folder, "-q")
    assert (result.exit_code, result.output) == (0, "")


def test_other_arguments_do_not_mix_with_an_older_demo(folder):
    result = invoke("--pages", 50, "-o", folder)
    assert result.exit_code == 1
    assert "holds a run over other inputs" in result.stderr
    assert unquilt.read(folder / "quilts").complete


def test_a_web_without_quilts(tmp_path):
    result = invoke("--pages", 60, "-o", tmp_path / "run")
    assert result.exit_code == 0
    assert "So small a web has no planted quilts; try more --pages." in result.stdout


def test_missed_quilts_are_explained(folder, tmp_path, monkeypatch):
    """With thresholds that no page meets, all planted quilts are missed, each for a reason."""
    strict = unquilt.quilts
    monkeypatch.setattr("unquilt.api.quilts", lambda *a, **given: strict(*a, **{"c": 8, "sigma": 0.8} | given))
    result = invoke("--pages", PAGES, "-o", tmp_path / "strict")
    assert result.exit_code == 0, result.output
    assert "Planted quilts that were not found, " in result.stdout
    facts = json.loads(invoke("--pages", PAGES, "-o", tmp_path / "strict", "--json").stdout)
    assert len(facts["missed"]) + facts["found"]["quilt"] == facts["pages"]["quilt"]
    assert all(" < 0.8" in why or " sources < 8" in why for why in facts["missed"].values())


def test_parts_of_an_interrupted_demo_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(demo_command, "PART", 20)
    from unquilt import demo

    write, calls = demo.write_jsonl, []

    def stop(path, *arguments, **options):
        calls.append(options["start"])
        if len(calls) == 2:
            raise KeyboardInterrupt
        return write(path, *arguments, **options)

    monkeypatch.setattr(demo, "write_jsonl", stop)
    result = invoke("--pages", 50, "-o", tmp_path / "run")
    assert (result.exit_code, result.stderr) == (130, "unquilt: interrupted; the same command resumes\n")
    assert invoke("--pages", 50, "-o", tmp_path / "run").exit_code == 0
    assert calls == [0, 20, 20, 40]


class TestReport:
    def test_found_quilts_are_compared_with_planted_ones(self):
        first, second = [page for page in planted(1_024) if page.kind == "quilt"][:2]
        (scrap,) = [page for page in planted(1_024) if page.kind == "scrap"][:1]
        found = [Measured(id_, 0.8, 5, 0.5) for id_ in (first.id, scrap.id, "page-0000000")]
        report = compare_with_planted(1_024, 1, found, {first.id: [*first.made_of[1:], "page-0000001"]})
        assert [page.id for page in report.found["quilt"]] == [first.id]
        assert [page.id for page in report.found["scrap"]] == [scrap.id]
        assert second.id in [page.id for page in report.missed]
        assert (report.stitched, report.named) == (len(first.made_of), len(first.made_of) - 1)
        assert sum(report.pages.values()) == 1_024

    @pytest.mark.parametrize(
        ("page", "why"),
        [
            (Measured("p", 0.3, 9, 0.2, "sigma"), "sources cover 0.30 of it < 0.5"),
            (Measured("p", 0.7, 2, 0.6, "c"), "2 sources < 4"),
            (Measured("p", 0.3, 2, 0.6, "sigma, c"), "sources cover 0.30 of it < 0.5 and 2 sources < 4"),
            (Measured("p", 0.7, 5, 0.9, "max_largest"), "one source holds 0.90 of that > 0.8"),
            (Measured("p", 0.0, 0, 0.0, "nothing shared"), "no other page shares any of its grams"),
            (Measured("p", 0.7, 5, 0.2, "max_attributed"), "it links to its sources"),
            (None, "it is a copy of another page"),
        ],
    )
    def test_a_missed_quilt_is_explained_by_the_limits_it_fails(self, page, why):
        assert explain_miss(page, c=4, sigma=0.5, max_largest=0.8) == why


def test_a_report_of_all_analyses(tmp_path):
    folder = tmp_path / "run"
    result = invoke("--pages", 300, "-o", folder, "--report")
    assert result.exit_code == 0, result.output
    assert f"\nA report of all that was found is in {folder}/report.html; open it in a browser.\n" in result.stdout
    assert result.stdout.splitlines()[-1] == f"  unquilt serve {folder}"
    html = (folder / "report.html").read_text()
    assert [html.count(f'<h2 id="run-{place}"') for place in range(1, 9)] == [1, 1, 1, 1, 1, 1, 1, 0]
    before = (folder / "report.html").stat().st_mtime_ns
    assert invoke("--pages", 300, "-o", folder, "--report").stdout == result.stdout
    assert (folder / "report.html").stat().st_mtime_ns == before
