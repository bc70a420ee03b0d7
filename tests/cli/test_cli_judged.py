"""Why a page is or is not a quilt, why there are none, and quilts by other limits, from a run that is finished."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from unquilt.analyses.quilt_parameters import QuiltParameters
from unquilt.cli import cli
from unquilt.cli.show.quilts import _LEFT_OUT, judged
from unquilt.runs.manifest import MANIFEST

pytestmark = pytest.mark.slow
WORDS = [f"w{number}" for number in range(3000)]


def texts() -> dict[str, str]:
    """Sources, a quilt of five of them, and pages that fail one limit each."""
    draw = Random(1)
    sources = [" ".join(draw.choices(WORDS, k=60)) for _ in range(12)]
    parts = [" ".join(source.split()[10:40]) for source in sources]
    own = " ".join(draw.choices(WORDS, k=200))
    pages = {f"s{number}": source for number, source in enumerate(sources)}
    return pages | {
        "quilt": " and ".join(parts[:5]),
        "copy": " and ".join(parts[:5]) + " tail",
        "few": " and ".join(parts[5:8]),
        "crumbs": f"{own} {' '.join(parts[8:])}",
        "short": "two words",
        "alone": " ".join(draw.choices(WORDS, k=60)),
    }


def invoke(*arguments: object):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], prog_name="unquilt")


def succeed(*arguments: object) -> str:
    result = invoke(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*arguments: object, code: int = 2) -> str:
    result = invoke(*arguments)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (code, "", 1), result.output
    return result.stderr


def make(folder: Path, place: str, *options: object) -> str:
    """A run over the pages, each at the URL that `place` says; what the command said."""
    rows = [{"id": id_, "text": text} | ({"url": place.format(id_)} if place else {}) for id_, text in texts().items()]
    folder.mkdir(exist_ok=True)
    (folder / "pages.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return succeed("quilts", folder / "pages.jsonl", "-o", folder / "run", *options)


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("judged")
    said = make(folder, "http://{}.example/")
    assert "\n1 quilt, 5 sources; 1 near-duplicate collapsed\n" in said
    assert "\n   1 has fewer than 5 words\n   1 shares nothing" in said
    assert f"unquilt show {folder / 'run'} quilts --sigma 0.7 -c 6" in said
    return folder / "run"


@pytest.mark.parametrize("name", _LEFT_OUT)
@pytest.mark.parametrize("number", [1, 2])
def test_one_is_and_two_are(name: str, number: int) -> None:
    facts = {"left_out": {name: number}, "parameters": QuiltParameters(c=1).to_dict(), "documents": 3, "copies": 0}
    facts |= {"tables": {"quilts": {"rows": 1}}, "published": 1, "published_left_out": {}}
    first, said = judged(facts)
    assert first.startswith("3 documents judged: 1 quilt by these limits, 1 as published (")
    verb = said.removeprefix(f"  {number} ").split()[0]
    assert verb in (("has", "is", "shares", "links") if number == 1 else ("have", "are", "share", "link"))


class TestWhy:
    @pytest.mark.parametrize(
        ("doc", "said"),
        [
            ("quilt", "A quilt: it passes all limits.\n"),
            ("few", "Not a quilt: it fails c.\n"),
            ("crumbs", "Not a quilt: it fails sigma.\n"),
            ("short", "Not a quilt: it has 2 words, too few for a gram of 5 (-k).\n"),
            ("alone", "Not a quilt: none of its 56 grams is in 2 to 50 documents: each is in no other, or in more"),
            ("copy", "Not judged: it was collapsed into quilt (document 12), being a near-duplicate of it: 9"),
        ],
    )
    def test_every_document_is_answered_for(self, run, doc, said):
        out = succeed("show", run, "quilts", "--doc", doc)
        assert f"\nhttp://{doc}.example/\n" in out
        assert said in out

    def test_each_number_is_beside_its_limit(self, run):
        lines = succeed("show", run, "quilts", "--doc", "http://few.example/").splitlines()
        assert [line.split()[:5] for line in lines[3:]] == [
            ["covered", lines[3].split()[1], "passed", "(at", "least"],  # nobody looked for what passages span
            ["largest", lines[4].split()[1], "passed", "(at", "most"],
            ["sources", "3", "FAILED", "(at", "least"],
            ["sections", "0.000", "passed", "(at", "most"],
            ["attributed", "0.000", "passed", "(at", "most"],
        ]
        assert not any("-0.000" in succeed("show", run, "quilts", "--doc", doc) for doc in ("quilt", "crumbs"))

    def test_for_programs(self, run):
        (few,) = map(json.loads, succeed("show", run, "quilts", "--doc", "few", "--json").splitlines())
        assert (few["id"], few["quilt"], few["why"], few["sources"], few["limits"]["c"]) == ("few", False, "c", 3, 4)
        (copy,) = map(json.loads, succeed("show", run, "quilts", "--doc", "copy", "--json").splitlines())
        assert (copy["quilt"], copy["why"], copy["kept"]) == (False, "collapsed", 12)
        assert 0.9 < copy["similarity"] < 1

    def test_of_one_site(self, tmp_path):
        make(tmp_path, "http://www.site.example/{}")
        out = succeed("show", tmp_path / "run", "quilts", "--doc", "quilt")
        assert "grams are shared by 2 to 50 documents, but all of these are on its own domain (--site domain)." in out

    def test_without_url(self, tmp_path):
        make(tmp_path, "")
        out = succeed("show", tmp_path / "run", "quilts", "--doc", "few")
        assert "It has no URL, so it counts as a site of its own: pages of all other sites can be its sources." in out

    def test_a_run_that_is_not_complete_has_no_verdicts(self, run, tmp_path):
        make(tmp_path, "http://{}.example/")
        folder = tmp_path / "run"
        manifest = json.loads((folder / MANIFEST).read_bytes())
        manifest["done"].pop("verdicts")
        (folder / MANIFEST).write_text(json.dumps(manifest))
        out = succeed("show", folder, "quilts", "--doc", "few")
        assert "It has no table verdicts, which would say why: it is not complete" in out
        assert "has no table verdicts: it is not complete" in refused("show", folder, "quilts", "-c", 2, code=1)


class TestJudging:
    def test_looser_and_stricter(self, run):
        out = succeed("show", run, "quilts", "-c", 3)
        assert out.startswith(
            "By c 3 (was 4): 2 quilts; 1 of these was not a quilt in this run, which did not store its sources"
        )
        # The run did not look at "few" closely, so nothing is known against it: it comes last.
        assert [line.split()[1] for line in out.splitlines()[3:]] == ["quilt", "few"]
        assert succeed("show", run, "quilts", "--max-largest", 0.1).endswith("): 0 quilts.\n\nquilts has no rows.\n")
        rows = [json.loads(line) for line in succeed("show", run, "quilts", "-c", 3, "--json").splitlines()]
        assert [(row["id"], row["url"], row["quilt"]) for row in rows] == [
            ("quilt", "http://quilt.example/", True),
            ("few", "http://few.example/", True),
        ]

    def test_with_conditions(self, run):
        out = succeed("show", run, "quilts", "-c", 3, "--where", "sources < 4", "--columns", "id,sources", "--json")
        assert json.loads(out) == {"id": "few", "sources": 3}

    def test_all_verdicts(self, run):
        rows = [json.loads(line) for line in succeed("show", run, "verdicts", "-c", 3, "--json").splitlines()]
        assert len(rows) == len(texts()) - 1
        assert {row["id"] for row in rows if row["quilt"]} == {"quilt", "few"}

    def test_one_page(self, run):
        out = succeed("show", run, "quilts", "--doc", "few", "--c", 3)
        assert "A quilt: it passes all limits." in out
        assert out.endswith("It was not a quilt in this run, so the run did not store its sources and patches.\n")

    def test_a_page_that_was_looked_at_has_sources_though_it_is_no_quilt(self, run):
        out = succeed("show", run, "quilts", "--doc", "crumbs")
        assert "Not a quilt: it fails sigma.\n" in out
        assert "\nSources: share of the patch grams" in out
        looser = succeed("show", run, "quilts", "--sigma", 0.3)
        assert looser.startswith("By sigma 0.3 (was 0.5): 2 quilts; 1 of these was not a quilt in this run.\n")
        looser = succeed("show", run, "quilts", "--sigma", 0.3, "-c", 3)
        assert (
            "2 of these were not quilts in this run, which did not store the sources and patches of 1 of them.\n"
            in looser
        )

    def test_a_larger_share_from_sources(self, tmp_path):
        make(tmp_path, "http://{}.example/", "--no-homes")
        run = tmp_path / "run"
        assert succeed("show", run, "quilts", "--min-share", 0.1).startswith("By min-share 0.1 (was 0.02): 1 quilt.\n")
        assert succeed("show", run, "quilts", "--min-share", 0.25).startswith("By min-share 0.25 (was 0.02): 0 quilts.")
        assert "contradict each other" in refused("show", run, "quilts", "--min-share", 0.9)
        asked = ("quilts", "--min-share", 0.1, "-c", 2)
        assert "make a new run: it has no sources of" in refused("show", run, *asked)

    @pytest.mark.parametrize(
        ("table", "options", "said"),
        [
            ("quilts", ("--min-share", 0.01), "no sources below its min_share of 0.02; for 0.01, make a new run"),
            (
                "quilts",
                ("--min-share", 0.1),
                "another min_share needs a new run, because this run prefers some sources (homes)",
            ),
            ("quilts", ("--sigma", 2), "--sigma must be a number between 0 and 1, not '2'"),
            ("sources", ("--sigma", 0.2), "--sigma is for the tables quilts and verdicts"),
        ],
    )
    def test_what_cannot_be_said_is_refused(self, run, table, options, said):
        assert said in refused("show", run, table, *options)


class TestCannotTell:
    """What can be known before the long part of a run is said then, on standard error."""

    @pytest.mark.parametrize(
        ("url", "options", "said"),
        [
            ("http://www.site.example/{}", (), "all 1,000 documents are on one domain, site.example, and only pages"),
            ("http://{}.site.example/", (), "Try --site host, which tells its hosts apart, or --site none\n"),
            ("http://site.example/{}", ("--foreign", "host"), "all 1,000 documents are on one host, site.example, and"),
            ("http://site.example/a/{}", ("--foreign", "path:1"), "on one site, site.example/a, and only"),
            ("http://site.example/{}", ("--foreign", "ip"), "all 1,000 documents are on one host, site.example, and"),
            (None, (), "none of the 1,000 documents has a URL, so each counts as a site of its own (--site domain)"),
        ],
    )
    def test_sites_that_cannot_be_told_apart(self, tmp_path, url, options, said):
        err = self.warn(tmp_path, 1000, url, options)
        assert err.startswith("cannot tell ")
        assert said in err

    @pytest.mark.parametrize(
        ("number", "url", "options"),
        [
            (1000, "http://a{}.example/", ()),
            (1000, "http://site.example/{}", ("--foreign", "none")),
            (999, "http://site.example/{}", ()),
        ],
    )
    def test_nothing_is_said_of_others(self, tmp_path, number, url, options):
        """Of a few documents, the end of the run says it as soon."""
        assert self.warn(tmp_path, number, url, options) == ""

    def warn(self, folder: Path, number: int, url: str | None, options: tuple[str, ...]) -> str:
        rows = [{"id": f"{at}", "text": "one"} | ({"url": url.format(at)} if url else {}) for at in range(number)]
        (folder / "pages.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        return invoke("quilts", folder / "pages.jsonl", "-o", folder / "run", *options).stderr

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            (("--min-share", "0.3"), "min_share 0.3 and c 4 contradict each other: each source adds at least 0.3"),
            (("--min-share", "0.3", "-c", "2", "--max-largest", "0.2"), "min_share 0.3 and max_largest 0.2 contradict"),
            (("--max-largest", "0"), "max_largest must be above 0"),
        ],
    )
    def test_limits_that_no_page_can_pass(self, tmp_path, options, said):
        (tmp_path / "pages.txt").write_text("one two three four five six")
        assert said in refused("quilts", tmp_path / "pages.txt", "-o", tmp_path / "run", *options)
        assert not (tmp_path / "run").exists()


class TestNothingFound:
    def test_one_host(self, tmp_path):
        said = make(tmp_path, "http://www.site.example/{}")
        assert "no quilts: all documents are on one domain, site.example, and only sources on another domain" in said
        assert "(--site domain). Try --site none.\n" in said
        assert "--sigma 0.3" not in said

    def test_one_domain(self, tmp_path):
        said = make(tmp_path, "http://{}.site.example/")
        assert "Try --site host, which tells its hosts apart, or --site none.\n" in said
        said = make(tmp_path, "http://{}.site.example/", "--foreign", "host", "--max-sections", 1, "--overwrite")
        assert "\n1 quilt, 5 sources" in said
        assert "Most quilts are on quilt.site.example (1 of 1 document)" in said
        assert json.loads(succeed("show", tmp_path / "run", "quilting_hosts", "--json"))["host"] == "quilt.site.example"

    def test_a_limit(self, tmp_path):
        said = make(tmp_path, "http://{}.example/", "-c", 9)
        assert "There are no quilts: most documents with sources fail" in said
        assert f"unquilt show {tmp_path / 'run'} quilts --sigma 0.3 -c 2" in said


def test_a_page_stitched_in_part_passes_all_limits_but_sigma(tmp_path: Path) -> None:
    make(tmp_path, "http://{}.example/", "--min-part", "50", "--max-reads-on", "0")
    pages = json.loads(succeed("show", tmp_path / "run", "quilts", "--where", "verdict = 'in part'", "--json") or "{}")
    shown = succeed("show", tmp_path / "run", "quilts", "--doc", pages["id"]).splitlines()
    assert any(line.startswith("Stitched in part: ") for line in shown)
    assert {line.split()[0] for line in shown if "FAILED" in line} == {"spanned"}
