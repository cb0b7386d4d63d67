"""Whose history a request continues, and what starts another one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.proxy.conversation import Conversation
from api.proxy.conversations import Conversations
from api.proxy.holding import Limits
from api.proxy.recognition import Identity, credentials_of, trail_of
from compactor import Session
from tests.proxy.conftest import Running
from tests.proxy.provider import Call, Text
from tests.proxy.test_streams import NOTE, PATHS, THEIRS, events, request

Json = Any
ASSISTANT = {"role": "assistant", "content": "It is rust."}
WHY = {"role": "user", "content": "Why?"}


def ask(running: Running, *entries: Json, **more: Json) -> Any:
    headers = more.pop("headers", {})
    body = request("chat", stream=False, messages=list(entries), **more)
    return running.post(PATHS["chat"], body, **headers)


def history_of(answer: Any) -> tuple[str, str]:
    return answer.headers["x-pagefold-history"], answer.headers["x-pagefold-session"]


def test_a_history_that_grows_is_one_session(running: Running) -> None:
    task = {"role": "user", "content": "grows"}
    kind, session = history_of(ask(running, task))
    assert kind == "new"
    assert history_of(ask(running, task)) == ("continued", session)
    assert history_of(ask(running, task, ASSISTANT, WHY)) == ("continued", session)
    longer = [ASSISTANT, WHY] * 5
    assert history_of(ask(running, task, *longer)) == ("continued", session)


def test_a_history_that_is_rewritten_is_another_branch(running: Running) -> None:
    task = {"role": "user", "content": "is rewritten"}
    _, first = history_of(ask(running, task, ASSISTANT, WHY))
    other = {"role": "assistant", "content": "It is not rust."}
    kind, second = history_of(ask(running, task, other, WHY))
    assert kind == "branched"
    assert second != first
    # Both go on from where they are.
    assert history_of(ask(running, task, ASSISTANT, WHY, ASSISTANT, WHY)) == ("continued", first)
    assert history_of(ask(running, task, other, WHY, other, WHY)) == ("continued", second)


@pytest.mark.parametrize(
    "more",
    [
        {"headers": {"x-api-key": "sk-other"}},
        {"headers": {"Authorization": "Bearer sk-other"}},
        {"headers": {"OpenAI-Project": "other"}},
        {"headers": {"x-goog-api-key": "other"}},
        {"model": "another"},
    ],
)
def test_a_history_of_another_client_or_model_is_not_known(running: Running, more: Json) -> None:
    task = {"role": "user", "content": f"another {more}"}
    _, first = history_of(ask(running, task))
    kind, second = history_of(ask(running, task, **more))
    assert (kind, second != first) == ("new", True)


def test_what_clients_write_differently_each_time_does_not_count(running: Running) -> None:
    marked = {"type": "text", "text": "marked", "cache_control": {"type": "ephemeral"}}
    path = PATHS["anthropic"]
    first = running.post(path, request("anthropic", {"role": "user", "content": [marked]}))
    plain = [{"role": "user", "content": "marked"}, ASSISTANT, WHY]
    again = running.post(path, request("anthropic", *plain))
    assert history_of(again) == ("continued", first.headers["x-pagefold-session"])


def test_tools_and_after_a_call_the_system_prompt_may_change(running: Running) -> None:
    task = {"role": "user", "content": "changes its mind"}
    call = {"id": "their_1", "type": "function", "function": {"name": "tool", "arguments": "{}"}}
    called = {"role": "assistant", "content": None, "tool_calls": [call]}
    result = {"role": "tool", "tool_call_id": "their_1", "content": "clean"}
    body = request("chat", task, called, result, stream=False)
    for number in range(2):
        system = {"role": "system", "content": f"It is {number} o'clock."}
        tool = {"type": "function", "function": {"name": f"tool_{number}", "parameters": {}}}
        asked = {**body, "messages": [system, *body["messages"]], "tools": [tool]}
        answer = running.post(PATHS["chat"], asked)
        sent = running.provider.asked[-1].body
        assert sent["messages"][0] == system
        assert sent["tools"][0] == tool
    assert history_of(answer)[0] == "continued"


def test_a_clock_in_the_system_prompt_hides_no_history(running: Running) -> None:
    task = {"role": "user", "content": "what time is it?"}
    said: list[Json] = [task]
    seen = []
    for number in range(4):
        system = {"role": "system", "content": f"It is {number} o'clock."}
        seen.append(history_of(ask(running, system, *said)))
        assert running.provider.asked[-1].messages[0] == system
        said += [ASSISTANT, WHY]
    assert [kind for kind, _ in seen] == ["new", "continued", "continued", "continued"]
    assert len({session for _, session in seen}) == 1


def test_what_was_noted_under_one_system_prompt_is_not_shown_under_another(
    running: Running,
) -> None:
    def script(asked: Any) -> Any:
        return [NOTE] if len(running.provider.asked) == 1 else [Text("It is rust.")]

    running.provider.script = script
    task = {"role": "user", "content": "greeted alike"}
    ours, theirs = ({"role": "system", "content": f"You serve {name}."} for name in ("Ann", "Bob"))
    _, first = history_of(ask(running, ours, task))
    assert NOTE.arguments["key_info"] in running.provider.asked[-1].raw.decode()
    _, other = history_of(ask(running, theirs, task, ASSISTANT, WHY))
    assert NOTE.arguments["key_info"] not in running.provider.asked[-1].raw.decode()
    assert other != first
    assert history_of(ask(running, ours, task, ASSISTANT, WHY)) == ("continued", first)


def test_an_answer_that_a_client_has_changed_stands_as_it_says(running: Running) -> None:
    def script(asked: Any) -> Any:
        return [Text("Noting. "), NOTE] if len(running.provider.asked) == 1 else [Text("Done.")]

    running.provider.script = script
    task = {"role": "user", "content": "changed by the client"}
    assert ask(running, task).json()["choices"][0]["message"]["content"] == "Noting. Done."
    changed = {"role": "assistant", "content": "Done, says the client."}
    ask(running, task, changed, WHY)
    sent = running.provider.asked[-1].messages
    assert [m.get("content") for m in sent if m["role"] == "assistant"] == [
        "Noting. ",
        "Done, says the client.",
    ]
    assert running.provider.findings == []


def test_an_answer_comes_back_as_the_model_gave_it(running: Running) -> None:
    def script(asked: Any) -> Any:
        return [Text("Noting. "), NOTE] if len(running.provider.asked) == 1 else [Text("Done.")]

    running.provider.script = script
    task = {"role": "user", "content": "as it was given"}
    answer = ask(running, task).json()["choices"][0]["message"]
    ask(running, task, answer, WHY)
    sent = running.provider.asked[-1].messages
    assert [m.get("content") for m in sent if m["role"] == "assistant"] == ["Noting. ", "Done."]
    # What went before is the start of what goes now.
    assert (
        sent[: len(running.provider.asked[1].messages) - 1]
        == running.provider.asked[1].messages[:-1]
    )


def test_many_requests_of_one_history_at_once(running: Running) -> None:
    running.provider.script = lambda asked: (
        [Text("a"), Call(f"own_{len(running.provider.asked)}", "expand", {"ref": "a:0"})]
        if "a:0" not in asked.raw.decode().replace("a:0123", "") and len(asked.messages) < 4
        else [Text("Done.")]
    )
    task = {"role": "user", "content": "many at once"}
    answers: list[Any] = []
    threads = [
        threading.Thread(
            target=lambda n=n: answers.append(
                ask(running, task, {**ASSISTANT, "content": str(n)}, WHY)
            )
        )
        for n in [*range(4), *range(4)]
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.status_code for answer in answers] == [200] * 8
    assert running.provider.findings == []


def test_histories_are_forgotten_in_time_and_number() -> None:
    now = [0.0]
    known = Conversations(Limits(2, 10, 10_000), clock=lambda: now[0])
    chains = [[b"seed", bytes([n])] for n in range(4)]
    for chain in chains[:3]:
        known.keep(Conversation(Session(), b""), chain)
        now[0] += 1
    assert [known.find(chain) is not None for chain in chains] == [False, True, True, False]
    now[0] = 11.5
    assert [known.find(chain) is not None for chain in chains] == [False, False, True, False]
    now[0] = 13
    assert known.find(chains[2]) is None
    assert len(known) == 0


entry = st.fixed_dictionaries({"role": st.just("user"), "content": st.text(max_size=5)})


@given(st.lists(entry, max_size=6), st.lists(entry, max_size=6), st.text(max_size=4))
@settings(max_examples=30, deadline=None)
def test_two_chains_are_equal_exactly_as_far_as_two_histories(
    one: list[Json], two: list[Json], tenant: str
) -> None:
    seed = Identity(tenant, "anthropic", "anthropic", "m", b"k").seed
    first, second = trail_of(seed, one).framed, trail_of(seed, two).framed
    shared = next(
        (n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b),
        min(len(one), len(two)),
    )
    assert first[: shared + 1] == second[: shared + 1]
    assert not set(first[shared + 1 :]) & set(second[shared + 1 :])
    other = Identity(tenant + "x", "anthropic", "anthropic", "m", b"k").seed
    assert not set(first) & set(trail_of(other, one).framed)


def test_tools_of_the_client_keep_their_names(running: Running) -> None:
    names = ["expand", "pagefold_expand", "update_working_checkpoint"]
    tools = [{"type": "function", "function": {"name": name, "parameters": {}}} for name in names]
    running.provider.script = lambda asked: [Call("c", "expand", {"ref": "a:00"})]
    answer = ask(running, {"role": "user", "content": "names"}, tools=tools)
    sent = [tool["function"]["name"] for tool in running.provider.asked[0].body["tools"]]
    assert sent == [*names, "pagefold_expand_2", "pagefold_update_working_checkpoint"]
    # Theirs goes to them.
    assert answer.json()["choices"][0]["message"]["tool_calls"][0]["id"] == "c"
    assert len(running.provider.asked) == 1


def test_a_service_keeps_histories_of_tenants_apart(serve: Callable[..., Running]) -> None:
    from tests.security.keyed import make_key

    running = serve(allow_unauthenticated=False)
    chosen = running.app.state.settings
    keys = [make_key(chosen, tenant)[0] for tenant in ("acme", "zenith")]
    narrow, _ = make_key(chosen, "acme", "pages")
    running.app.state.key_ring.forget()
    task = {"role": "user", "content": "low water"}
    assert ask(running, task).status_code == 401
    shown = {"Authorization": f"Bearer {keys[0]}", "x-api-key": keys[0]}
    assert ask(running, task, headers=shown).status_code == 401
    assert ask(running, task, headers={"X-Pagefold-Key": narrow}).status_code == 403
    provider_key = {"Authorization": "Bearer sk-shared"}
    found = [
        history_of(ask(running, task, headers={"X-Pagefold-Key": key, **provider_key}))
        for key in (*keys, *keys)
    ]
    assert [kind for kind, _ in found] == ["new", "new", "continued", "continued"]
    assert found[0][1] != found[1][1]
    assert all("x-pagefold-key" not in map(str.lower, a.headers) for a in running.provider.asked)


@pytest.mark.parametrize("stream", [True, False])
def test_a_response_can_be_gone_on_from_by_its_id(running: Running, stream: bool) -> None:
    def script(asked: Any) -> Any:
        first = len(running.provider.asked) == 1
        return (
            [Text("Noting. "), NOTE]
            if first
            else [
                Text("Both."),
                Call("own_2", "update_working_checkpoint", {"key_info": "x"}),
                THEIRS,
            ]
        )

    running.provider.script = script
    body = {"model": "m", "input": f"by its id {stream}", "stream": stream}
    answer = running.post(PATHS["responses"], body)
    shown = events(answer.content)[-1]["response"] if stream else answer.json()
    assert [item["type"] for item in shown["output"]] == ["message", "message", "function_call"]
    ours = {"type": "function_call_output", "call_id": "own_2", "output": "Noted."}
    theirs = {"type": "function_call_output", "call_id": "their_1", "output": "clean"}
    running.provider.checks = False
    again = running.post(
        PATHS["responses"], {**body, "previous_response_id": shown["id"], "input": [theirs]}
    )
    assert again.headers["x-pagefold-reason"] == "previous_response_id"
    sent = running.provider.asked[-1].body
    assert sent["previous_response_id"] == "resp_0002"
    assert sent["input"] == [ours, theirs]
    # Somebody else's id of the same name is none of ours.
    other = {**body, "previous_response_id": shown["id"], "input": [theirs]}
    running.post(PATHS["responses"], other, **{"x-api-key": "sk-other"})
    assert running.provider.asked[-1].body == other


@pytest.mark.parametrize("query", ["key=sk-other", "api-key=sk-other", "beta=1&access_token=other"])
def test_keys_in_a_query_tell_clients_apart(running: Running, query: str) -> None:
    task = {"role": "user", "content": f"a query {query}"}
    body = request("chat", stream=False, messages=[task])
    first = history_of(running.post(f"{PATHS['chat']}?key=sk-client", body))
    kind, other = history_of(running.post(f"{PATHS['chat']}?{query}", body))
    assert (kind, other != first[1]) == ("new", True)
    again = history_of(running.post(f"{PATHS['chat']}?key=sk-client", body))
    assert again == ("continued", first[1])


@pytest.mark.parametrize(
    "name",
    ["Cookie", "X-Auth-Token", "X-Acme-Secret", "cf-aig-authorization", "X-Amz-Security-Token",
     "X-Goog-User-Project", "Anthropic-Workspace", "Proxy-Api-Key", "OpenAI-Organization"],
)  # fmt: skip
def test_whatever_may_be_a_credential_tells_clients_apart(name: str) -> None:
    raw = name.lower().encode()
    mine, theirs = (credentials_of([(raw, value)]) for value in (b"one", b"two"))
    assert mine != theirs
    assert credentials_of([(raw, b"one")]) == mine


@pytest.mark.parametrize(
    "name", ["User-Agent", "X-Request-Id", "traceparent", "anthropic-beta", "X-Stainless-Retry-Count",
             "Idempotency-Key", "X-Pagefold-Key"]
)  # fmt: skip
def test_what_changes_from_request_to_request_does_not(name: str) -> None:
    raw = name.lower().encode()
    assert credentials_of([(raw, b"one")]) == credentials_of([(raw, b"two")])


def test_cookies_of_gateways_do_not_count_but_all_others_do() -> None:
    def of(cookie: bytes) -> bytes:
        return credentials_of([(b"Cookie", cookie)])

    assert of(b"sid=1; __cf_bm=a") == of(b"__cf_bm=b; sid=1; _cfuvid=c")
    assert of(b"sid=1; __cf_bm=a") != of(b"sid=2; __cf_bm=a")
