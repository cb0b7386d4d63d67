"""Kills and freezes that come over a service's browsers at random, with a fixed seed."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from dataclasses import dataclass

from extractor.browser import processes

_EVERY_S = (8.0, 25.0)
_HITS = {
    "browser killed": signal.SIGKILL,
    "browser frozen": signal.SIGSTOP,
    "driver killed": signal.SIGKILL,
    "driver frozen": signal.SIGSTOP,
    "renderer killed": signal.SIGKILL,
}


@dataclass(frozen=True, slots=True)
class Fault:
    """What was done, and when (monotonic seconds)."""

    name: str
    at: float


async def disturb(pid: int, seed: int, faults: list[Fault]) -> None:
    """Until cancelled, hit a process below the service ``pid`` every now and then; noted in ``faults``."""
    chance = random.Random(seed)
    while True:
        await asyncio.sleep(chance.uniform(*_EVERY_S))
        name = chance.choice(list(_HITS))
        found = _victims(pid, name.partition(" ")[0])
        if found:
            os.kill(chance.choice(found), _HITS[name])
            faults.append(Fault(name, time.monotonic()))


def _victims(pid: int, kind: str) -> list[int]:
    found: list[int] = []
    for each in processes.below(pid):
        arguments = each.arguments
        text = " ".join(arguments)
        if kind == "driver":
            fits = "run-driver" in arguments
        elif kind == "renderer":
            fits = "--type=renderer" in text
        else:
            # The browser itself; a shell in front of it has the same arguments behind its own.
            shell = arguments[:1] in (["/bin/sh"], ["/bin/bash"])
            fits = "--user-data-dir=" in text and "--type=" not in text and not shell
        if fits and each.alive:
            found.append(each.pid)
    return found
