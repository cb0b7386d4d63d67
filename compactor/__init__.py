"""Keeps an agent's growing history within a budget, valid for its provider, and without loss."""

from compactor.archive import Archive, ObjectArchive
from compactor.context import Context
from compactor.errors import CompactorError
from compactor.policy import Limit, Policy
from compactor.report import Change, Covered, Report, Reworked
from compactor.session import Session
from compactor.stateless import Compaction, compact, uncompact
from compactor.store import SqlStore
from compactor.summarise import Statement, Summariser, SummaryRequest, SummaryRule
from compactor.validate import Finding, validate

__all__ = [
    "Archive",
    "Change",
    "Compaction",
    "CompactorError",
    "Context",
    "Covered",
    "Finding",
    "Limit",
    "ObjectArchive",
    "Policy",
    "Report",
    "Reworked",
    "Session",
    "SqlStore",
    "Statement",
    "Summariser",
    "SummaryRequest",
    "SummaryRule",
    "compact",
    "uncompact",
    "validate",
]
