"""Which API a request speaks, by its path."""

from __future__ import annotations

from api.proxy.anthropic import Anthropic
from api.proxy.chat import Chat
from api.proxy.dialect import Dialect
from api.proxy.responses import Responses

_BY_PATH: dict[str, Dialect] = {
    "/messages": Anthropic(),
    "/chat/completions": Chat(),
    "/responses": Responses(),
}


def dialect_for(method: str, path: str) -> Dialect | None:
    """The API of a request that asks a model; ``None`` for every other one."""
    if method != "POST":
        return None
    for ending, dialect in _BY_PATH.items():
        if path.endswith(ending):
            return dialect
    return None
