"""docs/faults.md 39: hostile content is escaped everywhere, and only our own pages may change anything."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pytest
from serving import Served, serving

import unquilt as uq
from unquilt.errors import StorageError
from unquilt.page.server import bind

pytestmark = pytest.mark.slow

EVIL = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</textarea></title><svg onload=alert(1)>",
    "javascript:alert(1)",
    "'; DROP TABLE x; --",
    "{{ 7 * 7 }}",
    "\u202egnp.exe\x00\x1b[31m",
)


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages that copy from each other, with hostile ids, URLs, hosts and texts, and runs over them."""
    folder = tmp_path_factory.mktemp("evil")
    passages = [" ".join(f"w{number}x{word}" for word in range(40)) for number in range(8)]
    own = [f"{EVIL[number % len(EVIL)]} {passages[number]}" for number in range(8)]
    quilt = "\n\n".join(passages[:6]) + " ".join(EVIL)
    rows = [
        {
            "id": f"{EVIL[number % len(EVIL)]}{number}",
            "url": f"http://h{number}.example/{EVIL[0]}?{EVIL[1]}",
            "text": text,
        }
        for number, text in enumerate([*own, *own, quilt])
    ]
    rows += [{"id": "js", "url": "javascript:alert(1)", "text": passages[7]}]
    corpus = folder / "corpus"
    uq.ingest(pa.Table.from_pylist(rows), corpus)
    uq.quilts(corpus, folder / "quilts", collapse="none", max_largest=1.0)
    uq.neardups(corpus, folder / "near")
    uq.phrases(corpus, folder / "phrases", min_pages=1)
    uq.discover(corpus, folder / "objects")
    return folder


def test_hostile_content_is_escaped_wherever_it_can_appear(evil: Path) -> None:
    runs = [evil / name for name in ("quilts", "near", "phrases", "objects")]
    seen, waiting = set(), ["/", "/judging"]
    with serving(runs, evil / "labels.sqlite") as served:
        served.post("/judging", {"of": "quilts/quilts", "categories": "<b>,'x'", "sample": 3})
        served.post("/judging/quilts-quilts/%3Cscript%3E", {"item": 1, "category": "<b>", "note": EVIL[0]})
        while waiting and len(seen) < 150:
            path = waiting.pop(0)
            kind = re.sub(r"\d+", "0", path)
            if path in seen or sum(re.sub(r"\d+", "0", each) == kind for each in seen) > 3:
                continue
            seen.add(path)
            answer = served.get(path)
            assert answer.status == 200, (path, answer.text)
            tags = Tags()
            tags.feed(answer.text)
            for tag, attributes in tags.found:
                assert tag not in ("img", "script", "svg", "iframe", "object", "style") or not any(
                    name.startswith("on") for name in attributes
                ), path
                assert "style" not in attributes
                if tag == "script":
                    assert attributes == {"src": "/static/page.js", "defer": None}
                if tag == "img":
                    assert attributes["src"] == "/static/icon.svg"
                href = attributes.get("href") or ""
                if href and not href.startswith(("/", "?", "#")):
                    assert href.startswith("http://h"), href
                    assert attributes["rel"] == "noreferrer noopener nofollow external"
                elif tag == "a" and href and href[0] != "#" and "download" not in attributes:
                    target = href.partition("#")[0]
                    waiting.append(target if href.startswith("/") else path.partition("?")[0] + target)
            assert "\u202e" not in answer.text
            assert "\x00" not in answer.text
            assert "49" not in re.findall(r"\{\{.*?\}\}", answer.text)
    kinds = {re.sub(r"\d+", "0", path.partition("?")[0]) for path in seen}
    assert {
        "/runs/quilts/quilts/0",
        "/runs/quilts/documents/0",
        "/runs/near/clusters/0",
        "/judging/quilts-quilts",
    } <= kinds


def test_answers_forbid_everything_from_elsewhere(served: Served) -> None:
    for path in ("/", "/static/page.js", "/runs/quilts/tables/quilts", "/nothing"):
        headers = served.get(path).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["x-frame-options"] == "DENY"
    assert served.get("/static/page.js").headers["content-type"].startswith("text/javascript")


def test_strange_hosts_are_refused(served: Served) -> None:
    for host in ("evil.example", f"evil.example:{served.port}", "127.0.0.1.evil.example", "", "[::1]"):
        assert served.get("/", host=host).status == 403, host
    for host in ("localhost", f"localhost:{served.port}", "127.0.0.1"):
        assert served.get("/", host=host).status == 200, host


class TestKey:
    """The page answers only those who have the key that was printed when the server started."""

    PATHS = ("/", "/static/page.js", "/runs/quilts/tables/quilts", "/runs/quilts/tables/quilts?format=csv", "/nothing")

    def test_without_the_cookie_nothing_is_answered(self, served: Served) -> None:
        for cookie in (
            "",
            "unquilt=",
            "unquilt=wrong",
            "a=b; \x01;;=",
            "é",
        ):
            for path in (*self.PATHS, "/?key=", "/?key=wrong"):
                answer = served.get(path, cookie=cookie)
                assert answer.status == 403, (path, cookie)
                assert "open the address that unquilt printed" in answer.text
                assert "set-cookie" not in answer.headers
        assert served.post("/judging", FIELDS, cookie="").status == 403

    def test_it_is_exchanged_for_a_cookie_of_this_site_alone(self, served: Served) -> None:
        key = served.workspace.key.value
        answer = served.get(f"/runs/a%20b?sort=-x&key={key}&q=%22", cookie="", sec_fetch_site="cross-site")
        assert answer.status == 200
        assert answer.headers["set-cookie"] == f"unquilt={key}; HttpOnly; Path=/; SameSite=strict"
        assert 'content="0;url=/runs/a%20b?sort=-x&amp;q=%22"' in answer.text
        assert key not in answer.text

    def test_it_leads_to_no_other_site(self, served: Served) -> None:
        path = f"//evil.example/?key={served.workspace.key.value}"
        for begin in (served.root, ""):
            connection = http.client.HTTPConnection("127.0.0.1", served.port)
            connection.request("GET", begin + path)
            address = re.search(r'content="0;url=([^"]*)"', connection.getresponse().read().decode())[1]
            connection.close()
            assert address.startswith(f"{served.root}/")

    def test_it_is_for_one_folder_whose_name_nobody_can_guess(self, served: Served) -> None:
        """With the cookie, too: a browser that sends it elsewhere gives it to servers of other users."""
        for path in ("/", "/static/page.js", served.root, f"{served.root}x/", "/runs/quilts", f"//{served.root}/"):
            assert served._ask("GET", path, None, {}, inside=False).status == 403, path
        entrance = served._ask(
            "GET", f"/runs/quilts?key={served.workspace.key.value}", None, {"cookie": ""}, inside=False
        )
        assert entrance.status == 200
        assert served.workspace.key.value not in entrance.text

    def test_other_sites_cannot_read_even_with_the_cookie(self, served: Served) -> None:
        for site in ("cross-site", "same-site"):
            assert served.get("/", sec_fetch_site=site).status == 403
        for site in ("same-origin", "none"):
            assert served.get("/", sec_fetch_site=site).status == 200

    @pytest.mark.skipif(os.name == "posix" and os.getuid() != 0, reason="another user needs root to be played")
    def test_another_user_of_the_machine_sees_nothing(self, web: Path, tmp_path: Path) -> None:
        """A real second user reads what all users can: the page, the arguments of processes, temporary files."""
        command = [sys.executable, "-m", "unquilt", "serve", str(web / "near"), "--labels", str(tmp_path / "l.sqlite")]
        # A browser that is started shows its arguments to all users, and so must not have the key among them.
        opener = tmp_path / "opener"
        opener.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/opened\n')
        opener.chmod(0o755)
        environment = os.environ | {"BROWSER": f"{opener} %s"}
        environment.pop("SSH_CONNECTION", None)
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
            try:
                assert server.stdout is not None
                address = server.stdout.readline().split()[4]
                key, root = address.partition("?key=")[2], address.partition("?")[0]
                deadline = time.monotonic() + 60
                while not (tmp_path / "opened").exists() or not (tmp_path / "opened").read_text().strip():
                    assert time.monotonic() < deadline
                    time.sleep(0.05)
                opened = (tmp_path / "opened").read_text().strip()
                entrance = Path(unquote(urlsplit(opened).path))
                assert address in entrance.read_text()
                spy = f"""
import encodings.idna, http.client, os, urllib.request, urllib.error
os.setgroups([]), os.setgid(65534), os.setuid(65534)
for path in ("", "runs/near", "static/page.js"):
    try:
        print(urllib.request.urlopen({root!r} + path).status)
    except urllib.error.HTTPError as error:
        print(error.code)
print(open("/proc/{server.pid}/cmdline").read())
try:
    print(open({str(entrance)!r}).read())
except PermissionError:
    print("no permission")
"""
                seen = subprocess.run([sys.executable, "-c", spy], capture_output=True, text=True, check=True, cwd="/")
                assert seen.stdout.split("\n")[:3] == ["403", "403", "403"]
                assert "no permission" in seen.stdout
                assert key not in seen.stdout + opened
            finally:
                server.send_signal(signal.SIGINT)
                server.wait()


FIELDS = {"of": "quilts/quilts", "sample": "2", "seed": "99", "categories": "a,b"}


class TestPosts:
    @pytest.mark.parametrize(
        "headers",
        [
            {"origin": "http://evil.example"},
            {"origin": "null"},
            {"origin": "null", "sec_fetch_site": "cross-site"},
            {"sec_fetch_site": "cross-site"},
            {"sec_fetch_site": "same-site"},
            {"host": "evil.example"},
        ],
    )
    def test_of_other_sites_are_refused_even_with_the_token(self, served: Served, headers: dict[str, str]) -> None:
        assert served.post("/judging", FIELDS, **headers).status == 403

    def test_without_the_token_are_refused(self, served: Served) -> None:
        assert served.post("/judging", FIELDS, token=None).status == 403
        assert served.post("/judging", FIELDS, token="wrong").status == 403
        assert served.post("/judging", FIELDS | {"token": "wrong"}, token=None).status == 403
        assert served.post("/judging/x/ada", {"item": 1}, token=None).status == 403
        assert not [each for each in served.workspace.labels.samples() if each.seed == 99]

    def test_of_our_own_pages_are_accepted(self, served: Served) -> None:
        token = re.search(r'name="token" value="([^"]+)"', served.get("/judging").text)[1]
        answer = served.post("/judging", FIELDS | {"token": token}, token=None, origin=served.origin)
        assert answer.status == 303

    def test_that_are_too_long_are_refused(self, served: Served) -> None:
        assert served.post("/judging", FIELDS | {"where": "x" * 200_000}, token=None).status == 403

    def test_other_methods_are_refused(self, served: Served) -> None:
        assert served._ask("PUT", "/judging", "", {}).status == 403


def test_only_this_machine_is_listened_to() -> None:
    opened = bind(None)
    try:
        assert opened.getsockname()[0] == "127.0.0.1"
        with socket.socket() as other, pytest.raises(ConnectionRefusedError):
            other.connect(("127.0.0.2", opened.getsockname()[1]))
    finally:
        opened.close()


def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(StorageError, match="cannot be used"):
            bind(taken.getsockname()[1])


def test_what_is_not_foreseen_is_told_without_a_traceback(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr("unquilt.page.listing.Listing.rows", fail)
    answer = served.get("/runs/quilts/tables/quilts")
    assert answer.status == 500
    assert "not foreseen (ZeroDivisionError)" in answer.text
    assert "secret" not in answer.text
    told = served.get("/runs/quilts/tables/quilts", accept="application/json")
    assert "not foreseen" in json.loads(told.text)["error"]
