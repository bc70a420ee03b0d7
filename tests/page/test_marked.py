"""Texts as HTML: nothing is lost, nothing acts, and every passage is marked."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from unquilt.page.marked import draw_bar, mark_text
from unquilt.results.marks import Passage, clean

HOSTILE = st.text(
    st.sampled_from("<>&\"'/ab \n\x00\x1b\u202e漢") | st.characters(exclude_categories=["Cs"]), max_size=200
)
PASSAGES = st.lists(
    st.builds(Passage, st.integers(0, 220), st.integers(0, 220), st.integers(1, 30), HOSTILE), max_size=6
)


class Reader(HTMLParser):
    """What a browser makes of it: tags with their attributes, and texts, but for the numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.within = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.within = dict(attrs).get("class") or ""

    def handle_endtag(self, tag: str) -> None:
        self.within = ""

    def handle_data(self, data: str) -> None:
        if self.within != "number":
            self.texts.append(data)


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader


@given(HOSTILE, PASSAGES)
def test_the_text_is_all_there_and_only_our_tags_are(text: str, passages: list[Passage]) -> None:
    reader = read(mark_text(text, passages, link=lambda place: f"?patch={place}&x=<"))
    assert {tag for tag, _ in reader.tags} <= {"a", "span"}
    assert "".join(reader.texts) == clean(text)
    for tag, attributes in reader.tags:
        assert tag != "a" or attributes.keys() <= {"class", "href", "data-patch", "title"}


@given(HOSTILE)
def test_text_has_no_control_characters_after_cleaning(text: str) -> None:
    assert not any(ord(char) < 32 and char not in "\t\n" for char in clean(text))
    assert "\u202e" not in clean(text)


def test_the_first_passage_wins_and_the_chosen_one_is_found() -> None:
    html = mark_text("one two three", [Passage(4, 7, 2), Passage(0, 13, 1)], chosen=[0])
    assert html == (
        '<mark class="patch s1" data-patch="1"><span class="number">1</span>one </mark>'
        '<mark class="patch s2 chosen" data-patch="0" id="here"><span class="number">2</span>two</mark>'
        '<mark class="patch s1" data-patch="1"><span class="number">1</span> three</mark>'
    )


def test_a_part_of_a_text_is_marked_by_the_offsets_of_the_whole() -> None:
    assert "<mark" in mark_text("two", [Passage(4, 7, 1)], first=4)
    assert mark_text("two", [Passage(0, 3, 1)], first=4) == "two"


def test_the_bar_says_how_much_is_marked() -> None:
    bar = draw_bar(100, [Passage(0, 25, 1), Passage(20, 50, 2)])
    assert 'aria-label="Where the passages lie: 50% of the text is marked"' in bar
    assert 'x="250.0"' in bar
    assert "style=" not in bar
