"""Where tasks come from: lists of addresses, sitemaps, and web archives."""

from batch.inputs.opening import open_tasks
from batch.inputs.report import InputReport, Note
from batch.inputs.rules import KINDS, InputRules, Kind

__all__ = ["KINDS", "InputReport", "InputRules", "Kind", "Note", "open_tasks"]
