"""What a style hides is left out and counted; docs/corpus.md."""

from __future__ import annotations

import time

import pyarrow as pa
import pytest

import unquilt as uq
from unquilt._native import extract


def read(source: str, *, keep: bool = False) -> tuple[str, int]:
    found = extract(source.encode(), None, keep_hidden=keep)
    return found[0].decode(), found[-2]


@pytest.mark.parametrize(
    "style",
    [
        "display:none",
        "visibility:hidden",
        "opacity:0",
        "font-size:0",
        "font-size:0px !important",
        "position:absolute;left:-9999px",
        "position:fixed;top:-200em",
        "text-indent:-9999px",
        "clip:rect(0 0 0 0);position:absolute",
        "clip-path:inset(100%)",
        "height:0;overflow:hidden",
        "width:1px;height:1px;overflow:hidden",
        "color:#fff",
        "color:WHITE;background:#ffffff",
        "color:rgb(10,20,30);background-color:#0a141e",
        "color:transparent",
    ],
)
def test_styles_that_hide(style: str) -> None:
    wanted = ("one two", 2)
    assert read(f"<p>one <b style='{style}'>not seen</b> two") == wanted
    assert read(f"<style>.h{{{style}}}</style><p>one <b class='x h'>not seen</b> two") == wanted
    assert read(f"<p>one <b id=i>not <i>seen</i></b> two<style>/* later */ b#i{{{style}}}</style>") == wanted
    assert read(f"<p>one <b style='{style}'>not seen</b> two", keep=True) == ("one not seen two", 0)


@pytest.mark.parametrize(
    "style",
    [
        "b{dis\\70 lay:none}",
        "b{\\64isplay:none}",
        "\\62{display:none}",
        "b{display/* x */:/* } */none}",
        "b{content:'}';display:none}",
        "@media screen{b{display:none}}",
        "@media print, screen{b{display:none}}",
        "@layer x{b{display:none}}",
        "html body b{display:none}",
        "b{display:none!important}b{display:block}",
        "b{display:none;i{display:block}}",
        "".join(f"b.x{i}{{color:red}}" for i in range(99)) + "b{display:none}",
    ],
)
def test_rules_that_are_written_in_other_ways(style: str) -> None:
    assert read(f"<style>{style}</style><p>one <b>not seen</b> two") == ("one two", 2)


@pytest.mark.parametrize(
    "source",
    [
        "<p>one <b style='opacity:0.4'>seen</b>",
        "<style>b{display:none}b{display:inline}</style><p>one <b>seen</b>",
        "<style>b{i{x:y;display:none}}</style><p>one <b>seen</b>",
        "<style>b{&:hover{display:none}}</style><p>one <b>seen</b>",
        "<style>@media (max-width:9px){b{display:none}}</style><p>one <b>seen</b>",
        "<style>/* b{display:none} */</style><p>one <b>seen</b>",
        "<style>.sm\\:b{display:none}</style><p>one <b class=sm>seen</b>",
        "<style>p b{background:#000}</style><p>one <b style='color:#fff'>seen</b>",
        "<style>@media screen and (min-width:9px){p{background:red}}</style><p>one <b style='color:#fff'>seen</b>",
        "<style>p{background-image:url(dark.png)}</style><p>one <b style='color:#fff'>seen</b>",
        "<style>p{background:linear-gradient(#000,#333)}</style><p>one <b style='color:#fff'>seen</b>",
        "<p aria-hidden=true>one <b>seen</b>",
        "<details>one <b>seen</b></details>",
        "<style>@media print{.h{display:none}}</style><p>one <b class=h>seen</b>",
        "<style media=print>.h{display:none}</style><p>one <b class=h>seen</b>",
        "<style>.a .h, .h:hover, .h>b{display:none}</style><p>one <b class=h>seen</b>",
        "<style>.h{display:none}</style><p>one <b class=h style='display:inline'>seen</b>",
        "<style>.h{display:none}#i{display:inline}</style><p>one <b class=h id=i>seen</b>",
        "<link rel=stylesheet href=x><p>one <b style='color:#fff'>seen</b>",
        "<div style='background:url(x.png)'>one <b style='color:#fff'>seen</b></div>",
        "<body bgcolor=black>one <font color=white>seen</font>",
        "<div style='visibility:hidden'><b style='visibility:visible'>one seen</b></div>",
        "<body style='visibility:hidden'><p>one seen",
        "<script>'<style>.h{display:none}</style>'</script><p>one <b class=h>seen</b>",
    ],
)
def test_styles_that_hide_nothing(source: str) -> None:
    assert read(source) == ("one seen", 0)


@pytest.mark.parametrize(
    "source",
    [
        "<style>" + ".a{color:red}" * 100_000 + "</style>" + "<b class=a>x</b>" * 20_000,
        "<style>" + "".join(f".a.b{i}{{color:red}}" for i in range(50_000)) + "</style>" + "<b class=a>x</b>" * 20_000,
        "<b class='" + "a " * 500_000 + "'>x",
        "<style>" + "@media{" * 200_000,
        "<style>" + "/*" * 400_000,
        "<style>" + "\\" * 800_000,
        "<style>" + "a{" * 400_000,
        "<style>" + "@media screen{a{" * 60_000,
        "<style>" + "'\n" * 400_000,
        "<style>" + "a " * 400_000 + "{display:none}",
        "<style>" + "a," * 400_000 + "{display:none}",
        "<style>" * 100_000,
        "<b style='" + "color:red;" * 100_000 + "'>x",
    ],
)
def test_hostile_styles_take_linear_time(source: str) -> None:
    begin = time.process_time()
    read(source)
    assert time.process_time() - begin < 5


def test_hidden_text_is_not_main_content() -> None:
    words = "the quick brown fox jumps over the lazy dog and runs through the wide green forest until the evening. "
    source = (
        f"<style>.h{{display:none}}</style><article><p>{words * 4}</p><p>{words} <b class=h>not seen</b></p></article>"
    )
    table = pa.table({"id": ["a"], "html": [source]})
    for hidden, counted in (("drop", 2), ("keep", 0)):
        reading = uq.Reading(main_content=True, hidden=hidden)
        (found,) = uq.ingest(table, options=uq.JobOptions(reading=reading)).documents.to_pylist()
        assert ("not seen" in found["text"]) == (hidden == "keep")
        assert "green forest" in found["text"]
        assert found["hidden"] == counted


def test_trivial_is_what_a_reader_sees() -> None:
    table = pa.table({"id": ["a", "b"], "text": ["about\n\nmore about it", "ⓐⓑⓞⓤⓣ\n\nⓜⓞⓡⓔ ⓐⓑⓞⓤⓣ ⓘⓣ"]})
    found = uq.ingest(table).documents.select(["trivial_chunks", "chunk_sha1"]).to_pylist()
    assert found[0] == found[1]


def test_disguises_are_counted_by_site() -> None:
    text = "nobody can see that these words are written in another way"
    pages = pa.table(
        {
            "id": ["a", "b", "c"],
            "url": ["http://a.example/", "http://b.example/1", "http://b.example/2"],
            "html": [f"<p>{text}", f"<p>{text.replace('o', 'о')}", f"<p>{text} <b hidden>or three hidden</b>"],
        }
    )
    corpus = uq.ingest(pages)
    found = corpus.documents.select(["words", "restored", "hidden"]).to_pylist()
    assert [tuple(row.values()) for row in found] == [(11, 0, 0), (11, 3, 0), (11, 0, 3)]
    assert len(set(corpus.documents["sequence"].to_pylist())) == 1
    assert corpus.table("disguises").to_pylist() == [
        {"host": "b.example", "documents": 2, "words": 22, "restored": 3, "hidden": 3}
    ]
    plain = uq.ingest(pages, options=uq.JobOptions(reading=uq.Reading(words="plain", hidden="keep"))).documents
    assert len(set(plain["sequence"].to_pylist())) == 3
    assert plain["words"].to_pylist() == [11, 11, 14]
