"""The page in a real browser: every view opens, by mouse and by keyboard; nothing is loaded from elsewhere."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import pyarrow as pa
import pytest
from browsing import NARROW, WIDE, Browser
from looking import addresses, find_first
from serving import Served, enter, free_port, serving

import unquilt as uq
from unquilt.judgements.labels import LabelFile

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _entered(browser: Browser, served: Served) -> None:
    """The browser has the key of the server."""
    served.enter(browser)


def check(browser: Browser, served: Served, path: str, *, closely: bool) -> None:
    """Open a view, and expect no complaint of any kind; `closely` has axe-core look at it, too, which takes longer."""
    browser.open(served.address + path)
    assert browser.find("h1").text
    assert browser.complaints() == [], path
    assert {urlsplit(url).netloc for url in browser.requests()} == {f"127.0.0.1:{served.port}"}
    assert not closely or browser.barriers() == [], path
    levels = browser.ask("return [...document.querySelectorAll('h1, h2, h3, h4')].map(e => Number(e.tagName[1]))")
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels)), path


def test_every_view_opens_without_complaints(browser: Browser, served: Served, web: Path) -> None:
    """Tables look alike: two of them are looked at closely, as all other views are: wide and light, narrow and dark."""
    for number, path in enumerate(["/", "/runs/quilts", "/judging", *addresses(web)]):
        closely = "/tables/" not in path or path.endswith(("/quilts", "/hosts"))
        browser.resize(NARROW if number % 2 else WIDE)
        check(browser, served, path, closely=False)
        for size, scheme in ((WIDE, "light"), (NARROW, "dark")) if closely else ():
            browser.resize(size)
            browser.prefer(scheme)
            assert browser.barriers() == [], (path, size, scheme)
        wide = browser.ask("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{path} is wider than the window"


def test_a_patch_is_clicked_and_the_source_stands_beside_it(browser: Browser, served: Served, web: Path) -> None:
    browser.resize(WIDE)
    quilt = find_first(web, "quilts/quilts", "doc")
    browser.open(f"{served.address}/runs/quilts/quilts/{quilt}")
    best = browser.find(".legend a")
    assert best.get_attribute("aria-current") == "true"  # the best source is open
    assert best.find_element("css selector", ".line").text in browser.find("#beside h3").text
    patch = browser.find_all("#own a.patch")[2]
    text, number = patch.text, patch.get_attribute("data-patch")
    patch.click()
    browser.wait(lambda page: f"patch={number}" in page.driver.current_url)
    there = browser.find("#there")
    words = [word.strip(".,;:!?“”\"'").casefold() for word in text.split()][1:-1]
    beside = [word.strip(".,;:!?“”\"'").casefold() for word in there.text.split()]
    assert [word for word in words if word in beside] == words
    box, place = (
        browser.ask("return arguments[0].getBoundingClientRect()", e) for e in (browser.find("#other"), there)
    )
    assert box["top"] <= place["top"] < box["bottom"]
    assert f"patch={number}" in browser.driver.current_url
    browser.open(browser.driver.current_url)  # the address is one to share
    assert browser.find("#there").text == there_text(browser)
    assert browser.find("#here").get_attribute("data-patch") == number
    browser.press("n")
    browser.wait(lambda page: f"patch={number}" not in page.driver.current_url)
    assert browser.complaints() == []


def test_numbers_are_explained_where_they_stand(browser: Browser, served: Served, web: Path) -> None:
    """By keyboard, too; and one goes from quilt to quilt, and from source to source."""
    browser.resize(WIDE)
    first, second = (
        row["doc"] for row in uq.read(web / "quilts").table("quilts", sort="-evidence", limit=2).to_pylist()
    )
    browser.open(f"{served.address}/runs/quilts/quilts/{first}")
    assert browser.find(".sentence").text.startswith("Stitched from ")
    number = browser.find(".explained")
    tip = number.find_element("css selector", ".tip")
    assert not tip.is_displayed()
    browser.ask("arguments[0].focus()", number)
    assert tip.is_displayed()
    other = browser.find_all(".legend a[data-source]")[1]
    name = other.find_element("css selector", ".line").text
    other.click()
    browser.wait(lambda page: name in page.find("#beside h3").text)
    assert other.get_attribute("aria-current") == "true"
    browser.press("]")
    browser.wait(lambda page: page.driver.current_url.endswith(f"/quilts/{second}"))
    browser.press("[")
    browser.wait(lambda page: page.driver.current_url.endswith(f"/quilts/{first}"))
    assert browser.complaints() == []


def there_text(browser: Browser) -> str:
    return str(browser.find("#beside mark.chosen").text)


def test_a_filter_is_set_by_keyboard(browser: Browser, served: Served, web: Path) -> None:
    browser.resize(WIDE)
    browser.open(f"{served.address}/runs/quilts/tables/quilts")
    all_ = int(browser.find("h1 .count").text)
    browser.find("#filters summary").send_keys("\n")
    field = browser.find("#f-sources-min")
    field.send_keys("7\n")
    browser.wait(lambda page: "sources.min=7" in page.driver.current_url)
    few = int(browser.find("h1 .count").text)
    assert 0 < few < all_
    browser.press("j")
    focused = browser.driver.switch_to.active_element
    assert "/runs/quilts/quilts/" in focused.get_attribute("href")
    outline = browser.ask("return getComputedStyle(arguments[0]).outlineStyle", focused)
    assert outline == "solid"
    browser.press("\n")
    browser.wait(lambda page: "/runs/quilts/quilts/" in page.driver.current_url)
    browser.press("/")
    assert browser.driver.switch_to.active_element.get_attribute("id") == "find"


def test_a_table_can_be_scanned(browser: Browser, served: Served) -> None:
    """Twelve rows are in view, and begin with the URL, which is in view on a telephone, too."""
    in_view = "return [...document.querySelectorAll('table.rows tbody td:first-child a')].filter(a => {"
    in_view += "const box = a.getBoundingClientRect(); return box.bottom <= innerHeight && box.right <= innerWidth"
    in_view += "}).map(a => a.textContent)"
    for size, least in (((1280, 800), 12), ((390, 800), 5)):
        browser.resize(size)
        browser.open(f"{served.address}/runs/quilts/tables/quilts")
        urls = browser.ask(in_view)
        assert len(urls) >= least
        assert all(url.startswith("http") for url in urls)


def test_values_are_proposed_for_a_filter(browser: Browser, served: Served) -> None:
    browser.resize(WIDE)
    browser.open(f"{served.address}/runs/quilts/tables/quilts")
    browser.find("#filters summary").click()
    browser.find("#f-host").send_keys("best")
    browser.wait(lambda page: page.find_all("#l-host option"))
    assert browser.complaints() == []


def test_one_goes_from_change_to_change_by_keyboard(browser: Browser, served: Served, web: Path) -> None:
    browser.resize(WIDE)
    where = "least < 0.99 ORDER BY least"
    browser.open(f"{served.address}/runs/near/clusters/{find_first(web, 'near/similarity', 'cluster', where)}")
    changes = browser.find_all("#difference .change")
    for key, place in (("n", 0), ("n", 1), ("p", 0)):
        browser.press(key)
        assert browser.driver.switch_to.active_element == changes[place]
    a, b = (find_first(web, "passages/passage_pairs", side, "passages > 1") for side in "ab")
    browser.open(f"{served.address}/runs/passages/pairs/{a}/{b}")
    browser.press("n")
    browser.wait(lambda page: "patch=1" in page.driver.current_url)
    assert browser.wait(lambda page: page.driver.switch_to.active_element.get_attribute("id")) == "here-a"
    assert browser.complaints() == []


def test_a_branch_is_opened(browser: Browser, served: Served) -> None:
    browser.resize(WIDE)
    browser.open(f"{served.address}/runs/targets/neighbourhoods")
    branches = len(browser.find_all(".tree .tree"))
    browser.find(".tree summary").click()
    browser.wait(lambda page: len(page.find_all(".tree .tree")) > branches)
    assert browser.complaints() == []


def test_a_sample_is_drawn_by_a_click_and_a_label_by_another_without_scripts(
    browser: Browser, served: Served, web: Path
) -> None:
    """Forms work where a browser runs no script, as some people prefer."""
    browser.resize(WIDE)
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.open(f"{served.address}/runs/quilts/tables/quilts")
        browser.find(".sample [name=seed]").clear()
        browser.find(".sample [name=seed]").send_keys("4711")
        browser.find(".sample [name=categories]").clear()
        browser.find(".sample [name=categories]").send_keys("spam,other")
        browser.find(".sample button").click()
        browser.wait(lambda page: "/judging/" in page.driver.current_url)
        assert [each for each in served.workspace.labels.samples() if each.seed == 4711]
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


@contextmanager
def process(run: Path, labels: Path, port: int) -> Iterator[str]:
    """`unquilt judge`, until it is killed; the address that it prints."""
    command = [sys.executable, "-m", "unquilt", "judge", str(run), "quilts", "--sample", "8", "--categories", "a,b,c"]
    command += ["--judge", "ada", "--labels", str(labels), "--port", str(port), "--no-browser"]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert started.stdout is not None
    try:
        for line in started.stdout:
            if line.startswith("The page is at"):
                address = line.split()[4]
                break
        yield address
    finally:
        os.kill(started.pid, signal.SIGKILL)
        started.wait()
        started.stdout.close()


def test_no_accepted_label_is_lost_when_the_server_is_killed(browser: Browser, web: Path, tmp_path: Path) -> None:
    """Eight items by keyboard; the server is killed after each of the first three labels, then a note and an undo."""
    browser.resize(WIDE)
    file, port = tmp_path / "labels.sqlite", free_port()
    said: list[str] = []

    def judge(key: str) -> None:
        done = len(said)
        browser.wait(lambda page: page.find("#count").text == f"{done} judged" and page.find("#verdict[data-ready]"))
        browser.press(key)
        said.append("abc"[int(key) - 1])
        last = len(said) == 8
        browser.wait(lambda page: page.find_all("#done") if last else page.find("#count").text == f"{done + 1} judged")

    for key in "123":
        with process(web / "quilts", file, port) as address:
            enter(browser, address)
            judge(key)
        assert [item.category for item in LabelFile(file).items("quilts-quilts", "ada")][: len(said)] == said
    browser.wait(lambda page: page.find_all("#verdict[data-ready]"))
    browser.press("1")  # nobody answers
    browser.wait(lambda page: "not saved" in page.find("#said").text)
    assert sum(bool(item.category) for item in LabelFile(file).items("quilts-quilts", "ada")) == len(said)
    with process(web / "quilts", file, port) as address:
        browser.press("1")  # of a page that was opened before the server was started again
        browser.wait(lambda page: "not saved" in page.find("#said").text)
        enter(browser, address)
        browser.press("m")
        browser.press(*"why\n")
        judge("2")
        browser.press("u")
        browser.wait(lambda page: page.find("#count").text == "3 judged")
        said.pop()
        while len(said) < 8:
            judge(str(len(said) % 3 + 1))
        assert browser.barriers() == []
    assert [item.category for item in LabelFile(file).items("quilts-quilts", "ada")] == said


def test_a_key_pressed_twice_labels_one_item(browser: Browser, served: Served) -> None:
    browser.resize(WIDE)
    answer = served.post("/judging", {"of": "quilts/quilts", "sample": 5, "seed": 31, "categories": "a,b"})
    sample = answer.headers["location"]
    browser.open(f"{served.address}{sample}/eve")
    browser.wait(lambda page: page.find_all("#verdict[data-ready]"))
    # Whatever page a key meets, it was pressed before anybody could see the next item.
    browser.ask("sessionStorage.setItem('labelled', Date.now() + 1e6)")
    browser.press("1")
    browser.wait(lambda page: page.find("#count").text == "1 judged")
    browser.ask("sessionStorage.setItem('labelled', Date.now() + 1e6)")
    browser.driver.refresh()
    for _ in range(5):
        browser.press("1")
    browser.find(".choice").click()
    browser.ask("sessionStorage.removeItem('labelled')")
    browser.driver.refresh()
    browser.wait(lambda page: page.find_all("#verdict[data-ready]"))
    assert browser.find("#count").text == "1 judged"
    name = sample.rpartition("/")[2]
    assert [item.category for item in served.workspace.labels.items(name, "eve")] == ["a", "", "", "", ""]


def test_sites_and_copies_have_their_pages(browser: Browser, web: Path, tmp_path: Path) -> None:
    """A site with its signals, pages, sources and victims; what is ours beside what was taken."""
    uq.sites([web / name for name in ("quilts", "near")], tmp_path / "sites")
    theirs = uq.read(web / "corpus").table("documents", columns=["host"], where="host like '%best%'", limit=1)
    uq.copies(theirs.column(0)[0].as_py(), web / "corpus", tmp_path / "copies")
    worst = find_first(tmp_path, "sites/sites", "site", "verdict = 'stitched'")
    ours, theirs = (find_first(tmp_path, "copies/copies", side) for side in ("ours", "theirs"))
    with serving([web / "quilts", tmp_path / "sites", tmp_path / "copies"], tmp_path / "labels.sqlite") as served:
        served.enter(browser)
        for number, path in enumerate(
            (
                "/",
                "/runs/sites/tables/sites",
                "/runs/sites/tables/network_pairs",
                f"/runs/sites/site?name={worst}",
                f"/runs/quilts/sites?name={worst}",
                "/runs/copies",
                "/runs/copies/tables/copies",
                f"/runs/copies/pairs/{ours}/{theirs}",
            )
        ):
            browser.resize((390, 800) if number % 2 else (1280, 800))
            browser.prefer("dark" if number % 3 else "light")
            check(browser, served, path, closely=True)
            wide = browser.ask("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wide <= 0, path
        assert "minimum number of pages of a site with a verdict" in served.get("/runs/sites").text
        first = served.get("/runs/copies").text.partition("Copies, those with")[2].partition("</thead>")[0]
        assert "theirs url" in first
        assert "ours url" in first
        browser.open(f"{served.address}/")
        assert [link.text for link in browser.find_all(".runs h2 a")] == ["sites", "copies", "quilts"]
        browser.open(f"{served.address}/runs/sites/tables/sites")
        assert "verdict" in browser.find("table.rows thead").text  # not the hosts of the corpus


def test_long_urls_take_two_lines_and_any_script_is_shown(browser: Browser, tmp_path: Path) -> None:
    """URLs of 3,600 characters, and texts from right to left, mixed, and without spaces."""
    arabic, chinese = "في الصباح يذهب الناس إلى السوق", "每天早晨人们都会去公园散步然后回家吃饭"
    passages = [" ".join(f"{arabic} p{number}w{word} {chinese}" for word in range(12)) for number in range(5)]
    texts = [*passages, "\n\n".join(passages)]
    urls = [f"http://s{number}.example/{'long/' * 720}" for number in range(len(texts))]
    uq.ingest(pa.table({"id": urls, "url": urls, "text": texts}), tmp_path / "corpus")
    uq.quilts(tmp_path / "corpus", tmp_path / "quilts", homes=False, min_sewn=0.0, max_reads_on=1.0)
    quilt = find_first(tmp_path, "quilts/quilts", "doc")
    with serving([tmp_path / "quilts"], tmp_path / "labels.sqlite") as served:
        served.enter(browser)
        for size in ((1280, 800), (390, 800)):
            browser.resize(size)
            for path in ("tables/documents", "tables/quilts", f"quilts/{quilt}", f"documents/{quilt}"):
                browser.open(f"{served.address}/runs/quilts/{path}")
                wide = browser.ask("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
                assert wide <= 0, path
                high = "return Math.max(...[...document.querySelectorAll('h1, h3, td')].map(e => e.offsetHeight))"
                assert browser.ask(high) < 120, path


def test_each_paragraph_runs_in_its_own_direction(browser: Browser, tmp_path: Path) -> None:
    """In one text, Arabic begins at the right and English at the left."""
    text = "في الصباح يذهب الناس إلى السوق\n\nIn the morning people go to the market"
    corpus = uq.ingest(pa.table({"id": ["a"], "text": [text]}), tmp_path / "corpus").path
    near = uq.neardups(corpus, tmp_path / "near").path
    with serving([near], tmp_path / "labels.sqlite") as served:
        served.enter(browser)
        browser.resize((1280, 800))
        browser.open(f"{served.address}/runs/near/documents/0")
        places = browser.ask(
            """
            const box = document.querySelector('.text'), text = box.firstChild, found = [];
            for (const at of [0, text.length - 1]) {
                const range = document.createRange();
                range.setStart(text, at); range.setEnd(text, at + 1);
                const letter = range.getBoundingClientRect(), own = box.getBoundingClientRect();
                found.push((letter.left - own.left) / own.width);
            }
            return found;
            """
        )
        assert places[0] > 0.9
        assert places[1] < 0.5


def test_servers_on_other_ports_do_not_get_the_cookie(browser: Browser, served: Served) -> None:
    """Another user of the machine may listen on another port of 127.0.0.1, and cookies know no ports."""
    seen: list[str] = []

    class Spy(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(f"{self.path} {self.headers.get('cookie', '')}")
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>Spy</title><p id=spy>Nothing</p>")

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Spy) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            for path in ("/", "/runs/quilts", "/static/page.js"):
                browser.open(f"http://127.0.0.1:{server.server_address[1]}{path}")
                assert browser.find("#spy") or path.endswith(".js")
        finally:
            server.shutdown()
            thread.join()
    assert len(seen) >= 3
    assert not [line for line in seen if "unquilt" in line]
    browser.open(f"{served.address}/runs/quilts")
    assert browser.find("#main")
