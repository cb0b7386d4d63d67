"""A fetched page as the turn that would have fetched it: a tool call and its result."""

from __future__ import annotations

from compactor import formats
from compactor.cost import serialise
from compactor.errors import InvalidRequest
from compactor.messages import Json, JsonObject


def page_turn(
    format: str, tool: str, version: int, arguments: JsonObject, content: str
) -> list[Json]:
    """Call and result in a provider's format. The id follows from the version: no randomness.

    Raises:
        InvalidRequest: unknown format.
    """
    call_id = f"page_{version}"
    if format == "anthropic":
        call = {"type": "tool_use", "id": call_id, "name": tool, "input": arguments}
        result = {"type": "tool_result", "tool_use_id": call_id, "content": content}
        return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    if format == "openai-chat":
        function = {"name": tool, "arguments": serialise(arguments)}
        calls = [{"id": call_id, "type": "function", "function": function}]
        return [
            {"role": "assistant", "content": None, "tool_calls": calls},
            {"role": "tool", "tool_call_id": call_id, "content": content},
        ]
    if format == "openai-responses":
        call = {"type": "function_call", "call_id": call_id, "name": tool}
        return [
            {**call, "arguments": serialise(arguments)},
            {"type": "function_call_output", "call_id": call_id, "output": content},
        ]
    if format == "text":
        turn = formats.read(page_turn("anthropic", tool, version, arguments, content), "anthropic")
        return formats.write(turn, "text")[0]
    raise InvalidRequest(f"format must be one of {', '.join(formats.FORMATS)}.", field="format")
