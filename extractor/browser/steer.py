"""What is done to the page when the request asks for it: open what is closed, and scroll to its ends."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from extractor.browser.script import CaptureLimits, capture_options, steer_source
from extractor.browser.settle import SettleLimits, fetches_end, settle
from extractor.browser.watch import Watch
from extractor.browser.world import ContextLost, World, world_of
from extractor.request import Scroll
from extractor.snapshot import Notice

_MOST_CONTROLS = 100
_MOST_OPENING_S = 10.0
#: Opened parts may hold controls of their own: so often is looked again.
_ROUNDS = 3
#: How long answers may take that a step asked for.
_PATIENCE_S = 3.0


@dataclass(frozen=True, slots=True)
class SteerLimits:
    """Bounds besides those of the request; ``deadline`` is in the event loop's time."""

    capture: CaptureLimits
    scripts: bool
    settle: SettleLimits
    deadline: float


@dataclass(slots=True)
class Steered:
    """What was done. ``cap`` names the bound that ended it, or is empty."""

    cap: str = ""
    notices: list[Notice] = field(default_factory=list)


async def steer(
    watch: Watch, limits: SteerLimits, *, expand: bool, scroll: Scroll | None
) -> Steered:
    """Open parts first, since they may hold lists; then scroll. Ends within the bounds in any case."""
    done = Steered()
    if not expand and scroll is None:
        return done
    try:
        world = await world_of(watch.session, watch.main_frame, limits.deadline)
        await world.value(steer_source())
        options = capture_options(limits.capture, frame_key="kept.", scripts=limits.scripts)
        if expand:
            await _Opening(watch, world, limits, options, done).run()
        if scroll is not None:
            await _Scrolling(watch, world, limits, options, done).run(scroll)
    except ContextLost:
        done.notices.append(Notice("moved_on", "the page went to another document meanwhile"))
        done.cap = done.cap or "moved_on"
    return done


@dataclass(slots=True)
class _Opening:
    watch: Watch
    world: World
    limits: SteerLimits
    options: str
    done: Steered

    async def run(self) -> None:
        end = min(self.limits.deadline, _now() + _MOST_OPENING_S)
        opened = 0
        for _ in range(_ROUNDS):
            before = opened
            opened += int(await self._call(f"details({_MOST_CONTROLS - opened})"))
            opened = await self._click(opened, end)
            if opened == before or self.done.cap:
                break
        labels = [label for label in await self._call("rest()") if label]
        if opened:
            some = ", ".join(labels[:10]) + (", …" if len(labels) > 10 else "")
            text = f"closed parts were opened: {some}"
            self.done.notices.append(Notice("expanded", text, opened))

    async def _click(self, opened: int, end: float) -> int:
        """Open what a click opens, one after the other; how many parts are open now."""
        await fetches_end(self.watch, min(end, _now() + _PATIENCE_S))
        for number in range(int(await self._call("find()"))):
            if _now() >= end or self.watch.cut:
                self._stop("expand_seconds")
            elif opened >= _MOST_CONTROLS:
                self._stop("expand_controls")
            if self.done.cap:
                break
            opened += bool(await self._call(f"open({number}, {self.options})"))
            await fetches_end(self.watch, min(end, _now() + _PATIENCE_S))
            await self._call(f"kept({number}, {self.options})")
        if opened >= _MOST_CONTROLS and not self.done.cap:
            self._stop("expand_controls")
        return opened

    async def _call(self, call: str) -> Any:
        return await self.world.value(f"__pagefoldSteer.opening.{call}", wait=True)

    def _stop(self, cap: str) -> None:
        self.done.cap = cap
        self.done.notices.append(Notice("cap", f"{cap}: not everything was opened"))


@dataclass(slots=True)
class _Scrolling:
    watch: Watch
    world: World
    limits: SteerLimits
    options: str
    done: Steered

    async def run(self, wish: Scroll) -> None:
        end = min(self.limits.deadline, _now() + wish.seconds)
        steps = 0
        for target in range(int(await self._call("begin()"))):
            await self._call(f"look({target}, {self.options})")
            while not self.done.cap:
                if self.watch.cut:
                    break
                if steps >= wish.steps or _now() >= end:
                    self._stop("scroll_steps" if steps >= wish.steps else "scroll_seconds")
                    break
                steps += 1
                if await self._step(target, end):
                    break
        rows = int(await self._call("rest()"))
        text = f"scrolled {steps} steps" + (f", {rows} rows of lists were gathered" if rows else "")
        self.done.notices.append(Notice("scrolled", text, steps))

    async def _step(self, target: int, end: float) -> bool:
        """One step; whether this is the end of what can be scrolled."""
        state = await self._call(f"step({target}, {self.options})")
        if int(state["nodes"]) > self.limits.capture.max_nodes:
            self._stop("max_nodes")
            return True
        await fetches_end(self.watch, min(end, _now() + _PATIENCE_S))
        if state["again"] or not state["end"]:
            return False
        # At the end a list may still grow: it gets the quiet time that a whole page gets.
        await settle(self.watch.page, self.watch, "quiet", self.limits.settle, end)
        after = await self._call(f"state({target})")
        return bool(after["end"] and after["height"] <= state["height"])

    async def _call(self, call: str) -> Any:
        return await self.world.value(f"__pagefoldSteer.scrolling.{call}", wait=True)

    def _stop(self, cap: str) -> None:
        self.done.cap = cap
        self.done.notices.append(Notice("cap", f"{cap}: the page may go on"))


def _now() -> float:
    return asyncio.get_running_loop().time()
