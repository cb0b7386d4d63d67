"""``pagefold mcp``, started by the SDK's own client as an MCP host starts it."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from typer.testing import CliRunner

from api.cli import app
from api.client import AsyncPagefold
from api.demo import DemoServer
from api.mcp import make_server
from api.mcp.tools import TOOLS
from api.mcp.visit import Visit
from tests.api.mcp.serving import failure_of, text_of

ROOT = Path(__file__).parents[3]
START = ["-c", "from api.cli import main; main()", "mcp"]


def server(folder: Path, demo: DemoServer) -> StdioServerParameters:
    environment = {
        **os.environ, "PYTHONPATH": str(ROOT), "PAGEFOLD_DATA_DIR": str(folder), "PAGEFOLD_CONCURRENCY": "1",
        "PAGEFOLD_ALLOW_HOSTS": f"127.0.0.1:{demo.port}",
    }  # fmt: skip
    return StdioServerParameters(command=sys.executable, args=START, env=environment, cwd=folder)


async def test_the_same_tools_over_a_pipe(demo: DemoServer, tmp_path: Path) -> None:
    async with Client(server(tmp_path, demo)) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == list(TOOLS)
        opened = await text_of(client, "web_open", url=f"{demo.url}/article", budget=1_500)
        page = opened[6:38]
        ref = opened.partition("[folded ")[2].partition(":")[0]
        assert await text_of(client, "unfold", page=page, ref=ref)
        blocked = await failure_of(client, "web_open", url="http://10.1.2.3/")
        assert blocked["code"] == "blocked_address"
        said = await text_of(client, "update_working_checkpoint", key_info="low water at four")
        session = said.partition("session=")[2]
        assert (
            await text_of(client, "recall", query="low", session=session)
            == "notes: low water at four"
        )


async def test_a_service_that_is_not_there_is_a_typed_failure() -> None:
    @asynccontextmanager
    async def visit_of(_: object) -> AsyncIterator[Visit]:
        async with AsyncPagefold("http://127.0.0.1:9") as api:
            yield Visit(api, 5_000, 100_000)

    async with Client(make_server(visit_of)) as client:
        failed = await failure_of(client, "web_open", url="http://127.0.0.1:8001/")
    assert (failed["code"], failed["retryable"]) == ("no_answer", True)


def test_wrong_settings_are_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGEFOLD_MCP_RESULT_CHARS", "5")
    done = CliRunner().invoke(app, ["mcp"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "PAGEFOLD_MCP_RESULT_CHARS" in done.stderr
