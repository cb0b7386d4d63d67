"""Log lines hold what is on the list, and no secret in whatever way it comes."""

from __future__ import annotations

import io
import json
import logging
from pathlib import Path
from typing import Any, Literal

import pytest
import structlog

from api.app import create_app
from api.logs import configure_logs
from api.redaction import mask_address, scrub
from api.settings import ApiSettings
from extractor.errors import ConnectError

KEY = f"pf_0123456789ab.{'canary-secret_' * 3}x"


class Lines:
    """What was logged, one object a line."""

    def __init__(self, shape: Literal["json", "console"] = "json", *, texts: bool = False) -> None:
        configure_logs(shape, level=logging.DEBUG, texts=texts)
        self._stream = io.StringIO()
        [handler] = logging.getLogger().handlers
        assert isinstance(handler, logging.StreamHandler)
        handler.setStream(self._stream)

    def text(self) -> str:
        return self._stream.getvalue()

    def last(self) -> dict[str, Any]:
        line: dict[str, Any] = json.loads(self.text().splitlines()[-1])
        return line


@pytest.fixture
def lines(_logging_as_before: None) -> Lines:
    return Lines()


@pytest.fixture
def log() -> Any:
    return structlog.get_logger("pagefold.test")


def test_a_field_that_is_not_on_the_list_is_withheld(lines: Lines, log: Any) -> None:
    log.info("read", url="http://a.test/?canary", headers={"a": "canary"}, body=b"canary", chars=5)
    line = lines.last()
    assert line["event"] == "read"
    assert (line["url"], line["headers"], line["body"], line["chars"]) == ("…", "…", "…", 5)
    assert "canary" not in lines.text()


def test_a_field_on_the_list_must_be_a_word(lines: Lines, log: Any) -> None:
    log.info("read", code="dns", reason=["canary"], route={"canary": 1}, tenant=None, ok=True)
    line = lines.last()
    assert (line["code"], line["reason"], line["route"]) == ("dns", "…", "…")
    assert (line["tenant"], line["ok"]) == (None, True)


def test_what_is_said_is_not_made_of_data(lines: Lines, log: Any) -> None:
    log.info("opened http://reader:canary@a.test/")
    assert lines.last()["event"] == "…"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "at https://reader:canary@a.test:8/p?q=canary#canary now",
            "at https://…@a.test:8/p?… now",
        ),
        ("at http://a.test/p, and", "at http://a.test/p, and"),
        ("wss://a.test?canary", "wss://a.test?…"),
        ("Authorization: Bearer canary-secret", "Authorization: …"),
        ("{'cookie': 'a=canary; b=canary'}", "{'cookie': …"),
        ("proxy-authorization=Basic Y2FuYXJ5", "proxy-authorization=…"),
        ("sent bearer canary-secret.x.y and", "sent bearer … and"),
        (f"key {KEY} is", "key pf_0123456789ab.… is"),
        ("http://[canary", "http://…"),
    ],
)
def test_texts_lose_what_they_must_not_hold(lines: Lines, log: Any, text: str, shown: str) -> None:
    assert scrub(text) == shown
    log.info("failed", detail=text)
    assert lines.last()["detail"] == shown
    assert "canary" not in lines.text()


def test_an_address_keeps_what_says_where_it_is() -> None:
    assert mask_address("https://u:p@a.test:8443/a/b?c=d#e") == "https://…@a.test:8443/a/b?…"


#: The traceback shows our code, so the words that it must not show stand elsewhere.
WORDS = 'canary of the error\n  File "canary", line 1, in x'


def _fail() -> None:
    try:
        raise KeyError(WORDS)
    except KeyError as error:
        raise ValueError(WORDS) from error


@pytest.mark.parametrize("shape", ["json", "console"])
def test_a_traceback_says_where_and_what_kind_but_not_what_it_says(log: Any, shape: Any) -> None:
    lines = Lines(shape)
    try:
        _fail()
    except ValueError:
        log.exception("unhandled")
        logging.getLogger("uvicorn.error").exception("Exception in ASGI application\n")
        logging.getLogger("somewhere").exception(WORDS)
    shown = lines.text()
    assert "canary" not in shown
    for part in (
        "_fail",
        "KeyError",
        "ValueError",
        "which was the cause of",
        "test_secrets_logs.py",
    ):
        assert shown.count(part) >= 3, part


def test_a_group_of_errors_and_errors_of_our_own_name_themselves(lines: Lines, log: Any) -> None:
    own = ConnectError("canary for the caller", detail="canary")
    try:
        raise ExceptionGroup(WORDS, [own, OSError(28, WORDS, WORDS)])
    except ExceptionGroup:
        log.exception("unhandled")
    trace = lines.last()["exception"]
    assert "extractor.errors.ConnectError: connect" in trace
    assert "OSError: [Errno 28]" in trace
    assert "canary" not in lines.text()


def test_messages_of_other_libraries_are_named_by_their_place(lines: Lines) -> None:
    logging.getLogger("httpx2").info("HTTP Request: %s %s", "GET", "http://a.test/?canary")
    assert lines.last()["event"].startswith("a message of test_secrets_logs:")
    logging.getLogger("asyncio").error("Task exception was never retrieved\nfuture: canary")
    assert "canary" not in lines.text()


def test_the_servers_own_messages_show_their_numbers(lines: Lines) -> None:
    server = logging.getLogger("uvicorn.error")
    server.info("Started server process [%d]", 42)
    assert lines.last()["event"] == "Started server process [42]"
    server.info('%s - "WebSocket %s" 403', ("127.0.0.1", 5), "/read?url=http://a.test/?canary")
    assert lines.last()["event"] == '… - "WebSocket …" 403'
    server.error(
        "Traceback (most recent call last):\n"
        '  File "/srv/api/app.py", line 5, in lifespan\n    connect("canary")\n'
        "canary of a message\nsqlalchemy.exc.OperationalError: canary"
    )
    assert lines.last()["event"].splitlines() == [
        "Traceback (most recent call last):",
        '  File "/srv/api/app.py", line 5, in lifespan',
        "sqlalchemy.exc.OperationalError",
    ]
    server.error("Traceback (most recent call last):\nextractor.errors.BrowserMissing: No Chromium")
    assert lines.last()["event"].endswith("extractor.errors.BrowserMissing: No Chromium")
    assert "canary" not in lines.text()


def test_an_application_in_another_server_is_as_careful(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    structlog.reset_defaults()
    create_app(ApiSettings(data_dir=tmp_path))
    secret = WORDS
    try:
        _fail()
    except ValueError:
        structlog.get_logger("pagefold.test").exception("unhandled", body=secret)
    shown = capsys.readouterr()
    assert "_fail" in shown.out
    assert "canary" not in shown.out + shown.err


def test_operators_may_ask_for_the_words_which_are_scrubbed_then(
    log: Any,
) -> None:
    lines = Lines("console", texts=True)
    try:
        _fail()
    except ValueError:
        log.exception("unhandled", extra="seen http://u:hunter2@a.test/")
    logging.getLogger("httpx2").info("HTTP Request: %s %s", "GET", "http://a.test/?hunter2")
    shown = lines.text()
    assert "canary of the error" in shown
    assert "HTTP Request: GET http://a.test/?…" in shown
    assert "hunter2" not in shown
