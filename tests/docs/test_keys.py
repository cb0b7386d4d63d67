"""Every command of the guide to keys does what it says."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from api.demo import DemoServer
from tests.docs.fences import ROOT, blocks, page_text
from tests.faults.serving import Service, service

PAGE = "docs/how-to/keys.md"
PROGRAMS = Path(sys.executable).parent
# Several programs are started, which takes its time on a machine that is busy.
pytestmark = pytest.mark.timeout(300)


def commands() -> list[str]:
    return [line for block in blocks(PAGE, "sh") for line in block.splitlines()]


@pytest.fixture(scope="module")
def demo() -> Iterator[DemoServer]:
    with DemoServer(0) as site:
        yield site


@pytest.fixture(scope="module")
def server(demo: DemoServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("keys")
    allowed = f"127.0.0.1:{demo.port}"
    with service(folder, allow_hosts=allowed, key_ttl_s=0, concurrency=1) as running:
        yield running


def test_the_guide_can_be_followed_from_top_to_bottom(demo: DemoServer, server: Service) -> None:
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PAGEFOLD_DATA_DIR": str(server.temporary.parent / "data"),
    }
    ran = commands()
    assert sum("keys create" in line for line in ran) == 2
    assert [line.split()[2] for line in ran if "pagefold" in line and "create" not in line] == [
        "list",
        "revoke",
    ]
    assert httpx2.get(f"{server.url}/version", trust_env=False).status_code == 200
    key = ""
    for line in ran:
        own = line.replace("$KEY", key).replace("revoke ID", f"revoke {key.partition('.')[0]}")
        own = own.replace("http://127.0.0.1:8000", server.url)
        own = own.replace("http://127.0.0.1:8001", demo.url)
        words = shlex.split(own.replace(".venv/bin/", f"{PROGRAMS}/"))
        words[1:1] = ["-sS", "--fail-with-body"] if words[0] == "curl" else []
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, (line, done.stdout, done.stderr)
        if "keys create" in line and not key:
            key = done.stdout.strip()
        if "--requests-per-minute 30" in line:
            answer = _get(f"{server.url}/version", done.stdout.strip())
            [shown] = blocks(PAGE, "text")
            said = "".join(
                f"{name}: {answer.headers[name]}\n" for name in ("RateLimit-Policy", "RateLimit")
            )
            # What is left, and until when, depends on the moment.
            assert re.sub(r"([rt])=\d+", r"\1=", said) == re.sub(r"([rt])=\d+", r"\1=", shown)
    assert httpx2.get(f"{server.url}/version", trust_env=False).status_code == 401
    assert _get(f"{server.url}/version", key).status_code == 401


def _get(url: str, key: str) -> httpx2.Response:
    return httpx2.get(url, headers={"X-API-Key": key}, trust_env=False)


def test_the_guide_names_what_a_key_may_allow() -> None:
    from api.access import NEEDED
    from api.keys import PERMISSIONS

    rows = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", page_text(PAGE), re.MULTILINE))
    assert rows.keys() == set(PERMISSIONS)
    for path, permission in NEEDED.items():
        assert f"`{path}`" in rows[permission], path
