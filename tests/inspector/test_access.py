"""Who gets the inspector's files, under which policy, and where a key is kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from starlette.testclient import TestClient

from api.app import create_app
from api.inspector_files import INSPECTOR_PATHS
from api.settings import ApiSettings
from tests.faults.serving import Service, service
from tests.security.keyed import make_key

ROOT = Path(__file__).parents[2]


@pytest.fixture
def keyed(tmp_path: Path) -> Iterator[tuple[Service, str]]:
    data = tmp_path / "data"
    key, _ = make_key(ApiSettings(data_dir=data), "acme")
    with service(tmp_path, concurrency=1) as running:
        yield running, key


def test_a_key_is_asked_for_and_kept_in_the_tab_alone(
    keyed: tuple[Service, str], browser: Browser
) -> None:
    running, key = keyed
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{running.url}/#jobs")
    dialog = page.locator("#key-dialog")
    expect(dialog).to_be_visible()
    page.fill("#key", key)
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    page.click("#jobs-again")
    expect(page.locator("#job-list")).to_have_text("There are no jobs.")
    kept = page.evaluate(
        "() => [Object.values(sessionStorage), localStorage.length, document.cookie]"
    )
    assert kept == [[key], 0, ""]
    assert key not in page.content()
    other = context.new_page()
    other.goto(f"{running.url}/#jobs")
    expect(other.locator("#key-dialog")).to_be_visible()
    page.click("#key-open")
    page.click("#key-forget")
    assert page.evaluate("() => sessionStorage.length") == 0
    context.close()
    # It never stood in an address, nor in the log.
    assert key not in running.log.read_text()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    settings = ApiSettings(data_dir=tmp_path_factory.mktemp("files"))
    return TestClient(create_app(settings), base_url="http://127.0.0.1:8000")


def test_every_file_is_served_under_a_policy_that_only_runs_our_own(client: TestClient) -> None:
    assert {"/", "/inspector/app.js", "/inspector/theme.css"} <= INSPECTOR_PATHS.keys()
    for path in INSPECTOR_PATHS:
        answer = client.get(path)
        assert answer.status_code == 200, path
        parts = answer.headers["content-security-policy"].split("; ")
        policy = {part.split()[0]: part.split()[1:] for part in parts}
        assert policy == {
            "default-src": ["'none'"], "script-src": ["'self'"], "style-src": ["'self'"],
            "img-src": ["'self'", "blob:", "data:"], "connect-src": ["'self'"], "base-uri": ["'none'"],
            "form-action": ["'none'"], "frame-ancestors": ["'none'"],
            "require-trusted-types-for": ["'script'"], "trusted-types": ["pagefold-parse"],
        }, path  # fmt: skip
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert not [name for name in answer.headers if name.startswith("access-control-")]


def test_no_path_names_another_file(client: TestClient) -> None:
    for path in ("/inspector", "/inspector/", "/inspector/index.html", "/inspector/../app.py",
                 "/inspector/%2e%2e/app.py", "/inspector/__init__.py"):  # fmt: skip
        assert client.get(path).status_code == 404, path
    assert client.post("/").status_code == 405


def test_pages_of_other_origins_do_not_get_them(client: TestClient) -> None:
    sent = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}
    for path in INSPECTOR_PATHS:
        answer = client.get(path, headers=sent)
        assert (answer.status_code, answer.json()["code"]) == (403, "foreign_origin"), path


def test_files_name_nothing_outside_and_write_no_markup() -> None:
    for file in sorted((ROOT / "api" / "inspector").iterdir()):
        text = file.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        outside = re.findall(
            r"""(?:src|href|url|from|import)\s*[=(]?\s*["']?(?:https?:)?//""", text
        )
        assert not outside, file.name
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|localStorage", text), file.name  # fmt: skip
        if file.suffix == ".html":
            assert not re.search(r"\son\w+=|<style|<script(?! type=\"module\" src=)|\sstyle=", text)


def test_the_wheel_holds_them() -> None:
    # Hatch takes all files of a package that are not ignored.
    assert '"api"' in (ROOT / "pyproject.toml").read_text("utf-8")
    ignored = (ROOT / ".gitignore").read_text("utf-8").split()
    assert not {"*.js", "*.css", "*.html", "*.svg"} & set(ignored)
