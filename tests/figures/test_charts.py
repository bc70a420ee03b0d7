"""Charts and figures: numbers along axes, marks and names; nothing in a file acts, and no file needs another."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from unquilt.figures.axis import Axis
from unquilt.figures.chart import PANEL, Chart
from unquilt.figures.figure import Figure, replace_figures
from unquilt.figures.phrases import _plot_sites, chart_sites
from unquilt.figures.style import make_style

HOSTILE = "</svg><script>alert(1)</script>\u202e\x1b[31m&\"'<style>@import url(//evil.example)</style>"
SVG = "{http://www.w3.org/2000/svg}"


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e7), st.booleans())
def test_ticks_are_few_and_on_the_axis(low: float, width: float, log: bool) -> None:
    axis = Axis("x", abs(low) + 0.01 if log else low, (abs(low) + 0.01 if log else low) + width, log=log)
    ticks = axis.ticks
    assert len(ticks) <= 20
    assert ticks == sorted(ticks)
    assert all(-0.01 <= axis.place(tick) <= 1.01 for tick in ticks)


def test_a_chart_says_what_it_shows_and_has_no_styles() -> None:
    chart = Chart("a <title>", Axis("x & y", 0, 10), Axis("share", 0, 1, percent=True), [("one", "<i>")], PANEL)
    chart.line([(0, 0), (10, 1)])
    chart.bars([(1, 2, 0.5)], "two")
    chart.points([(3, 0.5)], "two")
    chart.limit(5, "</svg>")
    chart.name(5, 0.5, "\u202e<script>")
    drawn = chart.draw("n")
    assert '<title id="n-title">a &lt;title&gt;</title>' in drawn
    assert "style" not in drawn
    assert "<script" not in drawn
    assert "<i>" not in drawn
    assert drawn.count("</svg>") == 1
    assert "x &amp; y" in drawn
    assert "20 %" in drawn


def test_the_data_behind_a_figure_can_be_saved() -> None:
    rows = [{"site": 'a,"b"\n<c>', "share": 0.25}, {"site": "ü", "share": 1}]
    kind, _, data = Figure("f", "t", "s", [], rows).data.partition(",")
    assert kind == "data:text/csv;charset=utf-8"
    assert list(csv.DictReader(io.StringIO(unquote(data)))) == [{k: str(v) for k, v in row.items()} for row in rows]


def make_figure(name: str = "figure") -> Figure:
    """A figure of several panels, hostile wherever a text can be."""
    charts = []
    for _ in range(3):
        chart = Chart(
            HOSTILE, Axis(HOSTILE, 1, 100, log=True), Axis(HOSTILE, 0, 1), [("three", HOSTILE)], PANEL, HOSTILE
        )
        chart.line([(1, 0.1), (10, 0.5)], "three", 3)
        chart.level(0.5, HOSTILE)
        chart.limit(10, HOSTILE)
        chart.name(2, 0.2, HOSTILE)
        charts.append(chart)
    return Figure(name, HOSTILE, HOSTILE, charts, [{"a": 1}])


def test_a_file_is_whole_says_what_it_shows_and_has_nothing_that_acts(tmp_path: Path) -> None:
    path = make_figure().save(tmp_path / "figures")
    assert path == tmp_path / "figures" / "figure.svg"
    root = ElementTree.parse(path).getroot()
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags == {"svg", "title", "desc", "style", "rect", "text", "g", "line", "polyline", "polygon"}
    (style,) = root.iter(f"{SVG}style")
    assert style.text == make_style()
    assert "prefers-color-scheme: dark" in make_style()
    assert not re.search(r"url|@import|var\(|http", make_style())
    assert not [name for element in root.iter() for name in element.attrib if name.startswith("on") or "href" in name]
    assert root.find(f"{SVG}title").text.startswith("</svg><script>")  # type: ignore[union-attr]
    assert "\u202e" not in path.read_text()
    assert root.get("aria-labelledby") == "title desc"


def test_figures_of_an_earlier_run_go(tmp_path: Path) -> None:
    replace_figures(tmp_path, [make_figure("one"), make_figure("two")], ["one", "two"])
    (tmp_path / "mine.svg").touch()
    assert replace_figures(tmp_path, [make_figure("two")], ["one", "two"]) == [tmp_path / "two.svg"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.svg", "two.svg"]
    assert replace_figures(tmp_path / "none", [], ["one"]) == []
    assert not (tmp_path / "none").exists()


def test_names_keep_away_from_marks_and_from_each_other() -> None:
    chart = Chart("t", Axis("x", 0, 10), Axis("y", 0, 10))
    chart.points([(5, 5)])
    for number in range(20):
        chart.name(5, 5, f"name {number}")
    assert 1 < chart.draw("n").count(">name ") / 2 <= 6
    chart.name(5, 8, "x" * 500)
    assert "x" * 39 + "…" in chart.draw("n")


def test_of_very_many_sites_the_candidates_and_the_largest_are_drawn() -> None:
    rows = [
        {"site": str(n), "pages": n, "mean": 20.0, "deviation": 1.0, "candidate": n % 100 == 0}
        for n in range(1, 20_001)
    ]
    figure = _plot_sites(rows)
    assert figure is not None
    assert "Of 20,000 sites, the 500 largest, candidates first." in figure.says
    assert sum(row["candidate"] for row in figure.rows) == 200
    assert min(row["pages"] for row in figure.rows if not row["candidate"]) == 19_697


@given(st.lists(st.tuples(st.integers(0, 10**9), st.floats(0, 84), st.floats(0, 84), st.booleans()), min_size=1))
def test_any_sites_can_be_drawn_and_lie_between_the_axes(sites: list[tuple[int, float, float, bool]]) -> None:
    names = ("pages", "mean", "deviation", "candidate")
    rows = [{"site": HOSTILE, **dict(zip(names, site, strict=True))} for site in sites]
    drawn = ElementTree.fromstring(chart_sites(rows, lambda _: "/?site=%3C&x=1").draw("n"))
    links = drawn.findall("a")
    assert {link.get("href") for link in links} == {"/?site=%3C&x=1"}
    assert len(links) == len(sites)
    for link in links:
        for line in link.iter("line"):
            assert 0 <= float(line.get("x1", -1)) <= float(line.get("x2", -1)) <= 640
            assert 0 <= float(line.get("y1", -1)) <= 340
