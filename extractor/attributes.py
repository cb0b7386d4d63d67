"""Which attributes survive into the output, and in which form."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import urlsplit

from extractor.tree import Attrs

_EVERYWHERE = ("lang", "dir", "role", "aria-label", "data-pf-tag", "data-pf-tex")
_LABELS = {"data-pf-l": "data-pf-label"}
_BY_TAG = {
    "a": ("href",),
    "img": ("alt", "src"),
    "input": ("type", "name", "value", "placeholder", "checked", "disabled", "alt"),
    "textarea": ("name", "placeholder", "disabled"),
    "select": ("name", "multiple", "disabled"),
    "option": ("value", "selected", "disabled"),
    "optgroup": ("label",),
    "button": ("type", "name", "disabled", "aria-expanded"),
    "form": ("action", "method"),
    "label": ("for",),
    "td": ("colspan", "rowspan"),
    "th": ("colspan", "rowspan", "scope"),
    "time": ("datetime",),
    "ol": ("start", "reversed", "type"),
    "li": ("value",),
    "details": ("open",),
    "dialog": ("open",),
    "pf-frame": ("data-pf-url", "data-pf-error", "title"),
    "span": ("href",),
    "progress": ("value", "max"),
    "meter": ("value", "min", "max"),
    "abbr": ("title",),
    "blockquote": ("cite",),
}
_URLS = frozenset({"href", "src", "action", "cite", "data-pf-url"})
_TRIVIAL = {("button", "type", "submit"), ("form", "method", "get"), ("input", "type", "text")}
MAX_URL_CHARS = 500
#: A base address longer than this is left out, and addresses stay absolute.
MAX_BASE_CHARS = 200


def kept_attributes(tag: str, attrs: Attrs | None, base_url: str) -> Attrs:
    """What a reader or an actor needs of an element's attributes; addresses made short or dropped."""
    kept: Attrs = {}
    if not attrs:
        return kept
    for name in (*_BY_TAG.get(tag, ()), *_EVERYWHERE):
        if name not in attrs:
            continue
        value = attrs[name]
        if name in _URLS:
            value = short_url(value, base_url)
            if not value:
                continue
        elif (tag, name, value) in _TRIVIAL or name == "aria-label" and not value:
            continue
        if tag == "span" and name == "href" and attrs.get("data-pf-tag") != "a":
            continue
        kept["data-pf-href" if tag == "span" and name == "href" else name] = value[:MAX_URL_CHARS]
    if attrs.get("data-pf-l"):
        kept[_LABELS["data-pf-l"]] = attrs["data-pf-l"]
    return kept


@lru_cache(maxsize=4096)
def short_url(url: str, base_url: str) -> str:
    """``url`` relative to the origin of ``base_url`` where that is shorter; empty for unsafe schemes.

    ``data:`` addresses become their type and size, which is all that a reader can use.
    """
    url = url.strip()
    if url.startswith("data:"):
        return f"data:{url[5:40].split(';')[0].split(',')[0]};{len(url)}-chars"
    try:
        parts = urlsplit(url)
        base = urlsplit(base_url)
    except ValueError:
        return ""
    if parts.scheme and parts.scheme not in ("http", "https", "mailto", "tel"):
        return ""
    if base.netloc and (parts.scheme, parts.netloc) == (base.scheme, base.netloc):
        same_page = parts.path == base.path and parts.query == base.query and parts.fragment
        if same_page:
            return "#" + parts.fragment
        rest = url.split(parts.netloc, 1)[1] or "/"
        return rest if not rest.startswith("//") and rest.startswith("/") else url
    return url
