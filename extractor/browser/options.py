"""What a request asks of its browser context."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from extractor.errors import InvalidRequest
from extractor.request import PageRequest

#: Of a device's record, what is no option of a context.
_NOT_OPTIONS = ("default_browser_type",)


def context_options(
    request: PageRequest, devices: Mapping[str, Mapping[str, Any]] | None = None
) -> dict[str, Any]:
    """Options by the names that Playwright uses; ``devices`` is its registry.

    Raises:
        InvalidRequest: the registry does not have the device.
    """
    options: dict[str, Any] = {"java_script_enabled": request.javascript}
    if request.device is not None:
        options |= _device(request.device, devices or {})
    if "viewport" in request.model_fields_set or "viewport" not in options:
        options["viewport"] = {
            "width": request.viewport.width,
            "height": request.viewport.height,
        }
    wanted: dict[str, Any] = {
        "locale": request.locale,
        "timezone_id": request.timezone,
        "user_agent": request.user_agent,
    }
    options |= {name: value for name, value in wanted.items() if value is not None}
    if request.http_auth is not None and request.url is not None:
        options["http_credentials"] = {
            "username": request.http_auth.username,
            "password": request.http_auth.password,
            "origin": origin_of(request.url),
        }
    return options


def _device(name: str, devices: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    if name not in devices:
        near = [known for known in devices if known.lower().startswith(name.lower()[:4])]
        some = ", ".join(near[:5] or list(devices)[:5])
        raise InvalidRequest(f"device: {name!r} is not known; there are {some}, …", field="device")
    return {key: value for key, value in devices[name].items() if key not in _NOT_OPTIONS}


def origin_of(url: str) -> str:
    """The origin as a browser writes it: lower case, no default port."""
    scheme, _, rest = url.strip().partition("://")
    for mark in "/?#\\":
        rest = rest.partition(mark)[0]
    scheme, host = scheme.lower(), rest.rpartition("@")[2].lower()
    return f"{scheme}://{host.removesuffix({'http': ':80', 'https': ':443'}.get(scheme, ''))}"
