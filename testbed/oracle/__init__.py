"""The truth about what people can see, by pixels; and how the product's verdicts compare with it."""

from testbed.oracle.labels import Target, load_targets
from testbed.oracle.score import Outcome, Report, score

__all__ = ["Outcome", "Report", "Target", "load_targets", "score"]
