"""The engine of several machines, on Ray. Importing it needs the extra ``ray``."""

from batch.engine.ray.engine import RayEngine
from batch.engine.ray_settings import RaySettings

__all__ = ["RayEngine", "RaySettings"]
