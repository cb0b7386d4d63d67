"""What is taken of a summariser's reply: labelled by trust, cited where asked, never longer than allowed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from compactor.archive import Archive
from compactor.errors import CompactorError
from compactor.estimate import estimate_tokens
from compactor.kit import Ask
from compactor.strategies.work import Work
from compactor.summarise import Reply, Summariser, SummariserFailed, SummaryRequest, ask
from compactor.summarisers.extractive import extractive
from compactor.trust import Statement, believed

EXTRACTIVE = "extractive"
_CITED = re.compile(r"\s*[(\[]?ref=(a:[0-9a-f]{8,64})[)\]]?[\s.]*$")


def asking(summariser: Summariser, *, window_tokens: int = 16_000) -> Ask:
    """A summariser that may raise or answer nothing, as one that always gives a reply."""
    name = str(getattr(summariser, "name", getattr(summariser, "__name__", "summariser")))

    def run(request: SummaryRequest) -> Reply:
        try:
            text = ask(
                summariser, request, int(getattr(summariser, "window_tokens", window_tokens))
            )
        except Exception as error:  # a plug-in may raise anything; the history must outlive it
            said = str(error) if isinstance(error, SummariserFailed) else type(error).__name__
            return Reply("", name, (*_notes(summariser), f"{name} failed: {said}"))
        notes = _notes(summariser)
        return Reply(text, name, (*notes, *(() if text else (f"{name} answered nothing",))))

    return run


def _notes(summariser: Summariser) -> tuple[str, ...]:
    made: tuple[str, ...] = getattr(summariser, "take_notes", tuple)()
    return made


def built_in(request: SummaryRequest) -> Reply:
    """The reply of the extractive summariser."""
    return Reply(extractive(request), EXTRACTIVE)


def statements(
    request: SummaryRequest, work: Work, fits: Callable[[list[Statement]], bool]
) -> tuple[list[Statement], str, tuple[str, ...]]:
    """What a request brought, by whom, and what went wrong; empty where nothing can be taken.

    A reply that is empty, too long, rejected whole or that ``fits`` refuses is not taken: then the extractive
    summariser is asked, and the notes say so.
    """
    reply = work.ask(request)
    made, notes = taken(reply, request, work.archive)
    why = "" if made or not reply.text else "nothing could be taken"
    if made and sum(estimate_tokens(one.line) for one in made) > request.most_tokens:
        why = f"over {request.most_tokens} tokens"
    elif made and not fits(made):
        why = "not smaller"
    if made and not why:
        return made, reply.by, notes
    if why:
        notes = (*notes, f"{reply.by} refused: {why}")
    if reply.by == EXTRACTIVE:
        return [], reply.by, notes
    own = built_in(request)
    made, more = taken(own, request, work.archive)
    notes = (*notes, *more)
    by = f"{EXTRACTIVE} in place of {reply.by} ({'; '.join(notes)})"
    return (made if made and fits(made) else []), by, notes


def taken(
    reply: Reply, request: SummaryRequest, archive: Archive
) -> tuple[list[Statement], tuple[str, ...]]:
    """The statements of a reply with the trust that each is given, and what was rejected.

    Where citations are asked for, a statement stays only with a ref that stands in the record and
    resolves.
    """
    if not request.cite:
        return believed(reply.text, request.statements), reply.notes
    known = {one.ref for one in request.statements if one.ref}
    refs, bare = [], []
    for line in filter(str.strip, reply.text.split("\n")):
        found = _CITED.search(line)
        if found and found[1] in known and _resolves(found[1], archive):
            refs.append(found[1])
            bare.append(line[: found.start()].strip())
    rejected = sum(1 for line in reply.text.split("\n") if line.strip()) - len(refs)
    made = [
        replace(one, ref=ref)
        for one, ref in zip(believed("\n".join(bare), request.statements), refs, strict=False)
    ]
    if rejected:
        note = f"{rejected} statements of {reply.by} rejected: no ref that resolves"
        return made, (*reply.notes, note)
    return made, reply.notes


def _resolves(ref: str, archive: Archive) -> bool:
    try:
        archive.get(ref)
    except CompactorError:
        return False
    return True
