"""Rows with names, chosen and sorted: against the obvious way to do it in Python, and with hostile conditions."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unquilt
from unquilt.errors import InputError, ParameterError, RunError, TimeLimitError, UnquiltError
from unquilt.flow.kept import Split
from unquilt.jobs.patience import within
from unquilt.results import RunFolder, Selection, TableRows
from unquilt.results.names import Names
from unquilt.runs import Run

DOCUMENTS = 500
SITES = ["a.example", "b.example", "www.c.example"]


@pytest.fixture(scope="module")
def run(small_row_groups: Callable[[Any, Path], Run], tmp_path_factory: pytest.TempPathFactory) -> unquilt.Run:
    """Near-duplicates of a corpus in several row groups; some documents have no URL."""
    random = Random(3)
    texts = [" ".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=40)) for _ in range(DOCUMENTS // 2)]
    urls = [f"http://{random.choice(SITES)}/{number}" if number % 7 else None for number in range(DOCUMENTS)]
    ids = [f"page {number}" for number in range(DOCUMENTS)]
    columns = {"id": ids, "url": urls, "text": texts * 2, "links": [[]] * DOCUMENTS}
    folder = tmp_path_factory.mktemp("results")
    corpus = small_row_groups(pa.table(columns), folder / "corpus")
    assert len(RunFolder(corpus).tables["documents"].splits()) > 2
    return unquilt.neardups(corpus.path, folder / "run", pairs=True)


def name_by_hand(run: unquilt.Run, table: str) -> list[dict[str, Any]]:
    """Rows with names, the obvious way."""
    pages = {page["doc"]: page for page in run.documents.to_pylist()}
    found = []
    for row in run.table(table).to_pylist():
        named = {}
        for column, value in row.items():
            named[column] = value
            if column in ("doc", "other", "cluster", "kept", "kept_instead"):
                prefix = "" if column == "doc" else f"{column}_"
                page = pages.get(value, {"id": None, "url": None})
                named |= {f"{prefix}id": page["id"], f"{prefix}url": page["url"]}
        found.append(named)
    return found


class TestNames:
    @pytest.mark.parametrize("table", ["clusters", "kept", "pairs", "similarity"])
    def test_ids_and_urls_beside_numbers(self, run, table):
        assert run.table(table, names=True).to_pylist() == name_by_hand(run, table)
        assert run.scan(table, names=True).read_all() == run.table(table, names=True)

    def test_other_names_only_if_asked_for(self, run):
        row = run.table("pairs", columns=["other_host", "domain"], limit=1).to_pylist()[0]
        assert row["other_host"] in (*SITES, None)
        assert row["domain"] in ("a.example", "b.example", "c.example", None)

    @settings(max_examples=50)
    @given(
        numbers=st.lists(st.one_of(st.none(), st.integers(-3, DOCUMENTS + 3)), max_size=50), rounds=st.integers(1, 4)
    )
    def test_any_numbers_in_any_order(self, run, numbers, rounds):
        names = Names(RunFolder(run).tables["documents"], ["id", "host"])
        for _ in range(rounds):  # the later ones from the copy
            found = names.look_up(pa.chunked_array([pa.array(numbers, pa.int64())]))
            known = [number is not None and 0 <= number < DOCUMENTS for number in numbers]
            expected = [f"page {number}" if there else None for number, there in zip(numbers, known, strict=True)]
            assert found.column("id").to_pylist() == expected

    def test_whoever_asks_on_and_on_reads_everything_once_more(self, run, monkeypatch):
        documents = RunFolder(run).tables["documents"]
        names, read, original = Names(documents, ["id"]), [], Split.read
        monkeypatch.setattr(Split, "read", lambda split, columns: read.append(split) or original(split, columns))
        for number in [0, DOCUMENTS - 1] * 50:
            assert names.look_up(pa.chunked_array([[number]])).column("id").to_pylist() == [f"page {number}"]
        assert len(read) <= 2 * len(documents.splits()) + 1

    def test_without_the_corpus_there_are_no_names(self, run, tmp_path):
        alone = tmp_path / "somewhere" / "run"
        shutil.copytree(run.path, alone)
        manifest = json.loads((alone / "manifest.json").read_bytes())
        manifest["inputs"][0]["path"] = "gone"
        (alone / "manifest.json").write_text(json.dumps(manifest))
        moved = unquilt.read(alone)
        assert moved.table("clusters", names=True).column_names == ["doc", "cluster", "keep"]
        with pytest.raises(RunError, match="its corpus is not found"):
            _ = moved.corpus
        with pytest.raises(ParameterError, match="there are: doc, cluster, keep"):
            moved.table("clusters", where="url is null")


class TestSelection:
    def test_a_condition_is_that_of_python(self, run):
        rows = name_by_hand(run, "pairs")
        hosts = {page["id"]: page["host"] for page in run.documents.to_pylist()}
        found = run.table("pairs", names=True, where="jaccard = 1 and (host = 'a.example' or other_url is null)")
        assert found.to_pylist() == [
            row for row in rows if row["jaccard"] == 1 and (hosts[row["id"]] == "a.example" or row["other_url"] is None)
        ]
        assert 0 < found.num_rows < len(rows)

    @pytest.mark.parametrize("limit", [1, 7, 10_000, None])
    def test_sorted_as_python_sorts(self, run, limit):
        pages = run.documents.to_pylist()
        pages.sort(key=lambda page: -page["words"])
        pages.sort(key=lambda page: (page["host"] is None, page["host"]))
        found = run.table("documents", columns=["doc"], sort="host,-words", limit=limit)
        assert found.column("doc").to_pylist() == [page["doc"] for page in pages][:limit]
        known = sorted((page["host"] for page in pages if page["host"] is not None), reverse=True)
        unknown = [None] * (len(pages) - len(known))
        found = run.table("documents", columns=["host"], sort="-host", limit=limit)
        assert found.column("host").to_pylist() == (known + unknown)[:limit]

    def test_sorting_keeps_all_columns_as_they_are(self, run):
        everything = run.table("documents", sort="doc")
        assert everything.schema == run.documents.schema
        assert everything.to_pylist() == run.documents.to_pylist()

    @pytest.mark.parametrize(("offset", "limit"), [(0, 300), (180, 7), (499, 50), (500, 3), (DOCUMENTS, 1)])
    def test_a_part_far_behind_is_sorted_by_duckdb(self, run, offset, limit, monkeypatch):
        folder = RunFolder(run)
        whole = list(TableRows(folder, "documents", Selection(["id"], None, "host,-words")).rows())
        monkeypatch.setattr("unquilt.results.rows.SORTED_AT_ONCE", 150)
        monkeypatch.setattr("unquilt.results.sorting._ROWS", 64)
        part = Selection(["id"], None, "host,-words", limit, offset)
        assert list(TableRows(folder, "documents", part).rows()) == whole[offset : offset + limit]

    def test_where_time_is_limited_all_is_sorted_for_one_after_the_other(self, run, monkeypatch):
        monkeypatch.setattr("unquilt.results.rows.SORTED_AT_ONCE", 1)
        rows = TableRows(RunFolder(run), "documents", Selection(["id"], None, "host"))
        with within(60):
            first = iter(rows)
            next(first)
        with within(0.05), pytest.raises(TimeLimitError):
            next(iter(rows))
        next(iter(rows))  # without a limit, nobody waits
        first.close()
        with within(60):
            assert len(list(rows.rows())) == DOCUMENTS

    def test_no_more_is_read_than_is_needed(self, run, monkeypatch):
        read, original = [], Split.read
        monkeypatch.setattr(
            Split, "read", lambda split, columns: read.append(list(columns)) or original(split, columns)
        )
        assert run.table("documents", columns=["id"], limit=3).num_rows == 3
        assert read == [["id"]]
        read.clear()
        assert run.table("documents", columns=["text"], where="doc = 499").num_rows == 1
        assert read.count(["text"]) == 1

    def test_a_condition_that_no_row_meets_leaves_an_empty_table(self, run):
        found = run.table("documents", columns=["id", "words"], where="words > 1000")
        assert found.schema.names == ["id", "words"]
        assert found.num_rows == 0

    @pytest.mark.parametrize(
        ("wishes", "message"),
        [
            ({"columns": ["idd"]}, "documents has no column 'idd'; did you mean id?"),
            ({"sort": "zzz"}, "documents has no column 'zzz'; there are: doc, id, url, host"),
            ({"sort": "-links"}, "links cannot be sorted by: its values have parts"),
            ({"limit": 0}, "limit must be at least 1, not 0"),
        ],
    )
    def test_columns_and_orders_that_are_not_there_are_refused(self, run, wishes, message):
        with pytest.raises(ParameterError, match=message):
            run.table("documents", **wishes)

    def test_a_table_that_is_not_there(self, run):
        with pytest.raises(RunError, match="has no table 'quilts'; there are: audit, clusters, documents"):
            run.table("quilts", names=True)


class TestCondition:
    @pytest.mark.parametrize(
        "where",
        [
            "regexp_matches(url, '((a|b){1,30}){1,30}c')",
            "regexp_matches(url, id)",
            "regexp_matches(url, 'a{100000}')",
            *(
                "url like '%a_%a_%b'",
                "url ilike '%a%b%c'",
                "url glob '*a*b*c'",
                "url like '%a%b%c' escape '!'",
                "url like id",
            ),
            *("contains(text, lower(text))", "instr(url, text) > 1", "split_part(url, right(text, 9), 2) = ''"),
            *(
                "words >",
                "nothing = 1",
                "words",
                "url",
                "",
                " ",
                "words = 'many'",
                "x" * 20_000,
                "not " * 3_000 + "true",
                "(" * 1_500,
            ),
            *("true; select 1", "true) union (select 1", "true), (true", "true) where (true", "true) from (select 1"),
            *("(select count(*) from rows) > 1", "exists (select 1)", "doc in (select doc from rows)"),
            *("(select count(*) from read_csv('/etc/passwd')) > 1", "read_text('/etc/passwd') = ''", "glob('*') = ''"),
            *("getenv('HOME') = ''", "current_setting('threads') = ''", "random() > 0", "now() > '2000-01-01'"),
            *("max(words) > 1", "row_number() over () > 1", "words > ?", "words > $1", "#1 > 0", "COLUMNS('.*') = 1"),
            *("copy rows to 'file'", "attach 'file'", "install json", "pragma version", "set threads = 1"),
            *(
                "length(repeat('x', 1000000000)) > 1",
                "len(range(1000000000)) > 1",
                "pg_sleep(1) is null",
                "\x00",
                "\x1b",
            ),
            *("format('{:>1000000000}', 'x') <> ''", "levenshtein(url, reverse(url)) > 1", "url || url = ''"),
            *(
                "list_transform([1], x -> x) = [1]",
                "hex(hex(url)) = ''",
                "[url, url] = []",
                "replace(url, 'h', 'hh') = ''",
            ),
            *("url::blob::bit::varchar = ''", "printf('%9999999d', words) = ''", "lpad(url, 99999999, 'x') = ''"),
            *("struct_pack(a := url).a = ''", "url similar to url || '.*'", " and ".join(["lower(url) = ''"] * 51)),
            *("getvariable('x') = 1", "nextval('x') > 1", "error('x')", "query('select 1') = 1"),
        ],
    )
    def test_what_is_no_condition_is_refused_and_touches_nothing(self, run, where, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        with pytest.raises(ParameterError, match="there are: doc, id, url, host, domain") as refused:
            run.table("documents", where=where)
        assert "\n" not in str(refused.value)
        assert str(refused.value).isprintable()
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        "where",
        [
            "DOC = 3 -- of all",
            "/* the third */ doc = 3",
            "id = 'page 3' and rows.words > 1",
            "url like '%h%t%p%' and url ilike '%/3%%' and url glob '*/3' and contains(text, lower(id)) = (doc = -1)"
            " and doc = 3",
            "id like '%e 3' and url ilike 'HTTP%' and regexp_matches(url, '/3$') and len(chunks) >= 0",
            "doc in (3, 1000) and doc between 1 and 5 and case when doc = 3 then true else false end",
            "doc = 3 and left(host, 1) >= 'a' and round(words / 7, 2) > 0 and not contains(url, 'zzz')",
            "doc = 3 and try_cast(id as integer) is null and left(url, 4) = 'http' and url not like '%x_y%'",
            "doc = 3 and coalesce(ip, '-') = '-' and url[1:4] = 'http' and words::double / 2 > 1",
            "doc = 3 and list_contains([1, 3], doc) and not (url is null) and lower(hex(raw_sha1)) != ''",
        ],
    )
    def test_what_can_be_said(self, run, where):
        assert run.table("documents", columns=["doc"], where=where).column("doc").to_pylist() == [3]

    def test_texts_are_in_single_quotes(self, run):
        with pytest.raises(ParameterError, match="texts are in single quotes"):
            run.table("documents", where='host = "a.example"')


def test_a_table_without_rows(run):
    rows = TableRows(RunFolder(run), "rejects", Selection(where="reason != 'none'", sort="file"))
    assert list(rows) == []
    assert run.table("rejects", names=True).num_rows == 0


class TestFields:
    """Fields under other names, said in one argument."""

    PAGES = pa.table({"key": ["a", "b"], "body": ["one two three"] * 2})
    NAMES: ClassVar = {"id": "key", "text": "body"}

    def test_every_call_takes_them(self, tmp_path):
        run = unquilt.neardups(self.PAGES, fields=self.NAMES)
        assert run.table("clusters", columns=["id"]).column("id").to_pylist() == ["a", "b"]
        assert unquilt.ingest(self.PAGES, fields=self.NAMES).documents.column("id").to_pylist() == ["a", "b"]
        assert unquilt.build_filter(self.PAGES, tmp_path / "set", fields=self.NAMES).match("One, two, three") == [
            "a",
            "b",
        ]
        assert unquilt.build_lexicon(self.PAGES, fields=self.NAMES, nidf=(0, 1)).words.num_rows == 1

    @pytest.mark.parametrize(
        ("fields", "message"),
        [
            ({"txt": "body"}, "fields has no 'txt'; there are: id, url, text, html, ip"),
            ({"text": ""}, "field text must be the name of a field, not empty"),
        ],
    )
    def test_wrong_names(self, fields, message):
        with pytest.raises(ParameterError, match=message):
            unquilt.quilts(self.PAGES, fields=fields)

    def test_errors_speak_python(self, run, tmp_path):
        with pytest.raises(InputError, match=r"it has key, body; pass fields=\{'text': '") as refused:
            unquilt.quilts(self.PAGES)
        assert "--" not in str(refused.value)
        with pytest.raises(RunError, match=r"holds another run: .*pass options=JobOptions\(overwrite=True\)"):
            unquilt.quilts(self.PAGES, run.path, fields=self.NAMES)


def test_short_columns_are_those_of_the_files_as_they_are_now(run: unquilt.Run, tmp_path: Path) -> None:
    shutil.copytree(run.path.parent, tmp_path / "copy")
    folder = RunFolder.open(tmp_path / "copy" / "run")
    assert folder.corpus is not None
    everything = dict(folder.documents(range(DOCUMENTS)))
    for columns in (["id"], ["url", "domain"], ["host", "id"], ["id", "words"]):
        for wanted in ([3], [499, 3, 3, -1, 10_000], range(0, DOCUMENTS, 9)):
            expected = {
                number: {name: everything[number][name] for name in columns}
                for number in sorted({*wanted})
                if number in everything
            }
            assert dict(folder.documents(wanted, columns)) == expected
    (path,) = folder.tables["documents"].paths
    table = pq.read_table(path)
    ids = pa.array([f"other {number}" for number in range(DOCUMENTS)], table.schema.field("id").type)
    pq.write_table(table.set_column(table.column_names.index("id"), table.schema.field("id"), ids), path)
    assert folder.pages([3])[3][0] == "other 3"
    Path(path).unlink()
    with pytest.raises(UnquiltError, match="documents"):
        folder.pages([3])
