"""The replay as a user runs it: recorded histories in, a table and files out, the same each time."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from typer.testing import CliRunner, Result

from compactor.formats import FORMATS
from testbed.cli import app
from testbed.replay.compactors import Setting, choose
from testbed.replay.measure import replay
from testbed.replay.recordings import Recording, calls_of_the_model
from testbed.replay.run import Plan, Size, run
from testbed.replay.summary import summarise
from tests.testbed.agents import agent, recorded


def compact(data: Path, *more: str) -> Result:
    result = CliRunner().invoke(app, ["compact", "--data", str(data), *more])
    assert result.exit_code == 0, result.output
    return result


def rows(out: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pyarrow.parquet.read_table(out / "results.parquet").to_pylist()
    return found


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    folder = tmp_path_factory.mktemp("replay")
    data, out = recorded(folder / "data", *FORMATS), folder / "out"
    argv = ["--budgets", "45%", "--plant-from", "1000", "--out", str(out)]
    return data, out, compact(data, *argv).output


def test_all_formats_are_replayed_at_every_budget(written: tuple[Path, Path, str]) -> None:
    _, out, _ = written
    lines = rows(out)
    assert {line["group"] for line in lines} == set(FORMATS)
    assert {line["budget"] for line in lines} == {"45%"}
    ours = [line for line in lines if line["compactor"] in ("epoch", "paper", "upstream")]
    assert len(ours) == 3 * (len(FORMATS) + 1)  # the chat history is replayed as items too
    for line in ours:
        assert line["worst"] <= 1.0
        assert line["invalid"] == 0
        assert not line["error"]
        assert line["requests"] == 25


def test_without_a_compactor_everything_is_in_view_and_nothing_fits(
    written: tuple[Path, Path, str],
) -> None:
    _, out, _ = written
    for line in (each for each in rows(out) if each["compactor"] == "none"):
        assert line["demand_hits"] == line["demand_of"] == 23  # one file each turn but the first
        assert line["facts_hits"] == line["facts_of"] == 54
        assert line["stale_hits"] == 6
        assert line["cost"] == pytest.approx(1.0, abs=0.01)
        assert line["worst"] > 1
        assert line["breaks"] == 0


def test_dropping_a_little_each_time_costs_more_than_dropping_in_batches(
    written: tuple[Path, Path, str],
) -> None:
    _, out, _ = written
    found = {(e["recording"], e["budget"], e["compactor"]): e for e in rows(out)}
    for recording, budget in {key[:2] for key in found}:
        each, batches = (found[recording, budget, name] for name in ("fifo", "fifo-hysteresis"))
        assert each["cost"] > batches["cost"]
        assert each["reuse"] < batches["reuse"]
        assert each["far_hits"] >= batches["far_hits"]


def test_the_table_reports_demand_first_and_the_report_needs_nothing(
    written: tuple[Path, Path, str],
) -> None:
    _, out, printed = written
    assert re.search(r"budget +┃ compactor +┃ demand", printed), printed[:500]
    assert "| 45% | epoch |" in (out / "table.md").read_text("utf-8")
    report = (out / "report.html").read_text("utf-8")
    assert report.startswith("<!doctype html>")
    assert "<script" not in report
    assert "http" not in re.sub(r"https://\w+\.example", "", report)
    assert report.count("<svg") == report.count("</svg>") > 10


def test_two_runs_give_the_same_numbers(written: tuple[Path, Path, str], tmp_path: Path) -> None:
    data, out, _ = written
    compact(
        data,
        "--budgets",
        "45%",
        "--plant-from",
        "1000",
        "--out",
        str(tmp_path),
        "--only",
        "in-openai-chat",
    )
    timed = ("cpu_ms", "flat")
    one, two = (
        [{k: v for k, v in line.items() if k not in timed} for line in rows(at)]
        for at in (out, tmp_path)
    )
    assert two == [line for line in one if line["recording"].startswith("in-openai-chat")]
    assert two


class Forgetful:
    """Keeps one message, and hands out a ref to all that it has seen."""

    limit = 1_000

    def __init__(self, setting: Setting) -> None:
        self.all: list[Any] = []

    def append(self, message: Any) -> None:
        self.all.append(message)

    def request(self) -> list[Any]:
        if self.limit < len(self.all):
            raise RuntimeError("too much for me")
        return [{"role": "user", "content": "see <<all>>"}, *self.all[-1:]]

    def refs(self, text: str) -> list[str]:
        return ["all"] if "<<all>>" in text else []

    def expand(self, ref: str) -> str:
        return repr(self.all)


def test_one_look_up_is_what_a_visible_ref_brings_back() -> None:
    messages = agent(15)
    recording = Recording("x", "anthropic", (), tuple(messages))
    plan = Plan({"forgetful": Forgetful}, (Size("half", share=0.5),), plant_from=1)
    [row] = run([recording], plan)
    made = summarise([row])
    # Ten turns ago is never among the last message; in what the ref brings back it always is.
    assert (made.far.hits, made.far_reach.hits) == (0, made.far.of)
    assert made.far.of > 0
    assert made.facts_reach.hits == made.facts.of == 50
    assert made.facts.hits < 10
    assert made.invalid > 0  # a result without its call
    asked = {w.demand.place for w in row.replayed.wanted if not w.in_view}
    assert made.look_ups == pytest.approx(100 * len(asked) / 16)  # one ref holds all


class Brittle(Forgetful):
    limit = 30


def test_a_compactor_that_fails_is_an_error_of_its_row_alone() -> None:
    recording = Recording("x", "anthropic", (), tuple(agent()))
    openers, _ = choose(["epoch"])
    plan = Plan({"brittle": Brittle, **openers}, (Size("9,000", chars=9_000),))
    bad, good = run([recording], plan)
    assert bad.error == "RuntimeError: too much for me"
    assert not good.error
    assert summarise([bad]).errors == 1


def test_time_is_taken_for_every_message() -> None:
    messages = agent(5)
    places = calls_of_the_model(messages, "anthropic")
    made = replay(messages, Forgetful(Setting("anthropic", 1)), places, format="anthropic")
    assert len(made.cpu_ms) == len(messages)
    assert len(made.sent) == len(places)


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["--compactors", "nonsense"], "there are none, fifo"),
        (["--budgets", "120%"], "shares under 100%"),
        (["--budgets", "many"], "whole numbers"),
        (["--only", "nothing"], "nothing to replay"),
    ],
)
def test_a_wrong_option_says_what_is_right(tmp_path: Path, argv: list[str], says: str) -> None:
    data = recorded(tmp_path, "anthropic")
    result = CliRunner().invoke(app, ["compact", "--data", str(data), *argv])
    assert result.exit_code == 2
    assert says in result.output


def test_what_cannot_be_had_here_is_named() -> None:
    result = CliRunner().invoke(app, ["compactors"])
    assert re.search(r"^epoch +ready$", result.output, re.MULTILINE)
    for name, package in (("trim", "langchain-core"), ("clear", "langchain")):
        line = rf"^langchain-{name} +(ready|not installed: {package})$"
        assert re.search(line, result.output, re.MULTILINE)
