"""The ways in which a page can make a browser ask for an address, each a page of its own."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

_FOLDER = Path(__file__).parent / "pages"
_EACH = re.compile(r"<!-- each -->(.*?)<!-- /each -->", re.DOTALL)
_TOKEN = re.compile(r"\{\{(\w+)\}\}")
_REDIRECTS = (301, 302, 303, 307, 308)
#: Milliseconds that a page gets after it has loaded. Chromium holds WebSockets back after failures.
_PATIENCE_MS = {
    "form-get": 3000,
    "form-post": 3000,
    "redirect-fetch": 3000,
    "websocket": 7000,
    "websocket-frame": 7000,
    "websocket-worker": 7000,
    "worker": 3000,
}
_DEFAULT_PATIENCE_MS = 1000

#: Routes that need a secure context: their page is opened from ``localhost``.
SECURE = frozenset(
    {"service-worker", "webtransport", "speculation-prefetch", "speculation-prerender"}
)
#: Routes on which no HTTP request arrives, not even at a public host.
NEVER = frozenset(
    {"icon", "popup", "preconnect", "service-worker", "webrtc", "webtransport", "xslt"}
)
#: Addresses on one page of a route that takes a frame or a window for each; more would meet a cap.
PART = 40
#: Routes that take a frame for each address, which a browser is slow at.
FRAMES = frozenset(
    {
        "base",
        "csp-report",
        "embed",
        "form-get",
        "form-post",
        "frame",
        "link-header",
        "meta-refresh",
        "navigation",
        "object",
        "redirect-frame",
        "refresh-header",
        "xslt",
    }
)
#: What the main frame does to go somewhere else: the path of a document that does it.
TOP_LEVEL = {
    "top-redirect": "/redirect?status=302&u=",
    "top-meta-refresh": "/leaf/meta-refresh?u=",
    "top-refresh-header": "/refresh?u=",
    "top-navigation": "/leaf/navigation?u=",
}
#: Ways without a browser.
FETCHER = ("fetcher", "fetcher-redirect")


def route_names() -> list[str]:
    """Every route, in alphabetical order."""
    return sorted(path.stem for path in _FOLDER.glob("*.html"))


def route_page(name: str, urls: Sequence[str], *, alone: bool = False) -> str:
    """The page that tries every address by this route, and says so when it has.

    ``alone`` tells it not to wait for the public address among them to arrive.

    Raises:
        FileNotFoundError: there is no such route.
    """
    text = (_FOLDER / f"{name}.html").read_text(encoding="utf-8")
    pieces = _EACH.sub(lambda match: _repeated(match[1], urls), text)
    # In a script no markup may begin; "<" does not stand inside addresses otherwise.
    listed = json.dumps(list(urls)).replace("<", "\\u003c")
    body = pieces.replace("{{urls}}", listed)
    patience_ms = _PATIENCE_MS.get(name, _DEFAULT_PATIENCE_MS)
    data = f'data-route="{name}" data-patience="{patience_ms}"'
    awaited = "" if alone or name in NEVER else "data-awaited"
    done = f'<script src="/leaf/done.js" {data} {awaited}></script>'
    return f"<!doctype html><meta charset=utf-8><title>{name}</title>\n{body}\n{done}\n"


def leaf(path: str, url: str) -> str | None:
    """A document or a script that pages use, for one address; ``None`` when there is none."""
    file = _FOLDER / "leaf" / path
    if file.suffix == "" and file.with_suffix(".html").is_file():
        file = file.with_suffix(".html")
    if file.parent != _FOLDER / "leaf" or not file.is_file():
        return None
    return _filled(file.read_text(encoding="utf-8"), url, 0)


def _repeated(piece: str, urls: Sequence[str]) -> str:
    return "".join(_filled(piece, url, number) for number, url in enumerate(urls))


def _filled(text: str, url: str, number: int) -> str:
    values = {
        "url": html.escape(url),
        "quoted": quote(url, safe=""),
        "css": html.escape(_css_string(url)) if "style='" in text else _css_string(url),
        "json": json.dumps(url).replace("<", "\\u003c"),
        "number": str(number),
        "status": str(_REDIRECTS[number % len(_REDIRECTS)]),
    }
    return _TOKEN.sub(lambda match: values.get(match[1], match[0]), text)


def _css_string(text: str) -> str:
    return re.sub(r'[\\"\x00-\x1f<]', lambda match: f"\\{ord(match[0]):x} ", text)
