"""Sub-sessions: what a child is asked and may use, and what it hands back. Nothing is ever widened."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from compactor.errors import InvalidRequest
from compactor.estimate import estimate_text
from compactor.log import Entry
from compactor.messages import Json
from compactor.toolset import name_of
from compactor.trace.asked import ChildResult, Contract
from compactor.trace.draft import Draft
from compactor.trace.graph import Trace
from compactor.trace.items import Item
from compactor.trace.mandate import write_constraint, write_goal


@dataclass(frozen=True, slots=True)
class Child:
    """A sub-session that was opened: what its session must be made with.

    ``constraints`` are the contract's and all that hold for its parent; ``begins`` is the first entry of
    its log, which tells it the contract.
    """

    item: Item
    session_id: str
    goal: str
    constraints: tuple[str, ...]
    budget_chars: int
    tools: Json
    begins: Entry


def write_child(
    draft: Draft, contract: Contract, session_id: str, *, budget_chars: int, tools: Json
) -> Child:
    """The event of a sub-session; ``budget_chars`` and ``tools`` are its parent's.

    Raises:
        InvalidRequest: the contract asks for more than the parent has, or no goal.
    """
    budget = budget_chars if contract.budget_chars is None else contract.budget_chars
    if not 1_000 <= budget <= budget_chars:
        raise InvalidRequest(
            f"A sub-session may have 1,000 to {budget_chars} characters, not {budget}.",
            field="budget_chars",
        )
    if contract.result_tokens < 1:
        raise InvalidRequest("result_tokens must be at least 1.", field="result_tokens")
    held = [draft.item(id).text for id in draft.trace.constraints]
    excluded = [f"Excluded: {text}" for text in contract.exclusions]
    constraints = tuple(dict.fromkeys([*held, *contract.constraints, *excluded]))
    allowed = tools_for(tools, contract.tools)
    body = {
        "session_id": session_id,
        "constraints": list(constraints),
        "exclusions": list(contract.exclusions),
        "result_format": contract.result_format,
        "budget_chars": budget,
        "tools": None if contract.tools is None else list(contract.tools),
        "result_tokens": contract.result_tokens,
        "result": None,
    }
    item = draft.add("child", contract.goal, status="open", body=body)
    begins = Draft(Trace(), draft.rule, turn=0, seq=0)
    write_contract(begins, contract.goal, constraints)
    first = Entry(0, "trace", {"events": begins.events})
    return Child(item, session_id, contract.goal, constraints, budget, allowed, first)


def write_contract(draft: Draft, goal: str, constraints: Collection[str]) -> None:
    """What a child is told first: its goal, and constraints that it cannot lift."""
    write_goal(draft, goal)
    for text in constraints:
        write_constraint(draft, text, "contract")


def write_result(draft: Draft, id: str, result: ChildResult) -> Item:
    """What a sub-session came to. Raises InvalidRequest for one that is too long, or closed already."""
    item = draft.item(id)
    if item.kind != "child" or item.status != "open":
        raise InvalidRequest(f"{id} is no sub-session that is open.", field="id")
    size = round(estimate_text(result.text).upper)
    most = item.body["result_tokens"]
    if not result.text.strip() or size > most:
        raise InvalidRequest(
            f"A result has 1 to {most} tokens, not {size}: the whole stays in the sub-session.",
            field="text",
        )
    made = {
        "text": result.text,
        "evidence": list(result.evidence),
        "open_questions": list(result.open_questions),
        "trace_ref": f"session:{item.body['session_id']}",
    }
    return draft.change(id, "closed", "its result came", status="closed", body={"result": made})


def tools_for(tools: Json, names: Collection[str] | None) -> Json:
    """The definitions of some of a session's tools, in their order. Raises InvalidRequest for others."""
    if names is None:
        return tools
    listed = tools if isinstance(tools, list) else []
    unknown = set(names) - {name_of(tool) for tool in listed}
    if unknown:
        raise InvalidRequest(
            f"A sub-session may not have {', '.join(sorted(unknown))}: its parent has no such tool.",
            field="tools",
        )
    return [tool for tool in listed if name_of(tool) in names]
