"""The chat model that the operator offers for summaries."""

from __future__ import annotations

from collections.abc import Callable

from api.judged import JudgedTransport
from api.settings import ApiSettings
from compactor import Summariser
from compactor.errors import InvalidRequest
from compactor.summarisers.chat import ChatEndpoint, ChatRule, ChatSummariser

MakeSummariser = Callable[[], Summariser]


def chat_summariser(settings: ApiSettings) -> MakeSummariser | None:
    """What makes a summariser for one session; ``None`` where the operator names no endpoint."""
    if settings.summariser_url is None:
        return None
    key = settings.summariser_key.get_secret_value() if settings.summariser_key else ""
    rule = ChatRule(
        timeout_s=settings.summariser_timeout_s,
        tries=settings.summariser_tries,
        failures=settings.summariser_failures,
        open_s=settings.summariser_rest_s,
        window_tokens=settings.summariser_window_tokens,
    )
    endpoint = ChatEndpoint(
        settings.summariser_url,
        settings.summariser_model,
        key,
        rule=rule,
        transport=JudgedTransport(settings),
    )
    return lambda: ChatSummariser(endpoint)


def summariser_for(name: str, make: MakeSummariser | None) -> Summariser | None:
    """The summariser of that name for a new session; ``None`` for the built-in one.

    Raises:
        InvalidRequest: the operator offers no chat model.
    """
    if name != "openai":
        return None
    if make is None:
        raise InvalidRequest(
            "This service offers no chat model for summaries; use extractive, or have "
            "PAGEFOLD_SUMMARISER_URL set.",
            field="summariser",
        )
    return make()
