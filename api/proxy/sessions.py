"""The session of a history that the proxy meets for the first time."""

from __future__ import annotations

import secrets
from dataclasses import replace
from types import MappingProxyType

from api.proxy.dialect import Asked, Dialect, Untouched
from api.proxy.holding import WeighedArchive
from api.proxy.lookups import Lookups
from api.proxy.settings import ProxySettings
from api.proxy.turn import Passage
from compactor import Limit, Policy, Session
from compactor.errors import InvalidRequest
from compactor.messages import Json
from compactor.prices import prices_named
from compactor.toolset import name_of
from compactor.truncate import FoldHtml

#: A marker, a heading and a little more around what ``expand`` gives back.
_AROUND_CHARS = 200
#: What the model of cost takes for the provider of an API; all others are taken for OpenAI.
_PRICES = {"anthropic": "anthropic"}


class Sessions:
    """Makes them as the operator has set it."""

    def __init__(self, settings: ProxySettings, fold_html: FoldHtml | None) -> None:
        self._settings, self._fold_html = settings, fold_html

    def lookups(self, asked: Asked) -> Lookups | None:
        """The proxy's tools beside the client's; ``None`` where it offers none."""
        if not self._settings.proxy_tools:
            return None
        taken = {name_of(tool) for tool in asked.tools}
        return Lookups.beside(taken, self._settings.proxy_expand_chars)

    def begin(self, passage: Passage, asked: Asked, lookups: Lookups | None) -> Session:
        """Raises Untouched where system or tools cannot be read."""
        fixed = [*asked.fixed, *([asked.system] if asked.system else [])]
        try:
            return Session(
                self._policy(passage, lookups),
                system=fixed or None,
                tools=tools_of(passage.dialect, asked, lookups) or None,
                archive=WeighedArchive(),
                session_id=secrets.token_hex(16),
                fold_html=self._fold_html,
            )
        except InvalidRequest as error:
            raise Untouched("unreadable") from error

    def _policy(self, passage: Passage, lookups: Lookups | None) -> Policy:
        settings, format = self._settings, passage.dialect.format
        policy = Policy.preset(
            settings.proxy_policy,
            budget_chars=settings.proxy_budget_chars,
            window_tokens=settings.proxy_window_tokens,
        )
        own = {}
        if lookups is not None:
            own[lookups.expand] = Limit(settings.proxy_expand_chars + _AROUND_CHARS)
        return replace(
            policy,
            anchor_from=settings.proxy_note_share,
            model=passage.identity.model[:200],
            prices=prices_named(_PRICES.get(format, "openai")),
            profile=passage.upstream.profile if format == "openai-chat" else "",
            limits=MappingProxyType({**policy.limits, **own}),
        )


def tools_of(dialect: Dialect, asked: Asked, lookups: Lookups | None) -> list[Json]:
    """The client's tools, and the proxy's behind them."""
    own = lookups.definitions if lookups is not None else []
    return [*asked.tools, *(dialect.tool(*definition) for definition in own)]
