"""Many clients write to one session over real connections."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import httpx2

from tests.examples.conftest import Served

WRITERS = 16
ROUNDS = 3


def test_one_of_sixteen_writers_wins_each_version(served: Served) -> None:
    with httpx2.Client(base_url=served.url, timeout=60) as http:
        session = http.post("/v1/sessions", json={"budget_chars": 50_000}).headers["location"]

        def write(version: int, writer: int) -> int:
            message = {"role": "user", "content": f"round {version}, writer {writer}"}
            answer = http.post(
                f"{session}/messages",
                json={"message": message},
                headers={"If-Match": f'"v{version}"'},
            )
            return answer.status_code

        with ThreadPoolExecutor(WRITERS) as pool:
            for version in range(ROUNDS):
                numbers = range(WRITERS)
                codes = list(pool.map(write, [version] * WRITERS, numbers))
                assert sorted(codes) == [200] + [412] * (WRITERS - 1)
        assert http.get(session).json()["version"] == ROUNDS
        messages = http.get(f"{session}/context").json()["messages"]
    written = [message["content"][:7] for message in messages]
    assert written == [f"round {version}" for version in range(ROUNDS)]
