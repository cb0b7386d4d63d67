"""The guide to the proxy can be followed, before a provider of ours."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import httpx2
import pytest

from api.proxy.settings import ProxySettings
from tests.docs.fences import ROOT, blocks, page_text
from tests.faults.serving import PAGEFOLD, eventually, free_port
from tests.proxy.provider import Provider, Text, provider

PAGE = "docs/how-to/proxy.md"
START, BASES, ASKING, UPSTREAMS = blocks(PAGE, "sh")


@dataclass(frozen=True, slots=True)
class Run:
    port: int
    provider: Provider
    log: Path

    def own(self, text: str) -> str:
        return text.replace("127.0.0.1:8002", f"127.0.0.1:{self.port}")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    folder = tmp_path_factory.mktemp("proxy")
    port, log = free_port(), folder / "log"
    first = START.split()
    assert first == [".venv/bin/pagefold", "proxy"]
    with provider() as made, log.open("wb") as stderr:
        made.script = lambda asked: [Text("It is rust.")]
        upstreams = f"anthropic={made.url},openai={made.url}"
        process = subprocess.Popen(
            [*PAGEFOLD, *first[1:]],
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "PAGEFOLD_PROXY_PORT": str(port),
                "PAGEFOLD_PROXY_UPSTREAMS": upstreams,
                "PAGEFOLD_DATA_DIR": str(folder / "data"),
            },
            stdout=stderr,
            stderr=stderr,
        )
        try:
            eventually(lambda: "Pagefold compacts" in log.read_text() and answers(port))
            yield Run(port, made, log)
        finally:
            process.terminate()
            assert process.wait(20) == 0


def answers(port: int) -> bool:
    try:
        url = f"http://127.0.0.1:{port}/healthz"
        return httpx2.get(url, trust_env=False).status_code == 200
    except httpx2.TransportError:
        return False


def test_code_of_the_page_runs_through_the_proxy(running: Run) -> None:
    environment = {**os.environ, "ANTHROPIC_API_KEY": "sk-a", "OPENAI_API_KEY": "sk-o"}
    command = [sys.executable, "-c", running.own("\n".join(blocks(PAGE, "python")))]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "It is rust.\n" * 2
    assert [asked.path for asked in running.provider.asked] == ["/v1/messages", "/v1/responses"]


def test_the_headers_are_those_that_the_page_lists(running: Run) -> None:
    script = running.own(BASES) + ASKING
    environment = {**os.environ, "OPENAI_API_KEY": "sk-o", "no_proxy": "*"}
    done = subprocess.run(
        ["sh", "-ec", script], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done
    assert [done.stdout] == blocks(PAGE, "text")
    listed = {
        name.lower()
        for name in re.findall(r"^\| `(X-Pagefold-\w+)`", page_text(PAGE), re.MULTILINE)
    }
    assert listed == {*done.stdout.split(), "x-pagefold-reason"}
    # What is passed on is not kept.
    assert "sk-o" not in running.log.read_text()


def test_options_of_the_page_exist() -> None:
    words = shlex.split(UPSTREAMS.replace("\\\n", " "))
    given = tuple(after for word, after in pairwise(words) if word == "--upstream")
    made = ProxySettings(proxy_upstreams=given).upstreams
    assert set(made) == {"anthropic", "local", "deepseek"}
    assert made["deepseek"].profile == "deepseek-reasoner"
    with pytest.raises(ValueError, match="NAME=URL"):
        ProxySettings(proxy_upstreams="https://a.test")  # type: ignore[arg-type]  # as from the environment
