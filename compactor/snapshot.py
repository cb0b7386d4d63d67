"""What a compacted history must hold before it takes the old one's place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from compactor.archive import Archive
from compactor.errors import ArtifactCorrupt, CompactorError, MandatoryDoesNotFit
from compactor.messages import Message


def check_kept(before: Sequence[Message], after: Sequence[Message]) -> None:
    """Refuse a history that drops or changes a pinned or system message; the old one stands until then.

    Raises:
        MandatoryDoesNotFit: it would.
    """
    standing = {id(message) for message in after}
    for message in before:
        if (message.pinned or message.role == "system") and id(message) not in standing:
            raise MandatoryDoesNotFit(
                f"The compaction would drop message {message.seq}, which must stay; it was refused.",
                field="message",
            )


def check_refs(refs: Iterable[str], archive: Archive) -> None:
    """Refuse a history that names a ref which does not resolve. Not for a replay: it drops nothing.

    Raises:
        ArtifactCorrupt: an original that the new history needs cannot be had back.
    """
    for ref in refs:
        try:
            archive.get(ref)
        except CompactorError as error:
            raise ArtifactCorrupt(
                f"The compaction would leave {ref} unresolved; it was refused.", detail=str(error)
            ) from error
