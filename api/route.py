"""How a request's path is named where others may read it."""

from __future__ import annotations

from starlette.types import Scope


def route_of(scope: Scope) -> str:
    """The template of the path, such as ``/v1/sessions/{session_id}``, without what was put into it.

    It is empty as long as no route has taken the request.
    """
    return str(getattr(scope.get("route"), "path", ""))
