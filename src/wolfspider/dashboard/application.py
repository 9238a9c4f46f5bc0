"""The dashboard as an ASGI application: addresses, answers, our own files, and the frame for plots.

Its libraries are an extra, and are loaded when an application is made.
"""

from __future__ import annotations

import asyncio
import functools
import json
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeVar

from wolfspider.app.event_json import finite
from wolfspider.core.errors import Busy, Problem
from wolfspider.core.plain_text import plainly
from wolfspider.dashboard import shapes
from wolfspider.dashboard.desk import Missing, RunDesk
from wolfspider.dashboard.door import LARGEST_BODY, App, Door
from wolfspider.dashboard.endpoints import ENDPOINTS, GET, Endpoint
from wolfspider.dashboard.json_shapes import read, read_query
from wolfspider.dashboard.live_feed import Feeds
from wolfspider.dashboard.openapi import description
from wolfspider.export.optional_library import needed
from wolfspider.files.program_name import shell_command
from wolfspider.report.run_page import report

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

_PATIENCE = 10.0  # seconds in which a body must have come
_MOST_WORKERS = 8  # answers that are worked out at the same time
_MOST_WAITING = 8  # and answers that wait for other processes
_KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_FRAME = (  # of the document that draws plots: it has no origin, gets numbers alone, and asks for its scripts alone
    "default-src 'none'; script-src {origin}; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; "
    "frame-ancestors {origin}; base-uri 'none'; form-action 'none'; sandbox allow-scripts"
)
_REPORT = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; sandbox"
_EXTRA = "dashboard"

T = TypeVar("T")
Handler = Callable[["Request"], Awaitable["Response"]]


def check_libraries() -> None:
    """A sentence where the extra is missing."""
    with needed("a library", f"`{shell_command('dashboard')}`", extra=_EXTRA):
        import plotly as plotly
        import starlette as starlette
        import uvicorn as uvicorn


def application(desk: RunDesk, token: str, port: int) -> App:
    """With the door before it."""
    from starlette.applications import Starlette
    from starlette.routing import Route

    workers, waiting = WorkLane(_MOST_WORKERS), WorkLane(_MOST_WAITING)
    routes = [
        Route(each.path, _answering(desk, each, waiting if each.waits else workers), methods=[each.method])
        for each in ENDPOINTS
    ]
    # What has a fixed name comes before what has the name of a run at its place.
    routes.sort(key=lambda route: "{" in route.path)
    others = {
        "/": _file("index.html"),
        "/static/{name}": _static,
        "/plots/": _plots(port),
        "/plots/plots.js": _file("plots.js", shared=True),
        "/plots/plotly.min.js": _plotly,
        "/api/events": _events(desk),
        "/api/openapi.json": _openapi,
        "/api/runs/{name}/report": _report(desk, workers),
        "/metrics": _metrics(desk, workers),
    }
    routes += [Route(path, _in_sentences(call), methods=[GET]) for path, call in others.items()]
    return Door(Starlette(routes=routes, exception_handlers={404: _no_such, 405: _not_so}), token, port)


class WorkLane:
    """Threads for answers of a kind: those who wait in one hold up nobody in another."""

    def __init__(self, threads: int) -> None:
        self._threads = ThreadPoolExecutor(threads)

    async def done(self, call: Callable[..., T], *given: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, functools.partial(call, *given))


# Answers in JSON


def _answering(desk: RunDesk, endpoint: Endpoint, lane: WorkLane) -> Handler:
    async def answer(request: Request) -> Response:
        if endpoint.method == GET:
            asked = read_query(endpoint.asks, _query(request))
        else:
            asked = read(endpoint.asks, await _body(request))
        name = request.path_params.get("name", "")
        found = await lane.done(endpoint.call, desk, name, asked)
        return _json(found, endpoint.status)

    return _in_sentences(answer)


def _query(request: Request) -> dict[str, str]:
    pairs = request.query_params.multi_items()
    if len({name for name, _ in pairs}) < len(pairs):
        raise Problem("The query names something twice.")
    return dict(pairs)


async def _body(request: Request) -> Any:
    """What was sent, within bounds of size and time."""
    content = bytearray()
    try:
        async with asyncio.timeout(_PATIENCE):
            async for chunk in request.stream():
                content += chunk
                if len(content) > LARGEST_BODY:
                    raise TooLarge(f"A request may have {LARGEST_BODY:,} bytes.")
    except TimeoutError:
        raise TooSlow(f"The request was not here within {_PATIENCE:g} seconds.") from None
    try:
        return json.loads(content or b"{}", parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise Problem("What was sent is no JSON.") from None


class TooLarge(Problem):
    """More was sent than is read."""


class TooSlow(Problem):
    """It was sent so slowly that nobody waits for its end."""


def _no_number(text: str) -> Any:
    raise ValueError(text)


def _json(content: Any, status: int = 200) -> Response:
    from starlette.responses import Response

    try:
        text = json.dumps(content, ensure_ascii=True, allow_nan=False)
    except ValueError:  # a run of strange content: JSON knows no infinity
        text = json.dumps(finite(content), ensure_ascii=True, allow_nan=False)
    return Response(text, status, media_type="application/json")


_STATUS: Mapping[type[Problem], int] = {Missing: 404, Busy: 409, TooLarge: 413, TooSlow: 408}


def _in_sentences(call: Handler) -> Handler:
    """What cannot be done is told as it is told at a terminal."""

    @functools.wraps(call)
    async def called(request: Request) -> Response:
        try:
            return await call(request)
        except Problem as problem:
            status = next((code for kind, code in _STATUS.items() if isinstance(problem, kind)), 422)
            return _json({"problem": plainly(str(problem), 1000)}, status)
        except Exception as error:  # a run of odd content, or a fault of ours
            traceback.print_exc()
            check = shell_command("check", "RUN")
            return _json(
                {"problem": f"This cannot be answered ({type(error).__name__}). Is the run whole ({check})?"}, 500
            )

    return called


async def _no_such(request: Request, error: Exception) -> Response:
    return _json({"problem": "There is nothing at this address."}, 404)


async def _not_so(request: Request, error: Exception) -> Response:
    return _json({"problem": f"This address is not for {request.method}."}, 405)


# Answers of other kinds


def _file(name: str, shared: bool = False, headers: Mapping[str, str] | None = None) -> Handler:
    async def answer(request: Request) -> Response:
        return _sent(name, shared, headers)

    return answer


async def _static(request: Request) -> Response:
    return _sent(request.path_params["name"])


def _sent(name: str, shared: bool = False, headers: Mapping[str, str] | None = None) -> Response:
    """One of our own files: the name is looked up in a list, and never becomes a path."""
    from starlette.responses import Response

    static = files("wolfspider.dashboard").joinpath("static")
    found = next((each for each in static.iterdir() if each.name == name), None) if static.is_dir() else None
    kind = _KINDS.get(name[name.rfind(".") :])
    if found is None or kind is None:
        raise Missing("There is no such file.")
    more = {"cache-control": "no-cache", **(_SHARED if shared else {}), **(headers or {})}
    return Response(found.read_bytes(), media_type=kind, headers=more)


_SHARED = {
    "cross-origin-resource-policy": "cross-origin"
}  # the frame for plots has no origin, so is never the same one


def _plots(port: int) -> Handler:
    async def answer(request: Request) -> Response:
        origin = f"http://{request.headers['host']}"  # one that the door knows
        return _sent(
            "plots.html",
            headers={"content-security-policy": _FRAME.format(origin=origin), "x-frame-options": "SAMEORIGIN"},
        )

    return answer


async def _plotly(request: Request) -> Response:
    """As it ships in the installed package."""
    from starlette.responses import FileResponse

    path = str(files("plotly").joinpath("package_data", "plotly.min.js"))
    return FileResponse(path, media_type="text/javascript", headers={"cache-control": "max-age=86400", **_SHARED})


def _events(desk: RunDesk) -> Handler:
    feeds = Feeds(desk)

    async def answer(request: Request) -> Response:
        from starlette.responses import StreamingResponse

        run = desk.run(read_query(shapes.RunQuery, _query(request))["run"])
        feeds.refuse_too_many()
        return StreamingResponse(feeds.follow(run), media_type="text/event-stream")

    return answer


async def _openapi(request: Request) -> Response:
    return _json(description())


def _report(desk: RunDesk, workers: WorkLane) -> Handler:
    async def answer(request: Request) -> Response:
        from starlette.responses import HTMLResponse

        run = desk.run(request.path_params["name"])
        made = await workers.done(desk.remembered, run, "report page", lambda: report(run, time.time()))
        headers = {"content-security-policy": _REPORT, "x-frame-options": "SAMEORIGIN"}
        return HTMLResponse(made.encode("utf-8", "replace"), headers=headers)

    return answer


def _metrics(desk: RunDesk, workers: WorkLane) -> Handler:
    async def answer(request: Request) -> Response:
        from starlette.responses import PlainTextResponse

        from wolfspider.dashboard.metrics import metrics

        return PlainTextResponse(await workers.done(metrics, desk))

    return answer
