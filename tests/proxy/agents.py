"""Agents that run their tools and send their whole history each time, in the words of the official SDKs."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from anthropic import Anthropic
from openai import OpenAI

Json = Any
#: (name of the tool, arguments) → what it gives back.
RunTool = Callable[[str, dict[str, Any]], str]
Agent = Callable[[str, str, RunTool], list[Json]]
TASK = "Why did the import stop? Look at every station and keep what you find."
SYSTEM = "You find causes. You change nothing."
_SCHEMA = {
    "type": "object",
    "properties": {"station": {"type": "integer"}},
    "required": ["station"],
}
_MOST_TURNS = 200


def anthropic_agent(url: str, task: str, run: RunTool, *, stream: bool) -> list[Json]:
    """The history at its end."""
    messages: list[Json] = [{"role": "user", "content": task}]
    tools: Json = [{"name": "read_log", "description": "Read.", "input_schema": _SCHEMA}]
    given: Json = {"model": "claude-test", "max_tokens": 1_000, "system": SYSTEM, "tools": tools}
    with Anthropic(base_url=url, api_key="sk-client", max_retries=0) as client:
        for _ in range(_MOST_TURNS):
            if stream:
                with client.messages.stream(messages=messages, **given) as events:
                    answer = events.get_final_message()
            else:
                answer = client.messages.create(messages=messages, **given)
            messages.append({"role": "assistant", "content": answer.content})
            calls: Json = [block for block in answer.content if block.type == "tool_use"]
            if not calls:
                return messages
            results = [
                {"type": "tool_result", "tool_use_id": c.id, "content": run(c.name, c.input)}
                for c in calls
            ]
            messages.append({"role": "user", "content": results})
    raise AssertionError("the agent did not come to an end")


def unread(**body: Json) -> Json:
    """The history by the way that the SDK offers for what it does not know: looking at every message of
    every request takes it longer than all else here.
    """
    return {"extra_body": body}


def chat_agent(url: str, task: str, run: RunTool, *, stream: bool) -> list[Json]:
    messages: list[Json] = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": task},
    ]
    function = {"name": "read_log", "description": "Read.", "parameters": _SCHEMA}
    given: Json = {"model": "gpt-test", "tools": [{"type": "function", "function": function}]}
    with OpenAI(base_url=url, api_key="sk-client", max_retries=0) as client:
        for _ in range(_MOST_TURNS):
            if stream:
                with client.chat.completions.stream(
                    messages=[], **unread(messages=messages), **given
                ) as events:
                    answer: Json = events.get_final_completion()
            else:
                answer = client.chat.completions.create(
                    messages=[], **unread(messages=messages), **given
                )
            message = answer.choices[0].message
            messages.append(message.model_dump(exclude_none=True, exclude={"parsed"}))
            if stream:
                for call in messages[-1].get("tool_calls", ()):
                    call["function"].pop("parsed_arguments", None)
            if not message.tool_calls:
                return messages
            for call in message.tool_calls:
                said = run(call.function.name, json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": said})
    raise AssertionError("the agent did not come to an end")


def responses_agent(url: str, task: str, run: RunTool, *, stream: bool) -> list[Json]:
    items: list[Json] = [{"role": "user", "content": task}]
    tool = {"type": "function", "name": "read_log", "description": "Read.", "parameters": _SCHEMA}
    given: Json = {"model": "gpt-test", "instructions": SYSTEM, "tools": [tool], "store": False}
    with OpenAI(base_url=url, api_key="sk-client", max_retries=0) as client:
        for _ in range(_MOST_TURNS):
            if stream:
                with client.responses.stream(input=[], **unread(input=items), **given) as events:
                    answer: Json = events.get_final_response()
            else:
                answer = client.responses.create(input=[], **unread(input=items), **given)
            items += [
                item.model_dump(exclude_none=True, exclude={"parsed_arguments"})
                for item in answer.output
            ]
            calls = [item for item in answer.output if item.type == "function_call"]
            if not calls:
                return items
            for call in calls:
                said = run(call.name, json.loads(call.arguments))
                items.append(
                    {"type": "function_call_output", "call_id": call.call_id, "output": said}
                )
    raise AssertionError("the agent did not come to an end")
