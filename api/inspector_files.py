"""The inspector's files: a page, its styles and its modules, the same for everyone who asks."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from fastapi import APIRouter
from starlette.responses import Response

#: Only our own files run, and only this service is asked. Nothing of a page can: it is parsed as data, in
#: one place (``sanitise.js``), and written as text.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types pagefold-parse"
)
_HEADERS = {"Content-Security-Policy": POLICY}
_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
#: Path → name of the file. Each is a route of its own: no path of a caller ever names a file.
INSPECTOR_PATHS: Mapping[str, str] = {
    "/": "index.html",
    **{
        f"/inspector/{item.name}": item.name
        for item in sorted(files("api").joinpath("inspector").iterdir(), key=lambda item: item.name)
        if item.name.rpartition(".")[2] in _TYPES and item.name != "index.html"
    },
}


def router() -> APIRouter:
    """One route for each file; they are read once."""
    routes = APIRouter(include_in_schema=False)
    for path, name in INSPECTOR_PATHS.items():
        _add(routes, path, name)
    return routes


def _add(routes: APIRouter, path: str, name: str) -> None:
    body = files("api").joinpath("inspector", name).read_bytes()
    media = _TYPES[name.rpartition(".")[2]]

    async def send() -> Response:
        return Response(body, headers=_HEADERS, media_type=media)

    routes.add_api_route(path, send, methods=["GET"], name=f"inspector:{name}")
