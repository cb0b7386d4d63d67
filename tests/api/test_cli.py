"""The command line says what is wrong in one line and means its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from api.cli import app
from api.demo import DemoServer
from api.serve import greeting
from api.settings import ApiSettings

runner = CliRunner()


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PAGEFOLD_DATA_DIR", str(tmp_path))


def test_typed_failure_is_one_line_and_code_1() -> None:
    result = runner.invoke(app, ["read", "http://169.254.169.254/", "--render", "static"])
    assert result.exit_code == 1
    assert result.stderr.startswith("pagefold: blocked_address: ")
    assert result.stderr.count("\n") == 1


def test_wrong_option_is_code_2() -> None:
    assert runner.invoke(app, ["read", "http://example.org/", "--format", "pdf"]).exit_code == 2


def test_wrong_setting_is_code_2_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGEFOLD_PORT", "99999")
    result = runner.invoke(app, ["serve"])
    assert result.exit_code == 2
    assert "PAGEFOLD_PORT" in result.stderr


def test_read_prints_json_and_explains(demo: DemoServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGEFOLD_ALLOW_HOSTS", f"127.0.0.1:{demo.port}")
    arguments = ["read", f"{demo.url}/article", "--render", "static", "--json", "--explain"]
    result = runner.invoke(app, arguments)
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["title"].startswith("The ledger that outlived its harbour")
    assert "main_only" in result.stderr


def test_greeting_gives_a_line_to_try(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PAGEFOLD_PORT", "PAGEFOLD_DEMO_PORT"):
        monkeypatch.delenv(name, raising=False)
    assert "curl 'http://127.0.0.1:8000/read?url=http://127.0.0.1:8001/article'" in greeting(
        ApiSettings(), demo=True
    )


def test_greeting_beyond_loopback_says_that_a_key_is_needed() -> None:
    assert "pagefold keys create" in greeting(ApiSettings(host="0.0.0.0"), demo=False)
    assert "key" not in greeting(ApiSettings(), demo=False)


@pytest.mark.parametrize("name", ["PAGEFOLD_PORT", "PAGEFOLD_DEMO_PORT"])
def test_a_taken_port_is_one_line_with_its_setting(
    name: str, demo: DemoServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGEFOLD_PORT", "0")
    monkeypatch.setenv(name, str(demo.port))
    result = runner.invoke(app, ["serve"])
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert f"{demo.port} cannot be listened on" in result.stderr
    assert name in result.stderr


@pytest.mark.parametrize("command", ["serve", "mcp"])
def test_a_data_folder_that_cannot_be_made_is_one_line(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGEFOLD_DATA_DIR", "/proc/none/data")
    monkeypatch.setenv("PAGEFOLD_PORT", "0")
    result = runner.invoke(app, [command])
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "set PAGEFOLD_DATA_DIR" in result.stderr


def test_compact_prints_a_history_within_its_budget(tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "t", "arguments": "{}"}}
    history = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "x" * 50_000},
    ]
    file, kept = tmp_path / "history.json", tmp_path / "archive.json"
    file.write_text(json.dumps(history))
    result = runner.invoke(
        app,
        [
            "compact",
            str(file),
            "--format",
            "openai-chat",
            "--budget",
            "4000",
            "--archive",
            str(kept),
        ],
    )
    assert result.exit_code == 0
    assert len(result.stdout) <= 4_000
    made, archive = json.loads(result.stdout), json.loads(kept.read_text())
    lines = archive["certificate"]
    back = [
        made[line["at"]] if line["kept"] else archive["archive"][line["original"]] for line in lines
    ]
    assert back == history
    assert "3 messages in, 3 out" in result.stderr


def test_compact_says_what_is_wrong_with_a_file(tmp_path: Path) -> None:
    file = tmp_path / "history.json"
    file.write_text('{"role": "user"}')
    result = runner.invoke(app, ["compact", str(file)])
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
