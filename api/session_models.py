"""Request bodies of the session routes."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from api.session_pricing import PricesIn, TriggersIn
from api.session_strategy import StrategyIn, SummariserName
from compactor import Limit, Policy
from compactor.facts import FactRule
from compactor.strategy import StrategyRule
from compactor.trace import TraceRule

FormatName = Literal["anthropic", "openai-chat", "openai-responses", "text"]
ProfileName = Literal[
    "anthropic", "openai-chat", "openai-responses", "gemini", "mistral-strict", "deepseek-reasoner"
]
PolicyName = Literal["epoch", "paper", "upstream"]
Object = dict[str, Any]


def _example(body: Object) -> ConfigDict:
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [body]})


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ToolLimit(_Strict):
    """Characters that a tool's result may bring in; ``line_chars`` limits each line (0: not)."""

    chars: Annotated[int, Field(ge=1)]
    line_chars: Annotated[int, Field(ge=0)] = 0


class KeyInfoIn(_Strict):
    """What the agent keeps in view."""

    model_config = _example({"key_info": "the log is cut at station 201"})

    key_info: Annotated[str, Field(max_length=100_000)]


class SessionIn(_Strict):
    """A session to open. ``budget_chars`` is the budget for the messages, in characters."""

    model_config = _example({"budget_chars": 120_000, "system": "Find causes; change nothing."})

    policy: PolicyName = "epoch"
    budget_chars: Annotated[int | None, Field(ge=1_000)] = None
    window_tokens: Annotated[int, Field(ge=1_000)] = 30_000
    estimator: Literal["script", "alpha"] = "script"
    model: Annotated[str, Field(max_length=200)] = ""
    profile: ProfileName | None = None
    target_share: Annotated[float | None, Field(gt=0, le=1)] = None
    limits: Annotated[dict[str, ToolLimit], Field(max_length=200)] = {}
    rebuild: Literal["local", "full", "auto"] = "local"
    full_share: Annotated[float, Field(gt=0, le=1)] = 0.2
    least_hit_rate: Annotated[float, Field(ge=0, le=1)] = 0.7
    horizon_requests: Annotated[int, Field(ge=1, le=10_000)] = 20
    strategy: StrategyIn | None = None
    summariser: SummariserName = "extractive"
    most_facts: Annotated[int, Field(ge=0, le=100_000)] = 1_600
    prices: PricesIn = PricesIn()
    triggers: TriggersIn = TriggersIn()
    trace: bool = False
    system: str | list[Object] | None = None
    tools: list[Object] | None = None

    def as_policy(self) -> Policy:
        """The policy that this body asks for."""
        policy = Policy.preset(
            self.policy, budget_chars=self.budget_chars, window_tokens=self.window_tokens
        )
        own = {tool: Limit(limit.chars, limit.line_chars) for tool, limit in self.limits.items()}
        return replace(
            policy,
            profile=self.profile or "",
            target_share=self.target_share or policy.target_share,
            estimator=self.estimator,
            model=self.model,
            rebuild=self.rebuild,
            full_share=self.full_share,
            least_hit_rate=self.least_hit_rate,
            horizon_requests=self.horizon_requests,
            strategy=StrategyRule() if self.strategy is None else self.strategy.as_rule(),
            facts=FactRule(most_facts=self.most_facts),
            prices=self.prices.as_prices(),
            triggers=self.triggers.as_triggers(),
            limits=MappingProxyType({**policy.limits, **own}),
        ).with_trace(TraceRule(extract=self.trace, replace_stale=self.trace))


class MessagesIn(_Strict):
    """One message or several, in one provider's format. ``usage`` is the provider's last report."""

    model_config = _example(
        {"format": "anthropic", "message": {"role": "user", "content": "Why did the import stop?"}}
    )

    format: FormatName = "anthropic"
    message: Object | None = None
    messages: Annotated[list[Object] | None, Field(min_length=1)] = None
    usage: Object | None = None
    pinned: bool = False

    @model_validator(mode="after")
    def _one_of_two(self) -> MessagesIn:
        if (self.message is None) == (self.messages is None):
            raise ValueError("give either message or messages")
        return self

    def as_list(self) -> list[Object]:
        """The messages, also when only one was given."""
        return [self.message] if self.message is not None else list(self.messages or [])


class PlanIn(_Strict):
    """How far a compaction shall go: the characters that the messages may cost afterwards."""

    model_config = _example({"target_chars": 18_000})

    target_chars: Annotated[int | None, Field(ge=1)] = None
    format: FormatName = "anthropic"


class ApplyIn(_Strict):
    """A plan by its id, with the version and the target that it was made for."""

    model_config = _example({"id": "b90e63257dfbcfea", "version": 7, "target_chars": 18_000})

    id: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
    version: Annotated[int, Field(ge=0)]
    target_chars: Annotated[int, Field(ge=1)]


class PageIn(_Strict):
    """A page to fetch and append; ``page`` holds the fields of a page request."""

    model_config = _example(
        {"page": {"url": "https://example.org/", "format": ["markdown"], "budget": 3_000}}
    )

    format: FormatName = "anthropic"
    tool_name: Annotated[str, Field(pattern=r"^[a-zA-Z0-9_-]{1,64}$")] = "web_scan"
    page: Object
    include_content: bool = False


class CompactIn(SessionIn):
    """A whole history to compact at once."""

    model_config = _example(
        {
            "budget_chars": 20_000,
            "messages": [{"role": "user", "content": "Why did the import stop?"}],
        }
    )

    format: FormatName = "anthropic"
    messages: list[Object]


class ValidateIn(_Strict):
    """Messages to check; the profile also says in which format they are read."""

    model_config = _example(
        {"profile": "anthropic", "messages": [{"role": "assistant", "content": "Because."}]}
    )

    profile: ProfileName
    messages: list[Object]
