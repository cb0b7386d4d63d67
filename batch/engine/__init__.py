"""Ways to run a plan: on this machine, or on several."""

from batch.engine.engine import Engine, Sink

__all__ = ["Engine", "Sink"]
