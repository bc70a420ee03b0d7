"""`unquilt show RUN TABLE --columns --where --sort`, and documents by URL."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from click.testing import CliRunner

import unquilt
from unquilt.cli import cli
from unquilt.cli.show.tables import prefer_urls

URLS = [
    "http://a.example/1",
    "http://a.example/1/",
    "http://B.example/x",
    "https://b.example/x",
    "http://c.example",
    None,
]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    pages = {"id": [f"p{n}" for n in range(6)], "url": pa.array(URLS, pa.string()), "text": ["one two three"] * 6}
    return unquilt.neardups(pa.table(pages), tmp_path_factory.mktemp("made") / "run").path


def show(*arguments: object, code: int = 0, **settings) -> str:
    result = CliRunner().invoke(cli, ["show", *map(str, arguments)], prog_name="unquilt", **settings)
    assert result.exit_code == code, result.output
    return result.stderr if code else result.stdout


def rows(*arguments: object) -> list[dict]:
    return [json.loads(line) for line in show(*arguments, "--json").splitlines()]


class TestSelecting:
    def test_for_people_and_for_programs(self, run):
        wanted = ("clusters", "--where", "not keep and domain = 'b.example'", "--columns", "id, url", "--sort", "-id")
        assert rows(run, *wanted) == [{"id": "p3", "url": URLS[3]}, {"id": "p2", "url": URLS[2]}]
        assert show(run, *wanted).split() == ["id", "url", "p3", URLS[3], "p2", URLS[2]]
        assert show(run, *wanted, "--limit", 1).splitlines()[2:] == [
            "… and more (--limit N for N of them, --json for programs)"
        ]
        assert show(run, "clusters", "--where", "doc > 10") == "clusters has no rows that fit.\n"

    def test_rows_about_one_document(self, run):
        assert [row["id"] for row in rows(run, "kept", "--doc", 2, "--where", "not keep")] == ["p2"]
        assert rows(run, "kept", "--doc", 2, "--where", "keep") == []

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("--sort", "doc"), "are for the rows of a TABLE; name one"),
            (("clusters", "--columns", ","), "--columns must not be empty"),
            (("clusters", "--where", ""), "--where must not be empty"),
            (("clusters", "--sort", "kepe"), "clusters has no column 'kepe'; did you mean keep?"),
            (
                ("clusters", "--where", "kepe"),
                "there are: doc, id, url, host, domain, cluster, cluster_id, cluster_url",
            ),
            (
                ("documents", "--doc", "p1", "--columns", "id"),
                "documents --doc shows one document as a whole, so --columns cannot choose; leave out --doc",
            ),
        ],
    )
    def test_wrong_usage_is_one_line(self, run, arguments, message):
        told = show(run, *arguments, code=2)
        assert message in told
        assert told.count("\n") == 1

    def test_urls_before_ids_that_are_places(self):
        place = {
            "doc": 1,
            "id": "crawl/a.html#7",
            "url": "http://a.example/",
            "source_id": "a",
            "source_url": "http://b/",
        }
        assert list(prefer_urls([place])[0]) == ["doc", "url", "id", "source_id", "source_url"]
        assert list(prefer_urls([place, place | {"url": None}])[0]) == list(place)
        assert list(prefer_urls([place, place | {"id": "a"}])[0]) == list(place)


class TestUrls:
    @pytest.mark.parametrize(
        ("given", "doc"),
        [
            *((URLS[0], 0), (URLS[1], 1), (URLS[2], 2), (URLS[3], 3), ("c.example", 4), ("https://C.example/", 4)),
            *(("url=http://c.example", 4), ("url=c.example/", 4), ("b.example/x/", 3)),
        ],
    )
    def test_exactly_then_forgivingly(self, run, given, doc):
        assert rows(run, "documents", "--doc", given)[0]["doc"] == doc

    def test_what_can_be_two_is_refused(self, run):
        assert "can be any of the documents 0, 1; say --doc doc=0" in show(
            run, "documents", "--doc", "a.example/1", code=2
        )

    def test_the_nearest_are_named(self, run):
        told = show(run, "documents", "--doc", "http://a.example/", code=2)
        assert "did you mean 'http://a.example/1' or 'http://a.example/1/'?" in told
