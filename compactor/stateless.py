"""One call: messages in, compacted messages out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from compactor.archive import Archive, ObjectArchive, holds
from compactor.compacted import line_of
from compactor.cost import history_cost
from compactor.errors import InvalidRequest
from compactor.known import recalled
from compactor.messages import Json, Message
from compactor.policy import Policy
from compactor.report import Covered, Report
from compactor.session import Session
from compactor.strategy import StrategyRule
from compactor.summarise import Summariser
from compactor.trigger import Triggers
from compactor.truncate import FoldHtml

#: Each one makes the history shorter, and most find nothing more after the first.
_MOST_RUNS = 8


@dataclass(frozen=True, slots=True)
class Compaction:
    """Messages in the format they came in, with what was done and where the originals are."""

    messages: list[Json]
    report: Report
    certificate: tuple[Covered, ...]
    archive: Archive


class _Whole(Session):
    """Of one list, which may have been compacted with this archive before."""

    def _read(self, messages: Sequence[Json], format: str) -> list[Message]:
        return recalled(super()._read(messages, format), self.archive)

    def line_of(self, messages: Sequence[Json], format: str, asked: Policy) -> Json:
        """What its archive says of a list that is compacted under the policy that was asked for."""
        return line_of(messages, format, asked, [self.system, self.tools])

    def untouched(
        self, messages: Sequence[Json], format: str, asked: Policy
    ) -> tuple[Report, tuple[Covered, ...]] | None:
        """Report and certificate of a list that came from here and fits; ``None`` for any other."""
        try:
            line = self.line_of(messages, format, asked)
        except (TypeError, ValueError, RecursionError):
            return None  # no JSON: reading it says what is wrong
        if not holds(self.archive, line):
            return None
        size, most = history_cost(messages), self.budget_chars
        if size > most:
            return None
        numbers = tuple(range(len(messages)))
        report = Report(len(numbers), numbers, (), size, most)
        return report, tuple(Covered(n, kept=True, at=n) for n in numbers)


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

    A history that is valid and fits comes back unchanged, and so does one that came from here with the
    same ``archive``, ``policy``, ``system`` and ``tools``.

    Raises:
        InvalidRequest: a message cannot be read.
        BudgetError: it cannot be made to fit.
    """
    kept = archive or ObjectArchive()
    asked = policy or Policy()
    # A working memory belongs to a session: a list that is valid and fits comes back as it is.
    # It also has no later requests that an early compaction could pay for.
    policy = replace(asked, anchor=False, triggers=Triggers(enabled=False))
    # Before the end of the list only what passes the budget is a reason to work: what comes later in it
    # says what is used again.
    rule = policy.strategy
    policy = replace(policy, strategy=replace(rule, trigger_share=1.0, trigger_tokens=None))
    session = _Whole(
        policy, system=system, tools=tools, archive=kept, fold_html=fold_html, summariser=summariser
    )
    if archive is not None and (done := session.untouched(messages, format, asked)) is not None:
        return Compaction(list(messages), *done, kept)
    report = session.append_many(messages, format)
    report = _finished(session, rule, report)
    context = session.context(format)
    if context.messages != list(messages):
        kept.put(session.line_of(context.messages, format, asked))
    return Compaction(context.messages, report, session.certificate(context), kept)


def _finished(session: Session, rule: StrategyRule, report: Report) -> Report:
    """With what the strategy finds to do in the whole list, until it finds nothing more."""
    for _ in range(_MOST_RUNS):
        if not session.is_due(rule) or not (made := session.shorten(rule)).changes:
            break
        report = replace(
            report,
            version=session.version,
            changes=report.changes + made.changes,
            cost_chars=session.as_json()["cost_chars"],
            certificate=report.certificate + made.certificate,
            notes=report.notes + made.notes,
        )
    return report


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
