"""Ways to run a plan: on this machine, or on several."""

from batch.engine.choice import EngineName, engine_named
from batch.engine.engine import Engine, Sink

__all__ = ["Engine", "EngineName", "Sink", "engine_named"]
