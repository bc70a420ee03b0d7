"""A server of pages for tests: the real one, in a thread, and requests to it."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from browsing import Browser

from unquilt.page.server import PageServer, bind, open_workspace
from unquilt.page.workspace import Workspace


@dataclass
class Answer:
    """What a server answered."""

    status: int
    headers: dict[str, str]
    text: str


@dataclass
class Served:
    """A server: its workspace, its port, and requests to it."""

    workspace: Workspace
    port: int

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def address(self) -> str:
        return f"{self.origin}{self.root}"

    @property
    def root(self) -> str:
        """The folder that all addresses are in. Tests leave it out where they ask, and where they read."""
        return self.workspace.key.root

    def enter(self, browser: Browser) -> None:
        """Let a browser in."""
        enter(browser, f"{self.address}/?key={self.workspace.key.value}")

    def get(self, path: str, **headers: str) -> Answer:
        return self._ask("GET", path, None, headers)

    def post(self, path: str, fields: dict[str, Any], *, token: str | None = "", **headers: str) -> Answer:
        if token is not None:
            headers["x-unquilt-token"] = token or self.workspace.token.value
        return self._ask("POST", path, urlencode(fields), headers)

    def _ask(self, method: str, path: str, body: str | None, headers: dict[str, str], *, inside: bool = True) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            named = {"cookie": f"unquilt={self.workspace.key.value}"}
            named |= {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, self.root + path if inside else path, body, named)
            answer = connection.getresponse()
            found = {name.lower(): value.replace(self.root, "") for name, value in answer.getheaders()}
            return Answer(answer.status, found, answer.read().decode().replace(self.root, ""))
        finally:
            connection.close()


def enter(browser: Browser, address: str) -> None:
    """Open the address that is printed when a server starts, and wait for the page to which it leads."""
    begin = address.partition("?")[0]
    browser.open(address)
    browser.wait(lambda page: page.driver.current_url == begin)
    browser.wait(lambda page: page.ask("return document.readyState") == "complete")


def free_port() -> int:
    """A port that nobody uses now."""
    with bind(0) as opened:
        return int(opened.getsockname()[1])


@contextmanager
def serving(runs: list[Path], labels: Path) -> Iterator[Served]:
    """A server over some runs, on any port, for a while."""
    workspace, opened = open_workspace(runs, labels), bind(0)
    server = PageServer(workspace)
    thread = threading.Thread(target=server.run, args=([opened],))
    thread.start()
    try:
        yield Served(workspace, opened.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join()
        opened.close()
