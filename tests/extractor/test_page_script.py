"""The parts of the page scripts share one scope, so no two may declare the same name."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from importlib.resources import as_file, files
from pathlib import Path

import pytest

from extractor.browser.script import capture_source, steer_source

_DECLARED = re.compile(r"^(?:async )?(?:const|let|class|function\*?) +([\w$]+)", re.M)
#: These two are scripts of their own.
_ALONE = frozenset({"ready.js", "settle.js"})


_NOT_CODE = re.compile(r"/\*.*?\*/|(?<![:\"'`])//[^\n]*", re.S)
NODE = shutil.which("node")


@pytest.mark.skipif(
    NODE is None, reason="node is not installed; Chromium reads the scripts in tests/browser"
)
def test_every_part_is_well_formed(tmp_path: Path) -> None:
    with as_file(files("extractor").joinpath("js")) as folder:
        for part in sorted(folder.glob("*.js")):
            run = subprocess.run(
                [str(NODE), "--check", str(part)], capture_output=True, text=True, check=False
            )
            assert run.returncode == 0, run.stderr
    for name, source in (("capture", capture_source()), ("steer", steer_source())):
        whole = tmp_path / f"{name}.js"
        whole.write_text(source, "utf-8")
        run = subprocess.run(
            [str(NODE), "--check", str(whole)], capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr


def test_every_name_that_is_declared_is_used() -> None:
    folder = files("extractor").joinpath("js")
    texts = [file.read_text("utf-8") for file in folder.iterdir() if file.name.endswith(".js")]
    code = "\n".join(_NOT_CODE.sub("", text) for text in texts)
    words = Counter(re.findall(r"[\w$]+", code))
    declared = {name for text in texts for name in _DECLARED.findall(text)}
    assert sorted(name for name in declared if words[name] < 2) == []


def test_no_part_declares_a_name_of_another() -> None:
    folder = files("extractor").joinpath("js")
    parts = [file for file in folder.iterdir() if file.name.endswith(".js")]
    shared = [part.read_text("utf-8") for part in parts if part.name not in _ALONE]
    names = Counter(name for text in shared for name in _DECLARED.findall(text))
    assert len(shared) > 10
    assert [name for name, count in names.items() if count > 1] == []
