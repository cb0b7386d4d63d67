"""Evidence, hypotheses and decisions over MCP: written down, connected, recalled."""

from __future__ import annotations

from api.client import Pagefold
from tests.api.mcp.serving import Running, failure_of, text_of


async def test_what_is_known_is_written_down_and_recalled(running: Running) -> None:
    with Pagefold(running.url) as service:
        session = service.open_session(budget_chars=30_000)["id"]
    async with running.client(X_Pagefold_Session=session) as client:
        claim = "The network drops packets."
        assert await text_of(client, "propose", text=claim) == "h1 is proposed"
        noted = await text_of(client, "note_evidence", text="Ping lost 4 of 10.", supports="h1")
        assert noted.startswith("e1 is ")
        # Nothing says that it is not a list, and models send one.
        await text_of(
            client, "note_evidence", text="Only at night.", supports=["h1"], contradicts=""
        )
        decided = await text_of(client, "decide", text="Swap the cable.", depends_on="h1, e1")
        assert decided.startswith("d1 is ")
        recalled = await text_of(client, "recall", query="network packets")
        assert claim in recalled
        gone = await failure_of(client, "decide", text="x", depends_on="h99")
        assert gone["code"] in ("not_found", "invalid_request")
        odd = await failure_of(client, "decide", text="x", depends_on="../h1")
        assert (odd["code"], odd["field"]) == ("invalid_request", "depends_on")
    with Pagefold(running.url) as service:
        found = service.recall(session, "network packets")
    assert "h1" in {item["id"] for item in found["items"]}


async def test_what_is_known_needs_a_session(running: Running) -> None:
    async with running.client() as client:
        for tool in ("propose", "note_evidence", "decide"):
            unnamed = await failure_of(client, tool, text="x")
            assert (unnamed["code"], unnamed["field"]) == ("invalid_request", "session")
