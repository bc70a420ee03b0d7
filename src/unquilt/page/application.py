"""Which address shows what; and that whatever goes wrong is told in one line on a page, never as a stack trace."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from functools import partial

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from unquilt.analyses.catalogue import find_function, jobs
from unquilt.errors import ParameterError, RunError, StorageError, TimeLimitError, UnquiltError
from unquilt.figures.style import make_style
from unquilt.page.guarding import PageGuard
from unquilt.page.turns import Turns
from unquilt.page.views import documents, judging, overview, pages, tables
from unquilt.page.workspace import STATIC, Workspace

View = Callable[..., Response]
LOG = logging.getLogger("unquilt.page")
STATUS = {ParameterError: 404, RunError: 410, StorageError: 503, TimeLimitError: 503}
"""Of errors; others are 500."""


def make_application(workspace: Workspace) -> Starlette:
    """The page over some runs."""

    def get(path: str, view: View) -> Route:
        return Route(path, partial(view, workspace), methods=["GET"])

    def post(path: str, view: Callable[..., Awaitable[ASGIApp]]) -> Route:
        return Route(path, workspace.token.guards(partial(view, workspace)), methods=["POST"])

    routes = [
        get("/", overview.show_home),
        get("/runs/{run}", overview.show_run),
        get("/report", overview.send_report),
        get("/runs/{run}/report", overview.send_report),
        get("/runs/{run}/find", overview.find_document),
        get("/runs/{run}/tables/{table}", tables.show_table),
        get("/runs/{run}/tables/{table}/values", tables.propose_values),
        get("/runs/{run}/documents/{doc:int}", documents.show_document),
        get("/runs/{run}/documents/{doc:int}/said", documents.show_said),
        get("/runs/{run}/sites", documents.show_host),
        *(get(f"/runs/{{run}}/{path}", find_function(view)) for job in jobs() for path, view in job.views.items()),
        get("/runs/{run}/{table}/{doc:int}", pages.show_page),
        get("/runs/{run}/{table}/{doc:int}/beside", pages.show_beside),
        get("/judging", judging.list_samples),
        post("/judging", judging.add_sample),
        get("/judging/{sample}", judging.show_sample),
        get("/judging/{sample}/{judge}", judging.show_item),
        post("/judging/{sample}/{judge}", judging.add_label),
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
