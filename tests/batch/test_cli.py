"""``pagefold batch`` as somebody types it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from api.cli import app
from tests.batch.pages import pages
from tests.browser.site import Site, serve

QUICK = ["--no-robots", "--no-tdm", "--retries", "0", "--shard-rows", "2"]


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A site in a thread of its own: the command runs its own event loop."""
    started, found = threading.Event(), list[Site]()
    loop = asyncio.new_event_loop()
    ended = asyncio.Event()

    async def serving() -> None:
        async with serve(pages(5)) as opened:
            found.append(opened)
            started.set()
            await ended.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serving(),))
    thread.start()
    started.wait()
    monkeypatch.setenv("PAGEFOLD_ALLOW_HOSTS", f"127.0.0.1:{found[0].port}")
    yield found[0]
    loop.call_soon_threadsafe(ended.set)
    thread.join()
    loop.close()


def write(path: Path, site: Site, *paths: str) -> str:
    path.write_text("".join(f"{site.url(each)}\n" for each in paths))
    return str(path)


def test_a_run_says_how_it_ended(tmp_path: Path, site: Site) -> None:
    source, out = write(tmp_path / "a.txt", site, "/0", "/1", "/2"), str(tmp_path / "out")
    done = CliRunner().invoke(app, ["batch", source, "--out", out, *QUICK, "--format", "parquet"])
    assert done.exit_code == 0, done.output
    assert "3 rows" in done.stderr
    assert sorted(path.name for path in (tmp_path / "out" / "rows").iterdir()) == [
        "part-00000.parquet",
        "part-00001.parquet",
    ]
    other = CliRunner().invoke(app, ["batch", source, "--out", out, *QUICK])
    assert other.exit_code == 1
    assert "run_differs" in other.stderr
    assert "output.formats" in other.stderr


def test_events_tell_everything_and_rows_without_pages_have_an_exit_code(
    tmp_path: Path, site: Site
) -> None:
    source = write(tmp_path / "a.txt", site, "/0", "/missing", "/1", "/0")
    with open(source, "a") as file:
        file.write("nonsense\n")
    done = CliRunner().invoke(
        app, ["batch", source, "--out", str(tmp_path / "o"), *QUICK, "--json"]
    )
    assert done.exit_code == 3, done.output
    events = [json.loads(line) for line in done.stdout.splitlines()]
    kinds = [event["event"] for event in events]
    assert (kinds[0], kinds[-1], kinds.count("row"), kinds.count("shard")) == (
        "started",
        "finished",
        3,
        2,
    )
    outcomes = {event["index"]: event["outcome"] for event in events if event["event"] == "row"}
    assert outcomes == {0: "ok", 1: "http_404", 2: "ok"}
    last = events[-1]
    assert last["outcomes"] == {"ok": 2, "http_404": 1}
    assert (last["entries"]["repeated"], last["entries"]["bad"]) == (1, {"invalid_url": 1})


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--shard", "0/2"], 2, "I/N"),
        (["--shard", "3/2"], 2, "I/N"),
        (["--filter", "nothing"], 2, "nothing"),
        (["--agent", "two words"], 2, "agent"),
        (["--budget", "100"], 2, "budget"),
    ],
)
def test_wrong_usage_is_told_in_one_line(
    tmp_path: Path, site: Site, options: list[str], code: int, words: str
) -> None:
    source = write(tmp_path / "a.txt", site, "/0")
    done = CliRunner().invoke(app, ["batch", source, "--out", str(tmp_path / "o"), *options])
    assert done.exit_code == code, done.output
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "o").exists()


def test_a_missing_input_is_told_in_one_line(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        app, ["batch", str(tmp_path / "no.txt"), "--out", str(tmp_path / "o")]
    )
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert "input_invalid" in done.stderr


async def test_sigterm_ends_a_run_in_order(tmp_path: Path) -> None:
    async def never(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(60)

    async with serve({**pages(2), "/never": never}) as site:
        source = write(tmp_path / "a.txt", site, "/0", "/1", "/never")
        environment = {**os.environ, "PAGEFOLD_ALLOW_HOSTS": f"127.0.0.1:{site.port}"}
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", "from api.cli import main; main()",
            "batch", source, "--out", str(tmp_path / "o"), *QUICK, "--json",
            cwd=Path(__file__).parents[2], env=environment,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert process.stdout is not None
        while b'"shard"' not in await process.stdout.readline():
            pass
        process.send_signal(signal.SIGTERM)
        _, err = await process.communicate()
    assert (process.returncode, err.decode()) == (
        130,
        "pagefold: interrupted: run the same command again to go on\n",
    )
    manifest = json.loads((tmp_path / "o" / "manifest.json").read_text())
    assert (manifest["complete"], manifest["counts"]["rows"]) == (False, 2)
