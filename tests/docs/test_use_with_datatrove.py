"""The how-to on datatrove: its programs run, with the package itself where it is there, else before its protocol."""

from __future__ import annotations

import inspect
import re
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.batch.test_datatrove import PAGE as MARKUP
from tests.batch.test_datatrove import documents, steps
from tests.docs.fences import ROOT, blocks, page_text

PAGE = "docs/how-to/use-with-datatrove.md"
EXTRACTING, READING, CHOOSING = blocks(PAGE, "python")

__all__ = ["steps"]  # a fixture


class Step:
    """A reader or writer of datatrove 0.10, as far as the programs use it: what it was given, and no more."""

    def __init__(self, *given: Any, **named: Any) -> None:
        self.given, self.named = given, named


class Executor:
    """Hands the reader's documents to the steps behind it; what came out is in ``out``."""

    out: list[Any]

    def __init__(self, pipeline: list[Any], tasks: int) -> None:
        self.pipeline = pipeline

    def run(self) -> None:
        _, extractor, writer = self.pipeline
        assert isinstance(writer, Step)
        Executor.out = list(extractor.run(documents(MARKUP)))


class LambdaFilter:
    def __init__(self, chosen: Any) -> None:
        self.filter = chosen


@pytest.fixture
def datatrove(steps: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its modules, as the programs import them."""
    names: dict[str, dict[str, Any]] = {
        "datatrove.executor": {"LocalPipelineExecutor": Executor},
        "datatrove.pipeline.readers": {"WarcReader": Step, "JsonlReader": Step},
        "datatrove.pipeline.writers": {"JsonlWriter": Step},
        "datatrove.pipeline.filters": {"LambdaFilter": LambdaFilter},
    }
    for name, held in names.items():
        module = ModuleType(name)
        vars(module).update(held)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setitem(sys.modules, steps.__name__, steps)


def run(program: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(program, PAGE, "exec"), names)
    return names


@pytest.mark.usefixtures("datatrove")
def test_the_pipeline_gives_main_content() -> None:
    run(EXTRACTING)
    [document] = Executor.out
    assert "What the page is about" in document.text
    assert "Elsewhere" not in document.text


@pytest.mark.usefixtures("datatrove")
def test_rows_become_documents_that_can_be_chosen_by_their_rights() -> None:
    reader = run(READING)["reader"]
    adapter, key = reader.named["adapter"], reader.named["text_key"]
    rows = [
        {"key": str(at), key: f"text {at}", "rights": {"tdm": {"reserved": at == 1}}}
        for at in range(2)
    ]
    made = [adapter(SimpleNamespace(text_key=key), row, "part", 0) for row in rows]
    kept = [
        each["text"]
        for each in made
        if run(CHOOSING)["unreserved"].filter(SimpleNamespace(metadata=each["metadata"]))
    ]
    assert kept == ["text 0"]


def test_the_arguments_are_those_of_the_extractor(steps: ModuleType) -> None:
    named = re.findall(r"^\| `(\w+)` \|", page_text(PAGE), re.M)
    taken = list(inspect.signature(steps.PagefoldExtractor).parameters)
    assert named == taken


def test_the_extra_is_one_that_there_is() -> None:
    [install] = blocks(PAGE, "sh")
    extras = (ROOT / "pyproject.toml").read_text("utf-8")
    for name in re.findall(r"pip install 'pagefold\[([\w,]+)\]'", install)[0].split(","):
        assert re.search(rf"^{name} = \[", extras, re.M)
