"""What a tool call has at hand: the API as its caller sees it, and what was said around the call."""

from __future__ import annotations

from dataclasses import dataclass

from api.client import AsyncPagefold
from api.client.options import Filtering
from api.mcp.failures import Refused

#: For the line above a page, and what it says of a page that is not complete.
_HEAD_CHARS = 500


@dataclass(frozen=True, slots=True)
class Visit:
    """``session`` is the session that the client was set up with, if any; the others bound a result."""

    api: AsyncPagefold
    most_chars: int
    most_picture_bytes: int
    session: str | None = None

    def session_for(self, named: str | None) -> str:
        """The session that a call is about.

        Raises:
            Refused: neither the call nor the client names one.
        """
        chosen = named or self.session
        if chosen is None:
            raise Refused(
                "invalid_request",
                "Which session? Pass its id; update_working_checkpoint without one opens a new session.",
                field="session",
            )
        return chosen

    def filtering(self, budget: int | None, query: str | None) -> Filtering:
        """How a page is filtered so that it fits into a result."""
        most = max(1, self.most_chars - _HEAD_CHARS)
        options: Filtering = {
            "main_only": True,
            "budget": most if budget is None else min(budget, most),
        }
        if query is not None:
            options["query"] = query
        return options
