"""Which paths ask for a key, and for what it must allow. A route that is not named here fails a test."""

from __future__ import annotations

from collections.abc import Mapping

from api.keys import Permission

#: What machines that watch the service may ask without a key. Neither says anything about it.
OPEN_PATHS = frozenset({"/healthz", "/readyz"})
#: Path, itself and all below it → what a key must allow. Other paths take any valid key.
NEEDED: Mapping[str, Permission] = {
    "/read": "pages",
    "/v1/pages": "pages",
    "/v1/snapshots": "pages",
    "/v1/jobs": "pages",
    "/v1/tabs": "pages",
    "/v1/sessions": "sessions",
    "/v1/compact": "sessions",
    "/v1/validate": "sessions",
    "/v1/allocate": "sessions",
    "/proxy": "sessions",
    "/metrics": "metrics",
}
#: Below it, what a provider takes for its own key is none of ours: `X-Pagefold-Key` is.
PROXY = "/proxy/"
#: What says nothing of any tenant, and what asks again for each thing that it does.
ANY_KEY = frozenset({"/openapi.json", "/version", "/mcp"})


def permission_for(path: str) -> Permission | None:
    """What a key must allow for this path; ``None`` when any key does."""
    for prefix, permission in NEEDED.items():
        if path == prefix or path.startswith(f"{prefix}/"):
            return permission
    return None
