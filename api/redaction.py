"""What may stand in a log line: an allow-list of fields, and texts without what they must not hold.

A field that is not named here is withheld, so a new one is safe before anyone thinks of it. Numbers pass.
"""

from __future__ import annotations

import re
import sys
from collections.abc import MutableMapping
from typing import Any
from urllib.parse import urlsplit

from api.traces import bare_text, trace_of

WITHHELD = "…"
#: Words that are ours, names of routes and hosts, ids that open nothing.
PLAIN = frozenset(
    "timestamp level logger request_id tenant key_id route method code host reason why name session "
    "key phase stage outcome where check step path_kind provider history job state".split()
)
#: Sentences, mostly of other software: shown without addresses' secrets and without what looks like a key.
TEXTS = frozenset({"detail", "error", "errors", "warning"})
#: Loggers of others whose messages are known to be templates; what they fill in is withheld.
_KNOWN_LOGGERS = frozenset({"uvicorn", "uvicorn.error", "alembic.runtime.migration"})

_EVENT = re.compile(r"[A-Za-z][A-Za-z0-9 _.-]{0,80}\Z")
_ADDRESS = re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s\"'<>\\]+")
_SECRETS = (
    re.compile(
        r"(?i)\b((?:proxy-)?authorization|cookie|set-cookie|x-api-key)\b([\"']?\s*[:=,]\s*).+"
    ),
    re.compile(r"(?i)\b(basic|bearer)(\s+)[A-Za-z0-9+/=._~-]{6,}"),
    re.compile(r"\b(pf_[0-9a-f]{12})(\.)[A-Za-z0-9_-]+"),
)

Event = MutableMapping[str, Any]


class Redactor:
    """A structlog processor, the last before the renderer: it sees every line, whoever wrote it.

    ``texts`` shows the words of unknown exceptions and libraries too, which may hold anything.
    """

    def __init__(self, *, texts: bool = False) -> None:
        self._texts = texts

    def __call__(self, logger: object, method: str, event: Event) -> Event:
        foreign = not event.get("_from_structlog", True)
        shown: dict[str, Any] = {"event": self._said(event, foreign=foreign)}
        for name, value in event.items():
            if name.startswith("_"):
                shown[name] = value
            elif name not in ("event", "exc_info", "stack_info", "positional_args"):
                shown[name] = self._value(name, value)
        if error := _error_in(event.get("exc_info")):
            shown["exception"] = trace_of(error, scrub if self._texts else None)
        return shown

    def _value(self, name: str, value: Any) -> Any:
        if value is None or isinstance(value, bool | int | float):
            return value
        if name in TEXTS or self._texts:
            return scrub(str(value))
        return value if name in PLAIN and isinstance(value, str) else WITHHELD

    def _said(self, event: Event, *, foreign: bool) -> str:
        said = str(event.get("event", ""))
        if self._texts and foreign:
            return scrub(_filled(said, event.get("positional_args"), whole=True))
        if not foreign:
            return said if _EVENT.match(said) else WITHHELD
        if event.get("logger") in _KNOWN_LOGGERS:
            return scrub(_filled(bare_text(said), event.get("positional_args")))
        record = event.get("_record")
        return f"a message of {getattr(record, 'module', '?')}:{getattr(record, 'lineno', '?')}"


def scrub(text: str) -> str:
    """A text without userinfo, query and fragment of addresses, credentials and keys."""
    for pattern in _SECRETS:
        text = pattern.sub(rf"\1\2{WITHHELD}", text)
    return _ADDRESS.sub(lambda found: mask_address(found[0]), text)


def mask_address(address: str) -> str:
    """Scheme, host, port and path of an address; what else it has is shown as ``…``."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return f"{address.partition(':')[0]}://{WITHHELD}"
    _, at, host = parts.netloc.rpartition("@")
    shown = f"{parts.scheme}://{WITHHELD + at if at else ''}{host}{parts.path}"
    return shown + (f"?{WITHHELD}" if parts.query or parts.fragment else "")


def _filled(template: str, arguments: Any, *, whole: bool = False) -> str:
    """The template with its numbers; texts are filled in only if ``whole``."""
    if not arguments:
        return template
    given = arguments if isinstance(arguments, tuple) else (arguments,)
    safe = [each if whole or isinstance(each, int | float) else WITHHELD for each in given]
    try:
        return template % tuple(safe)
    except (TypeError, ValueError):
        return template


def _error_in(exc_info: Any) -> BaseException | None:
    found = exc_info[1] if isinstance(exc_info, tuple) else exc_info
    if found is True:
        found = sys.exc_info()[1]
    return found if isinstance(found, BaseException) else None
