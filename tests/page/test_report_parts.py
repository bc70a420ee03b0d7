"""The parts of the report: excerpts. Whatever the text, nothing acts and nothing is lost unsaid."""

from __future__ import annotations

import re
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from unquilt.page.report import excerpts
from unquilt.page.report.excerpts import GAP, MOST, compare, excerpt
from unquilt.results.marks import Passage, clean

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
