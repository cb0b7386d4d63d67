"""Check any message list against a provider's rules: which message, which rule, how to mend it."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from compactor import formats, pairing, rules
from compactor.errors import InvalidRequest
from compactor.finding import Finding, Rule
from compactor.messages import Json

__all__ = ["PROFILES", "Finding", "format_of", "validate"]

_CHAT: tuple[Rule, ...] = (pairing.pairs, rules.not_empty, rules.has_ids)

#: Profile -> the format it reads, and its rules.
PROFILES: MappingProxyType[str, tuple[str, tuple[Rule, ...]]] = MappingProxyType(
    {
        "anthropic": (
            "anthropic",
            (
                rules.first_role,
                rules.no_system,
                pairing.pairs,
                pairing.results_first,
                rules.not_empty,
                rules.anthropic_calls,
                pairing.server_pairs,
                rules.cache_markers,
            ),
        ),
        "openai-chat": ("openai-chat", _CHAT),
        "openai-responses": (
            "openai-responses",
            (pairing.item_pairs, pairing.item_owners, rules.not_empty, rules.has_ids),
        ),
        "gemini": (
            "openai-chat",
            (
                *_CHAT,
                rules.first_role,
                rules.system_first,
                rules.alternates,
                rules.call_after_user,
                rules.last_role,
            ),
        ),
        "mistral-strict": (
            "openai-chat",
            (
                *_CHAT,
                rules.first_role,
                rules.system_first,
                rules.alternates,
                rules.no_user_after_results,
                rules.mistral_ids,
                rules.last_role,
            ),
        ),
        "deepseek-reasoner": (
            "openai-chat",
            (
                *_CHAT,
                rules.first_role,
                rules.system_first,
                rules.alternates,
                rules.has_reasoning,
            ),
        ),
    }
)


def validate(messages: Sequence[Json], profile: str) -> list[Finding]:
    """Findings against the rules of a provider, in the order of the messages; empty if it is valid.

    Raises:
        InvalidRequest: unknown profile, or a list that cannot be read at all.
    """
    read = formats.read(messages, format_of(profile))
    found = [finding for rule in PROFILES[profile][1] for finding in rule(read)]
    return sorted(found, key=lambda finding: (finding.index, finding.rule))


def format_of(profile: str) -> str:
    """The format that a profile reads. Raises InvalidRequest for an unknown profile."""
    if profile not in PROFILES:
        raise InvalidRequest(f"profile must be one of {', '.join(PROFILES)}.", field="profile")
    return PROFILES[profile][0]
