"""The tools over HTTP, called by the SDK's own client."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import httpx2
import pytest
from mcp.shared.exceptions import MCPError

from api.client import Pagefold
from api.demo import DemoServer
from api.mcp.tools import MOST_CHARS, MOST_TOOLS, TOOLS
from tests.api.mcp.serving import Mode, Running, failure_of, text_of
from tests.faults.serving import SlowSite

#: 400 lines of 50 characters; the archive gets what a tool's limit leaves out of them.
LOG = "".join(f"{f'station-{number:04} reports low water':<49}\n" for number in range(400))


def open_session(running: Running) -> tuple[str, str]:
    """(session, ref) of a history whose log was too long."""
    use = {"type": "tool_use", "id": "call_1", "name": "code_run", "input": {}}
    came = {"type": "tool_result", "tool_use_id": "call_1", "content": LOG}
    with Pagefold(running.url) as service:
        session = service.open_session(budget_chars=30_000)["id"]
        messages: list[dict[str, Any]] = [
            {"role": "user", "content": "Read the log."},
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [came]},
        ]
        service.append(session, messages)
        found = re.search(r"ref=(a:[0-9a-f]+)", json.dumps(service.context(session)[0]["messages"]))
    assert found is not None
    return session, found[1]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_tools_cost_little_of_a_context(running: Running, mode: Mode) -> None:
    async with running.client(mode=mode) as client:
        answer = await client.list_tools()
    assert [tool.name for tool in answer.tools] == list(TOOLS)
    assert len(answer.tools) <= MOST_TOOLS == 12
    assert len(answer.model_dump_json(by_alias=True, exclude_none=True)) <= MOST_CHARS == 3_000
    for tool in answer.tools:
        assert tool.description
        assert tool.input_schema["type"] == "object"
        assert set(tool.input_schema["required"]) <= set(tool.input_schema["properties"])


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_page_is_opened_scanned_and_unfolded(
    running: Running, demo: DemoServer, mode: Mode
) -> None:
    async with running.client(mode=mode) as client:
        opened = await text_of(client, "web_open", url=f"{demo.url}/article", budget=1_500)
        head, _, content = opened.partition("\n")
        found = re.fullmatch(r"\[page ([0-9a-f]{32}) \| 200 \| (.+) \| (http://\S+)\]", head)
        assert found is not None
        assert found[2] == "The ledger that outlived its harbour | The Tideway Review"
        assert len(content) <= 1_500
        refs = re.findall(r"\[folded ([^:]+):", content)
        assert refs
        parts = [await text_of(client, "unfold", page=found[1], ref=ref) for ref in refs]
        wide = await text_of(client, "web_scan", page=found[1], budget=30_000)
    whole = wide.partition("\n")[2]
    assert len(whole) > 2 * len(content)
    # What was folded under the small budget stands in the page under the large one.
    sentence = "There is no column for remarks."
    assert sentence not in content
    assert sentence in whole
    assert any(sentence in part for part in parts)


async def test_parts_of_a_fold_make_up_the_whole(running: Running, demo: DemoServer) -> None:
    async with running.client() as client:
        opened = await text_of(client, "web_open", url=f"{demo.url}/article", budget=1_500)
        page, ref = opened[6:38], re.findall(r"\[folded ([^:]+): 18 items", opened)[0]
        whole = await text_of(client, "unfold", page=page, ref=ref)
        part = await text_of(client, "unfold", page=page, ref=ref, start=100)
        assert part == f"[characters 100 to {len(whole)} of {len(whole)}]\n{whole[100:]}"
        found = await text_of(client, "unfold", page=page, ref=ref, keyword="HARBOUR")
    numbers = [int(line.partition(":")[0]) for line in found.splitlines()]
    holding = [n for n, line in enumerate(whole.splitlines(), 1) if "harbour" in line.casefold()]
    assert numbers == holding != []


async def test_an_archive_ref_gives_back_what_was_cut(running: Running) -> None:
    session, ref = open_session(running)
    async with running.client(X_Pagefold_Session=session) as client:
        assert await text_of(client, "unfold", ref=f"ref={ref}") == LOG
        part = await text_of(client, "unfold", ref=ref, start=5_000)
        assert part == f"[characters 5000 to 20000 of 20000]\n{LOG[5_000:]}"
        line = await text_of(client, "unfold", ref=ref, keyword="STATION-0201")
        assert line.rstrip() == "202: station-0201 reports low water"
        late = await failure_of(client, "unfold", ref=ref, start=20_001)
        assert (late["code"], late["field"]) == ("invalid_request", "start")
        gone = await failure_of(client, "unfold", ref="a:00000000")
        assert gone["code"] == "not_found"
    async with running.client() as client:
        assert await text_of(client, "unfold", ref=ref, page=session) == LOG
        unnamed = await failure_of(client, "unfold", ref=ref)
        assert (unnamed["code"], unnamed["field"]) == ("invalid_request", "session")


async def test_notes_stay_and_are_recalled_beside_the_archive(running: Running) -> None:
    session, ref = open_session(running)
    async with running.client(X_Pagefold_Session=session) as client:
        assert (
            await text_of(client, "update_working_checkpoint", key_info="see station-0201\nand on")
            == "Noted."
        )
        recalled = (await text_of(client, "recall", query="Station-0201")).splitlines()
        assert recalled[0] == "notes: see station-0201"
        assert any(line.startswith(f"{ref} line 202: station-0201") for line in recalled)
        assert await text_of(client, "recall", query="high tide") == "Nothing holds 'high tide'."
    with Pagefold(running.url) as service:
        assert service.key_info(session)["key_info"] == "see station-0201\nand on"


async def test_notes_without_a_session_open_one(running: Running) -> None:
    async with running.client() as client:
        said = await text_of(client, "update_working_checkpoint", key_info="low water at four")
        session = said.partition("session=")[2]
        assert (
            await text_of(client, "recall", query="water", session=session)
            == "notes: low water at four"
        )
        unnamed = await failure_of(client, "recall", query="water")
    assert (unnamed["code"], unnamed["field"]) == ("invalid_request", "session")


async def test_failures_are_typed_results(running: Running, demo: DemoServer) -> None:
    async with running.client() as client:
        blocked = await failure_of(client, "web_open", url="http://10.1.2.3/")
        assert blocked == {
            "code": "blocked_address", "detail": blocked["detail"], "retryable": False, "phase": "resolve",
            "field": "url",
        }  # fmt: skip
        unknown = await failure_of(client, "web_open", url=demo.url, budgets=5)
        assert (
            unknown["detail"]
            == "Unknown argument 'budgets'; web_open takes url, budget, query, as_tab."
        )
        missing = await failure_of(client, "web_open")
        assert (missing["code"], missing["field"]) == ("invalid_request", "url")
        wrong = await failure_of(client, "web_open", url=demo.url, budget="much")
        assert (wrong["code"], wrong["field"]) == ("invalid_request", "budget")
        none = await failure_of(client, "web_scan", page="0" * 32)
        assert none["code"] == "not_found"
        pageless = await failure_of(client, "unfold", ref="f1")
        assert (pageless["code"], pageless["field"]) == ("invalid_request", "page")
        outside = await failure_of(client, "web_scan", page="../../v1/jobs")
        assert (outside["code"], outside["field"]) == ("invalid_request", "page")
        empty = await failure_of(client, "recall", query="")
        assert (empty["code"], empty["field"]) == ("invalid_request", "query")
        with pytest.raises(MCPError, match="There is no tool 'web_close'"):
            await client.call_tool("web_close", {})


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("web_act", {"tab": "0" * 32, "action": "click", "ref": "c1"}, "web_open with as_tab=true"),
        ("web_act", {"tab": "t_1", "action": "click", "ref": "button"}, "such as c7"),
        ("web_act", {"tab": "t_1", "action": "click", "ref": "c1", "text": "x"}, "takes no text"),
        ("web_act", {"tab": "t_1", "action": "tap"}, "'click', 'type', 'select', 'press' or"),
        ("web_scan", {"page": "the shop"}, "first line of a page or tab"),
        ("unfold", {"page": "0" * 32, "ref": "no such"}, "such as f1-2"),
        ("decide", {"text": "x", "depends_on": "../h1"}, "such as h1 e2"),
        ("web_open", {"url": 7}, "url: Input should be a valid string"),
        ("web_execute_js", {"tab": "t_1", "script": "x" * 1_000_001}, "at most 1000000 characters"),
        ("update_working_checkpoint", {"key_info": "x" * 100_001}, "at most 100000 characters"),
    ],
)
async def test_what_cannot_be_used_is_told_what_would_be(
    running: Running, tool: str, arguments: dict[str, Any], told: str
) -> None:
    async with running.client() as client:
        result = await client.call_tool(tool, arguments)
    assert result.is_error
    assert "pattern" not in str(result.content)
    assert told in str(result.content)


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_hosts_of_every_revision_are_answered_in_theirs(running: Running, revision: str) -> None:
    about = {"name": "a host", "version": "1"}
    hello = {"protocolVersion": revision, "capabilities": {}, "clientInfo": about}
    headers = {"Accept": "application/json, text/event-stream"}
    with httpx2.Client(trust_env=False, headers=headers) as http:
        for method, params in (("initialize", hello), ("tools/list", {})):
            body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            answer = http.post(f"{running.url}/mcp", json=body)
            assert answer.status_code == 200
            http.headers["MCP-Protocol-Version"] = revision
            if method == "initialize":
                assert answer.json()["result"]["protocolVersion"] == revision
        assert [tool["name"] for tool in answer.json()["result"]["tools"]] == list(TOOLS)


async def test_clients_do_not_wait_for_each_other(running: Running, slow: SlowSite) -> None:
    async with running.client() as one, running.client(mode="legacy") as other:
        waiting = asyncio.ensure_future(text_of(one, "web_open", url=f"{slow.url}/slow-first"))
        while "/slow-first" not in slow.asked:
            await asyncio.sleep(0.02)
        assert await text_of(other, "web_tabs", action="list") == "No tab is open."
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)


def test_there_is_no_stream_and_no_session_to_end(running: Running) -> None:
    for method in ("GET", "DELETE", "PUT"):
        answer = httpx2.request(method, f"{running.url}/mcp", trust_env=False)
        assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")


def test_what_is_no_message_is_refused_as_everywhere(running: Running) -> None:
    for headers, body in (
        ({}, b""),
        ({"Content-Type": "text/plain"}, b"{}"),
        ({"Content-Type": "application/json", "Accept": "text/html"}, b"{}"),
        (
            {
                "Content-Type": "application/json",
                "Accept": "text/html",
                "MCP-Protocol-Version": "2026-07-28",
            },
            b"{}",
        ),
    ):
        answer = httpx2.post(f"{running.url}/mcp", content=body, headers=headers, trust_env=False)
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
    # From there on answers are JSON-RPC's, however broken a message is.
    for body in (b"{", b"[]", b"[" * 100_000, b'{"jsonrpc": "2.0", "id": 1}', b"\xff"):
        answer = httpx2.post(
            f"{running.url}/mcp",
            content=body,
            headers={"Content-Type": "application/json"},
            trust_env=False,
        )
        assert (answer.status_code, answer.json()["jsonrpc"]) == (400, "2.0")


def test_a_page_of_another_name_or_origin_gets_nothing(running: Running) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"Accept": "application/json, text/event-stream"}
    for headers, code in (
        ({"Host": "rebound.example"}, "foreign_host"),
        ({"Origin": "https://evil.example"}, "foreign_origin"),
    ):
        answer = httpx2.post(
            f"{running.url}/mcp", json=body, headers={**accept, **headers}, trust_env=False
        )
        assert answer.json()["code"] == code
