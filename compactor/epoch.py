"""What a session remembers of its running epoch: how many requests, how large they were, how they grew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from compactor.circuit import Circuit

_MOST_OUTDATED = 64


@dataclass(frozen=True, slots=True)
class Epoch:
    """One run of turns in which the context is append-only. Sizes are characters of the history.

    ``number`` counts compactions; ``requests`` were possible since the last one, ``first`` is the size
    of the first of them and ``carried`` the sum of all. ``newest`` is the size of the latest, and
    ``growths`` what each of the newest requests added to the one before it, also over epochs.
    ``circuit`` stops early compactions that gained nothing. ``outdated`` are values that were replaced
    since the compaction, and may be in view.
    """

    number: int = 0
    requests: int = 0
    first: int = 0
    carried: int = 0
    newest: int = 0
    growths: tuple[int, ...] = ()
    circuit: Circuit = field(default_factory=lambda: Circuit(tries=1))
    outdated: tuple[str, ...] = ()

    def asked(self, size: int, grown: int, *, keep: int) -> Epoch:
        """After one more history that a model can be asked with, ``grown`` characters more than before."""
        return replace(
            self,
            requests=self.requests + 1,
            first=self.first or size,
            carried=self.carried + size,
            newest=size,
            growths=(*self.growths, max(0, grown))[-keep:] if self.newest else self.growths,
        )

    def next(self, *, forced: bool = True) -> Epoch:
        """After a compaction. One that the budget asked for closes the circuit again."""
        circuit = self.circuit.closed() if forced else self.circuit
        return Epoch(self.number + 1, growths=self.growths, circuit=circuit)

    def replacing(self, values: Sequence[str]) -> Epoch:
        """After some values that are true no more."""
        return replace(self, outdated=(*self.outdated, *values)[-_MOST_OUTDATED:])

    def stopped(self) -> Epoch:
        """After an early compaction that gained too little."""
        return replace(self, circuit=self.circuit.failed())

    def expected_growth(self, quantile: float) -> int:
        """What the next answer and its results may add, from the session's own; 0 when nothing is known."""
        if not self.growths:
            return 0
        ordered = sorted(self.growths)
        return ordered[min(len(ordered) - 1, int(quantile * len(ordered)))]
