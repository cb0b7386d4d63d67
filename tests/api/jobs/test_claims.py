"""Whose turn it is: tenants and jobs, hosts, limits, and leases that end."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa

from api.callers import Caller
from api.drain import Drain
from api.jobs.claims import ClaimRule, claim
from api.jobs.creating import checked_job, write_job
from api.jobs.ending import Outcome, cancel, end_page
from api.jobs.events import Following, _events
from api.jobs.forgetting import forget_old, forget_tenant
from api.jobs.leases import Claim, expired, hand_back, put_back, renew
from api.jobs.models import JobIn
from api.jobs.reading import Cursor, ended_pages, shown_job
from api.jobs.results import ResultStore
from api.jobs.runner import Runner
from api.jobs.sealing import Seal
from api.jobs.writing import now_ms
from api.keys import PERMISSIONS, ApiKey
from api.metrics import Metrics
from api.settings import ApiSettings
from compactor.store import open_database
from compactor.tables import job_pages, jobs
from extractor.errors import Busy, SnapshotCorrupt

SEAL = Seal(b"k" * 32)
DONE = Outcome(result="0." + "0" * 64, result_bytes=1)
FAILED = Outcome(problem={"code": "dns"})


@pytest.fixture(scope="module")
def rows() -> Iterator[sa.Engine]:
    with tempfile.TemporaryDirectory() as folder:
        made = open_database(f"sqlite:///{folder}/rows.db")
        yield made
        made.dispose()


@pytest.fixture
def engine(rows: sa.Engine) -> sa.Engine:
    with rows.begin() as connection:
        connection.execute(sa.delete(jobs))
    return rows


def rule(worker: str = "w", *, of_a_host: int = 99, interval_ms: int = 0) -> ClaimRule:
    return ClaimRule(worker, SEAL.name, 60_000, of_a_host, interval_ms)


def job(engine: sa.Engine, *urls: str, tenant: str = "", **columns: object) -> str:
    key = ApiKey("pf_0", tenant, "", frozenset(PERMISSIONS), None, None, "now") if tenant else None
    new = checked_job(JobIn(pages=list(urls)), Caller(key), SEAL, most=1_000)
    new.job.update(columns)
    write_job(engine, new, most_active=99)
    return new.id


def pages(host: str, count: int) -> list[str]:
    return [f"http://{host}/{n}" for n in range(count)]


def taken(engine: sa.Engine, most: int, rules: ClaimRule | None = None) -> list[Claim]:
    return claim(engine, rules or rule(), most, now_ms())


def test_tenants_take_turns_however_many_jobs_and_pages_one_has(engine: sa.Engine) -> None:
    for _ in range(3):
        job(engine, *pages("a.test", 9), tenant="acme")
    job(engine, *pages("b.test", 9), tenant="zenith")
    found = taken(engine, 8)
    assert Counter(each.tenant for each in found) == {"acme": 4, "zenith": 4}
    assert len({each.job_id for each in found}) == 4


def test_pages_of_a_job_are_taken_in_order_and_once(engine: sa.Engine) -> None:
    job(engine, *pages("a.test", 5))
    found = [*taken(engine, 2), *taken(engine, 2, rule("other")), *taken(engine, 9)]
    assert [each.position for each in found] == [0, 1, 2, 3, 4]


def test_a_job_waits_for_those_who_can_open_what_it_asks(engine: sa.Engine) -> None:
    job(engine, "http://a.test/")
    stranger = ClaimRule("w", Seal(b"l" * 32).name, 60_000, 9, 0)
    assert taken(engine, 1, stranger) == []
    assert len(taken(engine, 1)) == 1


def test_a_host_gets_so_many_at_a_time_and_others_are_not_held_up(engine: sa.Engine) -> None:
    job(engine, *pages("a.test", 4), *pages("b.test", 1))
    job(engine, *pages("a.test", 4))
    found = taken(engine, 9, rule(of_a_host=2))
    assert len(found) == 3
    assert taken(engine, 9, rule("other", of_a_host=2)) == []
    assert end_page(engine, found[0], DONE, now_ms()) == "running"
    assert len(taken(engine, 9, rule(of_a_host=2))) == 1


def test_pages_of_a_host_begin_so_long_after_each_other(engine: sa.Engine) -> None:
    job(engine, *pages("a.test", 3), "http://b.test/")
    rules, now = rule(interval_ms=500), now_ms()
    assert len(claim(engine, rules, 9, now)) == 2
    assert claim(engine, rules, 9, now + 499) == []
    assert len(claim(engine, rules, 9, now + 500)) == 1


@pytest.mark.parametrize(
    "urls",
    [
        ("http://A.test/", "https://a.test:8443/x", "http://a.test./"),
        ("http://127.0.0.1/", "http://0x7f.1/", "http://2130706433/"),
        ("http://bücher.test/", "http://xn--bcher-kva.test/"),
    ],
)
def test_a_host_is_one_however_it_is_written(engine: sa.Engine, urls: tuple[str, ...]) -> None:
    job(engine, *urls)
    assert len(taken(engine, 9, rule(of_a_host=1))) == 1


def test_limits_of_a_key_hold_for_pages_of_its_tenants_jobs(engine: sa.Engine) -> None:
    for _ in range(2):
        job(engine, *pages("a.test", 9), tenant="acme", at_a_time=2, per_minute=3)
    job(engine, *pages("b.test", 5), tenant="zenith")
    found = taken(engine, 99)
    assert Counter(each.tenant for each in found) == {"acme": 2, "zenith": 5}
    for each in found:
        end_page(engine, each, DONE, now_ms())
    assert len(taken(engine, 99)) == 1
    later = now_ms() + 60_001
    assert len(claim(engine, rule(), 99, later)) == 2


def test_a_lease_that_ends_gives_the_page_to_another_and_ends_the_first(engine: sa.Engine) -> None:
    job(engine, "http://a.test/")
    [first] = taken(engine, 1)
    assert renew(engine, [first], now_ms() + 60_000) == []
    assert expired(engine, now_ms()) == []
    later = now_ms() + 60_001
    [found] = expired(engine, later)
    assert found.key == first.key
    assert put_back(engine, found, later, counts=True)
    [second] = claim(engine, rule("other"), 1, later)
    assert (second.key, second.tries) == (first.key, 2)
    # Who was slow and not dead finds out, and enters nothing.
    assert renew(engine, [first], later) == [first]
    assert end_page(engine, first, DONE, later) is None
    assert not put_back(engine, first, later, counts=True)
    assert end_page(engine, second, DONE, later) == "completed"
    assert end_page(engine, second, DONE, later) is None
    assert shown_job(engine, first.job_id, "", later)["pages"]["done"] == 1


def test_what_is_handed_back_was_no_try(engine: sa.Engine) -> None:
    job(engine, *pages("a.test", 3))
    taken(engine, 2)
    [other] = taken(engine, 1, rule("other"))
    hand_back(engine, "w", now_ms())
    assert [(each.position, each.tries) for each in taken(engine, 9)] == [(0, 1), (1, 1)]
    assert renew(engine, [other], now_ms()) == []


def test_cancelling_takes_pages_from_whoever_reads_them(engine: sa.Engine) -> None:
    at = job(engine, *pages("a.test", 4))
    one, two = taken(engine, 2)
    assert end_page(engine, one, FAILED, now_ms()) == "running"
    assert cancel(engine, at, "", now_ms()) == [two.position]
    assert cancel(engine, at, "", now_ms()) is None
    assert end_page(engine, two, DONE, now_ms()) is None
    assert taken(engine, 9) == []
    rows, more = ended_pages(engine, at, Cursor("completion", 0), 9)
    assert [row.state for row in rows] == ["failed", "cancelled", "cancelled", "cancelled"]
    numbers = [row.number for row in rows]
    assert numbers == sorted(set(numbers))
    assert not more


def test_what_waited_is_wiped_when_it_ends(engine: sa.Engine) -> None:
    at = job(engine, *pages("a.test", 2))
    one, _ = taken(engine, 2)
    end_page(engine, one, DONE, now_ms())
    cancel(engine, at, "", now_ms())
    with engine.connect() as connection:
        kept = connection.execute(sa.select(job_pages.c.request)).scalars().all()
        shared = connection.execute(sa.select(jobs.c.options)).scalars().all()
    assert (kept, shared) == ([None, None], [None])


def test_a_tenant_has_so_many_jobs_at_a_time(engine: sa.Engine) -> None:
    new = [checked_job(JobIn(pages=["http://a.test/"]), Caller(), SEAL, most=9) for _ in range(3)]
    assert write_job(engine, new[0], most_active=2)
    assert write_job(engine, new[1], most_active=2)
    with pytest.raises(Busy, match="JOB_MAX_ACTIVE"):
        write_job(engine, new[2], most_active=2)
    cancel(engine, new[0].id, "", now_ms())
    assert write_job(engine, new[2], most_active=2)


def test_a_page_that_kills_whoever_reads_it_fails_in_the_end(
    engine: sa.Engine, tmp_path: Path
) -> None:
    at = job(engine, "http://a.test/", "http://b.test/")
    settings = ApiSettings(data_dir=tmp_path, job_tries=2)
    parts = {"engine": engine, "settings": settings, "metrics": Metrics(), "seal": SEAL.name}
    work: Any = SimpleNamespace(**parts)
    runner, ended = Runner(work), now_ms() - 1
    for _ in range(2):
        for each in taken(engine, 2):
            renew(engine, [each], ended)
        runner._free_expired()
    shown = shown_job(engine, at, "", now_ms())
    assert (shown["state"], shown["failures"]) == ("completed", {"worker_lost": 2})


def test_jobs_that_are_old_or_half_forgotten_go_and_others_stay(
    engine: sa.Engine, tmp_path: Path
) -> None:
    store = ResultStore(tmp_path, "own")
    old, young, half, running = (job(engine, "http://a.test/") for _ in range(4))
    for each in (old, young, half):
        store.put(each, 0, b"{}")
        cancel(engine, each, "", 1_000 if each == old else 3_000)
    with engine.begin() as connection:
        connection.execute(sa.update(jobs).where(jobs.c.id == half).values(state="forgotten"))
    assert forget_old(engine, lambda _: store, 2_000) == 2
    with engine.connect() as connection:
        left = set(connection.execute(sa.select(jobs.c.id)).scalars())
        pages_of = set(connection.execute(sa.select(job_pages.c.job_id)).scalars())
    assert left == pages_of == {young, running}
    assert [path.name for path in (tmp_path / "own").iterdir()] == [young]
    assert forget_tenant(engine, lambda _: store, "acme") == 0
    assert forget_tenant(engine, lambda _: store, "") == 2
    assert list((tmp_path / "own").iterdir()) == []


def test_a_damaged_result_is_never_handed_out(tmp_path: Path) -> None:
    store = ResultStore(tmp_path, "own")
    name = store.put("j", 0, b'{"low": "water"}')
    assert store.get("j", name) == b'{"low": "water"}'
    path = tmp_path / "own" / "j" / name
    whole = path.read_bytes()
    for damaged in (whole[:-1], whole[:9] + bytes([whole[9] ^ 1]) + whole[10:], b""):
        path.write_bytes(damaged)
        with pytest.raises(SnapshotCorrupt):
            store.get("j", name)
    path.unlink()
    path.symlink_to("/etc/passwd")
    for wrong in (name, "../../../etc/passwd", "0.x"):
        with pytest.raises(SnapshotCorrupt):
            store.get("j", wrong)


async def test_a_silent_stream_is_kept_alive_and_ends_when_the_service_stops(
    engine: sa.Engine,
) -> None:
    at, drain = job(engine, *pages("a.test", 2)), Drain(25)
    stream = _events(Following(engine, at, "", 0, 0.0, drain))
    assert await anext(stream) == b"retry: 2000\n\n"
    assert await anext(stream) == b": still at it\n\n"
    [one] = taken(engine, 1)
    end_page(engine, one, FAILED, now_ms())
    said = [await anext(stream) for _ in range(2)]
    assert [each.split(b"\n")[0] for each in said] == [b"id: 1", b": still at it"]
    drain.begin()
    assert [each async for each in stream] == []


def test_what_is_sealed_opens_with_its_own_key_alone() -> None:
    value = {"http_auth": {"password": "low-water \ud83c \x00"}}
    sealed = SEAL.close(value)
    assert "low-water" not in sealed
    assert SEAL.open(sealed) == value
    assert Seal(b"k" * 32).open(sealed) == value
    for wrong in (Seal(b"l" * 32).close(value), sealed[:-8] + "AAAAAAA=", ""):
        with pytest.raises(SnapshotCorrupt):
            SEAL.open(wrong)
