"""Secrets of callers are looked for everywhere that they could have been left: none is found."""

from __future__ import annotations

import base64
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import pytest
import zstandard
from typer.testing import CliRunner

from api.cli import app
from api.settings import ApiSettings
from tests.answering import answering
from tests.faults.serving import Service, service
from tests.security.keyed import make_key

pytestmark = pytest.mark.hostile

#: May stand nowhere: not in logs, answers, metrics, nor in what is kept.
NOWHERE = {
    "user": "canary-user", "password": "canary-password", "header": "canary-header",
    "cookie": "canary-cookie", "basic-user": "canary-basic-user", "basic": "canary-basic-pass",
    "agent": "canary-agent", "sent-cookie": "canary-sent-cookie", "sent-auth": "canary-sent-auth",
    "parameter": "canary-parameter", "path": "canary-path", "broken": "canary-broken-body",
    "unknown-key": "A" * 43, "wrong-type": "canary-wrong-type",
    "header-value": "canary-folded", "hook-query": "canary-hook-query", "hook-secret": "canaryHookSecret",
}  # fmt: skip
#: May stand in what is kept of a tenant and in answers about it, but in no log and no metric.
IN_CONTENT_ONLY = {
    "query": "canary-query", "body": "canary-body", "session": "canary-session",
    "info": "canary-info", "text": "canary-text", "set-cookie": "canary-set-cookie",
    "idempotency": "canary-idempotency", "redirect": "canary-redirect", "fragment": "canary-fragment",
}  # fmt: skip


class _Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        status = {"/moved": 302, "/away": 302, "/missing": 404, "/signed": 401}.get(path, 200)
        self.send_response(status)
        if path == "/moved":
            self.send_header("Location", "/page?q=canary-redirect")
        if path == "/away":
            self.send_header("Location", "http://10.1.2.3/?q=canary-redirect")
        if path == "/file":
            self.send_header("Content-Type", "application/octet-stream")
            self.send_header("Content-Disposition", "attachment; filename=canary-text.bin")
        else:
            self.send_header("Content-Type", "text/html")
        self.send_header("Set-Cookie", "own=canary-set-cookie")
        self.end_headers()
        self.wfile.write(
            b"<p>Low water at four. canary-text</p><iframe src='http://10.1.2.3/x?q=canary-query'>"
        )

    def log_message(self, format: str, *args: Any) -> None:
        return


@contextmanager
def _site() -> Iterator[int]:
    with answering(ThreadingHTTPServer(("127.0.0.1", 0), _Site)) as server:
        yield server.server_port


@dataclass(slots=True)
class Left:
    """What the service said and kept. ``answers`` are (what was asked, answer)."""

    server: Service
    key: str
    other: str
    answers: list[tuple[str, httpx2.Response]] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)
    log: str = ""
    files: dict[str, bytes] = field(default_factory=dict)

    def ask(self, method: str, path: str, **more: Any) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {self.key}", **more.pop("headers", {})}
        url = f"{self.server.url}{path}"
        answer = httpx2.request(method, url, headers=headers, trust_env=False, timeout=60, **more)
        self.answers.append((f"{method} {path} {more}", answer))
        return answer

    @property
    def problems(self) -> list[tuple[str, httpx2.Response]]:
        return [(asked, answer) for asked, answer in self.answers if answer.status_code >= 400]


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Left:
    """Everything asked of a service that logs all it can, and then everything read that is left."""
    folder = tmp_path_factory.mktemp("secrets")
    settings = ApiSettings(data_dir=folder / "data")
    key, other = (make_key(settings, tenant)[0] for tenant in ("acme", "zenith"))
    with _site() as closed:
        pass
    with (
        _site() as port,
        service(
            folder,
            allow_hosts=f"127.0.0.1:{port},127.0.0.1:{closed}",
            concurrency=3,
            key_requests_per_minute=1000,
        ) as server,
    ):
        found = Left(server, key, other)
        _ask_for_pages(found, f"http://127.0.0.1:{port}", closed)
        _use_a_session(found, f"http://127.0.0.1:{port}")
        _run_a_job(found, f"http://127.0.0.1:{port}")
        _ask_wrongly(found)
        found.ask("GET", "/metrics")
        server.terminate()
        server.process.wait(60)
        found.log = server.log.read_text("utf-8")
    for path in folder.rglob("*"):
        if path.is_file() and path != server.log:
            name = str(path.relative_to(folder))
            found.files[name] = _unpacked(path)
    return found


def _unpacked(path: Path) -> bytes:
    packed = path.read_bytes()
    if path.suffix != ".zst":
        return packed
    return zstandard.ZstdDecompressor().decompress(packed, max_output_size=1 << 24)


def _ask_for_pages(left: Left, site: str, closed: int) -> None:
    secret = {
        "headers": {"X-Token": NOWHERE["header"], "Authorization": f"Bearer {NOWHERE['header']}"},
        "cookies": [{"name": "c", "value": NOWHERE["cookie"]}],
        "http_auth": {"username": NOWHERE["basic-user"], "password": NOWHERE["basic"]},
        "user_agent": NOWHERE["agent"],
        "deadline_s": 4,
    }
    query = f"?q={IN_CONTENT_ONLY['query']}#{IN_CONTENT_ONLY['fragment']}"
    userinfo = f"{NOWHERE['user']}:{NOWHERE['password']}@"
    urls = [
        *(f"{site}{path}{query}" for path in ("/page", "/moved", "/away", "/missing", "/signed", "/file")),
        site.replace("//", f"//{userinfo}") + f"/page{query}",
        f"http://{userinfo}10.1.2.3/{query}",
        f"http://10.1.2.3/{query}",
        f"http://127.0.0.1:{closed}/{query}",
        f"http://localhost/{query}",
        f"http://nowhere.test/{query}",
        f"ftp://{userinfo}a.test/{query}",
        f"https://127.0.0.1:{site.rpartition(':')[2]}/{query}",
        f"http://[{NOWHERE['password']}/{query}",
    ]  # fmt: skip

    def ask(url: str) -> None:
        for render in ("browser", "static"):
            body = {"url": url, "render": render, "format": ["markdown", "links"], **secret}
            left.ask("POST", "/v1/pages", json=body)
        left.ask("GET", "/read", params={"url": url, "render": "static", "deadline_s": 4})

    stream = {"Accept": "text/event-stream"}
    for url in (f"{site}/page{query}", f"http://10.1.2.3/{query}"):
        body = {"url": url, "render": "static", **secret}
        left.ask("POST", "/v1/pages", json=body, headers=stream)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(ask, urls))
    left.ask("POST", "/v1/pages", json={"html": f"<p>{IN_CONTENT_ONLY['body']}"})


def _use_a_session(left: Left, site: str) -> None:
    opened = left.ask("POST", "/v1/sessions", json={"budget_chars": 20_000})
    at = opened.headers["location"]
    long = f"{IN_CONTENT_ONLY['session']}\n" * 3_000
    messages = [
        {"role": "user", "content": IN_CONTENT_ONLY["session"]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "t", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": long}]},
    ]  # fmt: skip
    key = {"Idempotency-Key": IN_CONTENT_ONLY["idempotency"]}
    for body in (messages, messages, messages[:1]):
        left.ask("POST", f"{at}/messages", json={"messages": body}, headers=key)
    left.ask("PUT", f"{at}/key-info", json={"key_info": IN_CONTENT_ONLY["info"]})
    page = {
        "url": f"{site}/page?q={IN_CONTENT_ONLY['query']}",
        "headers": {"X-Token": NOWHERE["header"]},
        "cookies": [{"name": "c", "value": NOWHERE["cookie"]}],
        "http_auth": {"username": NOWHERE["basic-user"], "password": NOWHERE["basic"]},
        "user_agent": NOWHERE["agent"],
        "render": "static",
    }
    left.ask("POST", f"{at}/pages", json={"page": page, "include_content": True})
    for path in ("", "/context", "/certificate", "/key-info", "/archive/a:00000000"):
        left.ask("GET", f"{at}{path}")


def _run_a_job(left: Left, site: str) -> None:
    """A job whose webhook has no one to take its messages, and one that is cancelled while it waits."""
    page = {
        "url": f"{site}/page?q={IN_CONTENT_ONLY['query']}",
        "headers": {"X-Token": NOWHERE["header"]},
        "http_auth": {"username": NOWHERE["basic-user"], "password": NOWHERE["basic"]},
    }
    options = {"render": "static", "cookies": [{"name": "c", "value": NOWHERE["cookie"]}]}
    hook = {
        "url": f"{site}/hook?token={NOWHERE['hook-query']}",
        "secret": f"whsec_{NOWHERE['hook-secret']}{'0' * 24}",
    }
    body = {"pages": [page, f"{site}/missing"], "options": options, "webhook": hook}
    for wrong in (hook["secret"][:-1], "whsec_" + NOWHERE["hook-secret"]):
        left.ask("POST", "/v1/jobs", json={**body, "webhook": {**hook, "secret": wrong}})
    key = {"Idempotency-Key": IN_CONTENT_ONLY["idempotency"]}
    at = left.ask("POST", "/v1/jobs", json=body, headers=key).headers["location"]
    for path in ("/events", "/results", ""):
        left.ask("GET", f"{at}{path}")
    later = left.ask("POST", "/v1/jobs", json={**body, "pages": [page] * 50}).headers["location"]
    left.ask("DELETE", later)


def _ask_wrongly(left: Left) -> None:
    left.ask("GET", "/version", headers={"Authorization": f"Bearer {left.key[:-1]}"})
    left.ask(
        "GET",
        "/version",
        headers={"Authorization": f"Bearer pf_{'0' * 12}.{NOWHERE['unknown-key']}"},
    )
    left.ask("GET", f"/{NOWHERE['path']}?q={NOWHERE['parameter']}")
    left.ask("GET", f"/v1/sessions/{NOWHERE['path']}")
    left.ask("GET", f"/v1/snapshots/{NOWHERE['path']}?x={NOWHERE['parameter']}")
    left.ask("DELETE", f"/read?url={NOWHERE['parameter']}")
    cookies = {
        "Cookie": f"sid={NOWHERE['sent-cookie']}",
        "Proxy-Authorization": f"Basic {NOWHERE['sent-auth']}",
    }
    left.ask("GET", "/version", headers=cookies)
    left.ask("GET", "/version", headers={"Host": f"{NOWHERE['path']}.test"})
    left.ask("GET", "/version", headers={"X-Request-Id": f"{NOWHERE['path']}\x7f"})
    for line in (
        f"GET /{NOWHERE['path']} HTTP/9",
        f"{NOWHERE['path']}",
        "GET / HTTP/1.1\r\nA: " + 99_000 * "x",
    ):
        left.raw.append(_spoken(left.server, f"{line}\r\nCookie: {NOWHERE['sent-cookie']}\r\n\r\n"))
    as_json = {"Content-Type": "application/json"}
    left.ask("POST", "/v1/pages", content=f'{{"url": "{NOWHERE["broken"]}"', headers=as_json)
    for wrong in (
        {"url": "http://a.test/", "headers": {"X-Token": f"{NOWHERE['header-value']}\r\nX: 1"}},
        {"url": "http://a.test/", "headers": [NOWHERE["wrong-type"]]},
        {
            "url": "http://a.test/",
            "cookies": [{"name": "c", "value": NOWHERE["cookie"], "path": 5}],
        },
        {"url": "http://a.test/", "cookies": [{"name": "c", "value": f"{NOWHERE['cookie']}\x00"}]},
        {"url": "http://a.test/", "cookies": NOWHERE["wrong-type"]},
        {"url": "http://a.test/", "http_auth": {"username": "a:b", "password": NOWHERE["basic"]}},
        {"url": "http://a.test/", "http_auth": NOWHERE["wrong-type"]},
        {"url": 5, "html": [NOWHERE["wrong-type"]]},
    ):
        left.ask("POST", "/v1/pages", json=wrong)


def _spoken(server: Service, request: str) -> str:
    """What comes back to bytes that are no HTTP."""
    with socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2])), 20) as opened:
        opened.sendall(request.encode())
        with suppress(ConnectionResetError), opened.makefile("rb") as answer:
            return answer.read().decode("latin-1")
    return ""


def _forms(secret: str) -> Iterator[str]:
    """A secret as it may be written."""
    yield secret
    yield base64.b64encode(secret.encode()).decode().rstrip("=")[:-1]
    yield secret.encode().hex()


def _found(text: str | bytes, secrets: dict[str, str]) -> list[str]:
    data = text.encode() if isinstance(text, str) else text
    return [
        name for name, secret in secrets.items() if any(f.encode() in data for f in _forms(secret))
    ]


def _basic(secrets: dict[str, str]) -> dict[str, str]:
    pair = f"{secrets['basic-user']}:{secrets['basic']}".encode()
    return {**secrets, "basic-pair": base64.b64encode(pair).decode()}


def _keys(left: Left) -> dict[str, str]:
    return {"secret": left.key.partition(".")[2], "other-secret": left.other.partition(".")[2]}


def test_enough_was_asked_that_something_could_be_left(left: Left) -> None:
    codes = {answer.json()["code"] for _, answer in left.problems}
    assert codes >= {
        "invalid_url", "blocked_address", "connect", "dns", "invalid_request", "unauthorized",
        "not_found", "foreign_host", "method_not_allowed",
    }, codes  # fmt: skip
    statuses = {answer.status_code for _, answer in left.answers}
    assert 200 in statuses
    assert not [asked for asked, answer in left.answers if answer.status_code == 500]
    assert IN_CONTENT_ONLY["text"].encode() in b"".join(left.files.values())


def test_logs_name_requests_and_no_secret(left: Left) -> None:
    secrets = _basic({**NOWHERE, **IN_CONTENT_ONLY, **_keys(left)})
    lines = [line for line in left.log.splitlines() if line.startswith("{")]
    assert len(lines) > 50
    assert [line for line in left.log.splitlines() if _found(line, secrets)] == []
    events = [json.loads(line) for line in lines]
    failed = [event for event in events if event["event"] == "request_failed"]
    assert {event["code"] for event in failed} >= {"connect", "dns", "invalid_url", "not_found"}
    assert all(event["tenant"] == "acme" and event["request_id"] for event in failed)
    answered = [event for event in events if event["event"] == "request"]
    assert {event["route"] for event in answered} >= {"/read", "/v1/pages", "other"}
    assert {event.get("tenant") for event in answered} >= {"acme", None}
    said = {answer.headers["x-request-id"] for _, answer in left.answers}
    assert {event["request_id"] for event in failed} <= said


def test_answers_hold_no_secret_and_problems_no_content_either(left: Left) -> None:
    nowhere = _basic({**NOWHERE, **_keys(left)})
    for asked, answer in left.answers:
        said = f"{answer.text}\n{answer.headers}"
        assert _found(said, nowhere) == [], (asked, said[:1500])
    for asked, answer in left.problems:
        assert _found(answer.text, IN_CONTENT_ONLY) == [], (asked, answer.text)
    assert any("malformed_http" in answer for answer in left.raw)
    for said in left.raw:
        assert _found(said, nowhere) == []
        assert not said or "content-security-policy: default-src 'none'" in said.lower()


def test_metrics_hold_no_secret_and_no_content(left: Left) -> None:
    [(_, metrics)] = [asked for asked in left.answers if asked[0].startswith("GET /metrics")]
    assert _found(metrics.text, _basic({**NOWHERE, **IN_CONTENT_ONLY, **_keys(left)})) == []
    assert "acme" not in metrics.text


def test_problems_do_not_say_where_a_name_leads(left: Left) -> None:
    for asked, answer in left.problems:
        if "localhost" in asked or "nowhere.test" in asked:
            assert "127.0.0" not in answer.text, asked
            assert "::1" not in answer.text, asked


def test_what_is_kept_holds_no_credentials(left: Left) -> None:
    secrets = _basic({**NOWHERE, **_keys(left)})
    assert any(name.endswith(".zst") for name in left.files)
    assert any("/archive/" in name for name in left.files)
    for name, content in left.files.items():
        assert _found(name, {**secrets, **IN_CONTENT_ONLY}) == [], name
        assert _found(content, secrets) == [], name


@pytest.mark.parametrize("command", [["serve", "--no-demo"], ["keys", "list"]])
def test_a_database_that_is_not_there_does_not_print_its_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setenv("PAGEFOLD_DATA_DIR", str(tmp_path))
    address = "postgresql+psycopg://u:canary-database@127.0.0.1:1/db"
    monkeypatch.setenv("PAGEFOLD_DATABASE_URL", address)
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 1
    assert "PAGEFOLD_DATABASE_URL cannot be opened" in done.stderr
    assert "canary-database" not in done.output
    assert not done.exc_info or done.exc_info[0] is SystemExit
