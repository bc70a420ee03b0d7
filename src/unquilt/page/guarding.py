"""Who may ask, and what browsers may do with the answer.

The page is for the person who started it. Other users of the machine can reach its port, and other web pages can send
this person's browser here. So:

- The server makes a key when it starts, and prints it within the address. A browser that comes with the key gets it as
  a cookie, which scripts cannot read and other sites cannot send. Nobody else gets anything: every request needs the
  cookie, for reading too.
- Browsers send a cookie to all ports of a host, so to servers of other users of this machine, too. Therefore everything
  is below a folder whose name nobody can guess, and the cookie is for this folder alone.
- The Host must be a name of this machine, or another name could lead the browser here.
- Browsers tell which site a request comes from (`Sec-Fetch-Site`, `Origin`): requests of other sites are refused.
- A form needs a token as well, which only our own pages contain.

Answers forbid browsers to load or run anything but what this server has, to be framed, and to tell other sites where
people came from.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from hmac import compare_digest
from html import escape
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from unquilt.page.links import ROOT

NAMES = ("127.0.0.1", "localhost")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with no-referrer, browsers send forms of our own pages as those of nobody
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
KEY = "key"
"""The field of an address that holds the key."""
COOKIE = "unquilt"
TOKEN = "x-unquilt-token"  # noqa: S105
FIELD = "token"
"""The field of a form that holds the token."""
LONGEST_FORM = 100_000
"""Bytes."""
ENTRANCE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>unquilt</title><meta http-equiv="refresh" content="0;url={address}">
<link rel="icon" href="{icon}"><p><a href="{address}">Open the page of unquilt</a></p></html>
"""
"""The answer to the key. Our own page leads on, because browsers send the cookie only with requests of our own site: a
redirect would still be a request of the mail or the chat in which somebody clicked on the address."""


class EntryKey:
    """The secret that lets a browser in: in the address that is printed, then in a cookie."""

    def __init__(self) -> None:
        self.value = secrets.token_urlsafe(24)
        self.root = f"/{secrets.token_urlsafe(12)}"
        """The folder below which all addresses of this server are."""

    def covers(self, scope: Scope) -> bool:
        """Whether a request is for something in our folder."""
        path = str(scope["path"])
        return _equal(path[: len(self.root)], self.root) and path[len(self.root) : len(self.root) + 1] == "/"

    def is_in(self, headers: Headers) -> bool:
        """Whether a request has the cookie."""
        cookies: SimpleCookie = SimpleCookie()
        try:
            cookies.load(headers.get("cookie", ""))
        except CookieError:
            return False
        given = cookies.get(COOKIE)
        return given is not None and _equal(given.value, self.value)

    def admit(self, scope: Scope, asked: list[tuple[str, str]]) -> Response:
        """The answer to an address with the key: the cookie, and a page that leads on to the address without it.

        An address outside our folder leads to what has this address in it: people keep such addresses.
        """
        rest = urlencode([(name, value) for name, value in asked if name != KEY])
        path = "/" + scope.get("raw_path", b"/").decode("ascii", "replace").lstrip("/")
        if not self.covers(scope):
            path = self.root + path
        address = escape(f"{path}?{rest}" if rest else path, quote=True)
        answer = HTMLResponse(ENTRANCE.format(address=address, icon=f"{self.root}/static/icon.svg"))
        answer.set_cookie(COOKIE, self.value, httponly=True, samesite="strict", path=f"{self.root}/")
        return answer


class PageGuard:
    """Middleware: answers nobody but the person who has the key, and sets the headers of every answer."""

    def __init__(self, app: ASGIApp, key: EntryKey) -> None:
        self._app = app
        self._key = key

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

        ROOT.set(self._key.root)
        inside = {**scope, "root_path": self._key.root}
        await (self._answer(scope) or self._app)(inside, receive, send_with_headers)

    def _answer(self, scope: Scope) -> Response | None:
        """Our own answer: to the key, or to a request that is refused; None lets a request through."""
        headers = Headers(scope=scope)
        host, method = headers.get("host", ""), scope["method"]
        if host.rpartition(":")[0] not in NAMES and host not in NAMES:
            return _refuse("this page answers under 127.0.0.1 and localhost only")
        if method not in ("GET", "HEAD", "POST"):
            return _refuse("only GET and POST are known here")
        asked = parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
        if method == "GET" and _equal(dict(asked).get(KEY, ""), self._key.value):
            return self._key.admit(scope, asked)
        if not self._key.covers(scope) or not self._key.is_in(headers):
            return _refuse("open the address that unquilt printed when it started; it ends with a key")
        if _is_foreign(headers, host, method):
            return _refuse("the request comes from another site")
        return None


def _is_foreign(headers: Headers, host: str, method: str) -> bool:
    """Whether a browser says that a request comes from another site, or from another port of this machine.

    Old browsers do not say it for reading; they do not send the cookie with such requests either.
    """
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None:
        return site not in ("same-origin", "none")
    return method == "POST" and origin is not None and origin != f"http://{host}"


def _refuse(why: str) -> Response:
    return PlainTextResponse(f"Forbidden: {why}.\n", 403)


def _equal(given: str, secret: str) -> bool:
    return compare_digest(given.encode(errors="replace"), secret.encode())


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
            if not _equal(given, self.value):
                return _refuse("the page was opened before the server was started again; reload it")
            return await endpoint(request, fields)

        return guarded


async def _read_form(request: Request) -> dict[str, str]:
    """The fields of a form; those of one that is too long, or no form, are none. A field that is there several
    times, as boxes that are ticked are, has all values, with commas between."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST_FORM:
            return {}
    try:
        given: dict[str, list[str]] = {}
        for name, value in parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=50):
            given.setdefault(name, []).append(value)
        return {name: ",".join(values) for name, values in given.items()}
    except ValueError:
        return {}
