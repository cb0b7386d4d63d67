"""The proof at the start: a browser that can get past the proxy is never used."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext, ProxySettings, async_playwright

from extractor.browser.discover import find_chromium
from extractor.browser.launch import BYPASS_VARIABLE, NO_BYPASS
from extractor.browser.selftest import prove_no_way_past
from extractor.browser.supervisor import BrowserPool
from extractor.egress.proxy import EgressProxy
from extractor.egress.record import EgressRecord
from extractor.errors import BrowserCrashed
from extractor.settings import ExtractorSettings
from testbed import netns
from testbed.hostile.site import Servers
from testbed.hostile.sniffer import Sniffer

pytestmark = pytest.mark.hostile

_LIMIT_S = 20


@dataclass(frozen=True, slots=True)
class Way:
    """How a browser is told of the proxy."""

    proxy: bool
    bypass: str | None = NO_BYPASS
    variable: bool = False


@asynccontextmanager
async def browser(way: Way) -> AsyncIterator[tuple[BrowserContext, EgressRecord]]:
    async with EgressProxy(ExtractorSettings()) as proxy, async_playwright() as playwright:
        record = proxy.register("k")
        user, password = proxy.credentials("k")
        named = ProxySettings(server=proxy.url, username=user, password=password)
        if way.bypass is not None:
            named["bypass"] = way.bypass
        started = await playwright.chromium.launch(
            executable_path=find_chromium(None).path, args=["--no-sandbox"]
        )
        yield await started.new_context(proxy=named if way.proxy else None), record
        await started.close()


@pytest.mark.parametrize(
    "way",
    [
        Way(proxy=False),
        Way(proxy=True, bypass="127.0.0.1"),
        Way(proxy=True, bypass="*"),
        Way(proxy=True, bypass=None, variable=True),
    ],
    ids=["no proxy", "loopback bypassed", "all bypassed", "variable set"],
)
async def test_a_browser_with_a_way_past_fails(way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    if way.variable:
        monkeypatch.setenv(BYPASS_VARIABLE, "1")
    servers = Servers()
    await servers.fake("169.254.169.254")
    try:
        with Sniffer(netns.PUBLIC) as sniffer:
            async with browser(way) as (context, record):
                with pytest.raises(BrowserCrashed) as caught:
                    await prove_no_way_past(context, record, _LIMIT_S)
    finally:
        await servers.close()
    assert "egress proxy" in caught.value.message
    # The proof itself harms nobody: the first listener that it reached was its own.
    assert not servers.hits
    assert not sniffer.unexpected


async def test_the_way_in_which_it_is_started_passes_whatever_the_variable_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(BYPASS_VARIABLE, "1")
    async with browser(Way(proxy=True)) as (context, record):
        await prove_no_way_past(context, record, _LIMIT_S)
    assert {host for host, _ in record.blocked} == {"127.0.0.1", "169.254.169.254"}


async def test_a_pool_does_not_start_where_the_variable_is_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(BYPASS_VARIABLE, "1")
    settings = ExtractorSettings()
    async with EgressProxy(settings) as proxy:
        pool = BrowserPool(settings, proxy)
        with pytest.raises(BrowserCrashed):
            await pool.start()
        assert pool.state.launches == 0


@pytest.mark.parametrize("command", [["serve", "--no-demo"], ["read", "http://public.test/"]])
def test_the_command_line_says_why_and_exits_with_1(command: list[str], tmp_path: Path) -> None:
    own = {BYPASS_VARIABLE: "1", "PAGEFOLD_DATA_DIR": str(tmp_path), "PAGEFOLD_PORT": "8765"}
    run = subprocess.run(
        [sys.executable, "-c", "from api.cli import app; app()", *command],
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 1
    assert f"{BYPASS_VARIABLE} is set" in run.stderr.splitlines()[-1]
    assert "Traceback" not in run.stderr
