"""Kill the session service while appends stream in, again and again, and count what was lost.

``python -m testbed.crash --kills 50`` does it on SQLite; ``--database URL`` on another database. After each
``SIGKILL`` the service starts anew and everything that it had acknowledged must be there, in order, once, and
every ref of the archive must resolve.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

WRITERS = 4
_START_S = 300.0
_FIRST_S = 20.0


@dataclass(slots=True)
class Tally:
    """What a run saw: ``problems`` is empty when every promise held."""

    kills: int = 0
    acknowledged: int = 0
    unknown: int = 0
    problems: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Writer:
    """Appends to one session of its own and remembers what was acknowledged."""

    url: str
    session: str
    sent: int = 0
    acknowledged: int = 0

    def run(self, stop: threading.Event) -> None:
        with httpx2.Client(base_url=self.url, timeout=10, trust_env=False) as client:
            while not stop.is_set():
                number = self.acknowledged
                body = {"messages": _exchange(number), "format": "anthropic"}
                headers = {"Idempotency-Key": f"k{number}"}
                self.sent = number + 1
                try:
                    answer = client.post(
                        f"/v1/sessions/{self.session}/messages", json=body, headers=headers
                    )
                except httpx2.HTTPError:
                    return
                if answer.status_code != 200:
                    return
                self.acknowledged = number + 1


def _exchange(number: int) -> list[dict[str, object]]:
    """A call and a result long enough to be cut, so that the archive is written too."""
    call = {"type": "tool_use", "id": f"c{number}", "name": "t", "input": {"n": number}}
    content = f"result {number}\n" + "x" * 12_000
    result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": content}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


class Service:
    """The session routes in a process of their own, on a port of loopback."""

    def __init__(self, folder: Path, database: str) -> None:
        self.folder, self.database = folder, database
        self.url = ""
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers. Raises RuntimeError when it does not."""
        port = _free_port()
        self.url = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "testbed.session_service", str(self.folder), self.database]
        self._process = subprocess.Popen([*command, str(port)], stdout=subprocess.DEVNULL)
        until = time.monotonic() + _START_S
        while time.monotonic() < until:
            try:
                httpx2.get(f"{self.url}/openapi.json", timeout=5, trust_env=False)
            except httpx2.HTTPError:
                time.sleep(0.05)
            else:
                return
        self.kill()
        raise RuntimeError("the session service did not start")

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def crash(database: str, folder: Path, kills: int, seed: int = 1) -> Tally:
    """Kill the service ``kills`` times at random moments of a stream of appends; see ``Tally``."""
    chance = random.Random(seed)
    tally = Tally()
    service = Service(folder, database)
    writers: list[_Writer] = []
    try:
        service.start()
        with httpx2.Client(base_url=service.url, timeout=30, trust_env=False) as client:
            for _ in range(WRITERS):
                opened = client.post("/v1/sessions", json={"budget_chars": 40_000}).json()
                writers.append(_Writer(service.url, opened["id"]))
        for _ in range(kills):
            _stream(service, writers, chance.randint(1, 40), chance.uniform(0, 0.05))
            tally.kills += 1
            service.start()
            for writer in writers:
                writer.url = service.url
                _check(writer, tally)
    finally:
        service.kill()
    return tally


def _stream(service: Service, writers: list[_Writer], wanted: int, then_s: float) -> None:
    """Append until ``wanted`` more are acknowledged, so that a slow machine is tested as well as a fast
    one, and a moment longer; then kill the service in the middle of it.
    """
    stop = threading.Event()
    threads = [threading.Thread(target=writer.run, args=(stop,)) for writer in writers]
    before = sum(writer.acknowledged for writer in writers)
    for thread in threads:
        thread.start()
    until = time.monotonic() + _START_S
    while sum(writer.acknowledged for writer in writers) < before + wanted:
        if time.monotonic() > until or not any(thread.is_alive() for thread in threads):
            break
        time.sleep(0.001)
    time.sleep(then_s)
    service.kill()
    stop.set()
    for thread in threads:
        thread.join()


def _check(writer: _Writer, tally: Tally) -> None:
    """Compare a session with what its writer was told."""
    with httpx2.Client(base_url=writer.url, timeout=60, trust_env=False) as client:
        path = f"/v1/sessions/{writer.session}"
        shown = client.get(path).json()
        exchanges, half = divmod(shown["version"], 2)
        tally.acknowledged += writer.acknowledged
        if half or not writer.acknowledged <= exchanges <= writer.sent:
            tally.problems.append(
                f"{shown['version']} messages, acknowledged {2 * writer.acknowledged}"
            )
        tally.unknown += exchanges - writer.acknowledged
        writer.acknowledged = exchanges
        lines = client.get(f"{path}/certificate").json()["certificate"]
        context = client.get(f"{path}/context").json()["messages"]
        for line in lines[-40:]:
            wanted = _exchange(line["seq"] // 2)[line["seq"] % 2]
            found = context[line["at"]] if line["kept"] else _original(client, path, line)
            if found != wanted:
                tally.problems.append(f"entry {line['seq']} is not what was sent")


def _original(client: httpx2.Client, path: str, line: dict[str, str]) -> object:
    answer = client.get(f"{path}/archive/{line['original']}")
    if answer.status_code != 200:
        return None
    found: object = json.loads(answer.json()["text"])
    return found


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main() -> int:
    """Print the tally; the exit code is 1 when something was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--database", default="", help="SQLAlchemy URL; SQLite when not given")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pagefold-crash-") as folder:
        database = options.database or f"sqlite:///{os.path.join(folder, 'sessions.db')}"
        tally = crash(database, Path(folder), options.kills)
    print(
        f"{tally.kills} kills, {tally.acknowledged} acknowledgements checked, {tally.unknown} appends "
        f"committed without an answer, {len(tally.problems)} problems"
    )
    for line in tally.problems[:20]:
        print("  " + line)
    return 1 if tally.problems else 0


if __name__ == "__main__":
    sys.exit(main())
