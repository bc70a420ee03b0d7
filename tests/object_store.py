"""An S3 server on loopback (moto's), behind a proxy that counts bytes and fails when it is told to."""

from __future__ import annotations

import http.client
import logging
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

BUCKET = "web"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "somebody", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_EC2_METADATA_DISABLED": "true"}
_SIGNED = {"Authorization": "AWS4-HMAC-SHA256 Credential=somebody/20260101/us-east-1/s3/aws4_request"}
_LOST = ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL_S3")
Fault = Callable[[str, str], "int | str | None"]
"""What to do with a request, by method and path: answer with a status, "cut" the body, "stall", or None for nothing."""


def fine(method: str, path: str) -> None:
    """No fault."""


def failing_now_and_then(often: int = 80) -> Fault:
    """Of so many objects, two fail when they are first asked for: one with 503, and one, if it is read, with a body
    that is cut."""
    met: set[tuple[str, str]] = set()

    def fail(method: str, path: str) -> int | str | None:
        asked = (method, path.partition("?")[0])
        if asked in met:
            return None
        met.add(asked)
        return {2: 503, often // 2: "cut" if method == "GET" else None}.get(len(met) % often)

    return fail


class ObjectStore:
    """The server: `url` of its bucket, and what its proxy has counted since the last `reset`."""

    def __init__(self, backend: tuple[str, int]) -> None:
        self._backend = backend
        self._lock = threading.Lock()
        self.reset()
        store = self

        class Handler(_Handler):
            served = store

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128  # many processes connect at once

        self._server = Server(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def reset(self, fault: Fault = fine) -> None:
        """Count from 0 on, and fail from now on as `fault` says."""
        with self._lock:
            self.sent: dict[str, int] = {}
            self.requests: list[tuple[str, str]] = []
            self.fault = fault

    def count(self, method: str, path: str, sent: int) -> None:
        with self._lock:
            self.requests.append((method, path))
            if method == "GET":
                name = path.partition("?")[0]
                self.sent[name] = self.sent.get(name, 0) + sent

    @property
    def url(self) -> str:
        return f"s3://{BUCKET}"

    def ask(self, method: str, path: str, body: bytes | None, headers: Any) -> tuple[int, list[tuple[str, str]], bytes]:
        """The server's own answer."""
        connection = http.client.HTTPConnection(*self._backend, timeout=60)
        try:
            connection.request(method, path, body, dict(headers))
            answer = connection.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            connection.close()

    def put(self, path: str | Path, content: bytes) -> str:
        """Make an object of the bucket; returns its URL."""
        status, _, said = self.ask(
            "PUT", f"/{BUCKET}/{path}", content, {**_SIGNED, "Content-Length": str(len(content))}
        )
        assert status == 200, (status, said)
        return f"{self.url}/{path}"

    def upload(self, folder: Path, prefix: str) -> str:
        """Make objects of all files of a folder; returns the URL of the folder."""
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                self.put(f"{prefix}/{path.relative_to(folder)}", path.read_bytes())
        return f"{self.url}/{prefix}"

    def names(self, prefix: str = "") -> list[str]:
        """The keys of the bucket that begin so."""
        _, _, said = self.ask("GET", f"/{BUCKET}?list-type=2&prefix={prefix}", None, _SIGNED)
        return re.findall("<Key>([^<]*)</Key>", said.decode())

    def get(self, key: str) -> bytes:
        status, _, said = self.ask("GET", f"/{BUCKET}/{key}", None, _SIGNED)
        assert status == 200, said
        return said

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each answer waits 40 ms for the head of it to be acknowledged
    served: ObjectStore

    def answer(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else None
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            body = self._read_chunks()
        fault = self.served.fault(self.command, self.path)
        if fault == "stall":
            threading.Event().wait(60)
            self.close_connection = True
            return
        if isinstance(fault, int):
            self.served.count(self.command, self.path, 0)
            self._reply(fault, [], b"")
            return
        headers = {k: v for k, v in self.headers.items() if k.lower() not in ("host", "transfer-encoding")}
        status, said, content = self.served.ask(self.command, self.path, body, headers)
        self.served.count(self.command, self.path, len(content))
        self._reply(status, said, content, cut=fault == "cut")

    def _read_chunks(self) -> bytes:
        found = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            found += self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return found

    def _reply(self, status: int, headers: list[tuple[str, str]], content: bytes, *, cut: bool = False) -> None:
        self.send_response_only(status)
        own = ("content-length", "transfer-encoding", "connection", "date", "server")
        length = str(len(content))
        for name, value in headers:
            if name.lower() == "content-length" and self.command == "HEAD":
                length = value
            if name.lower() not in own:
                self.send_header(name, value)
        self.send_header("Content-Length", length)
        self.end_headers()
        with suppress(OSError):
            if self.command != "HEAD":
                self.wfile.write(content[: len(content) // 2] if cut else content)
        self.close_connection = self.close_connection or cut

    do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = answer  # noqa: N815

    def log_message(self, *_: Any) -> None:
        """Nothing: tests look at what was counted."""


@contextmanager
def running() -> Iterator[ObjectStore]:
    """A server with an empty bucket."""
    from moto.server import ThreadedMotoServer
    from werkzeug.serving import WSGIRequestHandler

    WSGIRequestHandler.disable_nagle_algorithm = True
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    store = ObjectStore(server.get_host_and_port())
    try:
        store.ask("PUT", f"/{BUCKET}", None, {})
        yield store
    finally:
        store.close()
        server.stop()


@pytest.fixture
def store(server: ObjectStore) -> ObjectStore:
    """A server without faults; what other tests of the module have put there is still there."""
    server.reset()
    return server


@pytest.fixture(scope="module")
def server() -> Iterator[ObjectStore]:
    """A server for the tests of a module, and settings for it as users have them."""
    with running() as store, pytest.MonkeyPatch.context() as patch:
        for name in _LOST:
            patch.delenv(name, raising=False)
        for name, value in {**CREDENTIALS, "AWS_ENDPOINT_URL": store.endpoint}.items():
            patch.setenv(name, value)
        yield store
