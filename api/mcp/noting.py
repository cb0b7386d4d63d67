"""What an agent keeps of its own work: its working notes, and a search in what has left its context."""

from __future__ import annotations

from api.client import NotFound, ProblemError
from api.mcp.arguments import CheckpointIn, RecallIn
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


async def recall(visit: Visit, given: RecallIn) -> str:
    """Lines of a session's archive and notes that hold the text, newest original first, with their refs."""
    session = visit.session_for(given.session)
    notes = (await visit.api.key_info(session))["key_info"]
    wanted = given.query.casefold()
    found = [f"notes: {line}" for line in notes.splitlines() if wanted in line.casefold()]
    refs = await _refs(visit, session)
    for ref in refs[:_MOST_REFS]:
        try:
            lines = await visit.api.grep(session, ref, given.query)
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
    return lines_within(found, visit.most_chars) or f"Nothing holds {given.query!r}."


async def _refs(visit: Visit, session: str) -> list[str]:
    """Refs of all originals that the session has taken out, newest entry first."""
    refs: dict[str, None] = {}
    for entry in reversed(await visit.api.certificate(session)):
        for ref in (entry["original"], *entry["refs"]):
            if ref:
                refs[ref] = None
    return list(refs)
