"""The tools of a session: one definition a name, the same for every request; unwanted ones are masked."""

from __future__ import annotations

from collections.abc import Sequence

from compactor.clean import has_lone_surrogate
from compactor.cost import serialise
from compactor.errors import InvalidRequest
from compactor.formats.lost import check_depth
from compactor.messages import Json


def checked_part(value: Json, field: str) -> Json:
    """A fixed part of every request, as it is.

    Raises:
        InvalidRequest: it is nested too deeply, or holds half a surrogate pair; no provider takes that.
    """
    check_depth(value, field, field)
    if has_lone_surrogate(value):
        raise InvalidRequest(f"{field} holds half a surrogate pair.", field=field)
    return value


def name_of(tool: Json) -> str:
    """The tool's name, in the form of any provider; empty if it has none."""
    if not isinstance(tool, dict):
        return ""
    inner = tool.get("function")
    return str(tool.get("name") or (inner.get("name") if isinstance(inner, dict) else "") or "")


def unique_tools(tools: Json) -> Json:
    """The tools without repeated definitions, in their order.

    Raises:
        InvalidRequest: one name stands for two different definitions.
    """
    if not isinstance(tools, list):
        return tools
    known: dict[str, str] = {}
    out: list[Json] = []
    for index, tool in enumerate(tools):
        name, written = name_of(tool), serialise(tool)
        repeated = bool(name) and name in known
        if name and known.setdefault(name, written) != written:
            raise InvalidRequest(
                f"Tool {index} defines {name!r} a second time, and differently; give it another name.",
                field=f"tools.{index}",
            )
        if not repeated:
            out.append(tool)
    return tools if len(out) == len(tools) else out


def allowed(tools: Json, names: Sequence[str] | None) -> tuple[str, ...] | None:
    """The mask for one request, in the order of the definitions; ``None`` allows all.

    Raises:
        InvalidRequest: a name that the session's tools do not have.
    """
    if names is None:
        return None
    known = [name_of(tool) for tool in tools or ()]
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise InvalidRequest(
            f"The session has no tool {unknown[0]!r}; its tools are fixed: {', '.join(known)}.",
            field="allowed_tools",
        )
    return tuple(name for name in known if name in names)
