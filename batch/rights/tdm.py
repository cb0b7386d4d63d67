"""Reservations of text and data mining (W3C TDM Reservation Protocol, final report of 2024).

A page may carry one in its markup, its headers, or in the ``/.well-known/tdmrep.json`` of its origin; the
nearer one counts. Nothing is assumed where nothing is said.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import orjson
from protego import Protego

from batch.rights.headers import Headers, absolute, values
from batch.rights.markup import MarkupSignals
from batch.rights.origins import OriginCache
from batch.rights.robots import origin_of
from extractor.egress.fetch import Fetched
from extractor.egress.policy import DEFAULT_RULES, EgressRules, judge_url
from extractor.errors import ExtractorError

_MAX_RULES = 1_000
_HOLDS_S, _RETRY_S = 86_400.0, 600.0


@dataclass(frozen=True, slots=True)
class Reservation:
    """What is said about mining one page.

    Attributes:
        reserved: whether the rights are reserved; ``None`` where nothing is said.
        policy: address of the terms under which mining may be had; ``None`` without one.
        source: ``meta``, ``header``, ``tdmrep.json``, or ``None``.
        location: the rule of ``tdmrep.json`` that decided; ``None`` where another source did.
        error: code of the error that kept ``tdmrep.json`` from being read; ``None`` without one.
    """

    reserved: bool | None = None
    policy: str | None = None
    source: str | None = None
    location: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class TdmRule:
    """One entry of ``tdmrep.json``. ``location`` has ``*`` for anything and ``$`` for the end."""

    location: str
    reserved: bool
    policy: str | None

    def fits(self, url: str) -> bool:
        """Whether an address is meant; matched as robots.txt would."""
        return not Protego.parse(f"User-agent: *\nDisallow: {self.location}").can_fetch(url, "*")


@dataclass(frozen=True, slots=True)
class _File:
    rules: tuple[TdmRule, ...] = ()
    error: str | None = None


class TdmFiles:
    """The ``tdmrep.json`` of each origin, asked for once a day.

    Args:
        fetch: gets an address; see ``batch.rights.fetching``.
        egress: what may be opened at all.
        origins: origins whose files are kept in memory.
    """

    def __init__(
        self,
        fetch: Callable[[str], Awaitable[Fetched]],
        *,
        egress: EgressRules = DEFAULT_RULES,
        origins: int = 2_000,
    ) -> None:
        self._fetch, self._egress = fetch, egress
        self._files: OriginCache[_File] = OriginCache(self._load, size=origins)

    async def reservation(self, url: str) -> Reservation:
        """What the file of the origin says about an address; the longest location that fits decides.

        Raises:
            InvalidUrl, BlockedAddress: the address may not be opened.
        """
        target = judge_url(url, self._egress)
        file = await self._files.get(origin_of(target))
        for rule in file.rules:
            if rule.fits(target.url):
                return Reservation(rule.reserved, rule.policy, "tdmrep.json", rule.location)
        return Reservation(error=file.error)

    async def close(self) -> None:
        """Give up what is being fetched."""
        await self._files.close()

    async def _load(self, origin: str, old: _File | None) -> tuple[_File, float]:
        address = f"{origin}/.well-known/tdmrep.json"
        try:
            answer = await self._fetch(address)
        except ExtractorError as error:
            return _File(old.rules if old else (), error.code), _RETRY_S
        if not 200 <= answer.status < 300:
            return _File(), _HOLDS_S
        return _File(parse_tdmrep(answer.body, address)), _HOLDS_S


def parse_tdmrep(body: bytes, url: str) -> tuple[TdmRule, ...]:
    """The rules of a file, those with the longest location first; what is malformed gives none."""
    try:
        entries = orjson.loads(body)
    except orjson.JSONDecodeError:
        return ()
    rules = []
    for entry in entries[:_MAX_RULES] if isinstance(entries, list) else []:
        location = entry.get("location") if isinstance(entry, dict) else None
        if not isinstance(location, str) or not location.isprintable() or "#" in location:
            continue
        reserved = _flag(entry.get("tdm-reservation"))
        policy = entry.get("tdm-policy")
        if reserved is not None:
            address = absolute(url, policy) or None if isinstance(policy, str) else None
            rules.append(TdmRule(location, reserved, address))
    # Of two that are equally long the one that reserves counts.
    return tuple(sorted(rules, key=lambda rule: (-len(rule.location), not rule.reserved)))


def reservation_of(headers: Headers, markup: MarkupSignals, site: Reservation) -> Reservation:
    """The reservation that counts for a page: of its markup, else its headers, else its site."""
    in_markup = _flag(markup.tdm_reservation)
    if in_markup is not None:
        return Reservation(in_markup, markup.tdm_policy, "meta")
    headers = list(headers)
    in_header = next((_flag(value) for value in values(headers, "tdm-reservation")), None)
    if in_header is not None:
        policy = next((value.strip() for value in values(headers, "tdm-policy")), None)
        return Reservation(in_header, policy, "header")
    return site


def _flag(value: object) -> bool | None:
    text = str(value).strip() if isinstance(value, str | int) else ""
    return {"1": True, "0": False}.get(text)
