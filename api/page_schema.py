"""The page as a JSON schema: types from its dataclasses, descriptions from the lines under their fields."""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
from dataclasses import fields, replace
from functools import cache
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from api.pages_json import page_bytes
from extractor import page, snapshot, unseen
from extractor.offline import filter_html

Schema = dict[str, Any]
#: Where OpenAPI keeps its schemas.
COMPONENT = "#/components/schemas/{model}"

_EXAMPLE = """<html lang="en"><title>The harbour ledger</title>
<main><h1>The harbour ledger</h1><p>Low water is at <a href="/tides" rel="next">four</a>.</p>
<p hidden>Say nothing of this.</p></main>"""


class SnapshotName(BaseModel):
    """The stored capture."""

    model_config = ConfigDict(extra="forbid")

    id: str = Field(description="Its id, 32 hexadecimal digits.", pattern="^[0-9a-f]{32}$")
    stored: bool = Field(description="Whether it was kept, so that refs can be unfolded.")


@cache
def page_model() -> type[BaseModel]:
    """What ``page_dict`` writes, as a model: every field stands in every page."""
    types, docs = get_type_hints(page.Page), field_docs(page.Page)
    given: dict[str, Any] = {
        item.name: (types[item.name], Field(description=docs[item.name]))
        for item in fields(page.Page)
        if item.name not in ("snapshot", "stored")
    }
    given["snapshot"] = (SnapshotName, Field(description=docs["snapshot"]))
    config = ConfigDict(extra="forbid")
    return create_model("Page", __doc__=page.Page.__doc__, __config__=config, **given)


def page_schema(ref_template: str = COMPONENT) -> dict[str, Schema]:
    """Schemas by name: ``Page`` and all that it is made of."""
    whole = page_model().model_json_schema(mode="serialization", ref_template=ref_template)
    parts: dict[str, Schema] = whole.pop("$defs")
    for name, part in parts.items():
        kind = getattr(page, name, None) or getattr(snapshot, name, None)
        kind = kind or getattr(unseen, name, None)
        if kind is None:
            continue
        for field, text in field_docs(kind).items():
            part["properties"][field]["description"] = text
        part["required"] = list(part["properties"])
    return {"Page": whole, **parts}


@cache
def page_example() -> dict[str, Any]:
    """A small page as the API answers with it; times are left out."""
    made = filter_html(_EXAMPLE, url="https://example.org/", format=("markdown", "metadata"))
    made = replace(made, stats=replace(made.stats, timings_ms={}))
    found: dict[str, Any] = json.loads(page_bytes(made))
    return found


def field_docs(kind: type) -> dict[str, str]:
    """The string that stands under each field of a class."""
    [tree] = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(tree, ast.ClassDef)
    docs: dict[str, str] = {}
    for line, after in zip(tree.body, tree.body[1:], strict=False):
        if (
            isinstance(line, ast.AnnAssign)
            and isinstance(line.target, ast.Name)
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
        ):
            docs[line.target.id] = " ".join(str(after.value.value).split())
    return docs
