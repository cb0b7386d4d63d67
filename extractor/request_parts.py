"""Parts of a request: each is checked on its own, so that an error names the field at fault."""

from __future__ import annotations

import re
from typing import Annotated, Literal
from urllib.parse import SplitResult

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")
#: What the connection itself sets, or what would change where the request goes.
_NOT_FOR_CALLERS = frozenset(
    "host connection content-length transfer-encoding upgrade te trailer keep-alive expect".split()
)
MAX_SCROLL_STEPS = 200


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Delay(_Part):
    """Wait for a selector, a JavaScript predicate or a fixed time; give exactly one."""

    selector: str | None = Field(
        None, max_length=1_000, description="CSS selector that appears", examples=["#results li"]
    )
    predicate: str | None = Field(
        None,
        max_length=10_000,
        description="function whose result becomes true",
        examples=["() => window.ready === true"],
    )
    delay_ms: int | None = Field(
        None, ge=0, le=60_000, description="time after `load`", examples=[500]
    )

    @model_validator(mode="after")
    def _one(self) -> Delay:
        given = [self.selector, self.predicate, self.delay_ms]
        if sum(value is not None for value in given) != 1:
            raise ValueError("give exactly one of selector, predicate, delay_ms")
        return self


class Viewport(_Part):
    """Size of the window in CSS pixels."""

    width: int = Field(1280, ge=200, le=4_000, description="CSS pixels", examples=[400])
    height: int = Field(900, ge=200, le=4_000, description="CSS pixels", examples=[800])


class Scroll(_Part):
    """How far to scroll: whichever bound is reached first ends it, and the result says so."""

    steps: int = Field(
        60, ge=1, le=MAX_SCROLL_STEPS, description="most steps of most of a window", examples=[30]
    )
    seconds: float = Field(
        15, gt=0, le=120, allow_inf_nan=False, description="longest time", examples=[10]
    )


def _one_line(value: str) -> str:
    if any(ord(c) < 32 and c != "\t" or ord(c) == 127 for c in value):
        raise ValueError("holds control characters")
    return value


OneLine = Annotated[str, AfterValidator(_one_line)]


class HttpAuth(_Part):
    """User name and password for the first origin's own sign-in dialog."""

    username: OneLine = Field(
        max_length=1_000, pattern=r"^[^:]*$", description="without a colon", examples=["reader"]
    )
    password: OneLine = Field(
        max_length=1_000, repr=False, description="never logged or stored", examples=["low-water"]
    )


def _cookie_text(value: str) -> str:
    if any(not 32 <= ord(c) < 127 or c == ";" for c in value):
        raise ValueError("a cookie holds printable ASCII without ';'")
    return value


class Cookie(_Part):
    """A cookie, sent exactly as given; for the page's own host unless ``domain`` says otherwise."""

    name: Annotated[str, AfterValidator(_cookie_text)] = Field(
        min_length=1,
        max_length=1_000,
        pattern=r"^[^=\s]+$",
        description="printable ASCII",
        examples=["session"],
    )
    value: Annotated[str, AfterValidator(_cookie_text)] = Field(
        max_length=4_000, repr=False, description="printable ASCII", examples=["a,b"]
    )
    domain: str | None = Field(
        None,
        max_length=255,
        pattern=r"^\.?[A-Za-z0-9_.:\[\]-]+$",
        description="with a leading dot for subdomains too",
        examples=[".example.org"],
    )
    path: str = Field(
        "/",
        max_length=1_000,
        pattern=r"^/[^;\s]*$",
        description="sent for this path and those below it",
        examples=["/"],
    )
    expires: float | None = Field(
        None,
        gt=0,
        le=253_402_300_799,
        allow_inf_nan=False,
        description="seconds since 1970; a session cookie without it",
        examples=[1_900_000_000],
    )
    secure: bool = Field(False, description="over TLS only", examples=[True])
    http_only: bool = Field(False, description="not for scripts", examples=[True])
    same_site: Literal["Strict", "Lax", "None"] | None = Field(
        None, description="whether requests from other sites carry it", examples=["Lax"]
    )

    def goes_to(self, url: SplitResult) -> bool:
        """Whether a browser would send it with a request for ``url``."""
        host, path = (url.hostname or "").lower(), url.path or "/"
        own = (self.domain or host).lower()
        inside = host == own.lstrip(".") or own.startswith(".") and host.endswith(own)
        below = path == self.path or path.startswith(self.path.rstrip("/") + "/")
        return inside and below and (not self.secure or url.scheme == "https")


def checked_headers(value: dict[str, str]) -> dict[str, str]:
    """Headers that a caller may set.

    Raises:
        ValueError: a name is no token or is the connection's own, or a value cannot be sent.
    """
    for name, content in value.items():
        if _TOKEN.match(name) is None:
            raise ValueError(f"header {name!r} holds characters that no header may hold")
        if name.lower() in _NOT_FOR_CALLERS or name.lower().startswith("proxy-"):
            raise ValueError(f"header {name!r} is set by the connection itself")
        if any(ord(c) < 32 and c != "\t" or not c.isascii() or ord(c) == 127 for c in content):
            raise ValueError(f"the value of header {name!r} cannot be sent")
    return value
