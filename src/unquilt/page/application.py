"""Which address shows what; and that whatever goes wrong is told in one line on a page, never as a stack trace."""

from __future__ import annotations

import logging
from functools import partial

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from unquilt.analyses.catalogue import ENTRIES, find_function
from unquilt.errors import ParameterError, RunError, StorageError, TimeLimitError, UnquiltError
from unquilt.page.guarding import PageGuard
from unquilt.page.turns import Turns
from unquilt.page.workspace import STATIC, Workspace

VIEWS = "unquilt.page.views"
LOG = logging.getLogger("unquilt.page")
STATUS = {ParameterError: 404, RunError: 410, StorageError: 503, TimeLimitError: 503}
"""Of errors; others are 500."""


def make_application(workspace: Workspace) -> Starlette:
    """The page over some runs. A view is imported when it is first asked for."""

    def get(path: str, view: str) -> Route:
        def show(request: Request) -> Response:
            found: Response = find_function(view)(workspace, request)
            return found

        return Route(path, show, methods=["GET"])

    def post(path: str, view: str) -> Route:
        async def change(request: Request, fields: dict[str, str]) -> ASGIApp:
            found: ASGIApp = await find_function(view)(workspace, request, fields)
            return found

        return Route(path, workspace.token.guards(change), methods=["POST"])

    routes = [
        get("/", f"{VIEWS}.overview:show_home"),
        get("/runs/{run}", f"{VIEWS}.overview:show_run"),
        get("/report", f"{VIEWS}.overview:send_report"),
        get("/runs/{run}/report", f"{VIEWS}.overview:send_report"),
        get("/runs/{run}/find", f"{VIEWS}.overview:find_document"),
        get("/runs/{run}/tables/{table}", f"{VIEWS}.tables:show_table"),
        get("/runs/{run}/tables/{table}/values", f"{VIEWS}.tables:propose_values"),
        get("/runs/{run}/documents/{doc:int}", f"{VIEWS}.documents:show_document"),
        get("/runs/{run}/documents/{doc:int}/said", f"{VIEWS}.documents:show_said"),
        get("/runs/{run}/sites", f"{VIEWS}.documents:show_host"),
        *(get(f"/runs/{{run}}/{path}", view) for entry in ENTRIES.values() for path, view in entry.views.items()),
        get("/runs/{run}/{table}/{doc:int}", f"{VIEWS}.pages:show_page"),
        get("/runs/{run}/{table}/{doc:int}/beside", f"{VIEWS}.pages:show_beside"),
        get("/judging", f"{VIEWS}.judging:list_samples"),
        post("/judging", f"{VIEWS}.judging:add_sample"),
        get("/judging/{sample}", f"{VIEWS}.judging:show_sample"),
        get("/judging/{sample}/{judge}", f"{VIEWS}.judging:show_item"),
        post("/judging/{sample}/{judge}", f"{VIEWS}.judging:add_label"),
        Route("/static/chart.css", _show_style, methods=["GET"]),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    handlers = {
        UnquiltError: partial(_tell, workspace),
        HTTPException: partial(_tell_missing, workspace),
        Exception: partial(_tell_unforeseen, workspace),
    }
    return Starlette(
        routes=routes, middleware=[Middleware(PageGuard, workspace.key), Middleware(Turns)], exception_handlers=handlers
    )


def _show_style(_: Request) -> Response:
    from unquilt.figures.style import make_style

    return Response(make_style(), media_type="text/css")


def _tell(workspace: Workspace, request: Request, error: UnquiltError) -> Response:
    status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 500)
    return _answer(workspace, request, status, str(error))


def _tell_missing(workspace: Workspace, request: Request, error: HTTPException) -> Response:
    what = "there is nothing under this address" if error.status_code == 404 else error.detail
    return _answer(workspace, request, error.status_code, what)


def _tell_unforeseen(workspace: Workspace, request: Request, error: Exception) -> Response:
    LOG.exception("unforeseen", exc_info=error)
    what = f"this was not foreseen ({type(error).__name__}); the terminal in which the page was started says more"
    return _answer(workspace, request, 500, what)


def _answer(workspace: Workspace, request: Request, status: int, message: str) -> Response:
    if "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"error": message}, status)
    return workspace.show(request, "error.html", status, message=message)
