"""A network of one machine: a command runs where only loopback exists, with fake hosts on it.

``python -m testbed.netns -- COMMAND …`` makes a network and a mount namespace (``unshare`` of
util-linux; as an ordinary user inside a user namespace), brings ``lo`` up, puts the fake addresses
on it and lets names be asked of 127.0.0.1 alone. There is no route to anywhere else, so whatever a
hostile page tries, no packet can leave the machine.
"""

from __future__ import annotations

import fcntl
import functools
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

#: Addresses that the service must never reach: cloud metadata, private, carrier-grade NAT, ULA.
FORBIDDEN = ("169.254.169.254", "10.1.2.3", "192.168.7.7", "100.100.100.200", "fd00:ec2::254")
#: Addresses that count as public; inside the namespace they belong to this machine.
PUBLIC = ("93.184.215.14", "93.184.215.15", "2606:2800:21f:cb07::14")

_MARK = "PAGEFOLD_IN_NAMESPACE"
_SIOCSIFFLAGS, _SIOCSIFADDR, _SIOCGIFINDEX = 0x8914, 0x8916, 0x8933
_IFF_UP = 0x1


class NamespaceError(Exception):
    """No namespace could be made, or a hostile command runs outside one."""


def inside() -> bool:
    """Whether this process runs in such a namespace: the mark is set and every route is loopback's."""
    return os.environ.get(_MARK) == "1" and not _foreign_routes()


@functools.cache
def refusal() -> str | None:
    """Why no namespace can be made here, or ``None`` when one can."""
    if shutil.which("unshare") is None:
        return "unshare (util-linux) is not installed"
    made = subprocess.run(command(["true"]), capture_output=True, text=True, check=False)
    return None if made.returncode == 0 else f"no network namespace: {made.stderr.strip()[-200:]}"


def command(argv: Sequence[str]) -> list[str]:
    """The arguments that run ``argv`` in a namespace of its own."""
    mapped = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    entry = [sys.executable, "-m", "testbed.netns", "--inside", "--", *argv]
    return ["unshare", *mapped, "--net", "--mount", "--", *entry]


def prepare() -> None:
    """Furnish the new namespace that this process is already in.

    Raises:
        NamespaceError: there is a route to elsewhere, so this is not a fresh namespace.
        OSError: an address or the resolver file could not be put in place.
    """
    if foreign := _foreign_routes():
        raise NamespaceError(f"not a fresh network namespace: route through {foreign[0]}")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP))
    for number, address in enumerate((*FORBIDDEN, *PUBLIC), start=1):
        add_address(ip_address(address), f"lo:{number}")
    _own_resolver()
    os.environ[_MARK] = "1"


def add_address(address: IPv4Address | IPv6Address, label: str) -> None:
    """Give loopback one more address; ``label`` (at most 15 characters) tells IPv4 ones apart."""
    if isinstance(address, IPv6Address):
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as control:
            index = socket.if_nametoindex("lo")
            request = struct.pack("16sIi", address.packed, 128, index)
            fcntl.ioctl(control, _SIOCSIFADDR, request)
        return
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        family = struct.pack("HH4s8x", socket.AF_INET, 0, address.packed)
        fcntl.ioctl(control, _SIOCSIFADDR, struct.pack("16s16s8x", label.encode(), family))


def _own_resolver() -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".conf", delete=False) as file:
        file.write("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
    os.chmod(file.name, 0o644)
    target = Path("/etc/resolv.conf").resolve()
    subprocess.run(["mount", "--bind", file.name, str(target)], check=True)
    os.unlink(file.name)


def _foreign_routes() -> list[str]:
    """Devices other than ``lo`` that some route of this network namespace goes through."""
    found: list[str] = []
    for line in _lines("/proc/self/net/route")[1:]:
        found.append(line.split()[0])
    for line in _lines("/proc/self/net/ipv6_route"):
        found.append(line.split()[-1])
    return [device for device in found if device != "lo"]


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="ascii").splitlines()
    except FileNotFoundError:
        return []


def main(arguments: Sequence[str]) -> int:
    """Run a command in a namespace; its exit code."""
    if "--" not in arguments or arguments[-1] == "--":
        print("usage: python -m testbed.netns -- COMMAND [ARGUMENT …]", file=sys.stderr)
        return 2
    split = list(arguments).index("--")
    argv = list(arguments[split + 1 :])
    if "--inside" in arguments[:split]:
        prepare()
        os.execvp(argv[0], argv)
    if (reason := refusal()) is not None:
        print(f"netns: {reason}", file=sys.stderr)
        return 1
    return subprocess.run(command(argv), check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
