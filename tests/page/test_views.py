"""Every view answers, exports what it shows, and says what is wrong in one line."""

from __future__ import annotations

import http.client
import json
import re
import shutil
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from looking import RUNS, addresses, find_first, make_runs
from serving import Served, serving

import unquilt as uq
from unquilt.cli import cli
from unquilt.page.report.sections import show
from unquilt.page.views.clusters import draw_difference
from unquilt.results import RunFolder
from unquilt.results.differences import Difference
from unquilt.results.occurrences import find_occurrences
from unquilt.runs import Run

pytestmark = pytest.mark.slow


def test_every_view_answers_and_takes_away_what_it_shows(served: Served, web: Path) -> None:
    for path in addresses(web):
        answer = served.get(path)
        assert answer.status == 200, (path, answer.text[-2000:])
        assert "<h1" in answer.text
        query = unescape(re.search(r'<pre id="query"[^>]*>(.*?)</pre>', answer.text, re.DOTALL)[1])
        joined = "&" if "?" in path else "?"
        rows = json.loads(served.get(f"{path}{joined}format=json").text)
        own = duckdb.sql(query.rstrip(";")).to_arrow_table().to_pylist()
        assert rows == own, path
        lines = served.get(f"{path}{joined}format=csv")
        assert lines.headers["content-disposition"].startswith("attachment")
        assert rows
        assert lines.text.splitlines()[0].split(",") == list(rows[0])


MOST_MODULES = 70
"""Of the package, from the command to the page of a quilt: what somebody reads who follows it."""
NAME_IMPORTS = """
import sys
class Namer:
    def find_spec(name, path=None, target=None):
        print(name, file=sys.stderr, flush=True)
sys.meta_path.insert(0, Namer)
from unquilt.cli import main
main()
"""


def test_a_quilt_needs_few_modules_from_the_command_to_the_browser(web: Path) -> None:
    command = [sys.executable, "-c", NAME_IMPORTS, "serve", str(web / "quilts"), "--no-browser"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        entrance = urlsplit(server.stdout.readline().split()[4])
        number = find_first(web, "quilts/quilts", "doc")
        connection = http.client.HTTPConnection(entrance.hostname or "", entrance.port, timeout=60)
        cookie = {"cookie": entrance.query.replace("key=", "unquilt=")}
        connection.request("GET", f"{entrance.path}runs/quilts/quilts/{number}", headers=cookie)
        assert connection.getresponse().status == 200
        connection.close()
    finally:
        server.kill()
        _, imported = server.communicate()
    ours = {name for name in imported.split() if name.partition(".")[0] == "unquilt"}
    assert "unquilt.page.views.pages" in ours
    assert len(ours) <= MOST_MODULES, sorted(ours)


@pytest.mark.parametrize(
    ("run", "table"),
    [
        *(("quilts", "quilts"), ("quilts", "sources"), ("quilts", "source_domains"), ("near", "similarity")),
        *(("phrases", "hosts"), ("phrases", "popular"), ("objects", "objects"), ("targets", "neighbourhoods")),
    ],
)
def test_everybody_lists_the_same_rows_in_the_same_order(served: Served, web: Path, run: str, table: str) -> None:
    """The page, the terminal, `--json` and an export: columns that people see come first, in one order."""

    def invoke(*arguments: object) -> list[str]:
        done = CliRunner().invoke(cli, [*map(str, arguments)], prog_name="unquilt")
        assert done.exit_code == 0, done.output
        return done.stdout.splitlines()

    listed = json.loads(served.get(f"/runs/{run}/tables/{table}?format=json").text)[:30]
    shown = [json.loads(line) for line in invoke("show", web / run, table, "--json", "--limit", 30)]
    exported = [json.loads(line) for line in invoke("export", web / run, table, "-o", "-", "--limit", 30)]
    assert shown == exported
    columns = list(listed[0])
    assert [list(row)[: len(columns)] for row in shown] == [columns] * len(shown)
    assert [{name: row[name] for name in columns} for row in shown] == listed
    heading = invoke("show", web / run, table, "--limit", 1)[0].split()
    assert set(heading) <= set(columns)


def test_an_object_leads_to_where_it_stands(served: Served, web: Path) -> None:
    row = uq.read(web / "objects").table("objects", sort="-weight", where="not notice", limit=1).to_pylist()[0]
    page = served.get("/runs/objects/tables/objects").text
    target = f"/runs/objects/documents/{row['first']}?begin={row['begin']}&amp;end={row['end']}"
    assert target in page
    text = unescape(re.search(r'id="here">.*?</span>(.*?)</mark>', served.get(unescape(target)).text, re.DOTALL)[1])
    assert " ".join(text.split()).startswith(row["example"].rstrip("…")[:40])


def test_all_tables_of_all_runs_can_be_listed(served: Served, web: Path) -> None:
    for run in ("quilts", "near", "phrases", "objects", "targets"):
        page = served.get(f"/runs/{run}")
        tables = re.findall(rf'href="(/runs/{run}/tables/\w+)"', page.text)
        assert len(tables) > 3
        for path in set(tables):
            assert served.get(path).status == 200, path


class TestFilters:
    def listed(self, served: Served, asked: str) -> list[dict[str, Any]]:
        answer = served.get(f"/runs/quilts/tables/quilts?{asked}&format=json")
        assert answer.status == 200, answer.text
        return list(json.loads(answer.text))

    def test_they_choose_as_unquilt_show_does(self, served: Served, web: Path) -> None:
        run = uq.read(web / "quilts")
        host = run.table("quilts", names=True, columns=["host"]).column("host")[0].as_py()
        for asked, where in (
            (f"host={host}", f"host = '{host}'"),
            ("sources.min=6&patchfrac.max=0.9", "sources >= 6 AND patchfrac <= 0.9"),
            ("q=BEST", "contains(lower(id), 'best') OR contains(lower(url), 'best')"),
            ("where=words+%3E+500", "words > 500"),
        ):
            wanted = run.table("quilts", where=where, columns=["doc"]).column("doc").to_pylist()
            assert sorted(row["doc"] for row in self.listed(served, asked)) == wanted
            assert wanted

    def test_rows_are_sorted_and_come_in_pages(self, served: Served) -> None:
        shares = [row["patchfrac"] for row in self.listed(served, "sort=-patchfrac")]
        assert shares == sorted(shares, reverse=True)
        page = served.get("/runs/quilts/tables/documents?sort=-words&page=2").text
        assert 'rel="prev"' in page
        assert "51 to 100 of 600" in page

    @pytest.mark.parametrize(
        "asked",
        [
            "nothing=1",
            "patchfrac.min=many",
            "id.min=3",
            "page=0",
            "page=x",
            "sort=nothing",
            "where=drop+table+x",
            "where=1;select+1",
            "where=getenv('HOME')+%3D+'x'",
            "where=(select+1)%3D1",
            "host=%00",
            "patchfrac.min=inf",
        ],
    )
    def test_what_cannot_be_asked_is_refused_in_one_line(self, served: Served, asked: str) -> None:
        answer = served.get(f"/runs/quilts/tables/quilts?{asked}")
        assert answer.status == 404
        assert 'id="error"' in answer.text
        assert "Traceback" not in answer.text


def test_documents_are_found_by_id_number_and_url(served: Served, web: Path) -> None:
    row = uq.read(web / "corpus").table("documents", columns=["doc", "id", "url"]).slice(17, 1).to_pylist()[0]
    for given in (row["id"], "doc=17", row["url"]):
        answer = served.get(f"/runs/quilts/find?q={given}")
        assert (answer.status, answer.headers["location"]) == (303, "/runs/quilts/documents/17")
    assert "/tables/documents?q=nobody" in served.get("/runs/quilts/find?q=nobody").headers["location"]


def test_a_document_page_has_what_all_runs_say(served: Served, web: Path) -> None:
    quilt = find_first(web, "quilts/quilts", "doc")
    page = served.get(f"/runs/near/documents/{quilt}").text
    assert "quilts: quilts" in page
    assert "phrases: document phrases" in page


def test_drops_begin_with_the_riskiest_and_lead_to_what_differs(served: Served, web: Path) -> None:
    kept = uq.read(web / "near").table("kept", where="not keep", columns=["doc", "similarity"]).to_pylist()
    riskiest = min(kept, key=lambda row: (row["similarity"], row["doc"]))["doc"]
    page = served.get("/runs/near/tables/kept").text
    drops = re.findall(r"/runs/near/clusters/(\d+)\?with=(\d+)", page)
    assert drops[0] == (str(riskiest), str(riskiest))
    assert ">Drops, the riskiest first<" in page
    cluster = served.get(f"/runs/near/clusters/{riskiest}?with={riskiest}").text
    assert f"/runs/near/documents/{riskiest}" in cluster
    assert "<ins" in cluster


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/runs/none",
        "/runs/quilts/tables/none",
        "/runs/quilts/quilts/999999999",
        "/runs/quilts/documents/999999999",
        "/runs/quilts/clusters/999999",
        "/runs/near/quilts/0",
        "/runs/near/clusters/999999999",
        "/runs/phrases/phrases?site=none",
        "/runs/quilts/sites?name=none",
        "/runs/quilts/neighbourhoods",
        "/runs/targets/neighbourhoods?under=none/",
        "/judging/none",
        "/judging/none/ada",
        "/static/../application.py",
    ],
)
def test_what_is_not_there_is_said_in_one_line(served: Served, path: str) -> None:
    answer = served.get(path)
    assert answer.status in (404, 410), answer.text
    assert "Traceback" not in answer.text
    assert 'id="error"' in answer.text


class TestRunsThatChange:
    @pytest.fixture
    def copies(self, web: Path, tmp_path: Path) -> Path:
        for name in ("corpus", "quilts"):
            shutil.copytree(web / name, tmp_path / name)
        return tmp_path

    def test_a_run_that_goes_away_is_told_and_comes_back(self, copies: Path) -> None:
        with serving([copies / "quilts"], copies / "labels.sqlite") as served:
            assert served.get("/runs/quilts/tables/quilts").status == 200
            (copies / "quilts").rename(copies / "away")
            answer = served.get("/runs/quilts/tables/quilts")
            assert answer.status == 410
            assert "no longer there" in answer.text
            assert "no longer there" in served.get("/").text
            (copies / "away").rename(copies / "quilts")
            assert served.get("/runs/quilts/tables/quilts").status == 200

    def test_a_table_that_goes_away_is_told(self, copies: Path) -> None:
        with serving([copies / "quilts"], copies / "labels.sqlite") as served:
            assert served.get("/runs/quilts/tables/quilts").status == 200
            (copies / "quilts" / "quilts.parquet").unlink()
            answer = served.get("/runs/quilts/tables/quilts")
            assert answer.status in (404, 410)
            assert "Traceback" not in answer.text

    def test_a_run_that_is_replaced_is_read_again(self, copies: Path) -> None:
        with serving([copies / "quilts"], copies / "labels.sqlite") as served:
            before = served.get("/runs/quilts/tables/quilts?format=json").text
            uq.quilts(copies / "corpus", copies / "quilts", sigma=0.95, options=uq.JobOptions(overwrite=True))
            after = served.get("/runs/quilts/tables/quilts?format=json").text
            assert len(json.loads(after)) < len(json.loads(before))

    def test_a_run_that_is_not_finished_says_so(self, tmp_path: Path) -> None:
        with Run.open(tmp_path / "begun", analysis="quilts", parameters={}, inputs=[]):
            pass
        with serving([tmp_path / "begun"], tmp_path / "labels.sqlite") as served:
            assert "not complete" in served.get("/").text
            assert "not complete" in served.get("/runs/begun").text

    def test_a_run_whose_corpus_is_gone_still_shows_its_tables(self, copies: Path) -> None:
        uq.quilts(copies / "corpus", copies / "own")
        quilt = find_first(copies, "own/quilts", "doc")
        shutil.rmtree(copies / "corpus")
        with serving([copies / "own"], copies / "labels.sqlite") as served:
            assert served.get("/runs/own/tables/sources").status == 200
            assert "corpus of this run is not found" in served.get(f"/runs/own/quilts/{quilt}").text


def test_a_document_of_fifty_megabytes_is_shown_in_parts(tmp_path: Path) -> None:
    text = "word " * 10_000_000
    table = pa.table({"id": ["long", "short"], "text": pa.array([text, "one two"], pa.large_string())})
    pq.write_table(table, tmp_path / "long.parquet")
    uq.ingest(tmp_path / "long.parquet", tmp_path / "corpus")
    with serving([tmp_path / "corpus"], tmp_path / "labels.sqlite") as served:
        page = served.get("/runs/corpus/documents/0").text
        assert "This text has 50,000,000 characters; shown are 0 to 200,000." in unescape(re.sub(r"\s+", " ", page))
        assert len(page) < 400_000
        assert "49,800,000 to 50,000,000" in served.get("/runs/corpus/documents/0?at=50000000").text


class TestFindings:
    """Pages of runs say what was found, in the words of the report and of the terminal."""

    def test_home_and_runs_say_the_sentences_of_the_report(self, served: Served, web: Path) -> None:
        home = plain(served.get("/").text)
        for name in RUNS:
            page = plain(served.get(f"/runs/{name}").text)
            for sentence in show(RunFolder.open(web / name)).says:
                assert sentence in home
                assert sentence in page

    def test_every_parameter_is_explained(self, served: Served) -> None:
        page = plain(served.get("/runs/quilts").text)
        for info in uq.QuiltParameters.describe():
            assert info.help in page, info.name

    def test_nothing_says_why_and_what_to_try(self, web: Path, tmp_path: Path) -> None:
        uq.quilts(web / "corpus", tmp_path / "none", k=400)
        lines = CliRunner().invoke(cli, ["quilts", str(web / "corpus"), "-k", "400", "-o", str(tmp_path / "none")])
        reason = next(line for line in lines.output.splitlines() if line.startswith("There are no quilts"))
        with serving([tmp_path / "none"], tmp_path / "labels.sqlite") as served:
            assert reason in plain(served.get("/").text)
            assert reason in plain(served.get("/runs/none").text)

    def test_a_run_of_each_kind_can_be_empty(self, tmp_path: Path) -> None:
        corpus = uq.ingest(
            pa.table({"id": ["a", "b"], "text": ["one two three", "four five six"]}), tmp_path / "corpus"
        )
        make_runs(corpus.path, tmp_path)
        runs = [tmp_path / name for name in RUNS if (tmp_path / name).exists()]
        with serving(runs, tmp_path / "labels.sqlite") as served:
            for path in ("/", *(f"/runs/{run.name}" for run in runs)):
                assert served.get(path).status == 200, path


class TestQuilts:
    def test_one_is_told_in_a_sentence(self, served: Served, web: Path) -> None:
        run = uq.read(web / "quilts")
        row = run.table("quilts", names=True, columns=["doc", "sources", "spanned", "domain"]).to_pylist()[0]
        page = plain(served.get(f"/runs/quilts/quilts/{row['doc']}").text)
        told = re.search(r"Stitched from (\d+) pages of (\d+) other sites?, none linked; (\d+) % of it", page)
        sources = run.table("sources", names=True, columns=["source_domain"], where=f"quilt = {row['doc']}")
        assert int(told[1]) == row["sources"] == sources.num_rows
        assert int(told[2]) == len(set(sources.column(0).to_pylist()))
        assert int(told[3]) == round(row["spanned"] * 100)
        assert f"its site is {row['domain']}" in page

    def test_a_page_that_is_none_says_why_as_the_terminal_does(self, served: Served, web: Path) -> None:
        run = uq.read(web / "quilts")
        whys = set(run.table("verdicts", where="not quilt", columns=["why"]).column("why").to_pylist())
        copies = run.table("clusters", where="doc != cluster", columns=["doc"], limit=1).column("doc").to_pylist()
        some = [run.table("verdicts", where=f"why = '{why}'", limit=1).column("doc")[0].as_py() for why in whys]
        for number in (*some, *copies):
            said = CliRunner().invoke(cli, ["show", str(web / "quilts"), "quilts", "--doc", f"doc={number}"]).output
            line = next(line for line in said.splitlines() if line.startswith(("Not ", "An original")))
            assert plain(line) in plain(served.get(f"/runs/quilts/quilts/{number}").text)


class TestTables:
    PATH = "/runs/quilts/tables/quilts"

    def test_a_wrong_condition_leaves_the_form_as_it_was(self, served: Served) -> None:
        answer = served.get(f"{self.PATH}?where=words+%3E+levenshtein(id,id)&sources.min=3&host.has=best")
        assert answer.status == 404
        page = plain(answer.text)
        assert "the function levenshtein cannot be called so" in page
        for kept in (
            'value="words &gt; levenshtein(id,id)"',
            'name="sources.min" inputmode="decimal" size="5" value="3"',
        ):
            assert kept in answer.text
        assert 'name="host.has" value="best"' in answer.text

    def test_a_format_that_there_is_not_is_told(self, served: Served) -> None:
        for path in (self.PATH, "/runs/quilts/sites?name=x", "/runs/near/clusters/0"):
            answer = served.get(f"{path}{'&' if '?' in path else '?'}format=exe")
            assert answer.status == 404
            assert 'id="error"' in answer.text

    def test_columns_are_chosen(self, served: Served) -> None:
        page = served.get(f"{self.PATH}?column=words&column=url").text
        assert re.findall(r'<th scope="col".*?<a [^>]*>([^<]+)<', page) == ["words", "url"]
        assert "columns=words%2Curl" in page  # links keep them

    def test_a_filter_finds_parts_and_proposes_values(self, served: Served, web: Path) -> None:
        hosts = set(uq.read(web / "quilts").table("quilts", names=True, columns=["host"]).column("host").to_pylist())
        part = min(hosts)[:7]
        listed = json.loads(served.get(f"{self.PATH}?host.has={part.upper()}&format=json").text)
        proposed = json.loads(served.get(f"{self.PATH}/values?of=host&part={part}").text)
        assert set(proposed) == {host for host in hosts if part in host}
        assert listed
        assert served.get(f"{self.PATH}/values?of=words&part=1").text == "[]"
        assert served.get(f"{self.PATH}/values?of=nothing&part=1").status == 404

    def test_a_menu_holds_many_runs(self, web: Path, tmp_path: Path) -> None:
        for number in range(41):
            shutil.copytree(web / "near", tmp_path / f"run-{number:02}")
        shutil.copytree(web / "corpus", tmp_path / "corpus")
        with serving([tmp_path], tmp_path / "labels.sqlite") as served:
            page = served.get("/").text
            assert '<details class="menu">' in page
            assert page.count('href="/runs/run-40"') == 2  # in the menu, and on the page
            document = served.get("/runs/run-40/documents/0").text
            assert document.count("<h3>run-40: ") == 1
            assert document.count("<summary>What run-") == 41 - 3  # one click away


def plain(page: str) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page)))


class TestDifferences:
    def test_equal_text_is_folded_and_changes_have_places(self) -> None:
        equal = " ".join(f"word{number}" for number in range(400))
        html, cut = draw_difference(Difference.of(f"{equal} old {equal}", f"{equal} new {equal}"))
        assert not cut
        assert html.count('<details class="fold">') == 2
        assert re.findall(r'<(del|ins) class="change" tabindex="-1"( id="here")?>(\w+)<', html) == [
            ("del", ' id="here"', "old"),
            ("ins", "", "new"),
        ]
        assert plain(html).count("word7 ") == 2  # nothing is lost, it is only folded

    def test_words_that_differ_are_marked_in_passages(self, served: Served, web: Path) -> None:
        row = next(
            row
            for row in uq.read(web / "reworded").table("passages", columns=["a", "b", "similarity"]).to_pylist()
            if row["similarity"] < 0.9
        )
        page = served.get(f"/runs/reworded/pairs/{row['a']}/{row['b']}").text
        assert '<span class="differs">' in page
        assert 'class="axis"' in page


class TestObjects:
    def test_all_documents_are_listed(self, served: Served, web: Path) -> None:
        run = uq.read(web / "objects")
        for kind in ("chunk", "file"):
            row = run.table("objects", where=f"kind = '{kind}' and documents < 1000", sort="-documents", limit=1)
            found = row.to_pylist()[0]
            listed = find_occurrences(RunFolder(run), found, 1_000)
            texts = {row["doc"]: row for row in run.documents.to_pylist()}
            if kind == "chunk":
                wanted = [number for number, row in texts.items() if found["sha1"] in (row["chunk_sha1"] or ())]
            else:
                wanted = [number for number, row in texts.items() if row["raw_sha1"] == found["sha1"]]
            assert [each.doc for each in listed] == wanted
            assert len(wanted) == found["documents"]
            page = served.get(f"/runs/objects/objects/{found['first']}/{found['begin']}/{kind}").text
            assert all(f"/runs/objects/documents/{number}?" in page for number in wanted)
            for each in listed:
                example = " ".join(texts[each.doc]["text"][each.begin : each.end].split())
                assert example.startswith(found["example"].rstrip("…")[:40])


def test_sources_say_when_they_were_first_seen(tmp_path: Path) -> None:
    """Where dates are known: of captures."""
    passages = [" ".join(f"p{number}w{word}" for word in range(40)) for number in range(5)]
    pages = [
        (f"http://s{number}.example/", f"2024-05-0{number + 1}T00:00:00Z", text) for number, text in enumerate(passages)
    ]
    pages.append(("http://quilt.example/", "2024-05-03T00:00:00Z", " ".join(passages)))
    records = []
    for url, date, text in pages:
        body = f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{text}".encode()
        head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n"
        head += f"WARC-Record-ID: <urn:x:{len(records)}>\r\nContent-Type: application/http; msgtype=response\r\n"
        records.append(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body + b"\r\n\r\n")
    (tmp_path / "crawl.warc").write_bytes(b"".join(records))
    uq.quilts(tmp_path / "crawl.warc", tmp_path / "run", homes=False, min_sewn=0.0, max_reads_on=1.0)
    number = uq.read(tmp_path / "run").quilts.column("doc")[0].as_py()
    with serving([tmp_path / "run"], tmp_path / "labels.sqlite") as served:
        page = plain(served.get(f"/runs/run/quilts/{number}").text)
    assert "first seen 2024-05-01, before" in page
    assert "first seen 2024-05-05, after" in page
