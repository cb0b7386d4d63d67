"""The guide to tabs can be followed from top to bottom."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn

from api.app import create_app
from api.demo import DemoServer
from api.settings import ApiSettings
from tests.faults.serving import eventually

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "how-to" / "drive-a-page.md").read_text("utf-8")
_STEP = "=== step ==="


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def ports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, int]]:
    folder = tmp_path_factory.mktemp("tabs-guide")
    listener = socket.create_server(("127.0.0.1", 0))
    with DemoServer(0) as demo:
        settings = ApiSettings(data_dir=folder, demo_port=demo.port, concurrency=1).with_demo()
        config = uvicorn.Config(create_app(settings), log_config=None, access_log=False)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            eventually(lambda: server.started)
            yield {"8000": listener.getsockname()[1], "8001": demo.port}
        finally:
            server.should_exit = True
            thread.join()
            listener.close()


def own(text: str, ports: dict[str, int]) -> str:
    for named, port in ports.items():
        text = text.replace(f"127.0.0.1:{named}", f"127.0.0.1:{port}")
    return text


def test_commands_print_what_the_guide_says(ports: dict[str, int], tmp_path: Path) -> None:
    for program in ("sh", "curl", "jq", "sed"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    script = f"\necho '{_STEP}'\n".join(own(each, ports) for each in blocks("sh"))
    done = subprocess.run(
        ["sh", "-ec", script], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done
    *expected, _ = [own(part, ports).strip() for part in blocks("text")]
    assert [part.strip() for part in done.stdout.split(_STEP)] == expected
    assert (tmp_path / "page.png").read_bytes().startswith(b"\x89PNG")


def test_the_program_prints_what_the_guide_says(ports: dict[str, int], tmp_path: Path) -> None:
    [program] = blocks("python")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PAGEFOLD_DATA_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", own(program, ports)],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done
    # Log lines come before it.
    assert done.stdout.endswith(blocks("text")[-1])


def test_settings_that_the_guide_names_exist() -> None:
    names = set(re.findall(r"`PAGEFOLD_(\w+)", GUIDE))
    assert names <= {name.upper() for name in ApiSettings.model_fields}
