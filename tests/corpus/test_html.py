"""Pages against a twin that knows what it wrote, and markup that wants to hurt.

The twin draws a tree, writes it as HTML and notes for each visible character where in the source it stands; chunks are
then made of these notes, by the definition in page.rs. Broken markup is the tokenizer's business, which is compared
with html5gum (markup.rs).
"""

from __future__ import annotations

import hashlib
import itertools
import re
from array import array
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unquilt._native import decode, extract, paragraphs


class Seen(NamedTuple):
    """A character of the page, or what stands between characters: `line`, `block`."""

    character: str
    begin: int
    end: int
    pre: bool


@dataclass
class Twin:
    """The source as it is written, and what is seen of it."""

    source: str = ""
    seen: list[Seen] = field(default_factory=list)

    def write(self, node: Any, hidden: bool = False, pre: bool = False) -> None:
        if isinstance(node, list):
            for each in node:
                self.write(each, hidden, pre)
            return
        kind, *rest = node
        if kind == "character":
            character, spelling = rest
            self.note(character, len(self.source), len(self.source) + len(spelling), hidden or not character, pre)
            self.source += spelling
        elif kind == "raw":
            self.source += rest[0]
        elif kind == "line":
            self.source += "<br>"
            self.note("line", 0, 0, hidden, pre)
        else:
            name, hides, attributes, children = rest
            inside = hidden or hides
            edges = {"block": ("block", inside), "box": (" ", hidden or pre), "inline": ("", True)}
            edge, unseen = edges[kind]
            self.source += f"<{name}{attributes}>"
            self.note(edge, 0, 0, unseen, pre)
            self.write(children, inside, pre or name == "pre")
            self.source += f"</{name}>"
            self.note(edge, 0, 0, unseen, pre)

    def note(self, character: str, begin: int, end: int, hidden: bool, pre: bool) -> None:
        if not hidden:
            self.seen.append(Seen(character, begin, end, pre))

    def chunks(self) -> list[tuple[str, str]]:
        """The text and the source of each chunk."""
        found = []
        for is_edge, block in itertools.groupby(self.seen, lambda seen: seen.character == "block"):
            if not is_edge:
                found += self.chunks_of(list(block))
        return found

    def chunks_of(self, block: list[Seen]) -> list[tuple[str, str]]:
        pre = any(seen.pre for seen in block)
        lines: list[list[Seen]] = [[]]
        for seen in block:
            if seen.character == "line" or (pre and seen.character in "\r\n"):
                lines.append([])
            else:
                lines[-1].append(seen)
        found = []
        for blank, group in itertools.groupby(lines, lambda line: not text_of(line).strip()):
            if not blank:
                kept = list(group)
                text = "\n".join(text_of(line) if pre else " ".join(text_of(line).split()) for line in kept)
                solid = [seen for line in kept for seen in line if not seen.character.isspace()]
                found.append((text.strip(), self.source[solid[0].begin : solid[-1].end]))
        return found


def text_of(line: list[Seen]) -> str:
    return "".join(seen.character for seen in line)


SPELLINGS = [
    *[(c, c) for c in "abcd \t\nééü漢😀<>;#\x0b\x0c\x1c\x85\xa0\u2003\u2028\u200b\u3000"],
    *[("\xa0", "&nbsp;"), ("&", "&amp;"), ("<", "&lt;"), (">", "&gt"), ("é", "&eacute;"), ("–", "&#150;")],
    *[("\n", "&#10;"), ("\r", "&#13;"), ("\n", "\r\n"), ("\n", "\r"), (" ", "&#32;"), ("漢", "&#x6F22;")],
    *[("", "\0"), ("\ufffd", "&#0;")],
]
NOTHING = [
    "<!-- <p> -->", "<?php ?>", "</>", "<wbr>", "<img src=x alt=y>", "<script>'<p>'</script>", "<style>p</style>",
    "<noscript><p>x</p></noscript>", "<template><p>x</p></template>", "<video>x</video>", "<title>&lt;x</title>",
    "<iframe><p></iframe>", "<canvas>x</canvas>", "<object>x<p>y</object>", "<svg><title>x</title></svg>", "</nosuch>",
]  # fmt: skip

# Between them a comment, or CR and LF would be one line end, `<` could begin a tag and `&gt` go on.
characters = st.lists(st.sampled_from(SPELLINGS), max_size=12).map(
    lambda drawn: [piece for pair in drawn for piece in (("character", *pair), ("raw", "<!---->"))]
)
words = st.sampled_from(["one", "two  words", " spaced ", "naïve 漢字", "a long run of plain words, as most are"]).map(
    lambda text: [("character", c, c) for c in text]
)
line = st.just(("line",))
nothing = st.sampled_from(NOTHING).map(lambda text: ("raw", text))
texts = characters | words | words
looks = st.sampled_from(
    [
        *[(False, ""), (False, " class='a > b' id=x"), (False, " style='display:block'"), (False, " style=none")],
        *[(True, " hidden"), (True, " style='color:red;display:none'"), (True, ' STYLE="Display: NONE !important"')],
    ]
)


def element(kind: str, names: list[str], children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    drawn = st.tuples(st.sampled_from(names), looks, st.lists(children, max_size=4))
    return drawn.map(lambda parts: (kind, parts[0], *parts[1], parts[2]))


inline = st.recursive(
    texts | texts | line | nothing,
    lambda inner: element("inline", ["b", "A", "span", "font", "x-y"], inner) | element("box", ["button"], inner),
    max_leaves=6,
)
leaves = inline | element("block", ["p", "h1", "LI", "td", "dt", "pre", "option"], inline)
trees = st.lists(
    st.recursive(leaves, lambda inner: element("block", ["div", "section", "ul", "table"], inner), max_leaves=10),
    max_size=4,
)


def chunks_of(source: str, url: str | None = None) -> list[str]:
    """The chunks of a page, after what must hold for any page has been checked."""
    utf8, begins, ends, raw, texts, trivial, links, _, nodes, depth, _, _ = extract(source.encode(), url)
    text = utf8.decode()
    assert paragraphs(utf8)[:2] == (begins, ends)
    assert paragraphs(utf8)[3:] == (texts, trivial)
    assert text == text.strip()
    assert "\0" not in text
    found = [text[b:e] for b, e in zip(array("i", begins), array("i", ends), strict=True)]
    assert "\n\n".join(found) == text
    assert len(raw) == len(texts) == 20 * len(found)
    assert len(set(links)) == len(links)
    assert all(re.match("https?://[^#]*$", link) for link in links)
    assert depth <= nodes
    return found


@pytest.mark.slow
@given(trees)
@settings(max_examples=200)
def test_paragraphs_of_random_pages_are_those_of_the_twin(tree: list[Any]) -> None:
    twin = Twin()
    twin.write(tree)
    expected = twin.chunks()
    assert chunks_of(twin.source) == [text for text, _ in expected]
    digests = b"".join(hashlib.sha1(source.encode()).digest() for _, source in expected)
    assert extract(twin.source.encode())[3] == digests


PIECES = [
    *"<>/!-=\"'& \n\r\t\0a\xa0", "<p", "<p>", "</p>", "<div>", "</div>", "<div hidden>", "<span hidden>", "</span>",
    "<b>", "</b>", "<br>", "<pre>", "</pre>", "\n\n", "<ul><li>", "<li>", "</ul>", "<table><tr><td>", "<td>", "<tr>",
    "</table>", "<select><option>", "</select>", "<template>", "</template>", "<svg>", "</svg>", "<title>", "</title>",
    "<foreignObject>", "<![CDATA[", "]]>", "<!--", "-->", "<script>", "</script>", "<textarea>", "</textarea>", "<xmp>",
    "</xmp>", "<a href=", "<a href='x#y'>", "<base href='//b/c/'>", "<area href=http://e.org/>", "</a>", "&nbsp;", "é",
    "&#10;", "&amp", "words in a row", " x ", "漢", "<button>", "</button>", "<object>", "</object>", "<td hidden>",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join) | st.text())
@settings(max_examples=400)
def test_any_page_is_its_paragraphs(source: str) -> None:
    chunks_of(source, "http://example.org/a/b")


N = 200_000


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<div>" * N + "x", "x"),
        ("<div>" * 260 + "x", "x"),
        ("<b>" * N + "x" + "</b>" * N, "x"),
        ("<div>" * N + "</b>" * N + "x", "x"),
        ("<b><div>" * N + "</b>" * N + "x", "x"),
        ("<table><td>" * N + "</div>" * N + "x", "x"),
        ("".join(f"<t{i}>" for i in range(N)) + "".join(f"</t{i}>" for i in range(N)) + "x", "x"),
        ("<p>" * 1_000_000 + "x", "x"),
        ("<ul><li>" * N + "x", "x"),
        ("<li>" * N + "x", "x"),
        ("<svg>" * N + "<p>x", "x"),
        ("<svg><p>" * N + "x", "x"),
        ("<div hidden>" * N + "</div>" * N + "x", "x"),
        ("<a " + "".join(f"a{i}=1 " for i in range(N)) + ">x", "x"),
        ("<a " + "a" * 5_000_000 + ">x", "x"),
        ("<a style='" + "display:none;" * N + "display:block'>x", "x"),
        ("<" + "a" * 5_000_000 + ">x", "x"),
        ("x<!--" * N, "x"),
        ("x<script><!--<script" * N, "x"),
        ("x<script>" + "</scrip" * N, "x"),
        ("x<a href='" + "y" * 10_000_000, "x"),
        ("x<title>" + "</titl" * N, "x"),
        ("x<![CDATA[" * N, "x"),
        ("<svg>x<![CDATA[" + "]]" * N, "x" + "]]" * N),
        ("<" * 50_000_000, "<" * 50_000_000),
        ("&" * 10_000_000, "&" * 10_000_000),
        ("&#" + "0" * 10_000_000 + "65;", "A"),
        ("&am" * 3_000_000, "&am" * 3_000_000),
        ("w" * 50_000_000, "w" * 50_000_000),
        (" " * 10_000_000 + "x" + " " * 10_000_000, "x"),
        ("<pre>x\n" + " " * 10_000_000, "x"),
        ("<pre>" + "x\n" * N, "\n".join("x" * N)),
        ("x<br>" * N, "\n".join("x" * N)),
        ("<br>" * N + "x", "x"),
    ],
    ids=lambda value: ascii(value[:12]) + ascii(value[-8:]) if len(value) > 9 else None,
)
def test_hostile_shapes(source: str, text: str) -> None:
    """Quadratic time would show: the whole table takes seconds."""
    assert extract(source.encode())[0].decode() == text


@pytest.mark.parametrize("name", ["p", "div", "li", "pre", "option"])
def test_a_hidden_block_ends_no_paragraph(name: str) -> None:
    assert extract(f"<div>one<{name} hidden>two</{name}> word</div>".encode())[0] == b"one word"
    assert extract(b"<div>one</p>word</div>")[0] == b"one\n\nword"  # a </p> without <p> is an empty paragraph


def test_a_million_links() -> None:
    source = "".join(f"<a href=/{i % 1000}#{i}>" for i in range(1_000_000))
    assert extract(source.encode(), "http://example.org/")[6] == [f"http://example.org/{i}" for i in range(1000)]


def test_links_are_bounded() -> None:
    """docs/faults.md 45: 10,000 short links under a base of 50 kB would be 500 MB."""
    source = f"<base href=http://example.org/{'x' * 50_000}/>" + "".join(f"<a href={i}>" for i in range(10_000))
    links, more = extract(source.encode())[6:8]
    assert more
    assert [link[-3:] for link in links[:3]] == ["x/0", "x/1", "x/2"]
    assert 50_000 < sum(map(len, links)) <= 16 * len(source) + (1 << 20)


@pytest.mark.parametrize(
    "url", [None, "", "nonsense", "\ud800", "http://", "mailto:x", "http://example.org/" + "a/" * 500_000]
)
def test_any_url_will_do(url: str | None) -> None:
    links = extract(b"<a href=http://other.org>x</a><a href=b>", url)[6]
    assert links[0] == "http://other.org/"
    assert len(links) == (url or "").startswith("http://e") + 1


def test_nodes_and_depth() -> None:
    *_, nodes, depth, _, _ = extract(b"<!doctype html><p>a<p><b>b</b><br>c<!-- d -->")
    assert (nodes, depth) == (8, 2)


def test_other_bytes_are_refused() -> None:
    with pytest.raises(ValueError, match="no UTF-8"):
        extract(b"\xff")
    assert extract(decode(b"\xff", None, True)[0])[0].decode() == "ÿ"
