"""What providers send, written down from their documentation: whole answers, and streams of events."""

from __future__ import annotations

import json
from typing import Any

from tests.proxy.provider import Call, Part, Text, Thinking

Json = Any


def _event(data: Json, name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()


def _pieces(text: str, count: int = 3) -> list[str]:
    size = max(1, -(-len(text) // count))
    return [text[at : at + size] for at in range(0, len(text), size)]


def anthropic(parts: list[Part], number: str, tokens: int, *, stream: bool) -> bytes:
    calls = any(isinstance(part, Call) for part in parts)
    stop = "tool_use" if calls else "end_turn"
    usage = {
        "input_tokens": 7,
        "cache_read_input_tokens": tokens,
        "cache_creation_input_tokens": 0,
        "output_tokens": 20,
    }
    head = {
        "id": f"msg_{number}", "type": "message", "role": "assistant", "model": "claude-test",
        "stop_sequence": None,
    }  # fmt: skip
    if not stream:
        content = [_anthropic_block(part) for part in parts]
        return json.dumps(
            {**head, "content": content, "stop_reason": stop, "usage": usage}
        ).encode()
    start = {**head, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    out = _event({"type": "message_start", "message": start}, "message_start")
    out += _event({"type": "ping"}, "ping")
    for index, part in enumerate(parts):
        out += _anthropic_events(index, part)
    delta = {"stop_reason": stop, "stop_sequence": None}
    out += _event(
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 20}}, "message_delta"
    )
    return out + _event({"type": "message_stop"}, "message_stop")


def _anthropic_block(part: Part) -> Json:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if isinstance(part, Thinking):
        return {"type": "thinking", "thinking": part.text, "signature": part.signature}
    return {"type": "tool_use", "id": part.id, "name": part.name, "input": part.arguments}


def _anthropic_events(index: int, part: Part) -> bytes:
    block = _anthropic_block(part)
    if isinstance(part, Text):
        empty, deltas = {**block, "text": ""}, [
            {"type": "text_delta", "text": piece} for piece in _pieces(part.text)
        ]  # fmt: skip
    elif isinstance(part, Thinking):
        empty = {**block, "thinking": "", "signature": ""}
        deltas = [{"type": "thinking_delta", "thinking": piece} for piece in _pieces(part.text)]
        deltas.append({"type": "signature_delta", "signature": part.signature})
    else:
        empty = {**block, "input": {}}
        written = json.dumps(part.arguments)
        deltas = [{"type": "input_json_delta", "partial_json": p} for p in ["", *_pieces(written)]]
    start = {"type": "content_block_start", "index": index, "content_block": empty}
    out = _event(start, "content_block_start")
    for delta in deltas:
        said = {"type": "content_block_delta", "index": index, "delta": delta}
        out += _event(said, "content_block_delta")
    return out + _event({"type": "content_block_stop", "index": index}, "content_block_stop")


def chat(parts: list[Part], number: str, tokens: int, *, stream: bool) -> bytes:
    calls = [part for part in parts if isinstance(part, Call)]
    text = "".join(part.text for part in parts if isinstance(part, Text))
    thought = "".join(part.text for part in parts if isinstance(part, Thinking))
    finish = "tool_calls" if calls else "stop"
    usage = {"prompt_tokens": tokens, "completion_tokens": 20, "total_tokens": tokens + 20,
             "prompt_tokens_details": {"cached_tokens": tokens // 2}}  # fmt: skip
    head = {"id": f"chatcmpl-{number}", "created": 1_700_000_000, "model": "gpt-test"}
    if not stream:
        message: Json = {
            "role": "assistant",
            "content": text or None,
            "refusal": None,
            "annotations": [],
        }
        if thought:
            message["reasoning_content"] = thought
        if calls:
            message["tool_calls"] = [_chat_call(call) for call in calls]
        choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
        return json.dumps(
            {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
        ).encode()

    def chunk(delta: Json, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return _event(
            {**head, "object": "chat.completion.chunk", "choices": [choice], "usage": None}
        )

    out = chunk({"role": "assistant", "content": "" if text else None})
    out += b"".join(chunk({"reasoning_content": piece}) for piece in _pieces(thought))
    out += b"".join(chunk({"content": piece}) for piece in _pieces(text))
    for index, call in enumerate(calls):
        written = _chat_call(call)
        arguments = written["function"]["arguments"]
        written["function"]["arguments"] = ""
        out += chunk({"tool_calls": [{"index": index, **written}]})
        for piece in _pieces(arguments):
            out += chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    out += chunk({}, finish)
    last = {**head, "object": "chat.completion.chunk", "choices": [], "usage": usage}
    return out + _event(last) + b"data: [DONE]\n\n"


def _chat_call(call: Call) -> Json:
    function = {"name": call.name, "arguments": json.dumps(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}


def responses(parts: list[Part], number: str, tokens: int, *, stream: bool) -> bytes:
    items = [_item(part, f"{number}_{index}") for index, part in enumerate(parts)]
    usage = {"input_tokens": tokens, "input_tokens_details": {"cached_tokens": tokens // 2},
             "output_tokens": 20, "output_tokens_details": {"reasoning_tokens": 0},
             "total_tokens": tokens + 20}  # fmt: skip
    whole = {
        "id": f"resp_{number}", "object": "response", "created_at": 1_700_000_000, "status": "completed",
        "model": "gpt-test", "output": items, "usage": usage, "error": None, "incomplete_details": None,
        "instructions": None, "metadata": {}, "parallel_tool_calls": True, "temperature": 1.0,
        "tool_choice": "auto", "tools": [], "top_p": 1.0,
    }  # fmt: skip
    if not stream:
        return json.dumps(whole).encode()
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    events: list[Json] = [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
    ]
    for index, item in enumerate(items):
        events += _item_events(index, item)
    events.append({"type": "response.completed", "response": whole})
    return b"".join(
        _event({**event, "sequence_number": at}, event["type"]) for at, event in enumerate(events)
    )


def _item(part: Part, tail: str) -> Json:
    if isinstance(part, Text):
        said = {"type": "output_text", "text": part.text, "annotations": []}
        return {"id": f"msg_{tail}", "type": "message", "role": "assistant", "status": "completed",
                "content": [said]}  # fmt: skip
    if isinstance(part, Thinking):
        return {
            "id": f"rs_{tail}",
            "type": "reasoning",
            "summary": [],
            "encrypted_content": part.signature,
        }
    return {"id": f"fc_{tail}", "type": "function_call", "call_id": part.id, "name": part.name,
            "arguments": json.dumps(part.arguments), "status": "completed"}  # fmt: skip


def _item_events(index: int, item: Json) -> list[Json]:
    at = {"output_index": index, "item_id": item["id"]}
    begun = {**item, "status": "in_progress"}
    if item["type"] == "message":
        begun["content"] = []
        [part] = item["content"]
        inner = {**at, "content_index": 0}
        middle = [
            {"type": "response.content_part.added", **inner, "part": {**part, "text": ""}},
            *({"type": "response.output_text.delta", **inner, "delta": piece, "logprobs": []}
              for piece in _pieces(part["text"])),
            {"type": "response.output_text.done", **inner, "text": part["text"], "logprobs": []},
            {"type": "response.content_part.done", **inner, "part": part},
        ]  # fmt: skip
    elif item["type"] == "function_call":
        begun["arguments"] = ""
        middle = [
            *({"type": "response.function_call_arguments.delta", **at, "delta": piece}
              for piece in _pieces(item["arguments"])),
            {"type": "response.function_call_arguments.done", **at, "name": item["name"],
             "arguments": item["arguments"]},
        ]  # fmt: skip
    else:
        begun, middle = item, []
    return [
        {"type": "response.output_item.added", "output_index": index, "item": begun},
        *middle,
        {"type": "response.output_item.done", "output_index": index, "item": item},
    ]
