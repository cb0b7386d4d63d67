"""The reference page of ``/v1/tabs``: what is sent and what is answered."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from api.reference.tables import Schema, code, default, example, kind, limits, prose, table
from api.tabs.shapes import OutcomeOut, ScanOut, add_descriptions
from extractor.tabs import TabAct, TabExecute, TabOpen, TabScan, TabShot

_SENT = ("field", "type", "default", "limits", "meaning", "example")
_ROUTES = (
    ("POST /v1/tabs", "opens a page that stays open", "201 [Tab](#tab), `Location`"),
    ("GET /v1/tabs", "lists the tenant's tabs, the oldest first", "`tabs`: list of [Tab](#tab)"),
    ("GET /v1/tabs/{id}", "one tab", "[Tab](#tab)"),
    ("POST /v1/tabs/{id}/scan", "reads the page as it stands, with refs of what can be acted on",
     "[ScanOut](#scanout)"),
    ("POST /v1/tabs/{id}/act", "clicks, types, selects, presses or scrolls", "[OutcomeOut](#outcomeout)"),
    ("POST /v1/tabs/{id}/execute", "runs a script; the key must allow `execute`",
     "[OutcomeOut](#outcomeout)"),
    ("GET /v1/tabs/values/{ref}", "the whole value that `save_to_file` kept", "`text/plain`, "
     "`X-Pagefold-Type`"),
    ("POST /v1/tabs/{id}/screenshot", "a picture of what is in view, or of the whole page", "`image/png`"),
    ("DELETE /v1/tabs/{id}", "closes a tab", "204"),
)  # fmt: skip


def tab_sections() -> list[str]:
    """The page in parts."""
    return [
        "# Tabs",
        "Pages that stay open; [how to drive a page](../how-to/drive-a-page.md) goes through it. Errors are "
        "[problem documents](errors.md): those of pages, and `stale_ref`, `not_actionable`, `script_failed`. "
        "A tab of another tenant does not exist: `not_found`, as for one that was closed or whose time was "
        "over. Keys need `pages`.",
        table(("call", "does", "answers"), ((code(call), *more) for call, *more in _ROUTES)),
        *_sent("POST /v1/tabs", TabOpen),
        *_sent("POST /v1/tabs/{id}/scan", TabScan),
        *_sent("POST /v1/tabs/{id}/act", TabAct),
        *_sent("POST /v1/tabs/{id}/execute", TabExecute),
        *_sent("POST /v1/tabs/{id}/screenshot", TabShot),
        *_answered(),
    ]


def _sent(title: str, model: type[BaseModel]) -> Iterator[str]:
    schema = model.model_json_schema()
    yield f"## {code(title)}\n\n{_fields(schema)}"
    # Cookies, window sizes and variants are those of pages.
    if schema.get("$defs"):
        names = ", ".join(f"[{name}](request.md#{name.lower()})" for name in schema["$defs"])
        yield f"{names}: as of a page."


def _fields(schema: Schema) -> str:
    required = schema.get("required", ())
    rows = (
        (
            code(name),
            kind(part, null=False).replace("](#", "](request.md#"),
            default(name, part, required),
            limits(part),
            prose(part.get("description", "")),
            example(part),
        )
        for name, part in schema["properties"].items()
    )
    return table(_SENT, rows)


def _answered() -> Iterator[str]:
    parts: dict[str, Schema] = {}
    for model in (ScanOut, OutcomeOut):
        schema = model.model_json_schema(mode="serialization")
        parts |= schema.get("$defs", {})
        yield _result(f"## {model.__name__}", schema)
    add_descriptions(parts)
    for name, part in parts.items():
        yield _result(f"## {name}", part)


def _result(head: str, schema: Schema) -> str:
    rows = (
        (code(field), _kind(field, part), prose(part.get("description", "")))
        for field, part in schema["properties"].items()
    )
    said = prose(schema["description"])
    return f"{head}\n\n{said}\n\n{table(('field', 'type', 'meaning'), rows)}"


def _kind(field: str, part: Schema) -> str:
    return "[Page](page.md) or null" if field == "page" else kind(part)
