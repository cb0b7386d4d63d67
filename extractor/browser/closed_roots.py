"""Closed shadow roots: no script in a page reaches them, but the browser's own protocol does."""

from __future__ import annotations

import asyncio

from extractor.browser.world import World

#: A root may hold further hosts: so often is looked again.
_MAX_ROUNDS = 6


async def adopt_closed_roots(world: World) -> None:
    """Find closed roots on the hosts that the page script suspects, and hand them to it."""
    for _ in range(_MAX_ROUNDS):
        arguments = await _roots(world, await world.objects("__pagefold.suspects"))
        if not arguments:
            return
        answer = await world.session.send(
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": "(...pairs) => __pagefold.adopt(...pairs)",
                "executionContextId": world.context,
                "arguments": arguments,
                "returnByValue": True,
            },
        )
        if not answer["result"].get("value"):
            return


async def _roots(world: World, suspects: list[str]) -> list[dict[str, str]]:
    """Hosts and their closed roots in turn, as arguments of a call."""
    described = await asyncio.gather(
        *(world.session.send("DOM.describeNode", {"objectId": item}) for item in suspects)
    )
    arguments: list[dict[str, str]] = []
    for host, node in zip(suspects, described, strict=True):
        for root in node["node"].get("shadowRoots", ()):
            if root.get("shadowRootType") != "closed":
                continue
            resolved = await world.session.send(
                "DOM.resolveNode",
                {"backendNodeId": root["backendNodeId"], "executionContextId": world.context},
            )
            arguments += [{"objectId": host}, {"objectId": resolved["object"]["objectId"]}]
    return arguments
