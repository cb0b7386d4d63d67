"""The client's types say what the service takes and gives."""

from __future__ import annotations

from typing import Any, get_args, get_type_hints

import pytest

from api.client import answers, options
from api.models import ReadQuery, ReplayQuery
from api.page_schema import page_schema
from api.session_examples import ANSWERS
from api.session_models import SessionIn
from api.tabs.docs import OUTCOME, SCAN, TAB
from extractor.request import PageRequest
from extractor.tabs import TabAct, TabExecute, TabOpen, TabScan


def test_options_are_the_fields_of_requests() -> None:
    assert get_type_hints(options.PageOptions).keys() == PageRequest.model_fields.keys()
    assert get_type_hints(options.SessionOptions).keys() == SessionIn.model_fields.keys()
    replayed, read = ReplayQuery.model_fields.keys(), ReadQuery.model_fields.keys()
    assert get_type_hints(options.ReplayOptions).keys() == replayed - {"format"}
    assert get_type_hints(options.ReadOptions).keys() == read - {"format", "url"}
    assert get_type_hints(options.TabOptions).keys() == TabOpen.model_fields.keys()
    assert get_type_hints(options.ScanOptions).keys() == TabScan.model_fields.keys()
    assert get_type_hints(options.ActOptions).keys() == TabAct.model_fields.keys()
    assert get_type_hints(options.ExecuteOptions).keys() == TabExecute.model_fields.keys()
    [formats] = {get_args(options.PageFormat)}
    shape: Any = PageRequest.model_json_schema()["properties"]["format"]["items"]["enum"]
    assert list(formats) == shape


@pytest.mark.parametrize(
    ("kind", "name"),
    [(answers.Page, "Page"), (answers.Fold, "Fold"), (answers.Link, "Link"), (answers.SnapshotName, "SnapshotName")],
)  # fmt: skip
def test_pages_have_the_fields_of_the_schema(kind: type, name: str) -> None:
    assert get_type_hints(kind).keys() == page_schema()[name]["properties"].keys()


@pytest.mark.parametrize(
    ("kind", "route"),
    [(answers.Session, "show"), (answers.Report, "append"), (answers.Context, "context"),
     (answers.Expanded, "expand"), (answers.KeyInfo, "key_info"), (answers.AppendedPage, "page"),
     (answers.Verdict, "validate")],
)  # fmt: skip
def test_answers_have_the_fields_of_the_documented_ones(kind: type, route: str) -> None:
    assert get_type_hints(kind).keys() == ANSWERS[route].keys()


@pytest.mark.parametrize(
    ("kind", "example"),
    [(answers.Tab, TAB), (answers.Scan, SCAN), (answers.Outcome, OUTCOME),
     (answers.Control, SCAN["controls"][0])],
)  # fmt: skip
def test_tabs_have_the_fields_of_the_documented_ones(kind: type, example: dict[str, Any]) -> None:
    assert get_type_hints(kind).keys() == example.keys()
