"""The lines of the guides to sessions and clients run, in order, and print what the page says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.fences import fences
from tests.examples.conftest import ROOT, Served

PAGES = ("docs/how-to/sessions.md", "docs/how-to/clients.md")
_DONE = "-- end of block --"


#: Language of a fence → the program that runs it, and how it says that a block has ended.
RUNNERS = {
    "sh": (("sh", "-eu"), f"echo '{_DONE}'\n"),
    "python": ((sys.executable, "-"), f"print('{_DONE}')\n"),
    "javascript": (("node", "--input-type=module"), f"console.log('{_DONE}');\n"),
}


def blocks(page: str, wanted: str) -> tuple[list[str], list[str]]:
    """The blocks of a language in a page, and what each says that it prints (empty: nothing is said)."""
    found: list[tuple[str, str, str]] = []
    for language, text in fences(page):
        if language in RUNNERS:
            found.append((language, text, ""))
        else:
            found[-1] = (*found[-1][:2], text)
    own = [(text, said) for language, text, said in found if language == wanted]
    return [text for text, _ in own], [said for _, said in own]


@pytest.mark.parametrize("language", RUNNERS)
@pytest.mark.parametrize("page", PAGES)
def test_the_page_does_what_it_says(
    page: str, language: str, served: Served, tmp_path: Path
) -> None:
    command, end = RUNNERS[language]
    for program in (command[0], *(("curl", "jq", "seq") if language == "sh" else ())):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    scripts, said = blocks(page, language)
    assert scripts
    whole = "".join(f"{script}{end}" for script in scripts)
    whole = whole.replace("http://127.0.0.1:8000", served.url)
    whole = whole.replace("http://127.0.0.1:8001", served.demo)
    whole = whole.replace('"./api/', f'"{(ROOT / "api").as_uri()}/')
    done = subprocess.run(
        command,
        input=whole,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=90,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.split(f"{_DONE}\n")[:-1] == said
