"""The reference pages, each made whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from pydantic import BaseModel
from pydantic_settings import BaseSettings

from api.models import MapQuery, ReadQuery, ReplayQuery, UnfoldQuery
from api.page_schema import page_schema
from api.reference.jobs import job_sections
from api.reference.rules import rule_rows
from api.reference.tables import Schema, code, default, example, kind, limits, prose, table
from api.reference.tabs import tab_sections
from api.settings import ApiSettings
from batch.engine.ray_settings import RaySettings
from extractor.request import PageRequest
from extractor.request_shape import Shape

_NOTE = "<!-- Made by `python -m api.reference`; change the code, then run it. -->"
_REQUEST_HEADS = ("field", "type", "default", "limits", "meaning", "example")
_LOCAL = "#/{model}"


def request_page() -> str:
    """Every field of a page request, and the parameters of the GET calls."""
    schema = PageRequest.model_json_schema()
    parts, inherited = schema.pop("$defs"), Shape.model_fields
    schema["properties"] = dict(
        sorted(schema["properties"].items(), key=lambda item: item[0] in inherited)
    )
    sections = [
        "# Page request",
        "What `POST /v1/pages` takes as JSON, `POST /v1/sessions/{id}/pages` as `page`, and `PageRequest` "
        "in Python. Give exactly one of `url` and `html`; all else has a default. A field that is not "
        "listed here is an [`invalid_request`](errors.md) that names it. Sizes are characters (Unicode "
        "code points).",
        _fields(schema),
        *(
            f"## {name}\n\n{prose(part['description'])}\n\n{_fields(part)}"
            for name, part in parts.items()
        ),
        *(_parameters(path, model) for path, model in _QUERIES),
    ]
    return _document(sections)


def result_page() -> str:
    """Every field of the result."""
    schemas = page_schema(_LOCAL)
    sections = [
        "# Page",
        "What `POST /v1/pages` answers, and `Page` in Python. All fields stand in every answer. Sizes named "
        "`chars` are Unicode code points, times are milliseconds, places are CSS pixels. How HTML, Markdown "
        "and text mark what they leave out is in [Markers](markers.md).",
    ]
    for name, schema in schemas.items():
        rows = (
            (code(field), kind(part), prose(part.get("description", "")))
            for field, part in schema["properties"].items()
        )
        made = table(("field", "type", "meaning"), rows)
        sections.append(made if name == "Page" else f"## {name}\n\n{_first(schema)}\n\n{made}")
    return _document(sections)


def settings_page() -> str:
    """Every setting of the service, the extractor and the Ray engine."""
    sections = [
        "# Settings",
        "Environment variables, read and checked once at the start; a value that cannot work ends it with a "
        "line that names the variable. Units stand in the names: `_s` seconds, `_ms` milliseconds, `_bytes` "
        "bytes. In Python they are the fields of `ExtractorSettings` in small letters, without the prefix.",
        _settings_table(ApiSettings),
        "## The Ray engine",
        "Of `pagefold batch --engine ray`; none of them changes a row.",
        _settings_table(RaySettings),
    ]
    return _document(sections)


def _settings_table(settings: type[BaseSettings]) -> str:
    prefix = settings.model_config["env_prefix"]
    rows = (
        (
            code(f"{prefix}{name.upper()}"),
            _setting_kind(part),
            _setting_default(part),
            limits(part),
            prose(part["description"]),
        )
        for name, part in settings.model_json_schema()["properties"].items()
    )
    return table(("variable", "type", "default", "limits", "meaning"), rows)


def validation_page() -> str:
    """Every rule of every provider profile."""
    rows = (
        (code(p), code(name), s, prose(demand), prose(mend))
        for p, name, s, demand, mend in rule_rows()
    )
    sections = [
        "# Provider rules",
        "What `POST /v1/validate` and `compactor.validate` check, by profile. A finding names the message "
        "(`index`, counted from 0), the rule, how to mend it, and its severity: `error` will be refused, "
        "`open` is a turn that still waits for something. Each row has a failing case in "
        "`tests/compactor/test_validate.py`.",
        table(("profile", "rule", "severity", "what is demanded", "how to mend it"), rows),
    ]
    return _document(sections)


def batch_page() -> str:
    """What a data set holds, and the command that makes one."""
    from api.reference.batch import batch_sections  # needs packages that a server does not

    return _document(batch_sections())


#: Name of the file → what makes its text.
DOCUMENTS: Mapping[str, Callable[[], str]] = MappingProxyType(
    {
        "request": request_page,
        "page": result_page,
        "settings": settings_page,
        "validation": validation_page,
        "batch": batch_page,
        "jobs": lambda: _document(job_sections()),
        "tabs": lambda: _document(tab_sections()),
    }
)
_QUERIES: Sequence[tuple[str, type[BaseModel]]] = (
    ("GET /read", ReadQuery),
    ("GET /v1/snapshots/{id}", ReplayQuery),
    ("GET /v1/snapshots/{id}/map", MapQuery),
    ("GET /v1/snapshots/{id}/folds/{ref}", UnfoldQuery),
)


def _parameters(path: str, model: type[BaseModel]) -> str:
    return f"## {code(path)}\n\nParameters of the query string.\n\n{_fields(model.model_json_schema())}"


def _fields(schema: Schema) -> str:
    required = schema.get("required", ())
    rows = (
        (
            code(name),
            kind(part, null=False),
            default(name, part, required),
            limits(part),
            prose(part.get("description", "")),
            example(part),
        )
        for name, part in schema["properties"].items()
    )
    return table(_REQUEST_HEADS, rows)


def _first(schema: Schema) -> str:
    return prose(schema.get("description", "").split("\n\n")[0])


def _setting_kind(part: Schema) -> str:
    return kind(part, null=False).replace("list of", "comma-separated")


def _setting_default(part: Schema) -> str:
    value = part.get("default")
    if isinstance(value, list):
        value = ",".join(map(str, value))
    return "" if value in (None, "") else code(value)


def _document(sections: Sequence[str]) -> str:
    return "\n\n".join((_NOTE, *sections)) + "\n"
