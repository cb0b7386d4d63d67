"""One call: messages in, compacted messages out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from compactor.archive import Archive, ObjectArchive
from compactor.errors import InvalidRequest
from compactor.messages import Json
from compactor.policy import Policy
from compactor.report import Covered, Report
from compactor.session import Session
from compactor.summarise import Summariser
from compactor.trigger import Triggers
from compactor.truncate import FoldHtml


@dataclass(frozen=True, slots=True)
class Compaction:
    """Messages in the format they came in, with what was done and where the originals are."""

    messages: list[Json]
    report: Report
    certificate: tuple[Covered, ...]
    archive: Archive


def compact(
    messages: Sequence[Json],
    format: str = "anthropic",
    *,
    system: Json = None,
    tools: Json = None,
    policy: Policy | None = None,
    archive: Archive | None = None,
    fold_html: FoldHtml | None = None,
    summariser: Summariser | None = None,
) -> Compaction:
    """Compact a whole history at once, with the policy's strategy where it has one.

    A history that is valid and fits comes back unchanged.

    Raises:
        InvalidRequest: a message cannot be read.
        BudgetError: it cannot be made to fit.
    """
    kept = archive or ObjectArchive()
    # A working memory belongs to a session: a list that is valid and fits comes back as it is.
    # It also has no later requests that an early compaction could pay for.
    policy = replace(policy or Policy(), anchor=False, triggers=Triggers(enabled=False))
    session = Session(
        policy, system=system, tools=tools, archive=kept, fold_html=fold_html, summariser=summariser
    )
    report = session.append_many(messages, format)
    context = session.context(format)
    return Compaction(context.messages, report, session.certificate(context), kept)


def uncompact(
    messages: Sequence[Json], certificate: Sequence[Covered], archive: Archive
) -> list[Json]:
    """The history that a compaction was made of, as the same JSON values.

    Raises:
        InvalidRequest: the certificate belongs to other messages.
        NotFound: the archive lacks an original.
        ArtifactCorrupt: an original fails its hash.
    """
    history = []
    for line in certificate:
        if line.kept and not 0 <= line.at < len(messages):
            raise InvalidRequest(
                f"The certificate says that entry {line.seq} stands at {line.at}, but there are "
                f"{len(messages)} messages.",
                field="certificate",
            )
        history.append(messages[line.at] if line.kept else archive.get(line.original))
    return history
