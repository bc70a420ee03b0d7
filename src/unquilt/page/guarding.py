"""Who may ask, and what browsers may do with the answer.

The page is for people at this machine. Other web pages that they have open could send their browser here: by a name
that leads to this machine (so the Host must be a name of this machine), or by a form (so whatever changes something
needs a token that only our own pages know, and must come from them). Answers forbid browsers to load or run anything
but what this server has, to be framed, and to tell other sites where people came from.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from hmac import compare_digest
from urllib.parse import parse_qsl

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

NAMES = ("127.0.0.1", "localhost")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
TOKEN = "x-unquilt-token"  # noqa: S105
FIELD = "token"
"""The same in a form."""
LONGEST_FORM = 100_000
"""Bytes."""


class PageGuard:
    """Middleware: refuses strange hosts and requests of other sites, and sets the headers of every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        why = _refuse(Headers(scope=scope), scope["method"])
        app = self._app if why is None else PlainTextResponse(f"Forbidden: {why}.\n", 403)
        await app(scope, receive, send_with_headers)


def _refuse(headers: Headers, method: str) -> str | None:
    """Why a request is refused; None if it is not."""
    host = headers.get("host", "")
    if host.rpartition(":")[0] not in NAMES and host not in NAMES:
        return "this page answers under 127.0.0.1 and localhost only"
    if method in ("GET", "HEAD"):
        return None
    if method != "POST":
        return "only GET and POST are known here"
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    if origin is not None and origin != f"http://{host}":
        return "the request comes from another site"
    if site is not None and site not in ("same-origin", "none"):
        return "the request comes from another site"
    return None


class Token:
    """What our own pages know, and others do not; another one each time the server starts."""

    def __init__(self) -> None:
        self.value = secrets.token_urlsafe(24)

    def guards(
        self, endpoint: Callable[[Request, dict[str, str]], Awaitable[ASGIApp]]
    ) -> Callable[[Request], Awaitable[ASGIApp]]:
        """An endpoint that is only called with the token, in a header or a field, and gets the fields of the form."""

        async def guarded(request: Request) -> ASGIApp:
            fields = await _read_form(request)
            given = request.headers.get(TOKEN) or fields.pop(FIELD, "")
            if not compare_digest(given.encode(), self.value.encode()):
                why = "the page was opened before the server was started again; reload it"
                return PlainTextResponse(f"Forbidden: {why}.\n", 403)
            return await endpoint(request, fields)

        return guarded


async def _read_form(request: Request) -> dict[str, str]:
    """The fields of a form; those of one that is too long, or no form, are none."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST_FORM:
            return {}
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=50))
    except ValueError:
        return {}
