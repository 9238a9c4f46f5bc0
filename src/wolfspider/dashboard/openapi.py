"""The interface described for other programs (OpenAPI 3.1), made from the table of its addresses."""

from __future__ import annotations

from typing import Any

from wolfspider import __version__
from wolfspider.dashboard import shapes
from wolfspider.dashboard.endpoints import ENDPOINTS, GET, Endpoint
from wolfspider.dashboard.json_shapes import fields, schema

JSON = "application/json"
REFUSALS = {  # what may come of any request
    "401": "No token, or a wrong one.",
    "403": "The request comes from a page of others.",
    "404": "There is no such run, or no such page.",
    "409": "Another process is at work there; or what was asked for needs `confirm`.",
    "413": "The body is too large.",
    "415": "The body is no JSON.",
    "421": "The machine was asked by a name that is not its own.",
    "422": "What was asked for cannot be done; the problem is a sentence.",
}
NOT_JSON = {  # answers of other kinds: path, what it is, its media type, what may be asked
    "/api/runs/{name}/report": ("The report of a run, a page in which nothing runs.", "text/html", shapes.NoQuestion),
    "/api/events": ("What happens in a run, as it happens (server-sent events).", "text/event-stream", shapes.RunQuery),
    "/api/openapi.json": ("This description.", JSON, shapes.NoQuestion),
    "/metrics": ("Figures of all runs, for Prometheus.", "text/plain", shapes.NoQuestion),
}


def description() -> dict[str, Any]:
    named: dict[str, Any] = {}
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in ENDPOINTS:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint, named)
    for path, (says, kind, asks) in NOT_JSON.items():
        answer = {"200": {"description": says, "content": {kind: {}}}}
        told = {"summary": says, "parameters": [*_of_path(path), *_of_query(asks, named)]}
        paths[path] = {"get": told | {"responses": answer | _refusals(named)}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "The dashboard of wolfspider", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": named,
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "cookie": {"type": "apiKey", "in": "cookie", "name": "wolfspider_token_PORT"},
            },
        },
        "security": [{"bearer": []}, {"cookie": []}],
    }


def _operation(endpoint: Endpoint, named: dict[str, Any]) -> dict[str, Any]:
    answer = {"description": endpoint.says, "content": {JSON: {"schema": schema(endpoint.answers, named)}}}
    told: dict[str, Any] = {
        "summary": endpoint.says,
        "parameters": _of_path(endpoint.path),
        "responses": {str(endpoint.status): answer} | _refusals(named),
    }
    if endpoint.method == GET:
        told["parameters"] += _of_query(endpoint.asks, named)
    else:
        told["requestBody"] = {"required": True, "content": {JSON: {"schema": schema(endpoint.asks, named)}}}
    return told


def _of_path(path: str) -> list[dict[str, Any]]:
    if "{name}" not in path:
        return []
    return [{"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}]


def _of_query(asks: Any, named: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "query", "required": name in asks.__required_keys__, "schema": schema(kind, named)}
        for name, kind in fields(asks).items()
    ]


def _refusals(named: dict[str, Any]) -> dict[str, Any]:
    problem = {JSON: {"schema": schema(shapes.ToldProblem, named)}}
    return {code: {"description": says, "content": problem} for code, says in REFUSALS.items()}
