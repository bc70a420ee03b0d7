"""The parts of the report: numbers, axes, excerpts. Whatever the text, nothing acts and nothing is lost unsaid."""

from __future__ import annotations

import csv
import io
import re
from html import unescape
from urllib.parse import unquote

from hypothesis import given
from hypothesis import strategies as st

from unquilt.page.marked import Passage, clean
from unquilt.page.report import excerpts
from unquilt.page.report.excerpts import GAP, MOST, compare, excerpt
from unquilt.page.report.figures import Figure
from unquilt.page.report.svg import PANEL, Axis, Chart

HOSTILE = st.text(
    st.sampled_from("<>&\"'/ab \n\x00\x1b\u202e漢") | st.characters(exclude_categories=["Cs"]), max_size=2_000
)
SPANS = st.lists(st.tuples(st.integers(0, 2_000), st.integers(1, 300)), max_size=6)
LEFT_OUT = re.compile(r'<span class="left-out"> … ([\d,]+) characters? left out … </span>')
TAG = re.compile(r"<[^>]*>")


@given(HOSTILE, SPANS)
def test_an_excerpt_is_the_text_but_for_what_it_says_is_left_out(text: str, spans: list[tuple[int, int]]) -> None:
    passages = [Passage(begin, begin + length, number) for number, (begin, length) in enumerate(spans, 1)]
    html = str(excerpt(text, passages)).replace(GAP, "\n\n")
    without = re.sub(r'<span class="number">\d+</span>', "", html)
    shown = [unescape(TAG.sub("", part)) for part in LEFT_OUT.split(without)[::2]]
    gone = [int(number.replace(",", "")) for number in LEFT_OUT.findall(without)]
    assert sum(map(len, shown)) + sum(gone) == len(text)
    at, whole = 0, clean(text)
    for part in shown:
        at = whole.index(part, at) + len(part)
    assert {tag.split()[0] for tag in re.findall(r"<(/?\w+[^>]*)>", html)} <= {"mark", "/mark", "span", "/span"}


def test_what_is_marked_is_shown_with_its_surroundings() -> None:
    text = "before " * 300 + "COPIED" + " after" * 300
    begin = text.index("COPIED")
    html = str(excerpt(text, [Passage(begin, begin + 6, 3)]))
    assert '<mark class="patch s3" data-patch="0"><span class="number">3</span>COPIED</mark>' in html
    assert "before before" in html
    assert "after after" in html
    assert len(LEFT_OUT.findall(html)) == 2


def test_a_long_text_is_cut_and_says_so() -> None:
    html = str(excerpt("a " * 1_000_000, [Passage(0, 2_000_000, 1)]))
    assert len(html) < 2_000
    assert len(LEFT_OUT.findall(html)) == 1
    passages = [Passage(begin, begin + 500, 1) for begin in range(0, 1_000_000, 1_000)]
    html = str(excerpt("a " * 1_000_000, passages))
    assert len(TAG.sub("", html)) < MOST + 1_000


def test_texts_are_compared_word_by_word() -> None:
    html, said = compare("one two <b>three", "one 2 <b>three four")
    assert str(html).startswith("one <del>two</del> <ins>2</ins>")
    assert "<ins>four</ins>" in str(html)
    assert "&lt;b&gt;three" in str(html)
    assert said == "1 word of the first is not in the second, 2 words of the second are not in the first."
    assert compare("A b", "a, B!")[1] == "The words of the two are the same."
    assert "too long" in compare("a" * (excerpts.LONGEST_COMPARED + 1), "b")[1]


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
