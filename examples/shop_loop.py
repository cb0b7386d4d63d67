"""An agent buys something: scan, act, execute, scan. The model is replaced by its recorded decisions.

    python examples/shop_loop.py http
    python examples/shop_loop.py mcp

Both take the decisions of shop.json, find each control in the last scan by its role and name, act on the ref
that stands there, and print what is in shop.txt. PAGEFOLD_URL and PAGEFOLD_DEMO_URL say where the service and
its demo pages are. Exit code 0: all is as it should be; 1: something is not, and the last line says what.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Protocol

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import TextContent

from api.client import AsyncPagefold, PagefoldError

SERVICE = os.environ.get("PAGEFOLD_URL", "http://127.0.0.1:8000")
KEY = os.environ.get("PAGEFOLD_KEY")
DEMO = os.environ.get("PAGEFOLD_DEMO_URL", "http://127.0.0.1:8001")
RECORDED = json.loads(Path(__file__).with_name("shop.json").read_text("utf-8"))
#: What a scan is: ref by role and name, such as ``button "Place the order"``.
Controls = dict[str, str]


class Wrong(Exception):
    """Something is not as it should be."""


class Face(Protocol):
    """One way to Pagefold. What an action or a script did is lines, the same whichever way it went."""

    opened: str  #: the tab that the last action opened

    async def open(self, url: str) -> tuple[str, Controls]: ...
    async def scan(self, tab: str, changes_only: bool) -> Controls: ...
    async def act(self, tab: str, turn: Mapping[str, Any], ref: str) -> list[str]: ...
    async def execute(self, tab: str, script: str) -> list[str]: ...
    async def read(self, tab: str) -> str: ...
    async def close(self, tab: str) -> None: ...


class OverHttp:
    """With the Python client of the HTTP API."""

    opened = ""

    def __init__(self, service: AsyncPagefold) -> None:
        self.service = service

    async def open(self, url: str) -> tuple[str, Controls]:
        tab = (await self.service.open_tab(url=url))["id"]
        return tab, await self.scan(tab, False)

    async def scan(self, tab: str, changes_only: bool) -> Controls:
        seen = await self.service.scan(tab, format="markdown", changes_only=changes_only)
        return {f'{each["role"]} "{each["name"]}"': each["ref"] for each in seen["controls"]}

    async def act(self, tab: str, turn: Mapping[str, Any], ref: str) -> list[str]:
        text = {"type": "text", "select": "values"}.get(turn["do"])
        given: Any = {text: [turn["text"]] if text == "values" else turn["text"]} if text else {}
        dialogs: Any = {"dialogs": "accept"} if turn.get("accept_dialogs") else {}
        done = await self.service.act(tab, action=turn["do"], ref=ref, **given, **dialogs)
        self.opened = done["new_tabs"][0]["id"] if done["new_tabs"] else ""
        return [
            *(f"came and went: {text}" for text in done["transient"]),
            *(f"new tab: {each['title']}" for each in done["new_tabs"]),
            *(f'{each["kind"]} "{each["message"]}" {each["answer"]}' for each in done["dialogs"]),
            *([f"went to {done['navigated']}"] if done["navigated"] else ()),
        ]

    async def execute(self, tab: str, script: str) -> list[str]:
        return [(await self.service.execute(tab, script=script))["value"]]

    async def read(self, tab: str) -> str:
        seen = await self.service.scan(tab, format="markdown")
        return seen["page"]["content"]["markdown"] if seen["page"] else ""

    async def close(self, tab: str) -> None:
        await self.service.close_tab(tab)


class OverMcp:
    """With the official SDK's client; a model reads these texts as they are."""

    opened = ""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def open(self, url: str) -> tuple[str, Controls]:
        seen = await self._call("web_open", url=url, as_tab=True)
        return seen.removeprefix("[tab ").partition(" ")[0], _controls(seen)

    async def scan(self, tab: str, changes_only: bool) -> Controls:
        return _controls(await self._call("web_scan", page=tab, changes_only=changes_only))

    async def act(self, tab: str, turn: Mapping[str, Any], ref: str) -> list[str]:
        given = {name: turn[name] for name in ("text", "accept_dialogs") if name in turn}
        done = await self._call("web_act", tab=tab, action=turn["do"], ref=ref, **given)
        found = re.search(r"^New tab (\S+): (.*) <", done, re.MULTILINE)
        self.opened = found[1] if found else ""
        return [
            *(f"came and went: {text}" for text in re.findall(r"(?m)^Came and went: (.*)", done)),
            *([f"new tab: {found[2]}"] if found else ()),
            *(
                f"{what} {answer}"
                for what, answer in re.findall(r'(?m)^Dialog (\w+ ".*") was (\w+)\.$', done)
            ),
            *(f"went to {url}" for url in re.findall(r"(?m)^The page went to (\S+)", done)),
        ]

    async def execute(self, tab: str, script: str) -> list[str]:
        done = await self._call("web_execute_js", tab=tab, script=script)
        return re.findall(r"(?m)^Value \(.*?\): (.*)", done)

    async def read(self, tab: str) -> str:
        return await self._call("web_scan", page=tab)

    async def close(self, tab: str) -> None:
        await self._call("web_tabs", action="close", tab=tab)

    async def _call(self, tool: str, **arguments: object) -> str:
        result = await self.client.call_tool(tool, arguments)
        text = "".join(part.text for part in result.content if isinstance(part, TextContent))
        expect(not result.is_error, f"{tool}: {text}")
        return text


def _controls(seen: str) -> Controls:
    lines = re.findall(r'(?m)^(c\d+) (\w+ ".*?")(?: |$)', seen)
    return {what: ref for ref, what in lines}


async def shop(face: Face) -> None:
    """Each decision of the recording, with nothing but refs of the last scan."""
    print(f"task: {RECORDED['task']}")
    tab, seen = "", dict[str, str]()
    for number, turn in enumerate(RECORDED["turns"], 1):
        print(f"\n{number}. {turn['says']}")
        match turn["do"]:
            case "open":
                tab, seen = await face.open(DEMO + turn["page"])
                told = told_of(f"open {turn['page']}", seen)
            case "scan":
                seen = await face.scan(tab, turn.get("changes_only", False))
                told = told_of("scan" + " changes_only" * turn.get("changes_only", False), seen)
            case "execute":
                told = [f"execute {turn['script']}", *await face.execute(tab, turn["script"])]
            case "read":
                found = turn["for"] in await face.read(face.opened)
                await face.close(face.opened)
                told = ["scan the new tab, close it", f"{turn['for']!r} stands there: {found}"]
                expect(found, "the new tab does not say so")
            case _:
                expect(turn["on"] in seen, f"the last scan has no {turn['on']}")
                ref = seen[turn["on"]]
                what = f"{turn['do']} {ref} {turn['on']} {turn.get('text', '')}".rstrip()
                told = [what, *await face.act(tab, turn, ref)]
        told = [line.replace(DEMO, "") for line in told]
        print("\n".join(f"   {line}" for line in told))
        for wanted in turn.get("shows", ()):
            expect(any(wanted in line for line in told), f"turn {number} does not show {wanted}")
    await face.close(tab)


def told_of(what: str, seen: Controls) -> list[str]:
    return [what, *(f"{ref} {name}" for name, ref in seen.items())]


def expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Wrong(otherwise)


async def main(way: str) -> None:
    async with AsyncExitStack() as stack:
        if way == "http":
            service = await stack.enter_async_context(AsyncPagefold(SERVICE, key=KEY))
            await shop(OverHttp(service))
        else:
            headers = {"Authorization": f"Bearer {KEY}"} if KEY else {}
            http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=60))
            client = Client(streamable_http_client(f"{SERVICE}/mcp", http_client=http))
            await shop(OverMcp(await stack.enter_async_context(client)))
    print("\nall is well")


if __name__ == "__main__":
    if sys.argv[1:] not in (["http"], ["mcp"]):
        sys.exit("wrong: say http or mcp")
    try:
        asyncio.run(main(sys.argv[1]))
    except* (Wrong, PagefoldError, httpx2.TransportError) as errors:
        first: BaseException = errors
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        sys.exit(f"wrong: {first}")
