"""The steps for datatrove pipelines: with the package itself where it is there, else by its protocol."""

from __future__ import annotations

import importlib
import importlib.util
import io
import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import orjson
import pytest

from batch.datatrove_rows import row_to_document
from batch.errors import MissingExtra
from batch.rows import Row

INSTALLED = importlib.util.find_spec("datatrove") is not None
PAGE = (
    "<!doctype html><title>T</title><nav><a href=/n>Elsewhere on this site</a></nav>"
    "<main><h1>Head</h1><p>What the page is about, <a href='/more'>told at length</a>.</p></main>"
)


class BaseExtractor:
    """As datatrove 0.10 documents it, without the process that it keeps for extracting."""

    def __init__(self, timeout: float = 1) -> None:
        self.timeout = timeout

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        self.extract("")  # type: ignore[attr-defined]  # how it warms up
        for document in data:
            given = document.text if isinstance(document.text, tuple) else (document.text,)
            document.text = self.extract(*given)  # type: ignore[attr-defined]
            if document.text:
                yield document


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    names = ["datatrove", "datatrove.pipeline", "datatrove.pipeline.extractors"]
    for name in names:
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    base = ModuleType("datatrove.pipeline.extractors.base")
    base.BaseExtractor = BaseExtractor  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, base.__name__, base)
    monkeypatch.delitem(sys.modules, "batch.datatrove_extractor", raising=False)
    module = importlib.import_module("batch.datatrove_extractor")
    del sys.modules["batch.datatrove_extractor"]
    return module


def documents(*texts: str) -> list[SimpleNamespace]:
    return [
        SimpleNamespace(text=text, metadata={"url": f"https://a.example/{at}/"} if at else {})
        for at, text in enumerate(texts)
    ]


def test_documents_become_what_a_person_would_read(steps: ModuleType) -> None:
    given = documents(PAGE, "", "<script>1</script>", PAGE)
    found = list(steps.PagefoldExtractor().run(iter(given)))
    assert found == [given[0], given[3]]
    for document in found:
        assert "What the page is about" in document.text
        assert "Elsewhere" not in document.text
        assert "folded" not in document.text


def test_links_are_made_absolute_by_the_address_of_the_document(steps: ModuleType) -> None:
    step = steps.PagefoldExtractor("markdown", timeout=3)
    assert step.timeout == 3
    found = list(step.run(documents(PAGE, PAGE)))
    assert "](https://a.example/more)" in found[1].text
    assert "https://a.example" not in found[0].text


def test_the_whole_page_and_a_budget_are_settings(steps: ModuleType) -> None:
    whole = steps.PagefoldExtractor(main_only=False).extract(PAGE)
    assert "Elsewhere" in whole
    long = PAGE + "".join(f"<p>Sentence number {at} of the page.</p>" for at in range(200))
    assert len(steps.PagefoldExtractor(budget=1_000).extract(long)) <= 1_000


@pytest.mark.skipif(INSTALLED, reason="datatrove is installed")
def test_without_datatrove_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "batch.datatrove_extractor", raising=False)
    with pytest.raises(MissingExtra, match=r"pagefold\[datatrove\]"):
        importlib.import_module("batch.datatrove_extractor")


def row(**fields: object) -> dict[str, Any]:
    made = Row(3, "k" * 32, "http://a.example/", **fields)  # type: ignore[arg-type]
    loaded: dict[str, Any] = orjson.loads(orjson.dumps(made))
    return loaded


def test_a_row_becomes_a_document() -> None:
    reader = SimpleNamespace(text_key="markdown")
    found = row_to_document(
        reader, row(markdown="# T", text="T", title="T", status=200), "p.zst", 7
    )
    assert (found["text"], found["id"]) == ("# T", "k" * 32)
    assert found["metadata"]["url"] == "http://a.example/"
    assert found["metadata"]["shard"] == "p.zst"
    assert row_to_document(reader, row(), "p.zst", 8)["text"] == ""


@pytest.mark.skipif(not INSTALLED, reason="needs datatrove: pip install 'pagefold[datatrove]'")
def test_a_pipeline_of_datatrove_itself(tmp_path: Any) -> None:
    from datatrove.data import Document  # type: ignore[import-not-found]
    from datatrove.pipeline.readers import JsonlReader  # type: ignore[import-not-found]

    from batch.datatrove_extractor import PagefoldExtractor
    from batch.outputs.rows_jsonl import JsonlRows

    given = [
        Document(text=PAGE, id="0", metadata={"url": "https://a.example/"}),
        Document(text="<script>1</script>", id="1"),
    ]
    step = PagefoldExtractor("markdown", timeout=60)
    found = list(step.run(iter(given)))
    assert [document.id for document in found] == ["0"]
    assert "](https://a.example/more)" in found[0].text
    buffer = io.BytesIO()
    writer = JsonlRows(buffer)
    for line in (row(markdown="# T"), row()):
        writer.add(orjson.dumps(line))
    writer.close()
    (tmp_path / "part-00000.jsonl.zst").write_bytes(buffer.getvalue())
    reader = JsonlReader(str(tmp_path), adapter=row_to_document, text_key="markdown")
    read = list(reader.run())
    assert [(document.id, document.text) for document in read] == [("k" * 32, "# T")]
    assert read[0].metadata["url"] == "http://a.example/"
