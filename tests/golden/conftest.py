"""Every page of the selected cases is captured once, a few at a time, in one browser."""

from __future__ import annotations

import asyncio
import os

import pytest
import pytest_asyncio
from playwright.async_api import async_playwright

from extractor.browser.discover import find_chromium
from extractor.snapshot import Snapshot
from tests.browser.conftest import Loader
from tests.golden.capturing import capture_in_browser, capture_static
from tests.golden.cases import CASES

AT_ONCE = 4
Captured = dict[str, Snapshot | Exception]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write fixtures_html/*/expected.* anew (for review; refused when CI is set)",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--update-golden") and os.environ.get("CI"):
        raise pytest.UsageError("--update-golden is for people: CI only compares")


@pytest.fixture
def updating(request: pytest.FixtureRequest) -> bool:
    # The option is unknown when pytest was started above this folder.
    return bool(request.config.getoption("--update-golden", default=False))


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def captured(request: pytest.FixtureRequest) -> Captured:
    """By ``case:path``, for every test selected: the snapshot, or the error that came instead."""
    wanted = {
        item.callspec.params["run"]
        for item in request.session.items
        if isinstance(item, pytest.Function)
        and hasattr(item, "callspec")
        and "captured" in item.fixturenames
    }
    result: Captured = {}
    browser_runs = [run for run in sorted(wanted) if run.endswith(":browser")]
    for run in sorted(wanted - set(browser_runs)):
        result[run] = _attempt(run)
    if browser_runs:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=find_chromium(None).path,
                args=["--no-sandbox", "--block-new-web-contents"],
            )
            try:
                await _capture_all(browser_runs, Loader(browser), result)
            finally:
                await browser.close()
    return result


async def _capture_all(runs: list[str], loader: Loader, result: Captured) -> None:
    turn = asyncio.Semaphore(AT_ONCE)

    async def one(run: str) -> None:
        async with turn:
            try:
                result[run] = await capture_in_browser(CASES[run.partition(":")[0]], loader)
            except Exception as error:  # told by the test that needs this page
                result[run] = error

    async with asyncio.TaskGroup() as group:
        for run in runs:
            group.create_task(one(run))


def _attempt(run: str) -> Snapshot | Exception:
    try:
        return capture_static(CASES[run.partition(":")[0]])
    except Exception as error:  # told by the test that needs this page
        return error
