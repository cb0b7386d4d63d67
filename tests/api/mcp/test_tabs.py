"""Pages that stay open, over MCP: scripts, pictures, and what is refused; an example buys something."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import Any

import pytest
from mcp import Client
from mcp_types import ImageContent

from api.client import AsyncPagefold, InvalidInput, ProblemError
from api.demo import DemoServer
from tests.api.mcp.serving import Running, failure_of, text_of


@dataclass(slots=True)
class Agent:
    """What an agent knows of one tab: the text of its last scan."""

    client: Client
    tab: str = ""
    seen: str = ""

    async def open(self, url: str) -> None:
        self.seen = await text_of(self.client, "web_open", url=url, as_tab=True)
        found = re.match(r"\[tab (t_\w+) \| page [0-9a-f]{32}\]\n", self.seen)
        assert found is not None
        self.tab = found[1]

    async def scan(self, **wanted: Any) -> str:
        self.seen = await text_of(self.client, "web_scan", page=self.tab, **wanted)
        return self.seen


async def test_a_long_value_is_shortened_and_kept(running: Running, demo: DemoServer) -> None:
    async with running.client() as client:
        agent = Agent(client)
        await agent.open(f"{demo.url}/counter")
        script = "return Array.from({length: 3000}, (_, n) => `line ${n}`).join('\\n')"
        whole = "\n".join(f"line {number}" for number in range(3_000))
        told = await text_of(
            client, "web_execute_js", tab=agent.tab, script=script, save_value=True
        )
        assert len(told) < 10_000
        assert f"{len(whole)} characters" in told
        ref = re.findall(rf"^Kept: unfold ref=(a:[0-9a-f]+) page={agent.tab}$", told, re.MULTILINE)[
            0
        ]
        assert await text_of(client, "unfold", ref=ref, page=agent.tab) == whole
        found = await text_of(client, "unfold", ref=ref, page=agent.tab, keyword="line 2999")
        assert found == "3000: line 2999"
        await text_of(client, "web_tabs", action="close", tab=agent.tab)


async def test_folds_of_a_tab_can_be_unfolded(running: Running, demo: DemoServer) -> None:
    async with running.client() as client:
        agent = Agent(client)
        await agent.open(f"{demo.url}/article")
        seen = await agent.scan(budget=1_500)
        page = re.findall(r"\| page ([0-9a-f]{32})\]", seen)[0]
        ref = re.findall(r"\[folded ([^:\s]+): 1\d items", seen)[0]
        assert len(await text_of(client, "unfold", page=page, ref=ref)) > 100
        result = await client.call_tool("web_tabs", {"action": "screenshot", "tab": agent.tab})
        [picture] = result.content
        assert isinstance(picture, ImageContent)
        assert picture.mime_type == "image/png"
        assert base64.b64decode(picture.data).startswith(b"\x89PNG")
        await text_of(client, "web_tabs", action="close", tab=agent.tab)


NOISE = """
document.body.insertAdjacentHTML("afterbegin", "<canvas width=1280 height=900 style='position:fixed;inset:0'>");
const paint = document.querySelector("canvas").getContext("2d"), field = paint.createImageData(1280, 900);
for (let n = 0; n < field.data.length; n++) field.data[n] = n % 4 == 3 ? 255 : Math.random() * 256;
paint.putImageData(field, 0, 0)"""


async def test_a_picture_that_would_be_too_large_is_a_jpeg(
    running: Running, demo: DemoServer
) -> None:
    async with running.client() as client:
        agent = Agent(client)
        await agent.open(f"{demo.url}/counter")
        await text_of(client, "web_execute_js", tab=agent.tab, script=NOISE)
        result = await client.call_tool("web_tabs", {"action": "screenshot", "tab": agent.tab})
        [picture] = result.content
        assert isinstance(picture, ImageContent)
        assert picture.mime_type == "image/jpeg"
        drawn = base64.b64decode(picture.data)
        assert drawn.startswith(b"\xff\xd8")
        assert len(drawn) <= running.settings.mcp_picture_bytes
        async with AsyncPagefold(running.url) as service:
            assert len(await service.screenshot(agent.tab)) > running.settings.mcp_picture_bytes
            with pytest.raises(ProblemError, match="too_large"):
                await service.screenshot(agent.tab, max_bytes=1_000)
            with pytest.raises(InvalidInput, match="in view"):
                await service.screenshot(agent.tab, full_page=True, max_bytes=1_000)
        await text_of(client, "web_tabs", action="close", tab=agent.tab)


async def test_what_cannot_be_done_says_so(running: Running, demo: DemoServer) -> None:
    async with running.client() as client:
        agent = Agent(client)
        await agent.open(f"{demo.url}/counter")
        # Nobody hears of the tab: it is closed again.
        unseen = await failure_of(
            client, "web_open", url=f"{demo.url}/counter", as_tab=True, budget=1
        )
        assert unseen["code"] == "budget_impossible"
        assert (await text_of(client, "web_tabs", action="list")).count("t_") == 1
        for tool, arguments, code in (
            ("web_act", {"tab": agent.tab, "action": "click", "ref": "c999"}, "stale_ref"),
            ("web_act", {"tab": agent.tab, "action": "click"}, "invalid_request"),
            ("web_act", {"tab": agent.tab, "action": "scroll", "text": "left"}, "invalid_request"),
            ("web_act", {"tab": "0" * 32, "action": "click", "ref": "c1"}, "invalid_request"),
            (
                "web_execute_js",
                {"tab": agent.tab, "script": "throw new Error('no')"},
                "script_failed",
            ),
            ("web_tabs", {"action": "close"}, "invalid_request"),
            ("web_scan", {"page": "0" * 32, "changes_only": True}, "invalid_request"),
            ("web_scan", {"page": "t_0000000000000000"}, "not_found"),
        ):
            assert (await failure_of(client, tool, **arguments))["code"] == code, arguments
        await text_of(client, "web_tabs", action="close", tab=agent.tab)
        gone = await failure_of(client, "web_scan", page=agent.tab)
        assert gone["code"] == "not_found"
