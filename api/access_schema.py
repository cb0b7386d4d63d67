"""What gate, admission and connection add to the OpenAPI document: how a key is shown, and how it refuses."""

from __future__ import annotations

from typing import Any

from api.access import OPEN_PATHS, permission_for
from api.drain import WATCHED_PATHS
from api.errors import MEDIA_TYPE, problem_responses

_SCHEMES = {
    "Bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "`Authorization: Bearer pf_ID.SECRET`, made by `pagefold keys create`. On "
        "loopback no key is asked for as long as there is none.",
    },
    "ApiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
}
#: What any call may be refused with before it reaches its route.
REFUSALS = ("unauthorized", "rate_limited", "foreign_host", "foreign_origin", "unhealthy")
#: And where the service is full or stops.
ADMISSION = ("busy", "draining")
#: What a connection is answered with when it brings no readable request, and when we fail.
ANYWHERE = ("malformed_http", "headers_too_large", "internal")


def add_access(schema: dict[str, Any]) -> None:
    """Complete every call of the document with its key and what it may be refused with."""
    schema["components"]["securitySchemes"] = _SCHEMES
    for path, calls in schema["paths"].items():
        for call in calls.values():
            _add_refusals(call["responses"], *ANYWHERE)
            if path not in WATCHED_PATHS:
                _add_refusals(call["responses"], *ADMISSION)
            if path in OPEN_PATHS:
                call["security"] = []
                continue
            # Either of them, or nothing: see the description of the first.
            call["security"] = [{name: []} for name in _SCHEMES] + [{}]
            allowed = ("forbidden",) if permission_for(path) is not None else ()
            _add_refusals(call["responses"], *REFUSALS, *allowed)


def _add_refusals(responses: dict[str, Any], *codes: str) -> None:
    for status, entry in problem_responses(*codes).items():
        known = responses.setdefault(str(status), entry)
        if known is entry:
            continue
        examples = known["content"][MEDIA_TYPE].setdefault("examples", {})
        new = {
            name: each
            for name, each in entry["content"][MEDIA_TYPE]["examples"].items()
            if name not in examples
        }
        examples |= new
        names = [f"`{name}`" for name in new]
        known["description"] = "; ".join(filter(None, (known.get("description", ""), *names)))
