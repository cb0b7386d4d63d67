"""Request bodies of the session routes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from compactor import Policy

FormatName = Literal["anthropic", "openai-chat", "openai-responses", "text"]
ProfileName = Literal[
    "anthropic", "openai-chat", "openai-responses", "gemini", "mistral-strict", "deepseek-reasoner"
]
PolicyName = Literal["epoch", "paper", "upstream"]
Object = dict[str, Any]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SessionIn(_Strict):
    """A session to open. ``budget_chars`` is the budget for the messages, in characters."""

    policy: PolicyName = "epoch"
    budget_chars: Annotated[int | None, Field(ge=1_000)] = None
    window_tokens: Annotated[int, Field(ge=1_000)] = 30_000
    system: str | list[Object] | None = None
    tools: list[Object] | None = None

    def as_policy(self) -> Policy:
        """The policy that this body asks for."""
        return Policy.preset(
            self.policy, budget_chars=self.budget_chars, window_tokens=self.window_tokens
        )


class MessagesIn(_Strict):
    """One message or several, in one provider's format. ``usage`` is the provider's last report."""

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


class PageIn(_Strict):
    """A page to fetch and append; ``page`` holds the fields of a page request."""

    format: FormatName = "anthropic"
    tool_name: Annotated[str, Field(pattern=r"^[a-zA-Z0-9_-]{1,64}$")] = "web_scan"
    page: Object
    include_content: bool = False


class CompactIn(_Strict):
    """A whole history to compact at once."""

    format: FormatName = "anthropic"
    messages: list[Object]
    system: str | list[Object] | None = None
    tools: list[Object] | None = None
    policy: PolicyName = "epoch"
    budget_chars: Annotated[int | None, Field(ge=1_000)] = None


class ValidateIn(_Strict):
    """Messages to check; the profile also says in which format they are read."""

    profile: ProfileName
    messages: list[Object]
