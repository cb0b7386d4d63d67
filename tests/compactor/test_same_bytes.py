"""Two processes with other hash seeds, and a restart from the store, give the same bytes."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from obstore.store import LocalStore

from compactor import ObjectArchive, Policy, Session, SqlStore
from compactor.cost import serialise
from compactor.formats import FORMATS
from tests.compactor.histories import recorded

BUDGET = 24_000
_SCRIPT = "from tests.compactor.test_same_bytes import digest_of_all; print(digest_of_all())"


def _sent(session: Session) -> str:
    shown = (session.context(name) for name in FORMATS)
    return serialise(
        [
            [
                c.system,
                c.tools,
                c.messages,
                c.etag,
                c.prefix_hash,
                c.prompt_cache_key,
                str(c.breakpoints),
            ]
            for c in shown
        ]
    )


def _filled(messages: list[Any], format: str) -> Session:
    session = Session(Policy.preset("epoch", budget_chars=BUDGET), system="Find causes.")
    for message in messages:
        session.append(message, format)
    return session


def digest_of_all() -> str:
    """One digest of every context, certificate and report of some recorded sessions."""
    whole = hashlib.sha256()
    for _, format, messages in recorded()[:2]:
        session = _filled(messages[:150], format)
        lines = [str(line) for line in session.certificate(session.context(format))]
        said = [_sent(session), *lines, str(session.survival()), str(session.diagnose())]
        whole.update(serialise(said).encode("utf-8", "surrogatepass"))
    return whole.hexdigest()


def test_two_processes_with_other_hash_seeds_agree() -> None:
    recorded()  # skips here where they are absent, and not in the other process
    digests = set()
    for seed in ("1", "4242"):
        done = subprocess.run(
            [sys.executable, "-c", _SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        digests.add(done.stdout.strip())
    assert len(digests) == 1
    assert len(digests.pop()) == 64


@pytest.mark.parametrize("reworked", [False, True])
def test_a_restart_from_the_store_gives_the_same_bytes(tmp_path: Path, reworked: bool) -> None:
    (tmp_path / "archive").mkdir()
    store = SqlStore(f"sqlite:///{tmp_path / 's.db'}")

    def opened() -> Session:
        archive = ObjectArchive(LocalStore(tmp_path / "archive"))
        policy = Policy.preset("epoch", budget_chars=BUDGET)
        return Session(policy, system="Find causes.", archive=archive, store=store, session_id="s")

    store.create("s", {})
    _, format, messages = recorded()[0]
    session = opened()
    for index, message in enumerate(messages[:120]):
        session.append(message, format)
        if reworked and index in (40, 90):
            session.apply(session.plan(10_000))
    again = opened()
    again.replay(store.entries("s"))
    assert again.version == session.version
    assert _sent(again) == _sent(session)
    store.close()
