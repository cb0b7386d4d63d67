"""How many tokens a task may take, by rules over its words or by a model that is asked; with the reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

import regex

Complexity = Literal["simple", "moderate", "complex", "multi_step", "unknown"]
#: Tokens by complexity; an unknown one gets the model's window.
TOKENS: Mapping[str, int] = MappingProxyType(
    {"simple": 20_000, "moderate": 60_000, "complex": 120_000, "multi_step": 180_000}
)
Classifier = Callable[[str], str]

_LISTED = regex.compile(r"^\s*(?:\d+[.)]|[-*•])\s+\S", regex.MULTILINE)
_NEXT = regex.compile(
    r"\b(?:then|after that|afterwards|next|finally|once (?:that|this|it)|step \d+)\b"
    r"|然后|接着|最后|第[一二三四五六七八九十]步",
    regex.IGNORECASE,
)
_SOURCES = regex.compile(
    r"https?://\S+|(?<![\w/.-])(?:~|\.{1,2})?/?[\w.-]{1,200}(?:/[\w.-]{1,200})+"
    r"|(?<![\w-])[\w-]{1,80}\.(?:pdf|docx?|xlsx?|csv|py|js|ts|md|json|log|html?)\b"
)
_MANY = regex.compile(
    r"\b(?:all|each|every|several|many|across|compare|between)\b.{0,40}\b(?:files?|documents?|reports?|pages?|"
    r"tools?|services?|modules?|repos(?:itories)?|sources?|papers?)\b",
    regex.IGNORECASE,
)
_LOOK_UP = regex.compile(
    r"\b(?:search|look up|find|fetch|open|read|browse|run|execute|query|download|check|call|test|list|grep)\b"
    r"|搜索|查找|打开|读取|运行|下载|检查",
    regex.IGNORECASE,
)
_SAVED = regex.compile(
    r"\b(?:checkpoints?|resume|save (?:your |the )?(?:state|progress)|progress file|keep track"
    r"|over (?:several|many) (?:days|hours|sessions)|until (?:all|every|the)|migrat\w+|refactor\w*"
    r"|end[- ]to[- ]end|long[- ]running)\b"
    r"|断点|保存进度|持续|迁移|重构",
    regex.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Allocation:
    """``tokens`` for a task of this complexity, never more than the window; ``by`` is rules or model."""

    complexity: Complexity
    tokens: int
    reason: str
    by: Literal["rules", "model"] = "rules"


def allocate(
    task: str, *, window_tokens: int, tools: int = 0, classifier: Classifier | None = None
) -> Allocation:
    """The budget of a task. ``tools`` is how many the agent has; ``classifier`` may name the complexity.

    A classifier that fails, or answers with anything else than a complexity, is not believed: the rules
    decide then, and the reason says so. Linear in the task.
    """
    failed = ""
    if classifier is not None:
        try:
            answer = classifier(task).strip().lower()
        except Exception as error:  # a plug-in may raise anything
            failed = f"the model failed ({type(error).__name__}); "
        else:
            if answer in get_args(Complexity):
                return _allocated(answer, window_tokens, "the model says so", "model")
            failed = "the model named no complexity; "
    complexity, why = _by_rules(task, tools)
    return _allocated(complexity, window_tokens, failed + why, "rules")


def _allocated(complexity: str, window: int, why: str, by: Literal["rules", "model"]) -> Allocation:
    known = next(name for name in get_args(Complexity) if name == complexity)
    wanted = TOKENS.get(known, window)
    if wanted > window:
        why += f"; {wanted:,} tokens are capped by the window of {window:,}"
    return Allocation(known, min(wanted, window), f"{known}: {why}", by)


def _by_rules(task: str, tools: int) -> tuple[Complexity, str]:
    """The first rule that holds, from the most demanding one on."""
    said = task.strip()
    if not any(char.isalnum() for char in said):
        return "unknown", "the task says nothing"
    steps = max(len(_LISTED.findall(said)), 1 + len(_NEXT.findall(said)))
    sources = len(dict.fromkeys(_SOURCES.findall(said)))
    look_ups = len(_LOOK_UP.findall(said))
    saved = _SAVED.search(said)
    if saved and steps > 1:
        return "multi_step", f"{steps} steps, and state to keep ({saved[0].strip()!r})"
    if steps >= 5:
        return "multi_step", f"{steps} steps"
    many = _MANY.search(said)
    if saved or many or sources > 1 or steps >= 3 or look_ups >= 4:
        what = (saved or many or [""])[0]
        named = f" ({what.strip()!r})" if what else ""
        return "complex", f"steps: {steps}, sources: {sources}, look-ups: {look_ups}{named}"
    if look_ups or sources or steps == 2:
        return "moderate", f"steps: {steps}, sources: {sources}, look-ups: {look_ups}"
    if tools and len(said) > _LONG_TASK:
        return "unknown", f"{len(said):,} characters without a word that the rules know"
    return "simple", "one step, nothing to look up"


_LONG_TASK = 600
