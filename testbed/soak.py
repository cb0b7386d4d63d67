"""Load the real service with good, slow, huge, crashing and hostile pages while its browsers are killed.

``python -m testbed.soak`` (``make soak``) starts the service as a process in a network namespace of its
own, asks for good pages alone before and after (the calm run) and for the mix between, and prints what
came of it: every request must have a result or a typed error, and afterwards processes, descriptors,
temporary files and memory must be what they were. ``--mode row`` asks for 500 good pages, 16 at a time,
instead of the mix.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

from testbed import netns
from testbed.soak_faults import Fault, disturb
from testbed.soak_report import Answer, Footprint, Run, report
from testbed.soak_site import KINDS

#: Of a hundred requests of the mix.
WEIGHTS = {"good": 68, "slow": 8, "huge": 8, "crashing": 6, "hostile": 10}
DEADLINE_S = 15
_CALM_PART = 6
_ROW, _ROW_AT_A_TIME = 500, 16
_REST_S = 20.0
_WARM_FROM_S = 60


@dataclass(frozen=True, slots=True)
class Places:
    """Where things are: the service, the site of bad pages, the demo site, and temporary files."""

    service: str
    site: str
    demo: str
    temporary: Path
    pid: int

    def address(self, kind: str, name: str) -> str:
        """Of one page."""
        return f"{self.demo if kind == 'good' else self.site}/{name}"


async def ask(client: httpx2.AsyncClient, places: Places, kind: str, name: str) -> Answer:
    """One request and what came of it; status 0 when there was no answer."""
    body = {"url": places.address(kind, name), "format": ["markdown"], "render": "browser"}
    started = time.monotonic()
    try:
        answer = await client.post(f"{places.service}/v1/pages", json=body)
    except httpx2.HTTPError as error:
        return Answer(kind, name, 0, repr(error), started, time.monotonic() - started)
    seconds = time.monotonic() - started
    try:
        code = str(answer.json().get("code", "")) if answer.status_code != 200 else ""
    except ValueError:
        code = ""
    return Answer(kind, name, answer.status_code, code, started, seconds)


async def mixed(
    places: Places, seconds: float, seed: int, weights: dict[str, int], workers: int
) -> list[Answer]:
    """``workers`` callers who ask without a pause for ``seconds``."""
    answers: list[Answer] = []
    end = time.monotonic() + seconds
    kinds, shares = list(weights), list(weights.values())

    async def worker(number: int) -> None:
        chance = random.Random(f"{seed}/{number}")
        while time.monotonic() < end:
            kind = chance.choices(kinds, shares)[0]
            answers.append(await ask(client, places, kind, chance.choice(KINDS[kind])))

    async with httpx2.AsyncClient(timeout=DEADLINE_S * 4, trust_env=False) as client:
        await asyncio.gather(*map(worker, range(workers)))
    return answers


async def each_once(places: Places, workers: int) -> None:
    """Every page of every kind."""
    left = iter([(kind, name) for kind, names in KINDS.items() for name in names])

    async def worker() -> None:
        for kind, name in left:
            await ask(client, places, kind, name)

    async with httpx2.AsyncClient(timeout=DEADLINE_S * 4, trust_env=False) as client:
        await asyncio.gather(*(worker() for _ in range(workers)))


async def row(places: Places, count: int, at_a_time: int) -> list[Answer]:
    """``count`` good pages, ``at_a_time`` callers."""
    left = iter(range(count))
    answers: list[Answer] = []

    async def worker() -> None:
        for number in left:
            answers.append(
                await ask(client, places, "good", KINDS["good"][number % len(KINDS["good"])])
            )

    async with httpx2.AsyncClient(timeout=DEADLINE_S * 4, trust_env=False) as client:
        await asyncio.gather(*(worker() for _ in range(at_a_time)))
    return answers


async def at_rest(places: Places, seconds: float, before: Footprint | None = None) -> Footprint:
    """The footprint once the service has had nothing to do for ``seconds``.

    Where it is more than ``before``, it has ``_REST_S`` in all to let go of what it took: on a busy
    machine a page that was given up is not gone after the few seconds of a short run.
    """
    await asyncio.sleep(seconds)
    found = Footprint.of(places.pid, places.temporary)
    while before is not None and found.exceeds(before) and seconds < _REST_S:
        await asyncio.sleep(1)
        seconds += 1
        found = Footprint.of(places.pid, places.temporary)
    return found


async def soak(places: Places, options: argparse.Namespace) -> Run:
    """The calm run, the load, and the footprints before and after."""
    total_s, workers = options.minutes * 60, options.workers
    if total_s >= _WARM_FROM_S:
        # Every page once: what the largest leaves in the heap is there before anything is measured.
        await each_once(places, workers)
    calm_s = total_s / _CALM_PART / 2
    calm = await mixed(places, calm_s, options.seed, {"good": 1}, workers)
    rest_s = min(_REST_S, total_s)
    before = await at_rest(places, rest_s)
    faults: list[Fault] = []
    if options.mode == "row":
        answers = await row(places, _ROW, _ROW_AT_A_TIME)
    else:
        disturbing = asyncio.create_task(disturb(places.pid, options.seed, faults))
        try:
            answers = await mixed(places, total_s, options.seed, WEIGHTS, workers)
        finally:
            disturbing.cancel()
            await asyncio.gather(disturbing, return_exceptions=True)
    after = await at_rest(places, rest_s, before)
    # The machine may have been busier before than after: half of the calm run comes here.
    calm += await mixed(places, calm_s, options.seed + 1, {"good": 1}, workers)
    async with httpx2.AsyncClient(timeout=30, trust_env=False) as client:
        hits = int((await client.get(f"{places.site}/hits")).text)
        ready = (await client.get(f"{places.service}/readyz")).status_code
        metrics = (await client.get(f"{places.service}/metrics")).text
    replaced = re.findall(r'^pagefold_browsers_replaced_total{reason="(\w+)"} (\d+)', metrics, re.M)
    counts = ", ".join(f"{reason} {count}" for reason, count in replaced)
    return Run(calm, answers, faults, before, after, hits, ready, counts)


@contextmanager
def started(folder: Path, workers: int) -> Iterator[Places]:
    """The site and the service, each a process of its own."""
    temporary = folder / "tmp"
    temporary.mkdir()
    environment = {
        **os.environ,
        "TMPDIR": str(temporary),
        "PAGEFOLD_PORT": "8000",
        "PAGEFOLD_DATA_DIR": str(folder / "data"),
        "PAGEFOLD_ALLOW_HOSTS": "127.0.0.1:8001,127.0.0.1:8002",
        "PAGEFOLD_CONCURRENCY": str(workers),
        "PAGEFOLD_DEADLINE_S": str(DEADLINE_S),
    }
    site = subprocess.Popen([sys.executable, "-m", "testbed.soak_site", "8002", "8001"])
    serve = [sys.executable, "-c", "from api.cli import app; app()", "serve", "--no-demo"]
    with (folder / "log").open("wb") as log:
        service = subprocess.Popen(serve, env=environment, stdout=log, stderr=log)
    urls = tuple(f"http://127.0.0.1:{port}" for port in (8000, 8002, 8001))
    try:
        _await_answer(f"{urls[0]}/healthz", service)
        _await_answer(f"{urls[1]}/hits", site)
        yield Places(urls[0], urls[1], urls[2], temporary, service.pid)
    except SystemExit:
        print((folder / "log").read_text(errors="replace")[-2000:], file=sys.stderr)
        raise
    finally:
        for process in (service, site):
            process.terminate()
        print(f"the service ended with {service.wait(60)}")
        site.wait(10)


def _await_answer(url: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 90
    while time.monotonic() < end and process.poll() is None:
        try:
            httpx2.get(url, timeout=5, trust_env=False)
            return
        except httpx2.HTTPError:
            time.sleep(0.1)
    raise SystemExit(f"nothing answers on {url}")


def main(arguments: Sequence[str]) -> int:
    """Print the report; 1 when a promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m testbed.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="of the mix (default 10)")
    parser.add_argument("--workers", type=int, default=2 * (os.cpu_count() or 1))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mode", choices=("mixed", "row"), default="mixed")
    options = parser.parse_args(arguments)
    if not netns.inside():
        if (reason := netns.refusal()) is not None:
            print(f"soak: {reason}", file=sys.stderr)
            return 1
        return subprocess.run(
            netns.command([sys.executable, "-m", "testbed.soak", *arguments]), check=False
        ).returncode
    with tempfile.TemporaryDirectory(prefix="pagefold-soak-") as folder:
        with started(Path(folder), options.workers) as places:
            run = asyncio.run(soak(places, options))
        left = sorted(path.name for path in places.temporary.iterdir())
    return report(run, left)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
