"""Which calls of the API the clients have methods for, and that all clients send the same."""

from __future__ import annotations

import inspect
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import httpx2
import pytest

from api.client import Pagefold, ProblemError
from api.reference.waiting import WAITING, waiting_modules

ROOT = Path(__file__).parents[3]
MODULE = ROOT / "api" / "client" / "pagefold.mjs"
_PATHS = json.loads((ROOT / "docs" / "reference" / "openapi.json").read_text("utf-8"))["paths"]
OPERATIONS = {f"{method.upper()} {path}" for path, calls in _PATHS.items() for method in calls}
_SESSION = "/v1/sessions/{session_id}"
#: For machines that watch, for the inspector, or for few: `call` reaches them.
WITHOUT = {
    "GET /healthz", "GET /readyz", "GET /metrics", "GET /version", "GET /v1/snapshots/{snapshot_id}/map",
    *(f"GET {_SESSION}/{what}" for what in ("turns", "survival", "graph", "calls/{call_id}", "log", "notes", "artifacts/{item}",
                                            "notes/{name}")),
    *(f"POST {_SESSION}/{what}" for what in ("diagnose", "loadout", "shorten", "constraints", "actions",
                                             "artifacts", "sentences", "links")),
    *(f"PUT {_SESSION}/{what}" for what in ("notes/{name}", "goal", "constraints/{item}", "actions/{item}")),
    "POST /v1/allocate",
}  # fmt: skip
#: What stands for an argument of a type.
_STANDS_FOR: dict[Any, Any] = {
    str: "x1",
    int: 1,
    dict: {"id": "x", "version": 1, "target_chars": 1},
}
_PYTHON_ALONE = {"close", "send", "follow", "call", "context_since"}


def _calls() -> Iterator[tuple[str, list[Any]]]:
    """Each method with what it needs; one that takes a kind once for each."""
    for name, method in inspect.getmembers(Pagefold, inspect.isfunction):
        if name.startswith("_") or name in _PYTHON_ALONE:
            continue
        hints = get_type_hints(method)
        given: list[list[Any]] = [[]]
        for parameter in list(inspect.signature(method).parameters.values())[1:]:
            kind = hints[parameter.name]
            if parameter.default is not parameter.empty or parameter.kind is parameter.VAR_KEYWORD:
                continue
            if get_origin(kind) is Literal:
                given = [[*before, each] for before in given for each in get_args(kind)]
            else:
                base = get_origin(kind) or kind
                value = _STANDS_FOR.get(
                    base, {} if isinstance(base, type) and issubclass(base, dict) else []
                )
                given = [[*before, value] for before in given]
        yield from ((name, each) for each in given)


CALLS = list(_calls())


def _sent(name: str, arguments: list[Any]) -> str:
    asked: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(f"{request.method} {request.url.path}")
        return httpx2.Response(200)

    with (
        Pagefold("http://s", transport=httpx2.MockTransport(answer)) as service,
        suppress(ProblemError),
    ):
        made = getattr(service, name)(*arguments)
        if inspect.isgenerator(made):
            list(made)
    [sent] = asked
    return sent


def _operation(sent: str) -> str:
    """What a call is of the description; a path that is written out wins."""
    for operation in sorted(OPERATIONS, key=lambda each: each.count("{")):
        if re.fullmatch(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(operation)), sent):
            return operation
    raise AssertionError(f"{sent} is no call of the API")


def test_every_call_has_a_method_or_is_named_here() -> None:
    covered = {_operation(_sent(name, arguments)) for name, arguments in CALLS}
    assert covered & WITHOUT == set()
    assert covered | WITHOUT == OPERATIONS


def test_javascript_sends_what_python_sends() -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    named = [
        (re.sub(r"_(\w)", lambda found: found[1].upper(), name), given) for name, given in CALLS
    ]
    script = f"""
import {{ Pagefold }} from "{MODULE.as_uri()}";
const asked = [];
globalThis.fetch = async (url, {{ method }}) => {{
  asked.push(`${{method}} ${{new URL(url).pathname}}`);
  return new Response("{{}}");
}};
const service = new Pagefold("http://s");
for (const [name, given] of {json.dumps(named)}) {{
  const made = service[name](...given);
  if (made[Symbol.asyncIterator]) for await (const _ of made);
  else await made.catch(() => null);
}}
console.log(JSON.stringify(asked));
"""
    done = subprocess.run(
        ["node", "--input-type=module"], input=script, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [_sent(name, given) for name, given in CALLS]


def test_the_client_that_waits_is_made_from_the_one_that_is_awaited() -> None:
    made = waiting_modules()
    assert set(WAITING.glob("*.py")) == set(made)
    stale = [path.name for path, text in made.items() if path.read_text("utf-8") != text]
    assert not stale, "run: .venv/bin/python -m api.reference"
