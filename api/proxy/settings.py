"""What an operator of the proxy can set."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator

from api.proxy.holding import Limits
from api.proxy.upstreams import Upstream, parse_upstreams
from extractor.settings import CommaList, ExtractorSettings


class ProxySettings(ExtractorSettings):
    """Settings of the drop-in proxy, on top of the extractor's network rules."""

    proxy_port: int = Field(8002, ge=0, le=65535, description="port of `pagefold proxy`")
    proxy_upstreams: CommaList = Field(
        ("anthropic=https://api.anthropic.com", "openai=https://api.openai.com"),
        description="providers behind `/proxy/NAME`, as NAME=URL; a name that resolves to a private "
        "address must stand in PAGEFOLD_ALLOW_HOSTS too, and `#PROFILE` behind the URL keeps the rules "
        "of a stricter provider (docs/reference/validation.md); empty turns the proxy off",
    )
    proxy_window_tokens: int = Field(
        100_000, ge=1_000, description="window of the models behind the proxy, all parts included"
    )
    proxy_budget_chars: int | None = Field(
        None,
        ge=1_000,
        description="budget for the messages of a proxied request in characters; by default it "
        "follows from PAGEFOLD_PROXY_WINDOW_TOKENS",
    )
    proxy_policy: Literal["epoch", "paper", "upstream"] = Field(
        "epoch", description="policy of proxied sessions"
    )
    proxy_note_share: float = Field(
        0.25,
        ge=0,
        le=1,
        description="share of the budget from which on a proxied request carries the working memory, "
        "where nothing was noted or taken out yet",
    )
    proxy_tools: bool = Field(
        True,
        description="whether proxied requests offer the tools `expand` and "
        "`update_working_checkpoint`; without them what was taken out stays out of the model's reach",
    )
    proxy_max_rounds: int = Field(
        8, ge=1, description="times that one request may call the proxy's own tools"
    )
    proxy_expand_chars: int = Field(
        10_000, ge=500, description="characters that one call of `expand` gives back at most"
    )
    proxy_silence_s: float = Field(
        600, gt=0, description="time in which a provider must send the next part of its answer"
    )
    proxy_connections: int = Field(100, ge=1, description="connections to providers at a time")
    proxy_max_answer_bytes: int = Field(
        64_000_000, ge=1024, description="bytes of an answer that is not streamed"
    )
    proxy_sessions: int = Field(
        256,
        ge=1,
        description="histories that the proxy recognises at a time; the oldest of whoever has the most "
        "goes first",
    )
    proxy_held_chars: int = Field(
        256_000_000,
        ge=1_000,
        description="characters that these histories hold in memory in all, with the originals of what "
        "was taken out of them",
    )
    proxy_tenant_share: float = Field(
        0.5,
        gt=0,
        le=1,
        description="share of PAGEFOLD_PROXY_SESSIONS and PAGEFOLD_PROXY_HELD_CHARS that one tenant may "
        "take; over it, it loses its own oldest history",
    )
    proxy_session_ttl_s: float = Field(
        3_600, gt=0, description="a history that is not heard of for that long is forgotten"
    )

    @field_validator("proxy_upstreams", mode="before")
    @classmethod
    def _split_upstreams(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("proxy_upstreams")
    @classmethod
    def _check_upstreams(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        parse_upstreams(value)
        return value

    @property
    def held(self) -> Limits:
        """What histories may take in memory."""
        return Limits(
            most=self.proxy_sessions,
            ttl_s=self.proxy_session_ttl_s,
            chars=self.proxy_held_chars,
            tenant_share=self.proxy_tenant_share,
        )

    @property
    def upstreams(self) -> dict[str, Upstream]:
        """The providers by name."""
        return parse_upstreams(self.proxy_upstreams)
