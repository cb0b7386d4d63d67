"""Hostile pages against the egress policy: ``python -m testbed.egress [ROUTE …]``.

In a network namespace of its own, every form of a forbidden address is tried by every route that a page has.
The table counts packets to anything that is not public, and connections that fake hosts accepted; both must
be 0. Last come packets that are sent on purpose: they must be counted.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import structlog

from testbed import netns
from testbed.hostile.forms import hostile_urls
from testbed.hostile.measure import Row, measure
from testbed.hostile.range import range_settings, shooting_range
from testbed.hostile.routes import FETCHER, NEVER, TOP_LEVEL, route_names
from testbed.hostile.sniffer import Sniffer


def all_routes() -> list[str]:
    """Every route, those without a browser first."""
    return [*FETCHER, *TOP_LEVEL, *route_names()]


async def run(routes: Sequence[str]) -> bool:
    """Print the table; whether nothing got through and every route was one."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    urls = hostile_urls()
    print(f"{'route':<24}{'forms':>6}{'blocked':>9}{'control':>9}{'packets':>9}{'hits':>6}  page")
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        async with shooting_range(range_settings(Path(folder)), urls) as site:
            for route in routes:
                rows.append(await measure(site, route))
                print(_line(rows[-1]), flush=True)
        asked, hits = site.names.asked.total(), site.servers.hits.total()
    sniffer = site.sniffer
    print(
        f"\n{len(rows)} routes x {len(urls)} forms; {sniffer.seen} packets seen, {sniffer.lost} not seen, "
        f"{asked} names looked up; {sniffer.unexpected.total()} packets and {hits} connections "
        f"to forbidden addresses {dict(sniffer.unexpected) or ''}"
    )
    control = control_packets()
    print(f"on purpose: {control} packets to forbidden addresses counted")
    return (
        not sniffer.unexpected
        and not hits
        and not sniffer.lost
        and control > 0
        and all(row.read and (row.control > 0) != (row.route in NEVER) for row in rows)
    )


def control_packets() -> int:
    """What the sniffer counts when every fake host is sent a datagram and a connection on purpose."""
    with Sniffer(netns.PUBLIC) as sniffer:
        for address in netns.FORBIDDEN:
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            with socket.socket(family, socket.SOCK_DGRAM) as datagram:
                datagram.sendto(b"x", (address, 9))
            with socket.socket(family, socket.SOCK_STREAM) as stream:
                stream.connect_ex((address, 9))
    return sniffer.unexpected.total()


def _line(row: Row) -> str:
    control = "never" if row.route in NEVER and not row.control else str(row.control)
    state = "read" if row.read else "NOT READ"
    return f"{row.route:<24}{row.forms:>6}{row.blocked:>9}{control:>9}{row.packets:>9}{row.hits:>6}  {state}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run in a namespace, in a new one unless this is one; 0 when nothing got through."""
    parser = argparse.ArgumentParser(prog="python -m testbed.egress", description=__doc__)
    parser.add_argument("routes", nargs="*", metavar="ROUTE", help="by default all of them")
    chosen = parser.parse_args(arguments).routes
    if unknown := set(chosen) - set(all_routes()):
        parser.error(
            f"no such route: {', '.join(sorted(unknown))}; one of {', '.join(all_routes())}"
        )
    if netns.inside():
        return 0 if asyncio.run(run(chosen or all_routes())) else 1
    if (reason := netns.refusal()) is not None:
        print(f"egress: {reason}", file=sys.stderr)
        return 1
    argv = netns.command([sys.executable, "-m", "testbed.egress", *chosen])
    return subprocess.run(argv, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
