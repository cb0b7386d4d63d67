"""What a tool call has at hand: the API as its caller sees it, and what was said around the call."""

from __future__ import annotations

from dataclasses import dataclass

from api.client import AsyncPagefold
from api.mcp.failures import Refused


@dataclass(frozen=True, slots=True)
class Visit:
    """``session`` is the session that the client was set up with, if any; ``most_chars`` bounds a result."""

    api: AsyncPagefold
    most_chars: int
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
