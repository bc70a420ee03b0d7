"""`unquilt show RUN TABLE --columns --where --sort`, and documents by URL."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from click.testing import CliRunner

import unquilt
from unquilt.analyses.catalogue import find_table
from unquilt.cli import cli
from unquilt.cli.show.evidence import introduce
from unquilt.page.listing import Listing
from unquilt.results import RunFolder

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


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    said = [
        f"Sentence {n} of a text that several pages of several sites share, about boats number {n}." for n in range(30)
    ]
    pages = {
        f"http://site{n}.example/{'deep/' * n}page": " ".join([*said[n * 4 : n * 4 + 9], f"Own words of page {n}."])
        for n in range(6)
    }
    table = pa.table(
        {"id": [f"/a/long/path/of/files/{n}.html" for n in range(6)], "url": list(pages), "text": list(pages.values())}
    )
    return unquilt.passages(table, tmp_path_factory.mktemp("made") / "run", gamma=2, signature="imatch").path


class TestOneOrder:
    """The terminal, JSON, exports and the page list the same rows in the same order, under the same names."""

    @pytest.mark.parametrize("table", ["passages", "passage_pairs", "documents"])
    def test_rows_and_columns_are_the_same_everywhere(self, copied, table, tmp_path):
        told = rows(copied, table, "--limit", 4)
        shown = show(copied, table, "--limit", 4).splitlines()
        heading = [name for name in shown[0].split() if name != "a_text"]
        exported = tmp_path / "rows.jsonl"
        result = CliRunner().invoke(cli, ["export", str(copied), table, "--limit", "4", "-o", str(exported)])
        assert result.exit_code == 0, result.output
        lines = [json.loads(line) for line in exported.read_text().splitlines()]
        if table != "documents":  # an export of documents has the columns of the inputs
            assert [list(row) for row in lines] == [list(row) for row in told]
            assert lines == told
        listed = Listing(RunFolder.open(copied), table)
        key = list(find_table(table).key)[:2]
        assert [[row[name] for name in key] for row in listed.rows(limit=4)] == [
            [row[name] for name in key] for row in told
        ]
        if table != "passages":  # whose text comes early on a terminal
            assert list(told[0])[: len(heading)] == heading
            assert [column.name for column in listed.shown] == [name for name in heading if name != "text"]
        assert [line.split()[0] for line in shown[1:5]] == [str(row[key[0]]) for row in told]
        for name in heading:
            assert show(copied, table, "--columns", name, "--limit", 1).split()[0] == name

    def test_urls_come_before_ids(self, copied):
        for table in ("passage_pairs", "documents"):
            columns = list(rows(copied, table, "--limit", 1)[0])
            ids = [columns.index(name) for name in columns if name.endswith("id")]
            urls = [columns.index(name) for name in columns if name.endswith("url")]
            assert max(urls) < min(ids)

    def test_without_urls_ids_come_first(self, tmp_path):
        table = pa.table({"id": ["a", "b"], "text": ["one two three"] * 2})
        run = unquilt.neardups(table, tmp_path / "run").path
        columns = list(rows(run, "clusters", "--limit", 1)[0])
        assert columns.index("id") < columns.index("url")

    def test_paths_are_shortened_from_the_left(self, copied, monkeypatch):
        monkeypatch.setattr("unquilt.cli.show.tables.terminal_width", lambda: 70)
        shown = show(copied, "documents", "--columns", "doc,url,id", "--limit", 1)
        assert "/a/long/path/of/files/0.html" in shown
        monkeypatch.setattr("unquilt.cli.show.tables.terminal_width", lambda: 56)
        assert "…ong/path/of/files/0.html" in show(copied, "documents", "--columns", "doc,url,id", "--limit", 1)

    def test_a_page_is_introduced_by_its_url_and_not_by_a_path(self):
        page = {"doc": 7, "id": "/a/long/path/of/files/0.html", "url": "http://site0.example/page"}
        assert list(introduce(page)) == ["http://site0.example/page (document 7)", page["id"]]
        assert list(introduce(page | {"id": "p7"})) == ["p7 (document 7)", "http://site0.example/page"]
        assert list(introduce(page | {"url": None})) == ["/a/long/path/of/files/0.html (document 7)"]
