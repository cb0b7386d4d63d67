"""What the small web's servers send: pure, from an address and how often it was asked for."""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

from testbed.crawl.addresses import DELAYED, HOSTS, LAWLESS, UNREACHABLE, SmallWeb
from testbed.crawl.words import SENTENCES, article

_HTML = "text/html; charset=utf-8"
_REASONS = {200: "OK", 301: "Moved Permanently", 302: "Found", 404: "Not Found", 410: "Gone"}
_HOPS = 3
CRAWL_DELAY_S = 0.2
SLOW_S = 1.0
_BIG_TIMES = 300
#: Just over the default of ``max_document_bytes``.
_HUGE_BYTES = 21_000_000


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer.

    Attributes:
        status: 0: the connection is cut before any answer.
        length: what ``Content-Length`` claims; ``None``: the truth.
        wait_s: how long the server takes; ``None``: for ever.
    """

    body: bytes = b""
    status: int = 200
    content_type: str = _HTML
    headers: tuple[tuple[str, str], ...] = ()
    length: int | None = None
    wait_s: float | None = field(default=0.0)

    def head(self) -> bytes:
        """Status line and headers."""
        length = len(self.body) if self.length is None else self.length
        lines = [f"HTTP/1.1 {self.status} {_REASONS.get(self.status, 'Error')}"]
        lines += [f"{name}: {value}" for name, value in self.headers]
        lines += [f"Content-Type: {self.content_type}"] if self.content_type else []
        lines += [f"Content-Length: {length}", "Connection: close", "", ""]
        return "\r\n".join(lines).encode("ascii")


def reply(web: SmallWeb, host: int, target: str, times: int) -> Reply:
    """The answer of a host to a path with its query; ``times`` counts earlier requests for it."""
    path, _, query = target.partition("?")
    if path.startswith("/robots"):
        return _robots(host, path)
    kind, _, digits = path[1:].partition("/")
    if not digits.isdigit() or not 0 <= int(digits) < web.pages:
        return _page("<title>Not found</title><h1>There is no such page here</h1>", 404)
    return _of_kind(web, kind, int(digits), query, times)


def _of_kind(web: SmallWeb, kind: str, index: int, query: str, times: int) -> Reply:
    if kind in SENTENCES:
        return _encoded(index, kind)
    made = _MADE.get(kind)
    if made is not None:
        return made(index)
    match kind:
        case "chain":
            return _chain(index, int(query.removeprefix("hop=") or 0))
        case "cross":
            return _moved(web.target(index))
        case "loop":
            return _moved(f"/loop/{index}?again")
        case "inside":
            return _moved("http://10.0.0.1/")
        case "trap":
            return _moved(f"/private/{index}")
        case "flaky" if times == 0:
            return Reply(b"busy", 503, "text/plain", (("Retry-After", "1"),))
        case "healing" if times == 0:
            return Reply(status=0)
        case _:
            return _page(article(index))


def _page(markup: str, status: int = 200, *headers: tuple[str, str]) -> Reply:
    return Reply(markup.encode(), status, headers=headers)


def _moved(place: str, status: int = 302) -> Reply:
    return Reply(b"", status, headers=(("Location", place),))


def _chain(index: int, hop: int) -> Reply:
    if hop >= _HOPS:
        return _page(article(index))
    return _moved(f"/chain/{index}?hop={hop + 1}", (301, 302, 307)[hop])


def _encoded(index: int, charset: str) -> Reply:
    # Some say it in the header, some in the page, and UTF-16 by its byte order mark alone.
    meta = f"<meta charset={charset}>"
    markup = article(index, head=meta, extra=SENTENCES[charset]).encode(charset)
    said = f"text/html; charset={charset}" if charset in ("koi8-r", "gb18030") else "text/html"
    return Reply(markup, content_type=said)


def _script(index: int) -> Reply:
    whole = article(index)
    text = whole[whole.index("<article>") : whole.index("</main>")].replace("'", "\\'")
    start = whole[: whole.index("<article>")]
    script = f"<script>document.querySelector('main').innerHTML = '{text}'</script>"
    return _page(f"{start}</main>{script}</body></html>")


def _big(index: int) -> Reply:
    more = "<p>A paragraph of a long page, as long as all the others of it are.</p>" * _BIG_TIMES
    return _page(article(index, extra=more.removeprefix("<p>").removesuffix("</p>")))


def _cut(index: int) -> Reply:
    body = article(index).encode()
    return Reply(body[: len(body) // 2], length=len(body))


def _image(index: int) -> Reply:
    def chunk(name: bytes, data: bytes) -> bytes:
        check = zlib.crc32(name + data)
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", check)

    row = b"\0" + index.to_bytes(3, "big") * 8
    parts = (
        chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)),
        chunk(b"IDAT", zlib.compress(row * 8)),
        chunk(b"IEND", b""),
    )
    return Reply(b"\x89PNG\r\n\x1a\n" + b"".join(parts), content_type="image/png")


def _binary(index: int) -> Reply:
    body = bytes((index * 7 + at * 13) % 256 for at in range(2_000))
    return Reply(b"\0\1\2\3" + body, content_type="application/octet-stream")


_GZIP = ("Content-Encoding", "gzip")
_MADE: dict[str, Callable[[int], Reply]] = {
    "same": lambda index: _page(article(index - 1)),
    "near": lambda index: _page(article(index - 1, changed=True)),
    "script": _script,
    "slow": lambda index: Reply(article(index).encode(), wait_s=SLOW_S),
    "big": _big,
    "image": _image,
    "gzip": lambda index: Reply(gzip.compress(article(index).encode(), mtime=0), headers=(_GZIP,)),
    "noindex": lambda index: _page(article(index), 200, ("X-Robots-Tag", "noindex, noai")),
    "reserved": lambda index: _page(article(index), 200, ("TDM-Reservation", "1")),
    "licence": lambda index: _page(
        article(
            index, head='<link rel="license" href="https://creativecommons.org/licenses/by/4.0/">'
        )
    ),
    "cut": _cut,
    "missing": lambda index: _page(article(index), 404),
    "gone": lambda index: _page(article(index), 410),
    "broken": lambda index: _page(article(index), 500),
    "reset": lambda index: Reply(status=0),
    "binary": _binary,
    "attachment": lambda index: Reply(
        article(index).encode(),
        content_type="application/zip",
        headers=(("Content-Disposition", 'attachment; filename="pages.zip"'),),
    ),
    "empty": lambda index: Reply(b""),
    "garbled": lambda index: Reply(b"this is no gzip at all " * 9, headers=(_GZIP,)),
    "huge": lambda index: Reply(b"<p>word</p>" * (_HUGE_BYTES // 11)),
    "stalled": lambda index: Reply(wait_s=None),
}

_PLAIN_RULES = "User-agent: *\nDisallow: /private/\n"
_RULES = {
    13: "\ufeff# our rules\r\nUser-Agent : *\r\nDisallow:/private/ # keep out\r\nNonsense\r\n"
    "Crawl: slowly\r\nSitemap: /sitemap.xml\r\n",
    14: "User-agent: *\nDisallow: /*ivate/\nAllow: /private$\nDisallow: /page/*.pdf$\n",
    15: f"User-agent: *\nDisallow: /\n\nUser-agent: pagefold\nDisallow: /private/\n\n"
    f"User-agent: {'x' * 40}\nDisallow: /\n",
    DELAYED: f"{_PLAIN_RULES}Crawl-delay: {CRAWL_DELAY_S}\n",
}


def _robots(host: int, path: str) -> Reply:
    if host == UNREACHABLE:
        return Reply(b"later", 503, "text/plain")
    if host == LAWLESS:
        return Reply(b"none", 404, "text/plain")
    if host == len(HOSTS) - 1 and path == "/robots.txt":
        return _moved("/robots-elsewhere.txt", 301)
    return Reply(_RULES.get(host, _PLAIN_RULES).encode(), 200, "text/plain; charset=utf-8")
