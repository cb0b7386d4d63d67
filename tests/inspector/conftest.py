"""The inspector in a real browser, over a running service with the demo site."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from extractor.browser.discover import find_chromium
from tests.faults.serving import Service, service


@pytest.fixture(scope="package")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("inspector")
    with service(
        folder, demo=True, concurrency=1, job_host_interval_s=0, job_poll_s=0.05, deadline_s=120
    ) as made:
        yield made


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(
            executable_path=find_chromium(None).path, args=["--no-sandbox"]
        )
        yield made
        made.close()


@pytest.fixture
def page(browser: Browser, running: Service) -> Iterator[Page]:
    """A fresh tab. What its console complains of fails the test, and so does any address but ours."""
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    wrong: list[str] = []
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on(
        "console",
        lambda said: wrong.append(said.text) if "Content Security Policy" in said.text else None,
    )
    tab.on(
        "request",
        lambda asked: (
            None if asked.url.startswith((running.url, "blob:")) else wrong.append(asked.url)
        ),
    )
    yield tab
    tab.close()
    assert wrong == []
