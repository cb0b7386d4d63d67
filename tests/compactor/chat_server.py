"""A local server that speaks Chat Completions, and misbehaves on request."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.answering import answering

Json = Any


@dataclass
class Seen:
    """What came in; ``answers`` are given one after another, the last again and again."""

    answers: list[Callable[[BaseHTTPRequestHandler, Json], None]]
    requests: list[Json] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    url: str = ""


def completion(text: str | None, finish: str = "stop") -> Json:
    """A whole answer of the protocol."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [choice], "usage": usage}  # fmt: skip


def send(
    handler: BaseHTTPRequestHandler, status: int, body: bytes, kind: str, **headers: str
) -> None:
    """One answer."""
    handler.send_response(status)
    handler.send_header("Content-Type", kind)
    handler.send_header("Content-Length", str(len(body)))
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


def says(answer: Json, status: int = 200, **headers: str) -> Callable[..., None]:
    """A JSON answer."""
    body = json.dumps(answer).encode()
    return lambda handler, _: send(handler, status, body, "application/json", **headers)


def raw(body: bytes, kind: str = "application/json", status: int = 200) -> Callable[..., None]:
    """An answer of any bytes."""
    return lambda handler, _: send(handler, status, body, kind)


def hangs() -> Callable[..., None]:
    """Nothing until the client ends the connection."""
    return lambda handler, _: handler.rfile.read(1)


def drips(seconds: float, count: int) -> Callable[..., None]:
    """One byte at a time."""

    def run(handler: BaseHTTPRequestHandler, _: Json) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(count))
        handler.end_headers()
        for _ in range(count):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(seconds)

    return run


def echo(handler: BaseHTTPRequestHandler, body: Json) -> None:
    """A good summary: the labelled lines of the record that hold a digit, shortened."""
    record = body["messages"][-1]["content"].split("\n\n", 1)[1]
    lines = [line[:60] for line in record.split("\n") if line.strip()]
    send(handler, 200, json.dumps(completion("\n".join(lines[:3]))).encode(), "application/json")


@contextmanager
def chat_server(*answers: Callable[..., None]) -> Iterator[Seen]:
    """A server on loopback; its base URL is in ``url``."""
    seen = Seen(list(answers))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.requests.append(body)
            seen.keys.append(self.headers.get("Authorization"))
            assert self.path == "/v1/chat/completions"
            answer = seen.answers.pop(0) if len(seen.answers) > 1 else seen.answers[0]
            try:
                answer(self, body)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    seen.url = f"http://127.0.0.1:{server.server_port}/v1"
    with answering(server):
        yield seen
