"""The pipe of ``pagefold mcp`` as a host holds it: what is on it, and how the process ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from api.mcp.stdio import run_here
from api.settings import ApiSettings
from extractor.browser import processes
from extractor.errors import BrowserMissing
from tests.faults.serving import PAGEFOLD, PATIENCE_S, ROOT, SlowSite, eventually

#: The first that hosts spoke, and one between.
OLDER = "2024-11-05"


class Host:
    """Writes lines and reads lines, and nothing that an SDK would do for it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.asked = 0

    def say(self, method: str, **params: Any) -> None:
        self._write({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, **params: Any) -> int:
        self.asked += 1
        self._write({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params})
        return self.asked

    def call(self, tool: str, **arguments: Any) -> int:
        return self.ask("tools/call", name=tool, arguments=arguments)

    def heard(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def text(self) -> str:
        return str(self.heard()["result"]["content"][0]["text"])

    def write(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def _write(self, message: Any) -> None:
        self.write(json.dumps(message))


@contextmanager
def host(folder: Path, **settings: object) -> Iterator[Host]:
    temporary = folder / "tmp"
    temporary.mkdir()
    own = {f"PAGEFOLD_{name.upper()}": str(value) for name, value in settings.items()}
    environment = {
        **os.environ, "PYTHONPATH": str(ROOT), "PAGEFOLD_DATA_DIR": str(folder / "data"),
        "TMPDIR": str(temporary), "PAGEFOLD_CONCURRENCY": "1", **own,
    }  # fmt: skip
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [*PAGEFOLD, "mcp"], env=environment, cwd=folder, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
        )  # fmt: skip
    with process:
        try:
            yield Host(process)
        finally:
            process.kill()


def test_the_pipe_carries_the_protocol_alone_and_a_signal_ends_all(
    slow: SlowSite, tmp_path: Path
) -> None:
    with host(tmp_path, allow_hosts=f"127.0.0.1:{slow.server_port}") as told:
        about = {"name": "an older host", "version": "1"}
        told.ask("initialize", protocolVersion=OLDER, capabilities={}, clientInfo=about)
        assert told.heard()["result"]["protocolVersion"] == OLDER
        told.say("notifications/initialized")
        for line in ("no message", "[]", "", '{"jsonrpc": "2.0", "id": 1}'):
            told.write(line)

        # A call that is cancelled gives its browser back, and others do not wait for it.
        first = told.call("web_open", url=f"{slow.url}/slow-pipe")
        eventually(lambda: "/slow-pipe" in slow.asked)
        told.call("web_tabs", action="list")
        assert told.text() == "No tab is open."
        told.say("notifications/cancelled", requestId=first)
        last = told.call("web_open", url=f"{slow.url}/harbour", as_tab=True)
        answer = told.heard()
        assert (answer["id"], answer["result"]["isError"]) == (last, False)
        assert "Low water is at four" in str(answer)

        family = processes.below(told.process.pid)
        assert any("chromium" in " ".join(each.arguments) for each in family)
        told.process.send_signal(signal.SIGTERM)
        assert told.process.wait(PATIENCE_S) == 0
        assert told.process.stdout is not None
        assert told.process.stdout.read() == ""
        left = {each.pid for each in family} & {
            each.pid for each in processes.every() if each.alive
        }
        assert left == set()
        assert list((tmp_path / "tmp").iterdir()) == []


async def test_without_a_browser_it_ends_with_the_reason(tmp_path: Path) -> None:
    settings = ApiSettings(data_dir=tmp_path / "data", chromium_path=tmp_path / "none")
    with pytest.raises(BrowserMissing):
        await run_here(settings, None)
