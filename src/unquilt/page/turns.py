"""Whose turn it is: a few requests are worked on at once, some more wait, and the others are told to come again.

Each request has its memory, so their number bounds that of the server. Each has its time, too (`jobs.patience`). A
request that exceeds it is answered, even if a library goes on with its work; it keeps its turn until that is done, so
that nobody can pile up work. A connection that sends or takes nothing for a while is closed.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from unquilt.jobs.patience import within

AT_ONCE = 4
"""Requests that are worked on."""
MOST_WAITING = 60
SECONDS = 20.0
"""Until the answer begins."""
GRACE = 2.0
"""After this, too, somebody is answered whose request cannot be interrupted."""
SLOW = 10.0
"""Seconds in which a browser must send its request, and take a part of the answer."""
_UNFINISHED = ("IDLE", "SEND_BODY")
"""States of h11 in which a browser has something to send."""
FREE = "/static/"
"""Small files of ours, which a page needs to look as it should."""


class Turns:
    """Middleware: lets some requests through at once."""

    def __init__(
        self, app: ASGIApp, at_once: int = AT_ONCE, most_waiting: int = MOST_WAITING, seconds: float = SECONDS
    ) -> None:
        self._app = app
        self._turns = asyncio.Semaphore(at_once)
        self._here, self._most = 0, at_once + most_waiting
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].removeprefix(scope.get("root_path", "")).startswith(FREE):
            await self._app(scope, receive, send)
            return
        if self._here >= self._most:
            await _answer(429, "many requests are waiting already; try again")(scope, receive, send)
            return
        self._here += 1
        try:
            await asyncio.wait_for(self._turns.acquire(), self._seconds)
        except BaseException as error:
            self._here -= 1
            if not isinstance(error, TimeoutError):
                raise
            await _answer(429, "other requests take long; try again")(scope, receive, send)
            return
        await self._take(_Exchange(scope, receive, send))

    async def _take(self, exchange: _Exchange) -> None:
        """Work on a request; the turn ends with the work, which may be later than the answer."""
        work = asyncio.create_task(self._work(exchange))
        await asyncio.wait({work}, timeout=self._seconds + GRACE)
        if work.done() or exchange.started:
            with suppress(TimeoutError, ClientDisconnect):  # nobody takes the answer: the connection is closed
                await work
        else:
            exchange.given_up = True
            late = f"this takes longer than {self._seconds:g} s; ask for fewer rows, or use unquilt show or export"
            await _answer(503, late)(exchange.scope, exchange.receive, exchange.send_on)

    async def _work(self, exchange: _Exchange) -> None:
        try:
            with within(self._seconds):
                await self._app(exchange.scope, exchange.receive, exchange.send)
        finally:
            self._here -= 1
            self._turns.release()


class _Exchange:
    """A request and its answer, of which each part is taken soon, or the connection is closed."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope = scope
        self.receive = receive
        self.send_on = send
        self.started = self.given_up = False

    async def send(self, message: Message) -> None:
        if self.given_up:
            return
        self.started = True
        async with asyncio.timeout(SLOW):
            await self.send_on(message)


def _answer(status: int, why: str) -> Response:
    return PlainTextResponse(f"{why[0].upper()}{why[1:]}.\n", status, {"retry-after": "2"})


class PatientProtocol(H11Protocol):
    """HTTP of uvicorn, which closes connections that do not send a whole request in time."""

    _closing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._unwatch()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Close the connection some time after the beginning of a request, unless its end comes."""
        if str(self.conn.their_state) in _UNFINISHED:
            if self._closing is None:
                self._closing = self.loop.call_later(SLOW, self.transport.close)
        else:
            self._unwatch()

    def _unwatch(self) -> None:
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None
