"""A tenant that asks for too much is refused at once, and no other notices."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from api.gate import Gate
from api.key_ring import KeyRing
from api.keys import PERMISSIONS, ApiKey, digest_of, new_id, new_secret
from api.middleware import Boundary
from api.quota import Quota


@dataclass(slots=True)
class Service:
    """An application behind the gate; ``/slow`` waits for ``release``, ``/broken`` fails."""

    http: httpx2.AsyncClient
    keys: list[ApiKey] = field(default_factory=list)
    release: asyncio.Event = field(default_factory=asyncio.Event)
    inside: int = 0

    def key(self, tenant: str, **limits: int) -> str:
        secret = new_secret()
        given: dict[str, Any] = {"requests_per_minute": None, "concurrency": None, **limits}
        made = ApiKey(
            new_id(), tenant, digest_of(secret), frozenset(PERMISSIONS), created_at="now", **given
        )
        self.keys.append(made)
        return f"{made.id}.{secret}"

    async def ask(self, key: str, path: str = "/quick") -> httpx2.Response:
        return await self.http.get(path, headers={"X-API-Key": key})


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    app = FastAPI()

    @app.get("/quick")
    async def quick() -> str:
        return "done"

    @app.get("/slow")
    async def slow() -> str:
        made.inside += 1
        await made.release.wait()
        return "done"

    @app.get("/broken")
    async def broken() -> str:
        raise RuntimeError("broken")

    app.get("/healthz")(quick)
    ring = KeyRing(lambda: made.keys, 0)
    app.add_middleware(Gate, ring=ring, quota=Quota(50, 8), always=True, anyone=False)
    app.add_middleware(Boundary)
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        made = Service(http)
        yield made


def assert_refused(answer: httpx2.Response, *words: str) -> int:
    """The seconds after which to come again."""
    assert answer.status_code == 429
    body = answer.json()
    assert (body["code"], body["retryable"]) == ("rate_limited", True)
    assert all(word in body["detail"] for word in words), body["detail"]
    return int(answer.headers["retry-after"])


async def test_requests_a_minute_are_counted_by_tenant(service: Service) -> None:
    first, second = (service.key("acme", requests_per_minute=3) for _ in range(2))
    other = service.key("zenith", requests_per_minute=3)
    answers = [await service.ask(first), await service.ask(second), await service.ask(first)]
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    # One more than the limit may pass where two windows meet.
    late = [await service.ask(key) for key in (first, second)]
    assert 1 <= assert_refused(late[-1], "3 requests a minute") <= 60
    assert (await service.ask(other)).status_code == 200
    assert (await service.http.get("/healthz")).status_code == 200


async def test_keys_of_one_tenant_with_other_limits_share_the_count(service: Service) -> None:
    wide, narrow = (service.key("acme", requests_per_minute=most) for most in (20, 2))
    for _ in range(4):
        assert (await service.ask(wide)).status_code == 200
    assert_refused(await service.ask(narrow), "2 requests a minute")
    assert (await service.ask(wide)).status_code == 200


async def test_every_answer_says_where_the_tenant_stands(service: Service) -> None:
    key = service.key("acme", requests_per_minute=4)
    left = []
    for path in ("/quick", "/nothing", "/quick", "/quick", "/quick", "/quick"):
        answer = await service.ask(key, path)
        assert answer.headers["ratelimit-policy"] == '"requests";q=4;w=60'
        found = re.fullmatch(r'"requests";r=(\d+);t=(\d+)', answer.headers["ratelimit"])
        assert found
        assert 1 <= int(found[2]) <= 120
        left.append(int(found[1]))
    assert left[-1] == 0
    assert sorted(left, reverse=True) == left


async def test_without_limits_of_its_own_a_key_has_those_of_the_service(service: Service) -> None:
    answer = await service.ask(service.key("acme"))
    assert answer.headers["ratelimit-policy"] == '"requests";q=50;w=60'


async def test_requests_at_a_time_are_counted_by_tenant(service: Service) -> None:
    first, second = (service.key("acme", concurrency=2) for _ in range(2))
    other = service.key("zenith", concurrency=2)
    async with asyncio.TaskGroup() as tasks:
        running = [tasks.create_task(service.ask(key, "/slow")) for key in (first, second)]
        while service.inside < 2:
            await asyncio.sleep(0)
        for key in (first, second):
            assert assert_refused(await service.ask(key), "2 requests running") == 1
        assert (await service.ask(other)).status_code == 200
        service.release.set()
    assert [task.result().status_code for task in running] == [200, 200]
    assert (await service.ask(first)).status_code == 200


async def test_what_fails_or_is_given_up_frees_its_place(service: Service) -> None:
    key = service.key("acme", concurrency=1)
    assert (await service.ask(key, "/broken")).status_code == 500
    given_up = asyncio.create_task(service.ask(key, "/slow"))
    while not service.inside:
        await asyncio.sleep(0)
    assert_refused(await service.ask(key), "1 requests running")
    given_up.cancel()
    await asyncio.gather(given_up, return_exceptions=True)
    assert (await service.ask(key)).status_code == 200


async def test_a_crowd_gets_its_limit_and_no_more(service: Service) -> None:
    key = service.key("acme", requests_per_minute=20, concurrency=100)
    answers = await asyncio.gather(*(service.ask(key) for _ in range(60)))
    passed = sum(answer.status_code == 200 for answer in answers)
    assert 20 <= passed <= 21
    assert {answer.status_code for answer in answers} == {200, 429}


async def test_wrong_keys_use_up_nothing(service: Service) -> None:
    key = service.key("acme", requests_per_minute=2)
    for _ in range(5):
        assert (await service.ask(f"{key[:-1]}{'A' if key[-1] != 'A' else 'B'}")).status_code == 401
    assert (await service.ask(key)).status_code == 200
