"""A name server with a script: public names, inner names, names that change their mind or say nothing."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import cast

from testbed import netns

PUBLIC_SITE, OTHER_SITE, PUBLIC_SIX = netns.PUBLIC
_A, _CNAME, _AAAA, _IN = 1, 5, 28, 1
_ANSWER, _NO_SUCH_NAME = 0x8180, 0x8183


@dataclass(frozen=True, slots=True)
class Script:
    """What a name answers.

    Attributes:
        turns: addresses of the first, second, … lookup; the last of them is given for ever.
        alias: a name that it is an alias of; the addresses are given under that name.
        silent: no answer ever comes.
        ttl_s: how long the answer claims to hold.
    """

    turns: tuple[tuple[str, ...], ...] = ()
    alias: str = ""
    silent: bool = False
    ttl_s: int = 0


def _always(*addresses: str) -> Script:
    return Script((addresses,))


ZONE: Mapping[str, Script] = {
    "public.test": _always(PUBLIC_SITE),
    "other.test": _always(OTHER_SITE),
    "public-six.test": _always(PUBLIC_SIX),
    "public-both.test": _always(PUBLIC_SITE, PUBLIC_SIX),
    "inner.test": _always("10.1.2.3"),
    "meta.test": _always("169.254.169.254"),
    "metadata.google.internal": _always("169.254.169.254"),
    "loop.test": _always("127.0.0.1"),
    "mixed.test": _always(OTHER_SITE, "10.1.2.3"),
    "mixed-six.test": _always(OTHER_SITE, "fd00:ec2::254"),
    "six.test": _always("fd00:ec2::254"),
    "mapped.test": _always("::ffff:10.1.2.3"),
    "alias.test": Script((("169.254.169.254",),), alias="meta.test"),
    "*.rebind.test": Script(((OTHER_SITE,), ("169.254.169.254",))),
}


class NameServer:
    """Answers on UDP port 53 of 127.0.0.1 from a zone; ``asked`` counts the questions of each name.

    A lookup asks for IPv4 and IPv6; a turn of a script lasts until IPv4 is asked for again.

    Raises:
        testbed.netns.NamespaceError: this is no namespace of our own.
    """

    def __init__(self, zone: Mapping[str, Script] = ZONE) -> None:
        if not netns.inside():
            raise netns.NamespaceError(
                "the scripted name server runs in a namespace of our own only"
            )
        self._zone = zone
        self.asked: Counter[str] = Counter()
        self._turns: Counter[str] = Counter()

    async def __aenter__(self) -> NameServer:
        loop = asyncio.get_running_loop()
        self._transport, _ = await loop.create_datagram_endpoint(
            lambda: _Listener(self), local_addr=("127.0.0.1", 53), family=socket.AF_INET
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        self._transport.close()

    def answer(self, question: bytes) -> bytes | None:
        """The datagram that answers one, or ``None`` where nothing comes back."""
        name, kind, end = _question(question)
        asked = name.lower()
        script = self._zone.get(asked) or self._wildcard(asked)
        if kind == _A:
            self.asked[asked] += 1
            self._turns[asked] += 1
        if script is not None and script.silent:
            return None
        records = [] if script is None else self._records(script, asked, kind)
        flags = _NO_SUCH_NAME if script is None else _ANSWER
        header = question[:2] + struct.pack(">HHHHH", flags, 1, len(records), 0, 0)
        return header + question[12:end] + b"".join(records)

    def _wildcard(self, name: str) -> Script | None:
        return self._zone.get("*." + name.partition(".")[2])

    def _records(self, script: Script, name: str, kind: int) -> list[bytes]:
        turn = min(max(self._turns[name], 1), len(script.turns)) - 1
        found: list[bytes] = []
        owner = b"\xc0\x0c"
        if script.alias:
            found.append(_record(owner, _CNAME, _encoded(script.alias), script.ttl_s))
            owner = _encoded(script.alias)
        for text in script.turns[turn]:
            address: IPv4Address | IPv6Address = ip_address(text)
            if (_A if address.version == 4 else _AAAA) == kind:
                found.append(_record(owner, kind, address.packed, script.ttl_s))
        return found


class _Listener(asyncio.DatagramProtocol):
    def __init__(self, server: NameServer) -> None:
        self._server = server

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        answer = self._server.answer(data)
        if answer is not None:
            self._transport.sendto(answer, addr)


def _question(data: bytes) -> tuple[str, int, int]:
    labels, at = [], 12
    while size := data[at]:
        labels.append(data[at + 1 : at + 1 + size].decode("ascii", "replace"))
        at += 1 + size
    (kind,) = struct.unpack(">H", data[at + 1 : at + 3])
    return ".".join(labels), kind, at + 5


def _encoded(name: str) -> bytes:
    labels = (label.encode("ascii") for label in name.split("."))
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def _record(owner: bytes, kind: int, data: bytes, ttl_s: int) -> bytes:
    return owner + struct.pack(">HHIH", kind, _IN, ttl_s, len(data)) + data
