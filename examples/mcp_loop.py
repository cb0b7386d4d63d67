"""An agent loop over MCP, with the official SDK's client. The model is replaced by fixed steps.

    python examples/mcp_loop.py

PAGEFOLD_URL and PAGEFOLD_DEMO_URL say where the service and its demo pages are. Exit code 0: all
is as it should be; 1: something is not, and the last line says what.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import TextContent

from api.client import Pagefold, PagefoldError

SERVICE = os.environ.get("PAGEFOLD_URL", "http://127.0.0.1:8000")
KEY = os.environ.get("PAGEFOLD_KEY")
DEMO = os.environ.get("PAGEFOLD_DEMO_URL", "http://127.0.0.1:8001")
SOUGHT = "There is no column for remarks."


def main() -> None:
    with Pagefold(SERVICE, key=KEY) as service:
        # The agent's own loop appends to this session; the tools work on it by this header.
        session = service.open_session(budget_chars=30_000)["id"]
        headers = {"X-Pagefold-Session": session}
        if KEY:
            headers["Authorization"] = f"Bearer {KEY}"
        asyncio.run(use_tools(headers))
        noted = service.key_info(session)["key_info"]
        expect(SOUGHT in noted, "the notes are not in the session")
    print("all is well")


async def use_tools(headers: dict[str, str]) -> None:
    http = httpx2.AsyncClient(headers=headers, timeout=60)
    async with http, Client(streamable_http_client(f"{SERVICE}/mcp", http_client=http)) as client:
        tools = (await client.list_tools()).tools
        print("tools:", ", ".join(tool.name for tool in tools))

        # 1. A page under a small budget: what does not fit is folded, and each fold has a ref.
        opened = await call(client, "web_open", url=f"{DEMO}/article", budget=1_500)
        head, _, page = opened.partition("\n")
        page_id = head.removeprefix("[page ").partition(" ")[0]
        refs = re.findall(r"\[folded ([^:\s]+):", page)
        print(f"opened in {len(page):,} characters with {len(refs)} folds")
        expect(SOUGHT not in page, "the sentence should be folded")

        # 2. Unfold until the sentence is found, as a model would.
        for ref in refs:
            part = await call(client, "unfold", page=page_id, ref=ref)
            if SOUGHT in part:
                break
        else:
            sys.exit("wrong: no fold holds the sentence")
        print(f"found in {len(part):,} unfolded characters")

        # 3. Note it: notes stay in view when the history is compacted.
        await call(client, "update_working_checkpoint", key_info=f"The ledger: {SOUGHT}")
        print("recalled", await call(client, "recall", query="remarks"))

        # 4. What goes wrong is an answer too, with a stable code.
        refused = await client.call_tool("web_open", {"url": "http://10.1.2.3/"})
        expect(refused.is_error, "a private address must be refused")
        print("refused with", refused.structured_content["code"])


async def call(client: Client, tool: str, **arguments: object) -> str:
    """The text of a tool's result."""
    result = await client.call_tool(tool, arguments)
    text = "".join(part.text for part in result.content if isinstance(part, TextContent))
    expect(not result.is_error, f"{tool}: {text}")
    return text


def expect(holds: bool, otherwise: str) -> None:
    if not holds:
        sys.exit(f"wrong: {otherwise}")


if __name__ == "__main__":
    try:
        main()
    except PagefoldError as error:
        sys.exit(f"wrong: {error}")
