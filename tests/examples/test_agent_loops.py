"""The agent loops in ``examples/`` run against a real service, and notice when something is wrong."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from tests.answering import answering
from tests.docs.fences import blocks
from tests.examples.conftest import ROOT, Served

EXAMPLES = ROOT / "examples"
TIMEOUT_S = 90
#: File, and the programs that it needs.
LOOPS = [
    pytest.param("agent_loop.py", (sys.executable,), id="python"),
    pytest.param("agent_loop.mjs", ("node",), id="javascript"),
    pytest.param("agent_loop.sh", ("sh", "curl", "jq"), id="curl"),
]


def run(
    name: str, programs: tuple[str, ...], environment: dict[str, str], *words: str
) -> subprocess.CompletedProcess[str]:
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    return subprocess.run(
        [programs[0], str(EXAMPLES / name), *words],
        env=environment,
        cwd="/",  # an example may be started from anywhere
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )


@cache
def run_whole(
    name: str, programs: tuple[str, ...], served: Served
) -> subprocess.CompletedProcess[str]:
    return run(name, programs, served.environment())


@pytest.mark.parametrize(("name", "programs"), LOOPS)
def test_the_loop_runs_to_its_end(name: str, programs: tuple[str, ...], served: Served) -> None:
    done = run_whole(name, programs, served)
    assert (done.returncode, done.stderr) == (0, "")
    said = done.stdout.replace(",", "")
    assert "turn 3: code_run gave 20000 characters" in said
    assert re.search(r"truncate: 20000 characters became 9\d\d\d\n", said)
    assert "The ledger that outlived its harbour" in said
    # A task and five turns of a call and its result.
    assert re.search(r"context: \d+ characters 11 messages valid\n", said)
    assert "expanded 20000 characters; line 201: " in said
    assert said.endswith("all is well\n")


def test_all_languages_arrive_at_the_same_context(served: Served) -> None:
    tags = set()
    for loop in LOOPS:
        name, programs = loop.values
        assert isinstance(name, str)
        assert isinstance(programs, tuple)
        if all(shutil.which(program) for program in programs):
            tags.add(re.findall(r"etag (.+)", run_whole(name, programs, served).stdout)[0])
    assert len(tags) == 1


def test_the_loop_over_mcp_runs_to_its_end(served: Served) -> None:
    done = run("mcp_loop.py", (sys.executable,), served.environment())
    assert (done.returncode, done.stderr) == (0, "")
    assert "recalled notes: The ledger: There is no column for remarks.\n" in done.stdout
    assert done.stdout.endswith("refused with blocked_address\nall is well\n")


@pytest.mark.parametrize("way", ["http", "mcp"])
def test_a_purchase_is_as_recorded_whichever_way_it_goes(way: str, served: Served) -> None:
    done = run("shop_loop.py", (sys.executable,), served.environment(), way)
    assert (done.returncode, done.stderr) == (0, "")
    recorded = (EXAMPLES / "shop.txt").read_text("utf-8")
    assert done.stdout == recorded
    assert [recorded.count(text) for text in ("came and went: ", "new tab: ", " accepted\n")] == [
        2,
        1,
        1,
    ]


def test_the_recorded_purchase_names_no_refs() -> None:
    assert not re.search(r"\bc\d+\b", (EXAMPLES / "shop.json").read_text("utf-8"))


@pytest.mark.parametrize(("name", "programs"), LOOPS)
def test_a_missing_service_is_said_in_one_line(name: str, programs: tuple[str, ...]) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # taken, but nobody listens
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
        done = run(name, programs, Served(url, url).environment())
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(f"wrong: no answer from {url}")
    assert "Traceback" not in done.stderr


class _Guarded(BaseHTTPRequestHandler):
    shown: ClassVar[list[str | None]] = []

    def do_POST(self) -> None:
        self.shown.append(self.headers["Authorization"])
        self.rfile.read(int(self.headers["Content-Length"]))
        body = b'{"code": "unauthorized", "detail": "A valid API key is needed."}'
        self.send_response(401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.mark.parametrize(("name", "programs"), LOOPS)
def test_a_key_is_shown_where_there_is_one(name: str, programs: tuple[str, ...]) -> None:
    _Guarded.shown.clear()
    with answering(ThreadingHTTPServer(("127.0.0.1", 0), _Guarded)) as server:
        url = f"http://127.0.0.1:{server.server_port}"
        environment = Served(url, url).environment()
        for key in ("pf_1.x", ""):
            done = run(name, programs, {**environment, "PAGEFOLD_KEY": key})
            assert "unauthorized" in done.stderr.splitlines()[-1]
    assert _Guarded.shown == ["Bearer pf_1.x", None]


@pytest.mark.parametrize(("name", "programs"), LOOPS)
def test_a_refused_page_ends_the_loop(name: str, programs: tuple[str, ...], served: Served) -> None:
    blocked = {**served.environment(), "PAGEFOLD_DEMO_URL": "http://10.1.2.3"}
    done = run(name, programs, blocked)
    assert done.returncode == 1
    assert "blocked_address" in done.stderr.splitlines()[-1]


def test_the_readme_shows_how_they_are_started_and_what_they_say(served: Served) -> None:
    page = "examples/README.md"
    [started], [shown, bought] = blocks(page, "sh"), blocks(page, "text")
    serve, *lines = [line.partition("#")[0].split() for line in started.splitlines()]
    assert serve == ["make", "serve"]
    loops = [loop.values for loop in LOOPS]
    programs = {Path(str(line[1])).name: Path(line[0]).name for line in lines}
    assert programs == {
        "mcp_loop.py": "python",
        "shop_loop.py": "python",
        "agent_loop.py": "python",
        **{str(name): programs[0] for name, programs in loops[1:]},  # type: ignore[index]
    }
    assert all((ROOT / line[1]).is_file() for line in lines)
    said = run_whole("agent_loop.py", (sys.executable,), served).stdout
    # The page's address is part of its size, and so of the tag.
    assert _without_sizes(said) == _without_sizes(shown)
    assert bought in (EXAMPLES / "shop.txt").read_text("utf-8")


def _without_sizes(text: str) -> list[str]:
    return re.sub(r"\b[\da-f]{32}\b|\b\d+(,\d+)*\b", "#", text).splitlines()


def test_every_example_is_run() -> None:
    found = {path.name for path in Path(EXAMPLES).glob("*_loop.*")}
    assert found == {"mcp_loop.py", "shop_loop.py", *(loop.values[0] for loop in LOOPS)}
