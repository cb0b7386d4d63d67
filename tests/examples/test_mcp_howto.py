"""The guide to MCP: its configurations start what they say, its example runs, its table names the tools."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from api.mcp.tools import TOOLS
from tests.api.mcp.serving import text_of
from tests.docs.fences import blocks, page_text
from tests.examples.conftest import ROOT, Served

PAGE = "docs/how-to/use-with-mcp.md"
COMMAND = "/path/to/pagefold/.venv/bin/pagefold"
Json = dict[str, Any]


def servers() -> list[Json]:
    """What each configuration says of the server."""
    found: list[Json] = [
        tomllib.loads(text)["mcp_servers"]["pagefold"] for text in blocks(PAGE, "toml")
    ]
    for text in blocks(PAGE, "json"):
        [(_, named)] = json.loads(text).items()
        found.append(named["pagefold"])
    return found


def test_the_table_names_every_tool() -> None:
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| .+ \|$", page_text(PAGE), re.MULTILINE)
    assert [name.strip("`") for row in rows for name in row.split(", ")] == list(TOOLS)


def test_all_hosts_start_the_same_command() -> None:
    commands = [each for each in servers() if "command" in each]
    assert len(commands) == 4
    assert {each["command"] for each in commands} == {COMMAND}
    assert {tuple(each["args"][:1]) for each in commands} == {("mcp",)}
    over_pipe, over_http = "".join(blocks(PAGE, "console")).splitlines()
    assert over_pipe.endswith(f" -- {COMMAND} mcp")
    [named] = [each for each in servers() if "url" in each]
    assert over_http.endswith(f" {named['url']}")


async def test_the_configured_command_is_a_bridge_to_the_service(
    served: Served, tmp_path: Path
) -> None:
    [bridge] = [each for each in servers() if "--url" in each.get("args", ())]
    words = [word.replace("http://127.0.0.1:8000", served.url) for word in bridge["args"]]
    start = StdioServerParameters(
        command=str(Path(sys.executable).with_name("pagefold")),
        args=words,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
    )
    async with Client(start) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == list(TOOLS)
        opened = await text_of(client, "web_open", url=f"{served.demo}/article", budget=1_500)
        # The page is in the service's store, not in one of the bridge.
        assert await text_of(client, "web_scan", page=opened[6:38])
    assert not list(tmp_path.iterdir())


def test_the_example_does_what_it_says(served: Served, tmp_path: Path) -> None:
    [script] = blocks(PAGE, "python")
    script = script.replace("http://127.0.0.1:8000", served.url)
    script = script.replace("http://127.0.0.1:8001", served.demo)
    done = subprocess.run(
        [sys.executable, "-"],
        input=script,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    first, *lines = done.stdout.splitlines()
    assert re.fullmatch(
        r"\[page [0-9a-f]{32} \| 200 \| The ledger .+ \| http://\S+/article\]", first
    )
    assert any("There is no column for remarks." in line for line in lines)
