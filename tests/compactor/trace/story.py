"""A made-up investigation of 100 turns: why a cluster of three nodes keeps changing its leader.

What it must come to was written down before there was anything to run it: ``EXPECTED``. ``python -m
tests.compactor.trace.story`` plays it, and prints what stands before and after turn 80 and what is recalled.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from compactor import Policy, Session
from compactor.cost import history_cost
from compactor.messages import Json
from compactor.trace import (
    Assumption,
    NewDecision,
    NewEvidence,
    NewHypothesis,
    Predicate,
    Span,
    TraceRule,
)
from compactor.validate import validate

BUDGET = 18_000
TURNS = 100
#: At turn 81, in the words of the person who tells the story.
EXPECTED = {
    "network": ("reopened", "needs revalidation"),
    "cpu": ("active", "stands"),
    "decision": ("made", "needs revalidation"),
    "report": ("made", "stands"),  # rests on the decision alone: two steps away
    "cpu measurements": ("noted", "stands"),
}
#: The same where turn 80 brought something that has nothing to do with it.
TWIN = {
    "network": ("provisionally_rejected", "stands"),
    "cpu": ("active", "stands"),
    "decision": ("made", "stands"),
    "report": ("made", "stands"),
    "cpu measurements": ("noted", "stands"),
}
RAW_LOGS = "\n".join(
    f"12:{n // 60:02}:{n % 60:02} raft node-{n % 3 + 1} term {400 + n // 40} heartbeat ok seq {n * 7919}"
    for n in range(90)
)
HIGH_RATE = (
    "probe at 100 samples a second, 12 minutes\nnetwork gap: 200 ms\n"
    "seen 24 times, one each 30 s, node-2 to node-3"
)
UNRELATED = "probe of the disks, 12 minutes\ndisk gap: 200 ms\nseen 24 times, one each 30 s"


@dataclass(slots=True)
class Ids:
    """What the agent was given for each thing that it wrote down."""

    network: str = ""
    cpu: str = ""
    decision: str = ""
    report: str = ""
    measured: str = ""
    logs: str = ""

    def standing(self, session: Session) -> dict[str, tuple[str, str]]:
        names = {
            "network": self.network,
            "cpu": self.cpu,
            "decision": self.decision,
            "report": self.report,
            "cpu measurements": self.measured,
        }
        found = {name: session.trace.item(id) for name, id in names.items()}
        return {
            name: (item.status, "needs revalidation" if item.marked else "stands")
            for name, item in found.items()
        }


def opened(preset: str = "epoch") -> Session:
    policy = Policy.preset(preset, budget_chars=BUDGET)
    return Session(policy.with_trace(TraceRule(extract=True)))


def _said(turn: int, choose: random.Random) -> str:
    if turn == 12:
        return RAW_LOGS
    if turn == 35:
        return "one sample a minute, 6 hours\nnetwork loss: 0 %\n" + "quiet\n" * 40
    if turn == 40:
        return "node-2 cpu load: 93 %\nnode-2 cpu throttled: 41 %\n" + "steady\n" * 60
    lines = (f"{choose.choice('abcdef')}{choose.getrandbits(40):x} ok" for _ in range(60))
    return "\n".join(lines)


def play(session: Session, *, at_80: str, seed: int = 7) -> Iterator[tuple[int, Ids]]:
    """Each turn, after its result was appended and the agent has written down what it made of it."""
    choose, ids = random.Random(seed), Ids()
    session.append({"role": "user", "content": "Why does the cluster change its leader?"})
    session.set_goal("Find why the cluster changes its leader.")
    session.add_constraint("Do not restart a node.")
    for turn in range(1, TURNS + 1):
        call = {"type": "tool_use", "id": f"t{turn}", "name": "probe", "input": {"turn": turn}}
        session.append({"role": "assistant", "content": [call]})
        said = at_80 if turn == 80 else _said(turn, choose)
        session.append({"role": "user", "content": [_result(turn, said)]})
        write = _WRITES.get(turn)
        if write is not None:
            write(session, ids)
        yield turn, ids


def _result(turn: int, text: str) -> Json:
    return {"type": "tool_result", "tool_use_id": f"t{turn}", "content": text}


def _suspect_network(session: Session, ids: Ids) -> None:
    ids.network = session.propose(
        NewHypothesis("The network between the nodes drops packets.", status="active")
    ).id


def _keep_logs(session: Session, ids: Ids) -> None:
    artifact = session.store_artifact(RAW_LOGS, source="probe 12")
    ids.logs = session.note_evidence(
        NewEvidence(
            "Leaders change without a lost heartbeat in the log.",
            rests_on=(Span(artifact.id, 0, 400),),
            time_range=("12:00:00", "12:01:30"),
            contradicts=(ids.network,),
        )
    ).id


def _reject_network(session: Session, ids: Ids) -> None:
    quiet = session.note_evidence(NewEvidence("No loss at one sample a minute, 6 hours."))
    coverage = Assumption(
        "Sampling covers what happens between samples: no gap of 50 ms or more.",
        holds=Predicate("network", "gap", "<", 50.0, "ms"),
    )
    session.set_status(
        ids.network,
        "provisionally_rejected",
        reason="no loss in low-rate sampling",
        evidence=(quiet.id,),
        assumptions=(coverage,),
    )
    ids.cpu = session.propose(NewHypothesis("node-2 runs out of CPU.", status="active")).id


def _measure_cpu(session: Session, ids: Ids) -> None:
    ids.measured = session.note_evidence(
        NewEvidence("node-2: load 93 %, throttled 41 % of the time.", supports=(ids.cpu,))
    ).id


def _decide(session: Session, ids: Ids) -> None:
    ids.decision = session.decide(
        NewDecision(
            "Raise the CPU limit of node-2; leave the network alone.",
            depends_on=(ids.network, ids.measured),
        )
    ).id
    ids.report = session.decide(
        NewDecision("Tell the owners on Friday.", depends_on=(ids.decision,))
    ).id


_WRITES: dict[int, Callable[[Session, Ids], None]] = {
    10: _suspect_network,
    12: _keep_logs,
    35: _reject_network,
    40: _measure_cpu,
    45: _decide,
}


def faults(session: Session) -> list[str]:
    """What is wrong with the context as it stands: over its budget, or not valid."""
    found = []
    for format, profile in (("anthropic", "anthropic"), ("openai-chat", "openai-chat")):
        messages = session.context(format).messages
        if history_cost(messages) > BUDGET:
            found.append(f"{format}: {history_cost(messages)} characters")
        found += [f"{format}: {finding}" for finding in validate(messages, profile=profile)]
    return found


def main() -> None:
    """Play the story and print it."""
    session, wrong = opened(), list[str]()
    for turn, ids in play(session, at_80=HIGH_RATE):
        wrong += faults(session)
        if turn in (79, 80):
            print(f"after turn {turn}:")
            for name, (status, marked) in ids.standing(session).items():
                print(f"  {name:18} {status.replace('_', ' ')}, {marked}")
        if turn == 81:
            found = session.recall("why was the network rejected", 3_000)
            print(f"recalled at turn 81, {found.chars} characters:")
            for item in found.items:
                print(f"  {item.text}\n    because: {item.reason}")
    print(f"{TURNS} turns, contexts over {BUDGET} characters or not valid: {len(wrong)}")


if __name__ == "__main__":
    main()
