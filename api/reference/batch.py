"""The reference of a data set: its schema, its files, and the options of the command that makes it."""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import typer

from api.batch_cli import batch_command
from api.page_schema import field_docs
from api.reference.tables import code, prose, table
from batch import rows
from batch.rows import SCHEMA_VERSION, Json, Row

_PLAIN = {str: "string", int: "int64", float: "float64", bool: "boolean"}

_ABOUT = f"""\
What [`pagefold batch`](../how-to/scrape-a-data-set.md) writes. Every line of the input that holds an address
has one row, whether there was a page or not. Schema version {SCHEMA_VERSION}; a row names its own in
`schema_version`."""

_FILES = """\
| file | holds |
| --- | --- |
| `rows/part-00000.jsonl.zst` | Rows as JSON lines, compressed with Zstandard, in the order of the input. |
| `rows/part-00000.parquet` | The same rows as Parquet; `metadata` and `rights` are JSON text there. |
| `warc/part-00000.warc.gz` | Their raw answers, with `--warc`: WARC 1.1, a gzip member each. |
| `dead-letters.jsonl` | Rows without a page: `url`, `code`, `message`, `attempts`, …; input of another run. |
| `manifest.json` | Counts, failures by code, settings, versions, digest of the input, and of every file. |
| `duplicates.jsonl` | Rows that repeat others: see [duplicates](duplicates.md). |
| `input.jsonl.zst` | What the input was, where it may change or be gone: standard input, anything fetched. |
| `run.sqlite` | What is needed to go on. It is not part of the data set. |"""

_SAME = """\
The same input, settings, versions and answers give the same rows in the same files, whatever the pace, the
engine, and however often the run was broken off. What varies is `fetched_at`, `attempts`, and in `rights`
`recorded_at` and `robots.fetched_at`. With a browser, pages that change by themselves vary too."""

_CODES = """\
`error.code` is one of the [error codes](errors.md), or one of these:

| code | retried | when |
| --- | --- | --- |
| `http_404`, … | 408, 425, 429, 500, 502, 503, 504 | The server answered with another status than 2xx. |
| `robots_disallowed` | no | `robots.txt` forbids the address, or one that it leads to. |
| `robots_unreachable` | no | `robots.txt` could not be had, which forbids everything (RFC 9309, 2.3.1.4). |
| `internal` | no | Reading this page failed on our side. |"""

_RIGHTS = """\
| key | holds |
| --- | --- |
| `version`, `agent`, `recorded_at` | Version of the record, our product token, and when the page was read. |
| `content_sha256` | SHA-256 of the answer that was read, in hexadecimal. |
| `robots` | `allowed`, the `rule` that forbids, `sha256`, `status`, `crawl_delay_s` of `robots.txt`, … |
| `x_robots_tag`, `meta_robots` | Directives in the headers and in the markup: `name`, `value`, `agent`. |
| `opt_outs` | Of these the ones that hold for us and ask not to be indexed, kept, quoted or used to train. |
| `tdm` | Reservation of text and data mining (W3C TDMRep): `reserved`, `policy`, `source`. |
| `content_usage` | Values of the header `Content-Usage`. |
| `licences` | Licences that the page or its site links to: `url` and `source`. |

It is evidence, not a verdict: it says what was said. [Every field, and how robots.txt is read](rights.md)."""

_EXIT = """\
| exit code | means |
| --- | --- |
| 0 | Every entry of the input has a row with a page. |
| 1 | The run failed, with a code and a sentence on standard error; it can be gone on with. |
| 2 | Wrong usage, or a setting that cannot work. |
| 3 | The run is complete; some rows have no page, or some entries could not be read. |
| 130 | Interrupted (Ctrl-C, SIGTERM), in order; the same command goes on. |"""

_EVENTS = """\
With `--json` standard output has one object a line. `event` is `started` (`rows` that are there, `total`),
`row` (`index`, `url`, `outcome`: `ok` or a code, `attempts`), `shard` (`number`, `rows`, `files`), `progress`
once a second (`rows`, `failures` by code, `pages_per_s`, `total`, `eta_s`), `finished` (`rows`, `outcomes`,
`entries`: [what came of those of the input](inputs.md), `duplicates` by kind, `exit_code`), or `failed`
(`code`, `message`, `exit_code`)."""


def batch_sections() -> list[str]:
    """The sections of the page, in order."""
    return [
        "# Data set",
        *map(_flowed, (_ABOUT,)),
        "## Row\n\n" + _fields(Row),
        *(f"## {part.__name__}\n\n{prose(_first(part))}\n\n{_fields(part)}" for part in _parts()),
        f"## Rights record\n\n{_RIGHTS}",
        f"## Codes\n\n{_CODES}",
        f"## Files\n\n{_FILES}",
        f"## What is the same every time\n\n{_flowed(_SAME)}",
        f"## Options\n\n{_options()}",
        f"## Exit codes\n\n{_EXIT}",
        f"## Events\n\n{_flowed(_EVENTS)}",
    ]


def _parts() -> Iterator[type[Any]]:
    for _, part in inspect.getmembers(rows, is_dataclass):
        if isinstance(part, type) and part is not Row and part.__module__ == rows.__name__:
            yield part


def _fields(kind: type) -> str:
    known, docs = get_type_hints(kind), field_docs(kind)
    lines = ((code(f.name), _kind(known[f.name]), prose(docs[f.name])) for f in fields(kind))
    return table(("field", "type", "meaning"), lines)


def _kind(kind: Any) -> str:
    if get_origin(kind) in (Union, types.UnionType):
        [only] = [part for part in get_args(kind) if part is not type(None)]
        return f"{_kind(only)} or null"
    if kind is Json:
        return "JSON object"
    if get_origin(kind) is tuple:
        return f"list of {_kind(get_args(kind)[0])}"
    if get_origin(kind) is Mapping:
        return "map of string to string"
    return _PLAIN.get(kind) or f"[{kind.__name__}](#{kind.__name__.lower()})"


def _options() -> str:
    """Options of the command with their defaults, from its signature."""
    lines = []
    for name, part in inspect.signature(batch_command, eval_str=True).parameters.items():
        kind, about = get_args(part.annotation)[:2]
        if isinstance(about, typer.models.ArgumentInfo):
            lines.append((code(about.metavar), "", "required", prose(about.help or "")))
            continue
        said, _, noted = (about.help or "").partition("  [default: ")
        shown = noted.removesuffix("]") or _default(part.default)
        lines.append((_flags(name, kind, about), _values(kind, about), shown, prose(said)))
    return table(("option", "value", "default", "meaning"), lines)


def _flags(name: str, kind: Any, about: Any) -> str:
    # In an annotation Typer takes the first name for the default.
    given = (about.default, *(about.param_decls or ()))
    named = [flag for flag in given if isinstance(flag, str) and flag.startswith("--")]
    flag = str(named[0]) if named else f"--{name.replace('_', '-')}"
    return f"{code(flag)}, {code('--no-' + flag[2:])}" if kind is bool and not named else code(flag)


def _values(kind: Any, about: Any) -> str:
    if get_origin(kind) is types.UnionType:
        kind = next(part for part in get_args(kind) if part is not type(None))
    if get_origin(kind) is list:
        return ", ".join(code(item.value) for item in get_args(kind)[0])
    if get_origin(kind) is Literal:
        return ", ".join(map(code, get_args(kind)))
    return about.metavar or {bool: "", int: "integer", float: "number"}.get(kind, "text")


def _default(value: object) -> str:
    if value is inspect.Parameter.empty:
        return "required"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else code(str(value))


def _first(kind: type) -> str:
    return (kind.__doc__ or "").split("\n\n")[0]


def _flowed(text: str) -> str:
    return " ".join(text.split())
