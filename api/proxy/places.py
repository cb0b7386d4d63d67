"""Where the parts of an answer stand for a client that is not shown all of them."""

from __future__ import annotations


class Places:
    """Numbers the parts of one or more streams as if there were no hidden ones, and one stream."""

    def __init__(self) -> None:
        self._shown = 0
        self.begin()

    def begin(self) -> None:
        """The next stream starts, which counts its parts from 0 again."""
        self._moved = self._shown
        self._places: dict[int, int | None] = {}

    def __contains__(self, index: int) -> bool:
        return index in self._places

    def put(self, index: int, *, hidden: bool) -> None:
        """The stream's part of this number starts."""
        if hidden:
            self._moved -= 1
            self._places[index] = None
        else:
            self._places[index] = index + self._moved
            self._shown = max(self._shown, index + self._moved + 1)

    def of(self, index: int) -> int | None:
        """Its number for the client; ``None`` where it is hidden."""
        return self._places.get(index, index)
