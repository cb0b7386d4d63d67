"""Whatever a client or a provider sends, the proxy answers, and the provider gets what it can read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.proxy import sse
from api.proxy.anthropic import Anthropic
from api.proxy.chat import Chat
from api.proxy.dialect import Dialect
from api.proxy.responses import Responses
from tests.proxy.conftest import BUDGET, Running
from tests.proxy.provider import Raw
from tests.proxy.test_streams import PATHS

Json = Any
scalar = st.one_of(st.none(), st.booleans(), st.integers(-2, 2), st.text(max_size=4))
words = st.sampled_from(
    "user assistant system tool text tool_use tool_result function_call function_call_output message "
    "reasoning thinking expand a b".split()
)
keys = st.sampled_from(
    "role content type text id name input tool_use_id tool_calls function arguments tool_call_id call_id "
    "output thinking signature".split()
)
value: st.SearchStrategy[Json] = st.recursive(
    st.one_of(scalar, words),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=4)),
    max_leaves=12,
)
entry = st.dictionaries(keys, value, max_size=5)


@pytest.mark.parametrize("api", PATHS)
@given(entries=st.lists(st.one_of(entry, value), max_size=4), tools=st.one_of(st.just([]), value))
@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_no_request_is_our_failure(running: Running, api: str, entries: Json, tools: Json) -> None:
    made = running.provider
    made.asked.clear()
    made.findings.clear()
    made.checks = False
    made.script = lambda asked: Raw(200, b"{}")
    body = {"model": "m", "store": False, "tools": tools}
    body["input" if api == "responses" else "messages"] = entries
    answer = running.post(PATHS[api], body)
    assert answer.status_code in (200, 422), answer.text
    if answer.status_code == 422:
        assert answer.json()["code"] in ("budget_impossible", "mandatory_does_not_fit")
        return
    [asked] = made.asked
    if answer.headers["x-pagefold-history"] == "untouched":
        assert asked.body == body
    else:
        made.checks = True
        made.costs.clear()
        made.check(asked)
        assert made.costs == [] or made.costs[-1] <= BUDGET


DIALECTS: dict[str, Dialect] = {"anthropic": Anthropic(), "chat": Chat(), "responses": Responses()}
kinds = st.sampled_from(
    "message_start content_block_start content_block_delta content_block_stop message_delta message_stop "
    "ping error response.created response.output_item.added response.output_item.done response.completed "
    "response.output_text.delta".split()
)
event = st.fixed_dictionaries(
    {},
    optional={
        "type": st.one_of(kinds, value),
        "index": st.one_of(st.integers(0, 3), value),
        "content_block": st.one_of(entry, value),
        "delta": st.one_of(entry, value),
        "message": value,
        "usage": value,
        "choices": st.one_of(st.lists(st.fixed_dictionaries({"delta": entry}), max_size=2), value),
        "response": st.one_of(
            st.fixed_dictionaries({"output": st.lists(entry, max_size=2)}), value
        ),
        "output_index": st.one_of(st.integers(0, 3), value),
        "item": st.one_of(entry, value),
        "sequence_number": st.one_of(st.integers(0, 9), value),
        "error": value,
    },
)


@pytest.mark.parametrize("api", DIALECTS)
@given(found=st.lists(event, max_size=6))
@settings(max_examples=24, deadline=None)
def test_no_stream_is_our_failure(api: str, found: list[Json]) -> None:
    relay = DIALECTS[api].relay({"expand"})
    calls_ours = '"expand"' in json.dumps(found)
    for each in found:
        raw = sse.written(each)
        shown = relay.feed(raw)
        assert calls_ours or shown == raw
    relay.answer()
    relay.said()
    relay.begin()
