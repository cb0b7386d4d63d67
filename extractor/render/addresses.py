"""Addresses in the output: safe schemes only, and as short as the base address allows."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import urljoin, urlsplit

from extractor.serialise import escape_attribute

#: Schemes that do nothing but name something; any other address is dropped.
SCHEMES = frozenset({"http", "https", "mailto", "tel"})
#: A longer address is left out, never cut: a cut address leads elsewhere.
MAX_URL_CHARS = 2_000
#: A base address longer than this is left out, and addresses stay absolute.
MAX_BASE_CHARS = 200
#: In-page addresses that begin so are ours: they name an entry of the link table (see ``linktable``), or a
#: ref that unfolds to the link with its own address (see ``lean``).
REF_ADDRESS = "#~"
TABLE_ADDRESS = re.compile(r"#~[0-9a-z][0-9a-z.-]*\Z")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
#: What must follow the scheme of a web address; browsers pass over further slashes and take what comes next
#: for the host.
_AUTHORITY = re.compile(
    r"//(?:[^/\\?#@]*@)?(?:\[[0-9A-Fa-f:.]+\]|[^/\\?#@:\[\]<>^|\s]+)(?::(\d*))?(?=[/\\?#]|\Z)"
)
_LAST_PORT = 65_535
_IGNORED = re.compile(r"[\x00-\x20\x7f]+")
_DATA = re.compile(
    r"data:([\w.+-]{1,40}/[\w.+-]{1,60})?[^,]{0,200}?(?:;size=(\d{1,12}))?(?:,|\Z)", re.I
)

#: Plain absolute and relative addresses: on these, what ``urljoin`` would find is known beforehand.
_PLAIN = re.compile(
    r"(https?)://([A-Za-z0-9._-]+(?::\d{1,4})?)(/[\w.~!$&'()*+,=:@/%-]*)?(?:\?[\w.~!$&'()*+,=:@/%?-]+)?"
    r"(?:#[\w.~!$&'()*+,=:@/%?-]+)?\Z",
    re.ASCII,
)
_PLAIN_PATH = re.compile(
    r"/?[\w~%-][\w.~!$&'()*+,=@/%-]*(?:\?[\w.~!$&'()*+,=:@/%?-]+)?(?:#[\w.~!$&'()*+,=:@/%?-]+)?\Z",
    re.ASCII,
)


def is_safe(url: str) -> bool:
    """Whether the scheme, as a browser reads it, is one of ``SCHEMES`` or there is none.

    A web address without ``//`` and a host is not: what follows the scheme may be another one.
    """
    plain = _IGNORED.sub("", url[:MAX_URL_CHARS])
    match = _SCHEME.match(plain)
    if match is None:
        return True
    scheme = match.group(1).lower()
    if not scheme.startswith("http"):
        return scheme in SCHEMES
    authority = _AUTHORITY.match(plain, match.end())
    return scheme in SCHEMES and authority is not None and _is_port(authority.group(1))


def _is_port(digits: str | None) -> bool:
    return len(digits or "") < 6 and int(digits or "0") <= _LAST_PORT


def data_label(url: str) -> str:
    """Type and size in characters of a ``data:`` address, such as ``image/png 1234``; else empty."""
    if url[:5].lower() != "data:":
        return ""
    match = _DATA.match(url)
    kind, size = (match.group(1), match.group(2)) if match else (None, None)
    return f"{(kind or 'text/plain').lower()} {size or len(url)}"


@lru_cache(maxsize=8192)
def short_url(url: str, base_url: str) -> str:
    """The shortest form of ``url`` that resolves to it against ``base_url``; empty when it is not safe.

    ``#part``, ``file.html``, ``/path`` or ``//host/path``; without a base it stays as it is.
    """
    plain = _shortest_plain(url, base_url) if len(url) <= MAX_URL_CHARS else ""
    if plain:
        return plain
    url = (
        _IGNORED.sub(lambda found: " " if " " in found.group() else "", url)
        .strip()
        .replace(" ", "%20")
    )
    if not is_safe(url) or len(url) > MAX_URL_CHARS:
        return ""
    try:
        parts, base = urlsplit(url), urlsplit(base_url)
        if not base_url:
            return url
        whole = urljoin(base_url, url)
        if parts.scheme != base.scheme or not parts.netloc:
            return url
        found = url
        for short in _candidates(url, base_url):
            fits = len(short) < len(found) and urljoin(base_url, short) == whole
            if fits and not TABLE_ADDRESS.match(short) and not _SCHEME.match(short):
                found = short
    except ValueError:
        return ""
    return found


def shell_base(url: str) -> str:
    """``url`` if a document may name it as what its addresses are relative to; else empty."""
    web = url[:8].lower().startswith(("http://", "https://"))
    return url if web and len(escape_attribute(url)) <= MAX_BASE_CHARS else ""


@lru_cache(maxsize=64)
def _plain_base(base_url: str) -> tuple[str, str, str, str] | None:
    """Scheme, host, folder and address without fragment of a plain base; ``None`` for any other."""
    match = _PLAIN.match(base_url)
    path = match.group(3) or "/" if match else "//"
    if match is None or _bends(path):
        return None
    return match.group(1), match.group(2), path.rpartition("/")[0] + "/", base_url.partition("#")[0]


def _bends(path: str) -> bool:
    """Whether joining may change a path."""
    return "//" in path or "/." in path


def _shortest_plain(url: str, base_url: str) -> str:
    """What ``short_url`` would find, without joining; empty where it takes more to know."""
    base = _plain_base(base_url)
    match = _PLAIN.match(url) if base else None
    if base is None or match is None:
        return url if base and _PLAIN_PATH.match(url) else ""
    scheme, host, folder, here = base
    path = match.group(3) or ""
    if match.group(1) != scheme:
        return url
    if _bends(path):
        return ""
    rest = url[len(scheme) + 1 :]
    if not path or match.group(2) != host:
        return rest
    found = rest[len(host) + 2 :]
    short = found[len(folder) :]
    if (
        path.startswith(folder)
        and short[:1] not in ("", "/", "?", "#")
        and not _SCHEME.match(short)
    ):
        found = short
    before, _, fragment = url.partition("#")
    if before == here and fragment and len(fragment) + 1 < len(found):
        short = f"#{fragment}"
        found = found if TABLE_ADDRESS.match(short) else short
    return found


def _candidates(url: str, base_url: str) -> list[str]:
    base, rest = urlsplit(base_url), url.partition(":")[2]
    found = [rest]
    if rest.startswith(f"//{base.netloc}/"):
        path = rest[len(base.netloc) + 2 :]
        found.append(path if not path.startswith("//") else rest)
        folder = base.path.rpartition("/")[0] + "/"
        if path.startswith(folder) and path[len(folder) : len(folder) + 1] not in (
            "",
            "/",
            "?",
            "#",
        ):
            found.append(path[len(folder) :])
        here, _, fragment = url.partition("#")
        if here == base_url.partition("#")[0] and fragment:
            found.append("#" + fragment)
    return found


@lru_cache(maxsize=8192)
def full_url(url: str, base_url: str) -> str:
    """``url`` made absolute; empty when it is not safe, too long or cannot be read."""
    base, match = _plain_base(base_url), _PLAIN.match(url)
    if base and match and len(url) <= MAX_URL_CHARS and not _bends(match.group(3) or ""):
        return url
    try:
        whole = urljoin(base_url, url) if base_url else url
    except ValueError:
        return ""
    return whole if is_safe(whole) and len(whole) <= MAX_URL_CHARS else ""
