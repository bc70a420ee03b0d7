"""docs/faults.md 39: however many ask, and however slowly, the page answers, and Ctrl-C ends it."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from looking import addresses
from serving import Served, free_port, serving
from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse

from unquilt.errors import TimeLimitError
from unquilt.jobs.patience import within
from unquilt.page import turns
from unquilt.page.listing import Listing
from unquilt.page.turns import Turns
from unquilt.results.folders import RunFolder

SCOPE = {"type": "http", "path": "/", "method": "GET", "headers": []}


async def ask(app: Any, path: str = "/") -> int:
    """The status of the answer to a request."""
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b""}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(SCOPE | {"path": path}, receive, send)
    return int(sent[0]["status"])


def test_some_wait_and_the_others_are_told_to_come_again() -> None:
    async def tell() -> list[int]:
        go = asyncio.Event()

        async def app(scope: Any, receive: Any, send: Any) -> None:
            if scope["path"] == "/":
                await go.wait()
            await PlainTextResponse("done")(scope, receive, send)

        guarded = Turns(app, at_once=2, most_waiting=3)
        asked = [asyncio.create_task(ask(guarded)) for _ in range(8)]
        for _ in range(50):
            await asyncio.sleep(0)
        assert await ask(guarded, "/static/page.css") == 200  # small files do not wait
        go.set()
        return await asyncio.gather(*asked)

    assert Counter(asyncio.run(tell())) == {200: 5, 429: 3}


def test_who_waits_too_long_is_answered_and_the_work_keeps_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "GRACE", 0.01)
    stop, stopped = threading.Event(), threading.Event()

    def work() -> None:  # a library that cannot be interrupted
        stop.wait(60)
        stopped.set()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await run_in_threadpool(work)
        await PlainTextResponse("late")(scope, receive, send)

    async def tell() -> tuple[int, int]:
        guarded = Turns(app, at_once=1, most_waiting=1, seconds=0.01)
        first = await ask(guarded)
        second = await ask(guarded)  # the turn is still taken
        assert not stopped.is_set()
        stop.set()
        return first, second

    assert asyncio.run(tell()) == (503, 429)


@pytest.mark.slow
def test_queries_look_at_the_clock(web: Path) -> None:
    folder = RunFolder.open(web / "quilts")
    for asked in ({}, {"where": "words > 5"}, {"sort": "-words"}):
        with within(0.0), pytest.raises(TimeLimitError, match="takes longer than 0 s"):
            Listing(folder, "documents", asked).rows(limit=5)


@pytest.mark.slow
def test_a_connection_that_sends_nothing_is_closed(web: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "SLOW", 0.2)
    with serving([web / "near"], tmp_path / "labels.sqlite") as served:
        for sent in (b"", b"GET / HT", b"POST /judging HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\nab"):
            with socket.create_connection(("127.0.0.1", served.port), timeout=60) as slow:
                slow.sendall(sent)
                while slow.recv(4096):
                    pass  # until the server closes it
        assert served.get("/").status == 200


@pytest.mark.slow
def test_twenty_at_once_are_all_answered(served: Served, web: Path) -> None:
    paths = ["/", "/runs/quilts", *addresses(web)] * 3
    with ThreadPoolExecutor(20) as asking:
        assert {answer.status for answer in asking.map(served.get, paths)} == {200}


@pytest.mark.slow
def test_ctrl_c_ends_it_while_somebody_waits(web: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "unquilt", "serve", str(web / "passages"), "--no-browser", "--port"]
    command += [str(free_port()), "--labels", str(tmp_path / "labels.sqlite")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        address = server.stdout.readline().split()[4]
        port, root = address.split(":")[2].partition("?")[0].split("/")[:2]
        key = address.partition("?key=")[2]
        with socket.create_connection(("127.0.0.1", int(port))) as slow:  # it asks for much, and takes nothing
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            cookie = f"Cookie: unquilt={key}"
            path = f"/{root}/runs/passages/tables/documents?format=json"
            slow.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{cookie}\r\n\r\n".encode())
            assert slow.recv(12) == b"HTTP/1.1 200"
            os.kill(server.pid, signal.SIGINT)
            server.wait(60)
        assert server.stderr.read() == ""
        assert server.returncode == 0
