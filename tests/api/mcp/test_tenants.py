"""Keys, tenants and limits hold for tools as they do for every other call."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from api.demo import DemoServer
from api.settings import ApiSettings
from tests.api.mcp.serving import Mode, Running, failure_of, served, text_of
from tests.faults.serving import PATIENCE_S, SlowSite
from tests.security.keyed import make_key

MOST_CHARS = 1_200


@pytest.fixture(scope="module")
def keyed(demo: DemoServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    settings = ApiSettings(
        data_dir=tmp_path_factory.mktemp("keyed"), demo_port=demo.port, concurrency=1,
        mcp_result_chars=MOST_CHARS, key_ttl_s=0,
    ).with_demo()  # fmt: skip
    make_key(settings, "first")
    with served(settings) as running:
        yield running


def shown(running: Running, tenant: str, *allow: Any, **limits: int) -> str:
    return f"Bearer {make_key(running.settings, tenant, *allow, **limits)[0]}"


async def test_without_a_key_nobody_gets_as_far_as_the_tools(keyed: Running) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    async with httpx2.AsyncClient(trust_env=False) as http:
        answer = await http.post(f"{keyed.url}/mcp", json=body)
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")


async def test_a_tool_does_what_the_key_allows_and_no_more(
    keyed: Running, demo: DemoServer
) -> None:
    pages, notes = shown(keyed, "acme", "pages"), shown(keyed, "acme", "sessions")
    async with keyed.client(Authorization=pages) as client:
        await text_of(client, "web_open", url=f"{demo.url}/article")
        refused = await failure_of(client, "update_working_checkpoint", key_info="x")
        assert (refused["code"], refused["retryable"]) == ("forbidden", False)
        kept = await text_of(client, "web_open", url=f"{demo.url}/counter", as_tab=True)
        tab = kept[5:].partition(" ")[0]
        script = {"tab": tab, "script": "document.title"}
        assert (await failure_of(client, "web_execute_js", **script))["code"] == "forbidden"
        await text_of(client, "web_tabs", action="close", tab=tab)
    async with keyed.client(Authorization=notes) as client:
        await text_of(client, "update_working_checkpoint", key_info="x")
        assert (await failure_of(client, "web_open", url=demo.url))["code"] == "forbidden"


async def test_pages_and_sessions_of_another_tenant_are_not_there(
    keyed: Running, demo: DemoServer
) -> None:
    async with keyed.client(Authorization=shown(keyed, "acme")) as client:
        opened = await text_of(client, "web_open", url=f"{demo.url}/article", budget=900)
        kept = await text_of(client, "web_open", url=f"{demo.url}/counter", as_tab=True)
        tab = kept[5:].partition(" ")[0]
        said = await text_of(client, "update_working_checkpoint", key_info="low water")
    page, session = opened[6:38], said.partition("session=")[2]
    ref = opened.partition("[folded ")[2].partition(":")[0]
    async with keyed.client(
        Authorization=shown(keyed, "zenith"), X_Pagefold_Session=session
    ) as client:
        for tool, arguments in (
            ("web_scan", {"page": page}),
            ("unfold", {"page": page, "ref": ref}),
            ("unfold", {"ref": "a:1f3c9b2e"}),
            ("recall", {"query": "water"}),
            ("web_scan", {"page": tab}),
            ("web_act", {"tab": tab, "action": "click", "ref": "c1"}),
            ("web_execute_js", {"tab": tab, "script": "1"}),
            ("web_tabs", {"action": "close", "tab": tab}),
            ("update_working_checkpoint", {"key_info": "mine now"}),
        ):
            assert (await failure_of(client, tool, **arguments))["code"] == "not_found", tool
        assert await text_of(client, "web_tabs", action="list") == "No tab is open."
    async with keyed.client(Authorization=shown(keyed, "acme")) as client:
        assert await text_of(client, "recall", query="water", session=session) == "notes: low water"
        await text_of(client, "web_tabs", action="close", tab=tab)


async def test_no_result_is_longer_than_the_setting_says(keyed: Running, demo: DemoServer) -> None:
    async with keyed.client(Authorization=shown(keyed, "acme")) as client:
        said = await text_of(
            client, "update_working_checkpoint", key_info="the water is low\n" * 110
        )
        session = said.partition("session=")[2]
        opened = await text_of(client, "web_open", url=f"{demo.url}/docs", budget=90_000)
        page = opened[6:38]
        refs = [part.partition(":")[0] for part in opened.split("[folded ")[1:]]
        results = [opened, await text_of(client, "web_scan", page=page)]
        for ref in refs:
            results.append(await text_of(client, "unfold", page=page, ref=ref))
            results.append(await text_of(client, "unfold", page=page, ref=ref, keyword="a"))
        kept = await text_of(client, "web_open", url=f"{demo.url}/counter", as_tab=True)
        tab = kept[5:].partition(" ")[0]
        script = "document.body.append(...Array.from({length: 99}, () => 'water '.repeat(99))); 'x'.repeat(9999)"
        results += [kept, await text_of(client, "web_execute_js", tab=tab, script=script)]
        results.append(await text_of(client, "web_scan", page=tab, changes_only=True))
        await text_of(client, "web_tabs", action="close", tab=tab)
        results.append(await text_of(client, "recall", query="water", session=session))
    assert max(map(len, results)) <= MOST_CHARS
    # What did not fit is said, and how to get it.
    assert any("; go on with start=" in result for result in results)
    assert results[-1].endswith("more lines do not fit; ask for less]")


async def test_calls_of_tools_count_against_the_key(keyed: Running) -> None:
    key = shown(keyed, "counted", requests_per_minute=1)
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    headers = {"Authorization": key, "Accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient(trust_env=False, headers=headers) as http:
        first = await http.post(f"{keyed.url}/mcp", json=body)
        second = await http.post(f"{keyed.url}/mcp", json=body)
    assert first.status_code == 200
    assert (second.status_code, second.json()["code"]) == (429, "rate_limited")
    assert int(second.headers["Retry-After"]) >= 1


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_client_that_leaves_takes_its_call_with_it(
    running: Running, slow: SlowSite, mode: Mode
) -> None:
    async def call() -> None:
        async with running.client(mode=mode) as client:
            await text_of(client, "web_open", url=f"{slow.url}/slow-{mode}")

    work = asyncio.ensure_future(call())
    await until(lambda: f"/slow-{mode}" in slow.asked)
    pool = running.app.state.extractor.pool
    assert pool.state.busy == 1
    work.cancel()
    await asyncio.gather(work, return_exceptions=True)
    await until(lambda: pool.state.busy == 0 and running.app.state.drain.running == 0)
    assert not slow.release.is_set()


async def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end
        await asyncio.sleep(0.02)
