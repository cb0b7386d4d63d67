"""Every command and example of the README does what it says, against a service of the test's own."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from tests.docs.fences import ROOT, blocks
from tests.docs.following import PROGRAMS, own
from tests.faults.serving import Service, free_port

PAGE = "README.md"
COMMAND_S = 60


def commands(program: str) -> list[str]:
    """Commands of the README that begin with ``program``, lines that belong together joined."""
    lines = "\n".join(blocks(PAGE, "sh")).replace("\\\n", " ")
    found = re.findall(rf"^{re.escape(program)} (?:'[^']*'|[^'\n])*", lines, re.MULTILINE)
    return [line.partition("   # ")[0].strip() for line in found]


@dataclass(frozen=True, slots=True)
class Reader:
    """Somebody who types what the README says, in a folder of their own."""

    running: Service
    folder: Path
    environment: dict[str, str]

    def own(self, text: str) -> str:
        """``text`` of the README with the addresses of this reader."""
        site = f"http://127.0.0.1:{self.running.demo_port}"
        return own(text, self.running).replace("https://example.org/", f"{site}/article")

    def run(self, command: str) -> str:
        words = shlex.split(self.own(command).replace(".venv/bin/", f"{PROGRAMS}/"))
        words[1:1] = ["-sS", "--fail-with-body"] if words[0] == "curl" else []
        done = subprocess.run(
            words, cwd=self.folder, env=self.environment, capture_output=True, timeout=COMMAND_S
        )
        assert done.returncode == 0, (command, done.stdout[-2000:], done.stderr[-2000:])
        return done.stdout.decode()


@pytest.fixture(scope="module")
def reader(running: Service, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    folder = tmp_path_factory.mktemp("readme")
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PAGEFOLD_DATA_DIR": str(folder / "data"),
        "PAGEFOLD_ALLOW_HOSTS": f"127.0.0.1:{running.demo_port}",
    }
    return Reader(running, folder, environment)


def test_every_line_of_a_shell_block_is_tried() -> None:
    lines = "\n".join(blocks(PAGE, "sh")).replace("\\\n", " ").splitlines()
    tried = [line.partition(" ")[0] for line in lines if line[:1] not in ("", " ", "#", "}")]
    assert set(tried) == {"make", "curl", ".venv/bin/pagefold"}
    assert tried.count("make") == 1
    assert tried.count("curl") == len(commands("curl"))


def test_start_command_is_one_of_the_makefile() -> None:
    assert blocks(PAGE, "sh")[0] == "make serve\n"
    assert re.search(
        r"^serve: setup\n\t@exec \.venv/bin/pagefold serve$", _makefile(), re.MULTILINE
    )


def _makefile() -> str:
    return (ROOT / "Makefile").read_text("utf-8")


@pytest.mark.parametrize(
    "command", [line for line in commands("curl") if "SNAPSHOT" not in line and "SESSION" not in line]
)  # fmt: skip
def test_request_works(reader: Reader, command: str) -> None:
    reader.run(command)
    if "-o " in command:
        assert (reader.folder / "article.png").read_bytes().startswith(b"\x89PNG")


def test_article_looks_as_shown_and_its_folds_open(reader: Reader) -> None:
    [command] = [line for line in commands("curl") if "article&budget=1500" in line]
    address = shlex.split(reader.own(command))[-1]
    answer = httpx2.get(address, trust_env=False, timeout=COMMAND_S)
    [shown] = blocks(PAGE, "markdown")
    lines = [line for line in shown.splitlines() if line and not line.endswith("…")]
    missing = [line for line in lines if line not in answer.text.splitlines()]
    assert not missing
    snapshot = answer.headers["x-pagefold-snapshot"]
    replays = [line for line in commands("curl") if "SNAPSHOT" in line]
    assert len(replays) >= 4
    for line in replays:
        assert reader.run(line.replace("SNAPSHOT", snapshot)).strip()


def test_history_is_kept_within_its_budget_and_gives_back_what_left(reader: Reader) -> None:
    [opening] = [line for line in commands("curl") if "/v1/sessions -H" in line]
    opened = json.loads(reader.run(opening))
    append, read, look_up = (
        line.replace("SESSION", opened["id"]).replace("@", f"@{ROOT}/")
        for line in commands("curl")
        if "SESSION" in line
    )
    reader.run(append)
    sent = json.loads((ROOT / "examples" / "history.json").read_text("utf-8"))["messages"]
    assert len(json.dumps(sent, ensure_ascii=False)) > 39_000
    context = reader.run(read)
    kept = json.loads(context)["messages"]
    assert len(json.dumps(kept, ensure_ascii=False)) <= opened["budget_chars"]
    [ref] = re.findall(r"messages 1-16 \(16\): ref=(a:\w+)", context)
    found = json.loads(reader.run(look_up.replace("REF", ref)))["lines"]
    assert [line["text"] for line in found] == [
        "07:22:40 WARN  Newlyn: quota of 4096 files is used up, 0 left"
    ]


@pytest.mark.parametrize(
    "command", [line for line in commands(".venv/bin/pagefold") if not line.endswith("demo")]
)
def test_command_line_works(reader: Reader, command: str) -> None:
    if command.endswith("doctor"):
        # Its ports are those of a running service; with the README's own it looks at a machine without one.
        quiet = {
            **reader.environment,
            "PAGEFOLD_PORT": "0",
            "PAGEFOLD_DEMO_PORT": str(free_port()),
        }
        reader = Reader(reader.running, reader.folder, quiet)
    assert reader.run(command).strip()


@pytest.mark.parametrize("script", blocks(PAGE, "python"))
def test_python_example_works(reader: Reader, script: str) -> None:
    file = reader.folder / "example.py"
    file.write_text(reader.own(script))
    assert reader.run(f".venv/bin/python {file}").strip()
