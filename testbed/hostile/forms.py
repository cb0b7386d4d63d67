"""The ways to write an address that the service must not reach, as a page may write them."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address

#: What the scripted name server answers for names of inner hosts; see ``testbed.hostile.names``.
INNER_NAMES = (
    "inner.test",
    "inner.test.",
    "INNER.test",
    "meta.test",
    "mixed.test",
    "six.test",
    "alias.test",
    "loop.test",
    "metadata.google.internal",
    "localhost",
    "localhost.",
    "LOCALHOST",
    "app.localhost",
)

_LINK_LOCAL, _PRIVATE, _SHARED = "169.254.169.254", "10.1.2.3", "100.100.100.200"
_OTHER = (
    "http://[fd00:ec2::254]/",
    "http://[::1]/",
    "http://[::]/",
    "http://[fe80::1]/",
    "http://[fec0::1]/",
    "http://[ff02::1]/",
    "http://[5f00::1]/",
    "http://[3fff::1]/",
    "http://[2001:db8::1]/",
    "http://0/",
    "http://0.0.0.0/",
    "http://0x/",
    "http://192.168.7.7/",
    "http://192.88.99.1/",
    "http://198.18.0.1/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    f"http://user:secret@{_LINK_LOCAL}/",
    f"http://public.test@{_PRIVATE}/",
    f"http://public.test:80@{_PRIVATE}/",
    f"http://public.test%2f@{_PRIVATE}/",
    f"http:\\\\{_LINK_LOCAL}\\",
    f"http:/\\{_LINK_LOCAL}/",
    f"http:{_LINK_LOCAL}/",
    f"http:///{_LINK_LOCAL}/",
    f"//{_LINK_LOCAL}/latest/meta-data/",
    f"\\\\{_PRIVATE}\\x",
    f"h\tt\ntp://{_LINK_LOCAL}/",
    "http://169.254.\t169.\n254/",
    f"\x01 http://{_PRIVATE}/",
    f"https://{_LINK_LOCAL}/",
    f"https://{_PRIVATE}:8443/",
    f"http://{_PRIVATE}:8080/",
    f"http://{_LINK_LOCAL}:22/",
    f"http://{_PRIVATE}:6000/",
    f"http://{_PRIVATE}:0/",
    f"http://{_PRIVATE}:65536/",
)
#: A name for each route that is public at its first lookup, and inner ever after.
_REBINDING = tuple(f"http://{{route}}.rebind.test/{number}" for number in range(3))
_SCHEMES = (
    "file:///etc/hostname",
    "file://10.1.2.3/share",
    "view-source:file:///etc/hostname",
    f"view-source:http://{_PRIVATE}/",
    "chrome://version/",
    "chrome://crash/",
    "devtools://devtools/bundled/inspector.html",
    "chrome-extension://abc/x",
    f"ftp://{_PRIVATE}/",
    f"gopher://{_PRIVATE}:70/",
    f"ws://{_PRIVATE}/",
    f"wss://{_PRIVATE}/",
    f"blob:http://{_PRIVATE}/1",
    f"filesystem:http://{_PRIVATE}/temporary/x",
    f"feed:http://{_PRIVATE}/",
    f"jar:http://{_PRIVATE}!/x",
)


def spellings(address: str) -> list[str]:
    """The ways in which a browser takes one IPv4 address as a host, brackets included."""
    return [*dotted(address), *wrapped(address)]


def dotted(address: str) -> list[str]:
    """Spellings that are the very address to a browser."""
    value = int(IPv4Address(address))
    a, b, c, d = IPv4Address(address).packed
    return [
        address,
        f"{address}.",
        f"{a}.{b}.{c << 8 | d}",
        f"{a}.{b << 16 | c << 8 | d}",
        str(value),
        hex(value),
        f"0X{value:X}",
        f"0x{value:016x}",
        oct(value).replace("0o", "0"),
        f"{a:#x}.{b:#x}.{c:#x}.{d:#x}",
        ".".join(f"0{part:o}" for part in (a, b, c, d)),
        ".".join(f"{part:04o}" for part in (a, b, c, d)),
        f"0{a:o}.{b:#x}.{c}.{d}",
        "".join(f"%{ord(char):02x}" for char in address),
        address.replace(".", "%2E"),
        address.replace(".", "。"),
        address.replace(".", "．"),
        address.replace(".", "｡"),
        address.translate(str.maketrans("0123456789", "０１２３４５６７８９")),
        address.replace("1", "①").replace("2", "②").replace("9", "⑨"),
        address.replace(".", ".\u00ad"),
        address.replace(".", "\u200b."),
    ]


def wrapped(address: str) -> list[str]:
    """IPv6 forms that hold the address: mapped, compatible, translated, NAT64, 6to4, Teredo."""
    value = int(IPv4Address(address))
    hexed = f"{value >> 16:x}:{value & 0xFFFF:x}"
    return [
        f"[::ffff:{address}]",
        f"[::ffff:{hexed}]",
        f"[0:0:0:0:0:ffff:{hexed}]",
        f"[::{address}]",
        f"[::{hexed}]",
        f"[::ffff:0:{address}]",
        f"[64:ff9b::{address}]",
        f"[64:ff9b::{hexed}]",
        f"[64:ff9b:1::{hexed}]",
        f"[2002:{hexed}::1]",
        f"[2002:{hexed}::{hexed}]",
        f"[2001:0:4136:e378:8000:63bf:{~(value >> 16) & 0xFFFF:x}:{~value & 0xFFFF:x}]",
    ]


def hostile_urls() -> list[str]:
    """Every form once; well over 120 of them. ``{route}`` stands for the name of the route."""
    hosts = [*spellings(_LINK_LOCAL), *spellings("127.0.0.1"), *wrapped(_PRIVATE), _SHARED]
    hosts += [str(int(IPv4Address(_SHARED))), *INNER_NAMES]
    urls = [f"http://{host}/" for host in hosts]
    return list(dict.fromkeys([*urls, *_REBINDING, *_OTHER, *_SCHEMES]))


def wrapped_addresses() -> list[IPv6Address]:
    """The IPv6 addresses among the forms; some are no address of any machine unless put on one."""
    hosts = [host for ip in (_LINK_LOCAL, "127.0.0.1", _PRIVATE) for host in wrapped(ip)]
    found = [IPv6Address(host.strip("[]")) for host in hosts]
    found += [IPv6Address(text) for text in ("fec0::1", "5f00::1", "3fff::1", "2001:db8::1")]
    return list(dict.fromkeys(each for each in found if each.ipv4_mapped is None))
