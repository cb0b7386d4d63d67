"""What a browser would save to disk is no page, and nothing of it is ever saved."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.browser.site import Answer, Routes
from tests.faults.exhaustion import WORDS, Reader, reading

pytestmark = [pytest.mark.hostile, pytest.mark.asyncio(loop_scope="module")]

MARK = b"MZ not to be saved"
EVIL = 'attachment; filename="../../../evil.sh"'


def _file(kind: str, disposition: str | None = None) -> Answer:
    named = {"Content-Disposition": disposition} if disposition else {}
    return Answer(MARK * 1000, headers={"Content-Type": kind, **named})


ROUTES: Routes = {
    "/binary": _file("application/octet-stream", EVIL),
    "/zip": _file("application/zip"),
    "/attached": Answer(f"<main>{WORDS}</main>", headers={"Content-Disposition": EVIL}),
    "/click": f"<main>{WORDS}<a id=a href=/binary download='../x.exe'>get</a></main><script>onload = () => a.click()</script>",
    "/leads": f"<main>{WORDS}</main><script>onload = () => {{ location = '/binary' }}</script>",
    "/frame": f"<main>{WORDS}<iframe src=/binary></iframe></main>",
    "/many": f"<main>{WORDS}<a id=a href=/binary download>get</a></main><script>for (let i = 0; i < 100; i++) a.click()</script>",
    "/blob": f"<main>{WORDS}<a id=a download='blob.bin'>get</a></main><script>a.href = URL.createObjectURL(new Blob(['MZ not to be saved'.repeat(1000)])); a.click()</script>",
}


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def reader(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Reader]:
    """With folders of its own for temporary files and for a home, where all would be that is saved."""
    folder = tmp_path_factory.mktemp("places")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("TMPDIR", "HOME", "XDG_DOWNLOAD_DIR"):
            patch.setenv(name, str(folder))
        patch.setattr(tempfile, "tempdir", str(folder))
        async with reading(ROUTES, tmp_path_factory.mktemp("data"), max_popups=10) as running:
            yield running


def _saved(*folders: Path) -> list[Path]:
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if MARK in path.read_bytes()]


@pytest.mark.parametrize("render", ["browser", "static"])
@pytest.mark.parametrize(
    ("path", "code"),
    [("/binary", "download"), ("/zip", "unsupported_media"), ("/attached", "download")],
)
async def test_a_download_is_no_page(reader: Reader, path: str, code: str, render: str) -> None:
    assert await reader.outcome(path, render=render) == code
    await reader.healthy()


@pytest.mark.parametrize("path", ["/click", "/leads", "/frame", "/blob"])
async def test_a_page_that_starts_a_download_is_read_and_says_so(reader: Reader, path: str) -> None:
    page = await reader.read(path, wait={"delay_ms": 500})
    assert page.snapshot.meta.render == "browser"
    assert "plain words" in page.content["text"]
    if path != "/frame":
        assert [notice.code for notice in page.warnings] == ["download"]
    await reader.healthy()


async def test_downloads_past_the_cap_stop_the_page(reader: Reader) -> None:
    assert await reader.beside("/many") in ("max_popups", "complete")


async def test_nothing_of_a_download_is_on_disk(reader: Reader) -> None:
    for path in ROUTES:
        await reader.outcome(path, wait={"delay_ms": 200})
    assert _saved(Path(tempfile.gettempdir()), Path("/dev/shm")) == []
    assert not [*Path.cwd().glob("*.exe"), *Path.cwd().glob("evil*"), *Path.cwd().glob("blob*")]
