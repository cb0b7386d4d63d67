"""What an append costs as a session grows, beside serialising the whole history each time.

``python -m testbed.append_bench`` appends 1,600 messages (calls and results of 1 to 3 kB) and prints CPU
milliseconds a message, for the first and the last quarter. The two ways run in turn, preset by preset.
The other way is what an agent does that keeps its history in a list and measures it by ``json.dumps``.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

from compactor import Policy, Session
from compactor.policy import PRESETS

_WORDS = (
    "the file error config path return value import module test session budget result window "
    "line parse token def class self index list 42 1973 ok"
).split()


def messages(count: int) -> Iterator[dict[str, Any]]:
    """Turns of a tool-using agent, the same in every run."""
    choose = random.Random(7)
    for turn in range(count // 2):
        call = {
            "type": "tool_use",
            "id": f"t{turn}",
            "name": "code_run",
            "input": {"code": f"print(open('file_{turn}.py').read())"},
        }
        said = {"type": "text", "text": f"Step {turn}: look at file {turn}."}
        yield {"role": "assistant", "content": [said, call]}
        rows = (" ".join(choose.choices(_WORDS, k=9)) for _ in range(choose.randint(22, 66)))
        result = {"type": "tool_result", "tool_use_id": f"t{turn}", "content": "\n".join(rows)}
        yield {"role": "user", "content": [result]}


def whole_history() -> Callable[[dict[str, Any]], None]:
    """Appends to a list and measures all of it, each time."""
    history: list[dict[str, Any]] = []

    def append(message: dict[str, Any]) -> None:
        history.append(message)
        len(json.dumps(history, ensure_ascii=False))

    return append


def run(policy: Policy, count: int) -> tuple[list[float], list[float]]:
    """CPU milliseconds of each append, ours and by the whole history."""
    return appends(policy, count), _timed(whole_history(), count)


def appends(policy: Policy, count: int) -> list[float]:
    """CPU milliseconds of each append to a session."""
    session = Session(policy)
    session.append({"role": "user", "content": "Find out why the tests fail."})
    return _timed(session.append, count)


def _timed(append: Callable[[dict[str, Any]], object], count: int) -> list[float]:
    times = []
    for message in messages(count):
        started = time.process_time()
        append(message)
        times.append((time.process_time() - started) * 1000)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m testbed.append_bench")
    parser.add_argument("--messages", type=int, default=1_600)
    count = parser.parse_args().messages
    print(f"{'way':16} {'mean ms':>8} {'first ¼':>8} {'last ¼':>8} {'ratio':>6}")
    theirs: list[float] = []
    for name in PRESETS:
        ours, theirs = run(Policy.preset(name, budget_chars=90_000), count)
        _print(name, ours)
    # The budget in tokens, which the estimator turns into characters.
    ours, theirs = run(Policy.preset("epoch", window_tokens=30_000), count)
    _print("epoch, tokens", ours)
    _print("whole history", theirs)


def _print(name: str, times: list[float]) -> None:
    quarter = len(times) // 4
    mean = sum(times) / len(times)
    first, last = sum(times[:quarter]) / quarter, sum(times[-quarter:]) / quarter
    print(f"{name:16} {mean:8.3f} {first:8.3f} {last:8.3f} {last / first:6.2f}")


if __name__ == "__main__":
    main()
