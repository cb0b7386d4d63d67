"""What a message costs, in characters: the length of its JSON serialisation."""

from __future__ import annotations

import json
from collections.abc import Iterable

from compactor.messages import Json

# Binary payloads are priced as what they cost the model, not as base64: characters per kind.
PAYLOAD_CHARS = {"image": 4_800, "audio": 6_000, "document": 30_000}


_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))
_LEAST_PAYLOAD = min(PAYLOAD_CHARS.values())


def serialise(value: Json) -> str:
    """The one outgoing serialisation: sorted keys, no spaces, characters as themselves."""
    return _ENCODER.encode(value)


def cost(value: Json) -> int:
    """Characters of ``serialise(value)``, long binary payloads counted by their kind's estimate.

    Linear in the size of the value.
    """
    if isinstance(value, str):
        return _text_cost(value)
    size = len(serialise(value))
    # A payload of the estimate's length or less costs what it is.
    return size - _payload_discount(value) if size > _LEAST_PAYLOAD else size


def _text_cost(text: str) -> int:
    """The same for a text: most of those on one line hold nothing that is escaped."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return len(text) + len('""')
    return len(serialise(text))


def history_cost(messages: Iterable[Json]) -> int:
    """Cost of written messages as one JSON list."""
    return cost(list(messages))


def _payload_discount(value: Json) -> int:
    if isinstance(value, dict):
        here = 0
        found = payload_of(value)
        if found is not None:
            kind, data = found
            here = max(0, len(data) - PAYLOAD_CHARS[kind])
        return here + sum(
            _payload_discount(item) for item in value.values() if isinstance(item, dict | list)
        )
    if isinstance(value, list):
        return sum(_payload_discount(item) for item in value if isinstance(item, dict | list))
    return 0


def payload_of(value: dict[str, Json]) -> tuple[str, str] | None:
    """The base64 payload that stands right in this object, with its kind."""
    data = value.get("data")
    if isinstance(data, str) and value.get("type") == "base64":
        return _kind_of(str(value.get("media_type", ""))), data
    if isinstance(data, str) and isinstance(value.get("format"), str) and len(value) == 2:
        return "audio", data
    url = value.get("url", value.get("image_url"))
    if isinstance(url, str) and url.startswith("data:") and ";base64," in url[:200]:
        return _kind_of(url[5:]), url
    for key in ("file_data", "base64"):
        if isinstance(value.get(key), str):
            return _kind_of(str(value.get("mime_type", value.get("media_type", "")))), value[key]
    return None


def _kind_of(media_type: str) -> str:
    family = media_type.partition("/")[0]
    return family if family in ("image", "audio") else "document"
