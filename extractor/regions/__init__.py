"""Which part of the page plays which role, with the evidence for it."""

from extractor.regions.find import find_regions
from extractor.regions.result import RegionNode, Regions

__all__ = ["RegionNode", "Regions", "find_regions"]
