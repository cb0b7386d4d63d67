"""The JavaScript module beside the Python client: the same calls, the same patience, the same errors."""

from __future__ import annotations

import inspect
import json
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from api.client import Pagefold, Retries
from tests.api.client.test_refusals import STREAM

MODULE = Path(__file__).parents[3] / "api" / "client" / "pagefold.mjs"
#: Python says with a method of its own what JavaScript says with an option.
_PYTHON_ALONE = {"close", "send", "follow", "context_since"}
BUSY = {"code": "busy", "detail": "All places are taken.", "retryable": True}


class _Site(BaseHTTPRequestHandler):
    asked: ClassVar[list[str]] = []
    released: ClassVar[threading.Event] = threading.Event()

    def do_GET(self) -> None:
        self.asked.append(self.path)
        first = self.asked.count(self.path) == 1
        if self.path.startswith("/read") and first:
            self._answer(429, json.dumps(BUSY), {"Retry-After": "0"})
        elif self.path.startswith("/read"):
            self._answer(200, "Low water is at four.", {})
        elif self.path.endswith("/events"):
            self._answer(200, STREAM.decode(), {"Content-Type": "text/event-stream"})
        elif "portal" in self.path:
            self._answer(200, "<h1>Log in</h1>", {})
        elif "late" in self.path:
            self._answer(429, json.dumps(BUSY), {"Retry-After": "60"})
        elif "silent" in self.path:
            self.released.wait(30)
        elif "wrong" in self.path:
            body = {
                "code": "not_found",
                "detail": "There is none.",
                "field": "ref",
                "phase": "read",
            }
            self._answer(404, json.dumps(body), {})
        else:
            self._answer(502, "<h1>Bad gateway</h1>", {})

    def _answer(self, status: int, body: str, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.fixture
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Site)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    _Site.asked.clear()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        _Site.released.set()
        server.shutdown()
        thread.join()
        server.server_close()


SCRIPT = """
import { NoAnswer, Pagefold, PagefoldError, ProblemError } from "MODULE";
const service = new Pagefold("SITE/");
const said = { text: await service.read("https://example.org/?a=1&b=2", { include: ["main", "h1"] }) };
for (const id of ["late", "wrong", "gateway", "portal"]) {
  const error = await service.session(id).catch((error) => error);
  const { code, status, phase, field, retryable, retryAfterS } = error;
  const typed = error instanceof ProblemError && error instanceof PagefoldError;
  said[id] = { code, status, phase, field, retryable, retryAfterS, typed, message: error.message };
}
said.events = [];
try {
  for await (const event of service.jobEvents("j", { after: "7" })) said.events.push(event);
} catch (error) {
  said.events.push(error.code);
}
const hurried = new Pagefold("SITE", { timeoutS: 0.2 });
const silent = await hurried.session("silent").catch((error) => error);
said.silent = [silent instanceof NoAnswer, silent.retryable, silent.message.endsWith("(timed out)")];
const gone = await new Pagefold("http://127.0.0.1:9").session("x").catch((error) => error);
said.gone = { typed: gone instanceof NoAnswer, retryable: gone.retryable, message: gone.message };
said.paths = [];
for (const id of ["", ".", ".."]) {
  try { await service.session(id); } catch (error) { said.paths.push(error.name); }
}
console.log(JSON.stringify(said));
"""


def test_refusals_are_typed_and_waited_for(site: str) -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    script = SCRIPT.replace("MODULE", MODULE.as_uri()).replace("SITE", site)
    done = subprocess.run(
        ["node", "--input-type=module"], input=script, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    assert said["text"] == "Low water is at four."
    query = "/read?url=https%3A%2F%2Fexample.org%2F%3Fa%3D1%26b%3D2&format=markdown&include=main&include=h1"
    assert _Site.asked == [
        query,
        query,
        *(f"/v1/sessions/{id}" for id in ("late", "wrong", "gateway", "portal")),
        "/v1/jobs/j/events",
        "/v1/sessions/silent",
    ]
    assert said["late"] == {
        "code": "busy", "status": 429, "phase": "request", "field": None, "retryable": True, "retryAfterS": 60,
        "typed": True, "message": "busy: All places are taken.",
    }  # fmt: skip
    assert said["wrong"] == {
        "code": "not_found", "status": 404, "phase": "read", "field": "ref", "retryable": False,
        "retryAfterS": None, "typed": True, "message": "not_found: There is none.",
    }  # fmt: skip
    assert (said["gateway"]["code"], said["gateway"]["status"]) == ("not_pagefold", 502)
    assert (said["portal"]["code"], said["portal"]["status"]) == ("not_pagefold", 200)
    assert said["events"] == [{"event": "page", "id": "1", "data": {"n": 1}}, "dns"]
    assert said["silent"] == [True, True, True]
    assert (said["gone"]["typed"], said["gone"]["retryable"]) == (True, True)
    assert said["gone"]["message"].startswith("no answer from http://127.0.0.1:9 (")
    assert said["paths"] == ["TypeError"] * 3


def test_it_offers_what_the_python_client_offers() -> None:
    source = MODULE.read_text("utf-8")
    methods = set(re.findall(r"^  (?:async )?([a-z]\w*)\(", source, re.MULTILINE)) - {"constructor"}
    python = {name for name, _ in inspect.getmembers(Pagefold, inspect.isfunction)}
    wanted = {name for name in python if not name.startswith("_")} - _PYTHON_ALONE
    assert methods == {re.sub(r"_(\w)", lambda found: found[1].upper(), name) for name in wanted}


def test_it_is_as_patient_as_the_python_client() -> None:
    found = re.search(r"tries = (\d+), mostWaitS = (\d+)", MODULE.read_text("utf-8"))
    assert found is not None
    assert (int(found[1]), float(found[2])) == (Retries().tries, Retries().most_wait_s)
