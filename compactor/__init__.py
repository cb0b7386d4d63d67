"""Keeps an agent's growing history within a budget, valid for its provider, and without loss."""

from compactor.allocation import Allocation, allocate
from compactor.archive import Archive, ObjectArchive
from compactor.breakpoints import Breakpoint, CachePlan, cache_plan
from compactor.context import Context
from compactor.diagnosis import DiagnosisRule, Symptom
from compactor.errors import CompactorError
from compactor.plan import Plan, Planned
from compactor.policy import Limit, Policy
from compactor.prefix import PrefixWarning, lint_prefix
from compactor.prices import Prices, prices_named
from compactor.report import Change, Covered, Report, Reworked
from compactor.session import Session
from compactor.stateless import Compaction, compact, uncompact
from compactor.store import SqlStore
from compactor.summarise import Summariser, SummaryRequest, SummaryRule
from compactor.trigger import Triggers
from compactor.trust import Statement
from compactor.validate import Finding, validate

__all__ = [
    "Allocation",
    "Archive",
    "Breakpoint",
    "CachePlan",
    "Change",
    "Compaction",
    "CompactorError",
    "Context",
    "Covered",
    "DiagnosisRule",
    "Finding",
    "Limit",
    "ObjectArchive",
    "Plan",
    "Planned",
    "Policy",
    "PrefixWarning",
    "Prices",
    "Report",
    "Reworked",
    "Session",
    "SqlStore",
    "Statement",
    "Summariser",
    "SummaryRequest",
    "SummaryRule",
    "Symptom",
    "Triggers",
    "allocate",
    "cache_plan",
    "compact",
    "lint_prefix",
    "prices_named",
    "uncompact",
    "validate",
]
