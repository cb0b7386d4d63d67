"""Recognises a client's history from turn to turn by its prefix: a chain of hashes over its messages."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl

from compactor.cost import cost, serialise
from compactor.messages import Json

#: Of this process: what clients' keys hash to says nothing elsewhere.
_SALT = secrets.token_bytes(32)
#: A header or a parameter with one of these words in its name says who asks. One word too many costs a cold
#: cache; one too few could show a history to somebody else.
_WORDS = frozenset(
    "account apikey auth authorization cookie credential credentials jwt key keys org organisation "
    "organization password project secret sig signature tenant token workspace".split()
)
#: These are another each time, or are ours and counted as the tenant.
_NOT = ("x-pagefold-", "idempotency-key", "x-idempotency-key", "sec-websocket-key")
#: Cookies that providers' gateways set anew while a client talks.
_PASSING_COOKIES = ("__cf", "_cf", "cf_")
_BETWEEN = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Identity:
    """Whose history it is, so that nobody's is taken for another's: tenant, provider, API, model, and
    who the provider takes the client for."""

    tenant: str
    provider: str
    format: str
    model: str
    credentials: bytes

    @property
    def seed(self) -> bytes:
        """What the chain starts with."""
        parts = (self.tenant, self.provider, self.format, self.model, self.credentials.hex())
        return hashlib.sha256(serialise(list(parts)).encode("utf-8", "surrogatepass")).digest()


def credentials_of(headers: Iterable[tuple[bytes, bytes]], query: bytes = b"") -> bytes:
    """A digest of the client's keys that cannot be turned back, and is another in each process."""
    named = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in headers]
    found = sorted((n, _lasting(n, value)) for n, value in named if _says_who(n))
    asked = parse_qsl(query.decode("latin-1"), keep_blank_values=True, encoding="latin-1")
    given = sorted((n, value) for n, value in asked if _says_who(n.lower()))
    return hmac.digest(_SALT, repr((found, given)).encode(), "sha256")


def _says_who(name: str) -> bool:
    return not name.startswith(_NOT) and not _WORDS.isdisjoint(_BETWEEN.split(name))


def _lasting(name: str, value: str) -> str:
    if name != "cookie":
        return value
    pairs = (pair.strip() for pair in value.split(";"))
    return ";".join(sorted(pair for pair in pairs if not pair.startswith(_PASSING_COOKIES)))


@dataclass(frozen=True, slots=True)
class Trail:
    """A hash of the history up to and with each entry, the seed first; ``chars`` is what it costs.

    What the system says counts in ``framed`` until the history names a call: one application may greet
    many users alike, but no two calls have the same ids. In ``bare`` it never counts.
    """

    framed: list[bytes]
    bare: list[bytes]
    chars: int


def trail_of(seed: bytes, entries: Sequence[Json], framing: Sequence[Json] = ()) -> Trail:
    """The trail of a history; ``framing`` is what the system says. Linear."""
    framed, bare, chars, link, called = [seed], [seed], 0, seed, False
    frame = _digest([_plain({"content": part}) for part in framing])
    for entry in entries:
        chars += cost(entry)
        link = hashlib.sha256(link + _digest(_plain(entry))).digest()
        called = called or _names_call(entry)
        framed.append(link if called else hashlib.sha256(frame + link).digest())
        bare.append(link)
    return Trail(framed, bare, chars)


def _digest(value: Json) -> bytes:
    return hashlib.sha256(serialise(value).encode("utf-8", "surrogatepass")).digest()


def _names_call(entry: Json) -> bool:
    """Whether it is, or holds, a tool call of the assistant, in any API."""
    if not isinstance(entry, dict):
        return False
    content = entry.get("content")
    blocks = content if isinstance(content, list) else []
    return bool(
        entry.get("tool_calls")
        or entry.get("call_id")
        or any(isinstance(block, dict) and block.get("type") == "tool_use" for block in blocks)
    )


def _plain(entry: Json) -> Json:
    """An entry without what clients write now in one way and now in another: cache markers, nulls, a
    text as a string or as one block."""
    if not isinstance(entry, dict):
        return entry
    made = {key: value for key, value in entry.items() if value is not None}
    content = made.get("content")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if isinstance(content, list):
        made["content"] = [_plain_block(block) for block in content]
    made.pop("cache_control", None)
    return made


def _plain_block(block: Json) -> Json:
    if not isinstance(block, dict):
        return block
    made = {k: v for k, v in block.items() if k != "cache_control" and v is not None}
    if made.get("type") in ("input_text", "output_text"):
        made["type"] = "text"
    if isinstance(made.get("content"), list):
        made["content"] = [_plain_block(inner) for inner in made["content"]]
    return made
