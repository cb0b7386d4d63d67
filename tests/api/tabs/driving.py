"""An agent's view of one tab: what it scanned last, and what it does with the refs of that."""

from __future__ import annotations

from typing import Any

from starlette.testclient import TestClient

Json = dict[str, Any]


class Driver:
    """Drives a tab over HTTP, with nothing but what scans say."""

    def __init__(self, client: TestClient, url: str) -> None:
        self.client = client
        answer = client.post("/v1/tabs", json={"url": url})
        assert answer.status_code == 201, answer.text
        self.tab: Json = answer.json()
        self.at = answer.headers["location"]
        self.seen: Json = {}

    def scan(self, **wanted: Any) -> Json:
        answer = self.client.post(f"{self.at}/scan", json={"format": "markdown", **wanted})
        assert answer.status_code == 200, answer.text
        self.seen = answer.json()
        return self.seen

    def ref(self, name: str, role: str = "") -> str:
        """Of the one control in the last scan that has the name, and the role if given."""
        [found] = [
            each["ref"]
            for each in self.seen["controls"]
            if each["name"] == name and role in ("", each["role"])
        ]
        return str(found)

    def act(self, action: str, ref: str | None = None, **more: Any) -> Json:
        answer = self.client.post(f"{self.at}/act", json={"action": action, "ref": ref, **more})
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def refused(self, call: str, **wanted: Any) -> tuple[int, str, str]:
        """Status, code and detail of a call that fails."""
        answer = self.client.post(f"{self.at}/{call}", json=wanted)
        problem = answer.json()
        return answer.status_code, problem["code"], problem["detail"]

    def execute(self, script: str, **more: Any) -> Json:
        answer = self.client.post(f"{self.at}/execute", json={"script": script, **more})
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def close(self) -> None:
        assert self.client.delete(self.at).status_code == 204
