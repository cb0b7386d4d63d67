"""The demo site: our own pages on loopback, so that everything can be tried without the network."""

from __future__ import annotations

import html
import logging
import socket
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from api.demo_catalogue import CATALOGUE_SIZE, is_gone, product_page, sitemap

_HERE = Path(__file__).resolve().parent
#: In an installed package the pages stand beside this file, in a checkout beside the packages.
PAGES_DIR = next(
    folder
    for folder in (_HERE / "demo_pages" / "demo", _HERE.parent / "fixtures_html" / "demo")
    if folder.is_dir() or folder.parent.name == "fixtures_html"
)
SHOP_CARDS = 400
_THREAD = "demo-site"

_MATERIALS = ("Oak", "Walnut", "Brass", "Steel", "Linen", "Wool", "Clay", "Glass", "Cork", "Slate")
_THINGS = (
    "kettle", "lantern", "stool", "tray", "teapot", "blanket", "bookend", "vase", "coaster",
    "clock", "candlestick", "bowl", "basket", "lamp", "mirror", "cushion", "jug", "shelf", "rack",
    "planter",
)  # fmt: skip
_COLOURS = ("blue", "red", "sand", "moss")


class DemoServer:
    """A context in which the demo site answers on ``127.0.0.1``; it runs in a thread of its own.

    ``port`` 0 picks a free port. After entering, ``port`` and ``url`` are the real ones.

    Raises:
        OSError: the port is taken.
    """

    def __init__(self, port: int) -> None:
        self.port = port
        self._server = uvicorn.Server(
            uvicorn.Config(create_demo(), log_config=None, access_log=False, lifespan="off")
        )
        self._thread: threading.Thread | None = None
        self._socket: socket.socket | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        logging.getLogger("uvicorn.error").addFilter(_not_of_demo)
        # Bound and listening before the thread starts: early connections wait in the backlog.
        listener = socket.create_server(("127.0.0.1", self.port), backlog=64)
        self._socket = listener
        self.port = int(listener.getsockname()[1])
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [listener]}, name=_THREAD, daemon=True
        )
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.should_exit = True
        self._server.force_exit = True
        if self._thread is not None:
            self._thread.join(timeout=5)
        if self._socket is not None:
            self._socket.close()
        logging.getLogger("uvicorn.error").removeFilter(_not_of_demo)


def _not_of_demo(record: logging.LogRecord) -> bool:
    """Both servers log under one name: of the demo site's only what is wrong is worth a line."""
    return record.threadName != _THREAD or record.levelno >= logging.WARNING


def create_demo() -> Starlette:
    """The demo site as an ASGI application: ``/``, one path for each page, ``/frames/…``, ``/products/…``."""
    return Starlette(
        routes=[
            Route("/", _page),
            Route("/shop", _shop),
            Route("/sitemap.xml", _sitemap),
            Route("/products/{number:int}", _product),
            Route("/{name}", _page),
            Route("/frames/{name}", _frame),
        ]
    )


def shop_cards(count: int = SHOP_CARDS) -> str:
    """Markup of ``count`` product cards, the same on every call."""
    return "\n".join(_card(number) for number in range(count))


def _card(number: int) -> str:
    thing = _THINGS[number % len(_THINGS)]
    material = _MATERIALS[(number // len(_THINGS)) % len(_MATERIALS)]
    colour = _COLOURS[number // (len(_THINGS) * len(_MATERIALS)) % len(_COLOURS)]
    name = html.escape(f"{material} {thing}, {colour}")
    pounds = 8 + (number * 37) % 180
    stock = (number * 7) % 23
    availability = f"{stock} in stock" if stock else "Sold out"
    return (
        f'<li class="card" id="p{number + 1}"><a href="/shop?item={number + 1}">'
        f'<span class="swatch {colour}" role="img" aria-label="{name}"></span><h3>{name}</h3></a>'
        f'<p class="price">£{pounds}.{(number * 5) % 100:02d}</p>'
        f'<p class="note">Rated {3 + (number % 20) / 10:.1f} of 5 by {3 + (number * 13) % 240} '
        f"customers. {availability}.</p>"
        f'<button type="button"{"" if stock else " disabled"}>Add to basket</button></li>'
    )


def _read(path: Path) -> str | None:
    return path.read_text("utf-8") if path.is_file() else None


async def _page(request: Request) -> Response:
    return _answer(_read(_inside(PAGES_DIR, request.path_params.get("name", "index"))))


async def _frame(request: Request) -> Response:
    return _answer(_read(_inside(PAGES_DIR / "frames", request.path_params["name"])))


async def _shop(_: Request) -> Response:
    template = _read(PAGES_DIR / "shop.html")
    return _answer(template and template.replace("<!-- cards -->", shop_cards()))


async def _sitemap(request: Request) -> Response:
    origin = f"{request.url.scheme}://{request.url.netloc}"
    return Response(sitemap(origin), media_type="application/xml")


async def _product(request: Request) -> Response:
    number = request.path_params["number"]
    if not 1 <= number <= CATALOGUE_SIZE:
        return _answer(None)
    return HTMLResponse("Gone", 410) if is_gone(number) else HTMLResponse(product_page(number))


def _inside(folder: Path, name: str) -> Path:
    """The file of a page; a name with anything but letters and hyphens names no file."""
    plain = name.removesuffix(".html")
    return folder / (f"{plain}.html" if plain.replace("-", "").isalpha() else "missing")


def _answer(text: str | None) -> Response:
    if text is None:
        return HTMLResponse("<!DOCTYPE html><title>Not found</title><h1>Not found</h1>", 404)
    return HTMLResponse(text)
