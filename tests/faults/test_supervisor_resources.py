"""Where the machine has too little of something, requests fail typed, health says so, and it passes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.errors import CATALOGUE
from extractor import Page, PageRequest
from extractor.browser.supervisor import BrowserPool
from extractor.errors import ExtractorError
from tests.browser.site import Routes, serve
from tests.faults.pools import open_descriptors, reading, running_pool, use
from tests.faults.serving import service

pytestmark = pytest.mark.hostile

BROWSER_ERRORS = ("page_crashed", "browser_crashed", "page_unresponsive")


@contextlib.contextmanager
def small_disk(folder: Path, *options: str) -> Iterator[Path]:
    """A file system of its own; the namespace that the test runs in keeps it from everybody else."""
    folder.mkdir(exist_ok=True)
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", str(folder)], check=True
    )
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


async def _code(pool: BrowserPool) -> str:
    try:
        await use(pool)
    except ExtractorError as error:
        return error.code
    return ""


async def test_no_room_for_a_profile_is_a_typed_error_and_red_health_until_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_pool(launch_timeout_s=8) as pool:
        with small_disk(tmp_path / "small", "size=1m", "nr_inodes=2") as small:
            (small / "filler").touch()
            monkeypatch.setenv("TMPDIR", str(small))
            os.kill(pool.state.browser_pid, signal.SIGKILL)
            assert await _code(pool) == "browser_crashed"
            assert not pool.healthy
            assert pool.state.failure
            monkeypatch.delenv("TMPDIR")
            assert await _code(pool) == ""
            assert pool.healthy


async def test_a_disk_that_is_full_under_a_running_browser_fails_pages_typed_until_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    routes: Routes = {"/": "<p>Good words</p>" * 2_000}
    with small_disk(tmp_path / "small", "size=1m") as small:
        async with serve(routes) as site, reading(tmp_path, site.port) as extractor:
            monkeypatch.setenv("TMPDIR", str(small))
            (small / "filler").write_bytes(bytes(1 << 20))
            os.kill(extractor.pool.state.browser_pid, signal.SIGKILL)
            wanted = PageRequest(url=site.url("/"), format="text", render="browser")
            failed = await asyncio.gather(extractor.extract(wanted), return_exceptions=True)
            for error in failed:
                if not isinstance(error, Page):
                    assert getattr(error, "code", error) in BROWSER_ERRORS
            (small / "filler").unlink()
            page = await extractor.extract(wanted)
            assert "Good words" in page.content["text"]
            assert extractor.pool.healthy
        assert not list(small.iterdir())


async def test_a_small_shared_memory_folder_is_not_relied_on(tmp_path: Path) -> None:
    text = "<p>Good words on a good page.</p>" * 2_000
    with small_disk(Path("/dev/shm"), "size=64k"):
        async with (
            serve({"/": f"<canvas width=3000 height=3000></canvas>{text}"}) as site,
            reading(tmp_path, site.port) as extractor,
        ):
            wanted = PageRequest(
                url=site.url("/"), format=("text", "screenshot"), render="browser", budget=3_000_000
            )
            page = await extractor.extract(wanted)
            assert page.content["text"].count("Good words") == 2_000
            assert page.content["screenshot"]


async def test_a_launch_without_file_descriptors_fails_typed_and_the_next_works() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    async with running_pool() as pool:
        before = open_descriptors()
        os.kill(pool.state.browser_pid, signal.SIGKILL)
        # Nothing is left for the pipes of a driver.
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, before + 2), hard))
        try:
            assert await _code(pool) == "browser_crashed"
            assert not pool.healthy
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert await _code(pool) == ""
        assert pool.healthy


async def test_a_service_with_few_file_descriptors_answers_everyone(tmp_path: Path) -> None:
    routes: Routes = {"/": "<p>Good words</p>" + "<iframe src=/in></iframe>" * 3, "/in": "In"}
    async with serve(routes) as site:
        limits = {"concurrency": 4, "queue_size": 64, "allow_hosts": f"127.0.0.1:{site.port}"}
        before = ("prlimit", "--nofile=128", "--")
        with service(tmp_path, before=before, **limits) as server:
            url = site.url("/")
            asked = (asyncio.to_thread(server.read, url) for _ in range(16))
            answers = Counter(await asyncio.gather(*asked))
            assert answers[200, ""] > 0, answers
            assert all(code in CATALOGUE for status, code in answers if status != 200), answers
            assert not [code for _, code in answers if code == "internal"], answers
            assert await asyncio.to_thread(server.read, url) == (200, "")
            ready = await asyncio.to_thread(server.get, "/readyz")
            assert ready.status_code == 200
