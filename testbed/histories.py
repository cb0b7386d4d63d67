"""The compactor's promises counted over recorded histories.

``python -m testbed.histories FOLDER`` appends every history message by message, at several budgets and by
every preset, asks for the context in each provider's form now and then, and prints how often a promise was
broken. All columns but the last are 0 when all hold; ``refused`` counts histories that ended in a typed
error, because what must stay is larger than the budget.

A budget is a share of the history without the system messages that it starts with: these are the session's
fixed part, as a provider's own field for them would be. ``broken`` counts contexts of one epoch that do not
start with the one before, but for its newest entry; only contexts that a model could be asked with.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from compactor import Policy, Session, validate
from compactor.cost import history_cost, serialise
from compactor.errors import BudgetError, InvalidRequest
from compactor.formats import read, write
from compactor.policy import PRESETS
from compactor.validate import PROFILES

Json = Any
SHARES = (0.6, 0.3, 0.15)
FIXED = 18_000
#: How many contexts of one history are looked at; appends in between are made all the same.
LOOKS = 12
_BATCH = {"compress", "evict", "window"}


@dataclass(slots=True)
class Counts:
    """How often each promise was broken, over how many contexts."""

    histories: int = 0
    contexts: int = 0
    over_budget: int = 0
    invalid: int = 0
    grown: int = 0
    lost: int = 0
    broken: int = 0
    refused: int = 0
    names: list[str] = field(default_factory=list)

    @property
    def breaches(self) -> int:
        """All but what was refused with a typed error."""
        return self.over_budget + self.invalid + self.grown + self.lost + self.broken


def histories(folder: Path) -> Iterator[tuple[str, str, list[Json]]]:
    """(name, format, messages) of every recorded history; Responses items by conversion."""
    for path in sorted(folder.rglob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        for index, messages in enumerate(lists_in(data)):
            format = format_of(path, messages)
            if format:
                yield f"{path.stem}#{index}", format, messages
    for path in sorted(folder.glob("openai_chat/*.json"))[:6]:
        for messages in lists_in(json.loads(path.read_text(encoding="utf-8"))):
            items, _ = write(read(messages, "openai-chat"), "openai-responses")
            yield f"{path.stem}#items", "openai-responses", items


def lists_in(data: Json) -> Iterator[list[Json]]:
    """The message lists that a recorded file holds: one, or one a segment."""
    if isinstance(data, list):
        yield data
    elif isinstance(data, dict) and "segments" in data:
        yield from (segment["messages"] for segment in data["segments"])
    elif isinstance(data, dict):
        for key in ("messages", "history", "traj", "trajectory"):
            if isinstance(data.get(key), list):
                yield data[key]
                return


def format_of(path: Path, messages: list[Json]) -> str:
    """The first format that reads every message; empty when none does."""
    first = {"anthropic": "anthropic", "text_protocol": "text"}.get(path.parent.name, "openai-chat")
    for format in dict.fromkeys((first, "openai-chat", "text")):
        try:
            read(messages, format)
        except InvalidRequest:
            continue
        return format if messages else ""
    return ""


def budgets(messages: list[Json]) -> dict[str, int]:
    """The budgets to try, by label, in characters."""
    size = history_cost(messages[fixed_part(messages) :])
    return {f"{share:.0%}": int(share * size) for share in SHARES} | {str(FIXED): FIXED}


def run(name: str, format: str, messages: list[Json], policy: Policy, counts: Counts) -> None:
    """Append one history under one policy and count what breaks."""
    fixed = fixed_part(messages)
    session = Session(policy, system=messages[:fixed] or None)
    messages = messages[fixed:]
    every = max(1, len(messages) // LOOKS)
    before: dict[str, list[Json]] = {}
    for index, message in enumerate(messages):
        try:
            report = session.append(message, format)
        except BudgetError as error:
            counts.refused += 1
            counts.names.append(f"{name}: refused at {index}: {error}")
            return
        counts.grown += sum(change.after > change.before for change in report.changes)
        if any(change.step in _BATCH for change in report.changes):
            before = {}
        if index % every == 0 or index == len(messages) - 1:
            made = _look(f"{name}@{index}", session, counts)
            if policy.schedule == "epoch" and _can_be_sent(session):
                _compare(f"{name}@{index}", before, made, counts)
                before = made
    shown = session.context(format)
    back = [
        shown.messages[line.at] if line.kept else session.expand(line.original)
        for line in session.certificate(shown)
    ]
    if json.dumps(back) != json.dumps(messages):
        counts.lost += 1
        counts.names.append(f"{name}: not all originals came back")


def fixed_part(messages: list[Json]) -> int:
    """How many system messages a history starts with."""
    roles = [m.get("role") if isinstance(m, dict) else None for m in messages]
    return next((i for i, role in enumerate(roles) if role not in ("system", "developer")), 0)


def _can_be_sent(session: Session) -> bool:
    """Whether a model could be asked now: no call waits, and the assistant has not just spoken."""
    shown = session.context("openai-chat").messages
    return not session.as_json()["open_calls"] and bool(shown) and shown[-1]["role"] != "assistant"


def _compare(
    name: str, before: dict[str, list[Json]], after: dict[str, list[Json]], counts: Counts
) -> None:
    for profile, messages in before.items():
        kept = serialise(messages[:-1])[:-1]
        if messages and not serialise(after[profile]).startswith(kept):
            counts.broken += 1
            counts.names.append(f"{name}: {profile} does not start with the context before")


def _look(name: str, session: Session, counts: Counts) -> dict[str, list[Json]]:
    """Count what is wrong with the contexts now; the contexts, by profile."""
    shown: dict[str, list[Json]] = {}
    wanted = [session.policy.profile] if session.policy.profile else ["anthropic", "openai-chat"]
    for profile in wanted:
        made = session.context(PROFILES[profile][0]).messages
        counts.contexts += 1
        if history_cost(made) > session.budget_chars:
            counts.over_budget += 1
            counts.names.append(f"{name}: {profile} over the budget")
        errors = [f for f in validate(made, profile) if f.severity == "error"]
        if errors:
            counts.invalid += 1
            counts.names.append(f"{name}: {profile} {errors[0].rule} at {errors[0].index}")
        shown[profile] = made
    return shown


def main() -> int:
    """Print one line a preset and profile; the exit code is 1 when a promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=int, default=0, help="histories to try (0: all)")
    parser.add_argument("--presets", default=",".join(PRESETS), help="policies, by commas")
    options = parser.parse_args()
    found = list(histories(options.folder))[: options.limit or None]
    total, breaches = Counts(), 0
    print(f"{len(found)} histories, budgets {', '.join(f'{s:.0%}' for s in SHARES)} and {FIXED:,}")
    print("preset    profile            contexts  over  invalid  grown  lost  broken  refused")
    for preset in options.presets.split(","):
        for profile in ("", *PROFILES):
            counts = Counts()
            for name, format, messages in found:
                counts.histories += 1
                for label, budget in budgets(messages).items():
                    policy = replace(Policy.preset(preset, budget_chars=budget), profile=profile)
                    run(f"{name} {preset} {label}", format, messages, policy, counts)
            _print(preset, profile or "(both)", counts)
            total.names += counts.names
            breaches += counts.breaches
    for line in total.names[:40]:
        print("  " + line)
    return 1 if breaches else 0


def _print(preset: str, profile: str, counts: Counts) -> None:
    print(
        f"{preset:9} {profile:18} {counts.contexts:8} {counts.over_budget:5} {counts.invalid:8}"
        f" {counts.grown:6} {counts.lost:5} {counts.broken:7} {counts.refused:8}",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
