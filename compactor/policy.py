"""What a session's owner decides: budget, limits of the tools, what may never go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from compactor.budget import fixed_tokens
from compactor.errors import BudgetImpossible, InvalidRequest
from compactor.facts import FactRule
from compactor.messages import Json
from compactor.prices import Prices
from compactor.rates import family_of
from compactor.rebuild import Rebuild
from compactor.strategy import StrategyRule
from compactor.trace.rule import TraceRule
from compactor.trigger import Triggers
from compactor.validate import format_of

PresetName = Literal["epoch", "paper", "upstream"]
Schedule = Literal["epoch", "every_n_turns"]
Estimator = Literal["script", "alpha"]
#: Characters a token in the rule of the paper.
_ALPHA = 3
PRESETS: tuple[PresetName, ...] = ("epoch", "paper", "upstream")


@dataclass(frozen=True, slots=True)
class Limit:
    """Characters that a tool's result may bring in; ``line_chars`` limits each line (0: not)."""

    chars: int
    line_chars: int = 0


_LIMITS: Mapping[str, Limit] = MappingProxyType(
    {
        "code_run": Limit(10_000),
        "web_execute_js": Limit(8_000),
        "web_scan": Limit(10_000),
        "file_read": Limit(20_000, line_chars=1_280),
    }
)
#: What other agents call the tool that reads a file.
_FILE_READERS = ("Read", "read_file", "readFile", "view_file", "fs_read")
_OWN_LIMITS: Mapping[str, Limit] = MappingProxyType(
    {**_LIMITS, **dict.fromkeys(_FILE_READERS, _LIMITS["file_read"])}
)


@dataclass(frozen=True, slots=True)
class Policy:
    """Settings of a session; frozen, so two sessions can share one safely.

    Attributes:
        budget_chars: the budget B outright, in characters; ``None`` derives it from the window.
        window_tokens: the model's window W.
        output_reserve_tokens: room left for the model's answer (not in ``paper``).
        safety_share: share of what is left that stays free.
        estimator: ``script`` turns tokens into characters by what the messages are made of, once each
            epoch; ``alpha`` takes 3 characters a token of the whole window, as ``paper`` does.
        model: the model's name, or a tokenizer family of ``rates.FAMILIES``; unknown ones are taken
            to be as dear as the dearest.
        first_chars_per_token: the same before there are messages to measure.
        target_share: eviction goes on until the cost is below this share of B.
        rebuild: how an epoch ends: ``local`` goes down to ``target_share``, ``full`` to ``full_share``,
            ``auto`` takes the one that the model says is cheaper for each request.
        floor_messages: eviction stops at this many messages.
        schedule: ``every_n_turns`` compresses older messages each ``compress_every_turns`` turns, all
            but the newest ``compress_exempt``; ``epoch`` leaves what was sent as it is until the
            budget is passed, and then works in one batch.
        evict_exempt: messages that the compression before an eviction leaves alone.
        compress_chars: window that a long block keeps in an older message.
        evict_over_share: after compression, turns leave while the cost is over this share of B;
            ``None``: over ``target_share``, so that the next epoch is long.
        anchor: whether the newest entry carries the working memory.
        anchor_share: the most of B that it may take.
        anchor_from: the share of B from which on it is there (schedule ``epoch``), where nothing was noted
            or taken out yet; a history that is all there says it all. 0: always.
        key_info_chars: the most that the agent may keep in it.
        schema_every_turns, schema_every_chars: when the text protocol repeats the tools in full.
        drop_signed_after_cut: whether an eviction takes all signed thinking with it, for providers that
            bind a signature to everything that stood before it.
        strategy: what makes the history shorter before anything is evicted.
        note_chars, most_notes: how long a note beside the history may be, and how many there may be.
        facts: how much the index of facts keeps.
        index_share: the most of B that the entry may take which tells of what has left: refs to all of it,
            and the best of its facts. 0: none.
        profile: a provider whose rules the context keeps beside those of its format; room for
            what they add is kept in the budget.
        prices: what the model's provider asks for, and what its cache does.
        triggers: what ends an epoch before the budget is passed (schedule ``epoch``).
        check_prefix: a test mode: ``context`` raises PrefixBroken where a request of an epoch is not
            the start of the next one.
        least_hit_rate: a share of cacheable tokens that were read under this is warned of.
        horizon_requests: requests ahead that a plan's costs are of.
        trace: what is written down of what the session knows, and how much of it is in view.
    """

    name: PresetName = "epoch"
    budget_chars: int | None = None
    window_tokens: int = 30_000
    output_reserve_tokens: int = 4_000
    safety_share: float = 0.05
    estimator: Estimator = "script"
    model: str = ""
    first_chars_per_token: float = 2.3
    limits: Mapping[str, Limit] = field(default_factory=lambda: _OWN_LIMITS)
    default_limit: Limit = Limit(10_000)
    html_limit_chars: int = 35_000
    divide_parallel: bool = True
    keep_first_user: bool = True
    target_share: float = 0.3
    rebuild: Rebuild = "local"
    full_share: float = 0.2
    floor_messages: int = 5
    profile: str = ""
    schedule: Schedule = "epoch"
    compress_every_turns: int = 5
    compress_exempt: int = 10
    evict_exempt: int = 4
    compress_chars: int = 800
    evict_over_share: float | None = None
    anchor: bool = True
    anchor_share: float = 0.125
    anchor_from: float = 0.0
    key_info_chars: int = 2_000
    schema_every_turns: int = 10
    schema_every_chars: int = 24_000
    drop_signed_after_cut: bool = False
    strategy: StrategyRule = field(default_factory=StrategyRule)
    note_chars: int = 100_000
    most_notes: int = 100
    facts: FactRule = field(default_factory=FactRule)
    index_share: float = 0.35
    prices: Prices = field(default_factory=Prices)
    triggers: Triggers = field(default_factory=Triggers)
    check_prefix: bool = False
    least_hit_rate: float = 0.7
    horizon_requests: int = 20
    trace: TraceRule = field(default_factory=TraceRule)

    def __post_init__(self) -> None:
        if self.budget_chars is not None and self.budget_chars < 1:
            raise InvalidRequest("budget_chars must be at least 1.", field="budget_chars")
        if self.window_tokens < 1:
            raise InvalidRequest("window_tokens must be at least 1.", field="window_tokens")
        if not 0 < self.target_share <= 1:
            raise InvalidRequest("target_share must lie in (0, 1].", field="target_share")
        if not 0 < self.full_share <= 1:
            raise InvalidRequest("full_share must lie in (0, 1].", field="full_share")
        if self.rebuild not in ("local", "full", "auto"):
            raise InvalidRequest("rebuild must be local, full or auto.", field="rebuild")
        if self.estimator not in ("script", "alpha"):
            raise InvalidRequest("estimator must be script or alpha.", field="estimator")
        if self.profile:
            format_of(self.profile)

    @classmethod
    def preset(
        cls,
        name: str = "epoch",
        *,
        budget_chars: int | None = None,
        window_tokens: int = 30_000,
    ) -> Policy:
        """One of the shipped policies: ``epoch`` (default), ``paper``, ``upstream``.

        Raises:
            InvalidRequest: unknown name, or a number out of range.
        """
        if name not in PRESETS:
            raise InvalidRequest(f"policy must be one of {', '.join(PRESETS)}.", field="policy")
        policy = cls(budget_chars=budget_chars, window_tokens=window_tokens)
        if name == "paper":
            return replace(
                policy,
                name="paper",
                target_share=0.6,
                schedule="every_n_turns",
                limits=_LIMITS,
                divide_parallel=False,
                keep_first_user=False,
                evict_over_share=1.0,
                index_share=0.0,
            )
        if name == "upstream":
            factor = min(3.0, max(1.0, window_tokens / 30_000))
            scaled = {tool: _scaled(limit, factor) for tool, limit in _LIMITS.items()}
            scaled["file_read"] = _scaled(Limit(15_000, line_chars=1_280), factor)
            return replace(
                policy,
                name="upstream",
                target_share=0.6,
                schedule="every_n_turns",
                compress_every_turns=round(7 * factor),
                limits=MappingProxyType(scaled),
                default_limit=_scaled(Limit(10_000), factor),
                html_limit_chars=int(policy.html_limit_chars * factor),
                floor_messages=9,
                index_share=0.0,
            )
        return policy

    def with_trace(self, rule: TraceRule) -> Policy:
        """The same with another rule of what is written down."""
        facts = replace(self.facts, retire_all=rule.replace_stale)
        return replace(self, trace=rule, facts=facts)

    def budget(self, system: Json = None, tools: Json = None) -> int:
        """B in characters for the history's messages, as a session opens with it.

        Raises:
            BudgetImpossible: the fixed part and the reserve leave nothing of the window.
        """
        if self.fixed_chars is not None:
            return self.fixed_chars
        fixed = fixed_tokens(system, tools, family_of(self.model)).upper
        room = (self.window_tokens - fixed - self.output_reserve_tokens) * (1 - self.safety_share)
        if room < 1:
            raise BudgetImpossible(
                f"System prompt and tools (up to {fixed:.0f} tokens) leave nothing of the window of "
                f"{self.window_tokens} tokens; shorten them or set a larger window.",
                field="window_tokens",
            )
        return max(1, int(room * self.first_chars_per_token))

    @property
    def fixed_chars(self) -> int | None:
        """B where it never moves; ``None`` where each epoch has its own."""
        if self.budget_chars is not None:
            return self.budget_chars
        if self.name == "paper" or self.estimator == "alpha":
            return _ALPHA * self.window_tokens
        return None

    def limit_for(self, tool: str) -> Limit:
        """The limit of a tool's plain-text results."""
        return self.limits.get(tool, self.default_limit)


def _scaled(limit: Limit, factor: float) -> Limit:
    return Limit(int(limit.chars * factor), limit.line_chars)
