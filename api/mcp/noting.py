"""What an agent keeps of its own work: notes, what it knows and why, and a search in all of that."""

from __future__ import annotations

from api.client import NotFound, ProblemError
from api.client.call import Json
from api.mcp.arguments import CheckpointIn, DecideIn, EvidenceIn, ProposeIn, RecallIn
from api.mcp.ranges import lines_within
from api.mcp.visit import Visit

#: Originals that one search looks into, the newest first.
_MOST_REFS = 100
#: Characters shown of one line.
_LINE_CHARS = 300


async def update_working_checkpoint(visit: Visit, given: CheckpointIn) -> str:
    """Replace the notes; where no session is known, in a new one, whose id the answer gives."""
    session = given.session or visit.session
    if session is not None:
        await visit.api.put_key_info(session, given.key_info)
        return "Noted."
    session = (await visit.api.open_session())["id"]
    await visit.api.put_key_info(session, given.key_info)
    return f"Noted in a new session; from now on pass session={session}"


async def note_evidence(visit: Visit, given: EvidenceIn) -> str:
    """Note a fact, and what it speaks for or against; its id."""
    evidence = {
        "text": given.text,
        "supports": _ids(given.supports),
        "contradicts": _ids(given.contradicts),
    }
    return _said(await visit.api.note_evidence(visit.session_for(given.session), evidence))


async def propose(visit: Visit, given: ProposeIn) -> str:
    """Propose a hypothesis; its id."""
    hypothesis = {"claim": given.text, "supports": _ids(given.supports)}
    return _said(await visit.api.propose(visit.session_for(given.session), hypothesis))


async def decide(visit: Visit, given: DecideIn) -> str:
    """Write down a decision, and what it depends on; its id."""
    decision = {"text": given.text, "depends_on": _ids(given.depends_on)}
    return _said(await visit.api.decide(visit.session_for(given.session), decision))


async def recall(visit: Visit, given: RecallIn) -> str:
    """What the session knows that matters for a question, then lines that hold its very words, with refs."""
    session = visit.session_for(given.session)
    most = visit.most_chars // 2
    known = str((await visit.api.recall(session, given.query, budget_chars=most))["text"])
    lines = await _lines(visit, session, given.query, visit.most_chars - len(known) - 1)
    return "\n".join(filter(None, (known, lines))) or f"Nothing holds {given.query!r}."


async def _lines(visit: Visit, session: str, query: str, most: int) -> str:
    """Lines of a session's archive and notes that hold the text, newest original first, with their refs."""
    notes = (await visit.api.key_info(session))["key_info"]
    wanted = query.casefold()
    found = [f"notes: {line}" for line in notes.splitlines() if wanted in line.casefold()]
    refs = await _refs(visit, session)
    for ref in refs[:_MOST_REFS]:
        try:
            lines = await visit.api.grep(session, ref, query)
        except NotFound:
            continue  # another writer has removed it meanwhile
        except ProblemError as error:
            if error.code != "artifact_corrupt":
                raise
            found.append(f"{ref}: the original is damaged")
            continue
        found += [f"{ref} line {each['line']}: {each['text'][:_LINE_CHARS]}" for each in lines]
    if len(refs) > _MOST_REFS:
        found.append(f"[{len(refs) - _MOST_REFS} older originals were not searched]")
    return lines_within(found, most)


async def _refs(visit: Visit, session: str) -> list[str]:
    """Refs of all originals that the session has taken out, newest entry first."""
    refs: dict[str, None] = {}
    for entry in reversed(await visit.api.certificate(session)):
        for ref in (entry["original"], *entry["refs"]):
            if ref:
                refs[ref] = None
    return list(refs)


def _ids(given: str | None) -> list[str]:
    return (given or "").replace(",", " ").split()


def _said(item: Json) -> str:
    marked = f"; needs revalidation: {item['marked']}" if item["marked"] else ""
    return f"{item['id']} is {item['status']}{marked}"
