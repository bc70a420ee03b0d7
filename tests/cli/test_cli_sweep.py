"""`unquilt sweep`: table and curves of the paper, in the terminal and as files; what is said where nothing is found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyarrow as pa
import pytest
from click.testing import CliRunner, Result

import unquilt
from unquilt.cli import cli
from unquilt.cli.terminal.curves import ASCII, UNICODE, Curve, arrange
from unquilt.figures.sweep import plot, take_curves

PAGES = [
    "a b c d e f g h",
    "i j k l m n o p",
    "a b c d i j k l",
    "a b c d q r s t u v w x y z",
    "q r s t i j k l m n e f g h",
]
GRID = ("--k", "2,3", "--m", "2,50", "--c", "1,2", "--sigma", "0.25,0.5,1")
TABLE = """\
Quilts around k = 2, m = 50, c = 1, σ = 0.5 (●), one parameter varied at a time:

      k      m     c      σ       quilts    share  sources
●     2     50     1    0.5            4   80.00%     2.00
      3     50     1    0.5            4   80.00%     2.00

      2      2     1    0.5            1   20.00%     3.00
●     2     50     1    0.5            4   80.00%     2.00

●     2     50     1    0.5            4   80.00%     2.00
      2     50     2    0.5            3   60.00%     2.33

      2     50     1   0.25            5  100.00%     2.00
●     2     50     1    0.5            4   80.00%     2.00
      2     50     1      1            0    0.00%        -
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unquilt.ingest(pa.table({"text": PAGES}), tmp_path_factory.mktemp("pages") / "corpus").path


def invoke(*arguments: object, **settings: Any) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], prog_name="unquilt", **settings)


def succeed(*arguments: object, **settings: Any) -> str:
    result = invoke(*arguments, **settings)
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    return result.stdout


def test_the_table_of_the_paper(corpus: Path, tmp_path: Path) -> None:
    shown = succeed("sweep", corpus, "-o", tmp_path / "run", *GRID, "--pivot", "2,50,1,0.5")
    assert shown.startswith(TABLE)
    assert "24 combinations\n" in shown
    assert "\x1b" not in shown


def test_the_curves_mark_the_pivot(corpus: Path, tmp_path: Path) -> None:
    shown = succeed("sweep", corpus, "-o", tmp_path / "run", *GRID, env={"COLUMNS": "60"})
    for title in ("k: words in a gram", "m: most documents", "c: fewest sources", "σ: least share of the grams"):
        _, _, curve = shown.partition(f"\n{title}")
        lines = curve.splitlines()[1:12]
        assert all(len(line) <= 60 for line in lines)
        assert "".join(lines).count("●") == 1
        assert "".join(lines).count("○") == (2 if title.startswith("σ") else 1)
    assert "  0.25" in shown
    wide = succeed("sweep", corpus, "-o", tmp_path / "run", *GRID, env={"COLUMNS": "120"})
    assert "k: words in a gram  " in wide
    assert max(map(len, wide[wide.index("k: words") :].partition("Figures of")[0].splitlines())) <= 120


def test_the_figures_are_drawn(corpus: Path, tmp_path: Path) -> None:
    shown = succeed("sweep", corpus, "-o", tmp_path / "run", *GRID)
    assert f"Figures of sweep are in {tmp_path / 'run' / 'figures'}, as SVG\n" in shown
    picture = ElementTree.parse(tmp_path / "run" / "figures" / "sweep.svg").getroot()
    assert picture.tag == "{http://www.w3.org/2000/svg}svg"
    texts = " ".join(picture.itertext())
    assert "σ: least share of the grams that sources cover" in texts
    assert "0.25" in texts
    assert "Share of 5 documents; sources are any other document." in texts


def test_another_pivot_needs_no_other_run(corpus: Path, tmp_path: Path) -> None:
    succeed("sweep", corpus, "-o", tmp_path / "run", *GRID)
    figure = tmp_path / "run" / "figures" / "sweep.svg"
    before = figure.read_bytes()
    shown = succeed("sweep", corpus, "-o", tmp_path / "run", *GRID, "--pivot", "3,2,2,0.25")
    assert "Nothing to do" in shown
    assert shown.startswith("Quilts around k = 3, m = 2, c = 2, σ = 0.25 (●)")
    assert figure.read_bytes() != before


def test_quiet_and_json(corpus: Path, tmp_path: Path) -> None:
    assert succeed("sweep", corpus, "-o", tmp_path / "quiet", *GRID, "-q") == ""
    facts = json.loads(succeed("sweep", corpus, "-o", tmp_path / "json", *GRID, "--json"))
    assert facts["tables"]["sweep"]["rows"] == 24
    rows = succeed("show", tmp_path / "json", "sweep", "--json").splitlines()
    assert json.loads(rows[-1]) == {
        "k": 3,
        "m": 50,
        "c": 2,
        "sigma": 1.0,
        "quilts": 0,
        "share": 0.0,
        "mean_sources": 0.0,
    }
    assert "k 2,3, m 2,50, c 1,2, sigma 0.25,0.5,1" in succeed("show", tmp_path / "json")


def test_no_quilts_are_no_error(tmp_path: Path) -> None:
    pages = tmp_path / "pages.jsonl"
    pages.write_text('{"text": "a b c d"}\n{"text": "e f g h"}\n')
    shown = succeed("sweep", pages, "-o", tmp_path / "run", *GRID, "--site", "domain")
    wanted = "try smaller k, c or sigma (least: 2, 1, 0.25), a larger m (most: 50), or --site none.\n"
    assert shown.startswith(f"No document is a quilt with any of the 24 combinations; {wanted}")
    assert not (tmp_path / "run" / "figures").exists()


def test_no_documents_are_an_error(tmp_path: Path) -> None:
    pages = tmp_path / "pages.jsonl"
    pages.write_text("{broken\n")
    result = invoke("sweep", pages, "-o", tmp_path / "run", *GRID)
    assert result.exit_code == 1
    assert "no document in 1 file: 1 reject (1 × bad json)" in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--k 3,x", "--k must be a whole number between 1 and 1048576, not 'x'"),
        ("--k=", "--k must be a whole number between 1 and 1048576, not ''"),
        ("--c 1,,2", "--c must be a whole number between 1 and 4294967296, not ''"),
        ("--m 1,5", "--m must be a whole number between 2 and 4294967296, not '1'"),
        ("--sigma 0.5,1.5", "--sigma must be a number between 0 and 1, not '1.5'"),
        ("--m 5,10,5", "m has the value 5 twice"),
        ("--pivot 5,50,4", "--pivot must be four numbers, k,m,c,sigma, such as 5,50,4,0.5; not '5,50,4'"),
        ("--pivot 5,50,4,half", "--pivot must be four numbers"),
        ("--pivot 5,51,4,0.5", "--pivot has m = 51, but the values of --m are 5, 10, 20, 50, 100"),
        ("--pivot 5,50,4,nan", "--pivot has sigma = nan, but the values of --sigma are 0.1, 0.25"),
        ("--main-content", "is a corpus, which was read already; leave out the options about reading"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_done(
    options: str, message: str, corpus: Path, tmp_path: Path
) -> None:
    result = invoke("sweep", corpus, "-o", tmp_path / "new", *options.split())
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith(f"unquilt: {message}" if not message.startswith("is a") else "unquilt: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "new").exists()


def test_the_pivot_is_the_papers_as_far_as_it_is_there(corpus: Path, tmp_path: Path) -> None:
    grid = ("--k", "1,2,3", "--m", "2,3", "--c", "1,4", "--sigma", "0.1,0.5")
    assert "Quilts around k = 2, m = 2, c = 4, σ = 0.5 (●)" in succeed("sweep", corpus, "-o", tmp_path / "run", *grid)


def test_a_curve_is_whole_and_keeps_its_labels_apart() -> None:
    curve = Curve("x", [str(n) for n in range(40)], [n / 40 for n in range(40)], 17)
    lines = curve.draw(46, 1.0, UNICODE)
    assert {len(line) for line in lines[:-1]} == {46}
    assert "17" in lines[-1].split()
    steep = Curve("x", ["1", "2"], [0.0, 1.0], 0).draw(46, 1.0, ASCII)
    assert all(any(mark in line for mark in "#o.") for line in steep[1:-2])
    alone = Curve("x", ["5"], [0.3], 0).draw(46, 0.3, UNICODE)
    assert "●" in alone[1]


def test_curves_are_coloured_only_where_that_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    curves = [Curve("x", ["1", "2"], [0.1, 0.2], 0)]
    assert not any("\x1b" in line for line in arrange(curves, 60))
    monkeypatch.setattr("unquilt.cli.terminal.curves.use_colour", lambda: True)
    assert any("\x1b[31m" in line for line in arrange(curves, 60))


def test_axes_are_logarithmic_where_values_grow_by_factors(corpus: Path) -> None:
    run = unquilt.sweep(corpus, k=[2, 3, 4], m=[2, 20, 200], c=[1, 2, 4], sigma=[0.1, 0.5, 0.9])
    pivot = {"k": 3, "m": 20, "c": 2, "sigma": 0.5}
    (figure,) = plot(take_curves(run.sweep.to_pylist(), pivot), pivot)
    assert [chart.x.log for chart in figure.charts] == [False, True, True, False]
    one = unquilt.sweep(corpus, k=[2], m=[2], c=[1], sigma=[0.1])
    pivot = {"k": 2, "m": 2, "c": 1, "sigma": 0.1}
    assert plot(take_curves(one.sweep.to_pylist(), pivot), pivot) == []


def test_by_default_counts_what_quilts_finds(corpus: Path, tmp_path: Path) -> None:
    asked = ("--k", "2", "--c", "2", "--sigma", "0.5", "--min-grams", "1", "--min-sewn", "0", "--max-reads-on", "1")
    assert invoke("sweep", corpus, "-o", tmp_path / "sweep", "--by-default", *asked, "-q").exit_code == 0
    run = unquilt.read(tmp_path / "sweep")
    assert run.manifest["parameters"] | {"edits": "light", "homes": True, "m": [50]} == run.manifest["parameters"]
    assert invoke("quilts", corpus, "-o", tmp_path / "quilts", *asked, "-q").exit_code == 0
    assert run.sweep["quilts"].to_pylist() == [unquilt.read(tmp_path / "quilts").quilts.num_rows]
    assert run.sweep["quilts"].to_pylist() != [0]
