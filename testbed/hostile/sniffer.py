"""Counts packets on loopback that no honest part of a run would send. Needs a network namespace."""

from __future__ import annotations

import socket
import struct
import threading
from collections import Counter
from collections.abc import Collection
from ipaddress import IPv4Address, IPv6Address, ip_address
from types import TracebackType
from typing import Self

from testbed import netns

_ETH_P_ALL, _ETH_P_IP, _ETH_P_IPV6 = 0x0003, 0x0800, 0x86DD
_ETHERNET_BYTES, _IPV6_BYTES = 14, 40
_SOL_PACKET, _PACKET_STATISTICS = 263, 6
_ICMP, _TCP, _UDP, _ICMPV6 = 1, 6, 17, 58
_UNREACHABLE = 3
_BUFFER_BYTES = 1 << 25
#: Kinds of ICMPv6 that the kernel sends of its own accord: errors, multicast listeners, neighbours.
_KERNELS_OWN = frozenset({1, 131, 132, 133, 134, 135, 136, 143})

#: Destination and protocol, for TCP and UDP with the port: ``10.1.2.3 tcp/80``.
Packet = str


class Sniffer:
    """Every packet that leaves for an address or a port outside ``expected`` is counted.

    Use as a context manager; ``unexpected`` is complete once it has ended.

    Args:
        expected: addresses that count as public. Of 127.0.0.1, TCP passes, but for ``shut`` ports, and
            UDP of the name server; of any other address of this machine nothing does.
        shut: ports of 127.0.0.1 that nothing may be sent to.

    Raises:
        testbed.netns.NamespaceError: this is no namespace of our own.
    """

    def __init__(self, expected: Collection[str], shut: Collection[int] = ()) -> None:
        if not netns.inside():
            raise netns.NamespaceError("packets are counted in a namespace of our own only")
        self._expected = {ip_address(each) for each in expected}
        self._shut = frozenset(shut)
        self.unexpected: Counter[Packet] = Counter()
        self.seen = 0
        self.lost = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)

    def __enter__(self) -> Self:
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ETH_P_ALL))
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER_BYTES)
        self._socket.bind(("lo", 0))
        self._socket.settimeout(0.2)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._thread.join()
        counts = self._socket.getsockopt(_SOL_PACKET, _PACKET_STATISTICS, 8)
        _, self.lost = struct.unpack("II", counts)
        self._socket.close()

    def _read(self) -> None:
        # What was sent before the end is in the buffer already, so it is read until it is empty.
        while True:
            try:
                data, address = self._socket.recvfrom(1 << 16)
            except TimeoutError:
                if self._ended.is_set():
                    return
                continue
            # Loopback shows each packet twice, going out and coming in.
            if address[2] == socket.PACKET_OUTGOING:
                self._judge(data)

    def _judge(self, frame: bytes) -> None:
        kind = int.from_bytes(frame[12:14])
        packet = frame[_ETHERNET_BYTES:]
        target: IPv4Address | IPv6Address
        if kind == _ETH_P_IP:
            protocol, target = packet[9], IPv4Address(packet[16:20])
            rest = packet[4 * (packet[0] & 15) :]
        elif kind == _ETH_P_IPV6:
            protocol, target = packet[6], IPv6Address(packet[24:40])
            rest = packet[_IPV6_BYTES:]
        else:
            return
        self.seen += 1
        if not self._is_expected(protocol, target, rest):
            port = f"/{int.from_bytes(rest[2:4])}" if protocol in (_TCP, _UDP) else ""
            name = {_TCP: "tcp", _UDP: "udp"}.get(protocol, f"protocol {protocol}")
            self.unexpected[f"{target} {name}{port}"] += 1

    def _is_expected(self, protocol: int, target: IPv4Address | IPv6Address, rest: bytes) -> bool:
        source_port, port = int.from_bytes(rest[:2]), int.from_bytes(rest[2:4])
        if protocol == _ICMP and target == IPv4Address("127.0.0.1"):
            # The kernel tells a client of the name server that its socket has gone.
            return rest[0] == _UNREACHABLE
        if protocol == _ICMPV6:
            return rest[0] in _KERNELS_OWN
        if protocol == _UDP:
            return target == IPv4Address("127.0.0.1") and 53 in (source_port, port)
        if protocol != _TCP:
            return False
        if target == IPv4Address("127.0.0.1"):
            return port not in self._shut
        return target in self._expected
