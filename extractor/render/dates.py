"""Dates as pages write them, in one form."""

from __future__ import annotations

from datetime import date, datetime
from email.utils import parsedate_to_datetime


def normal_date(text: str) -> str:
    """``text`` as ISO 8601 (``2024-05-01`` or ``2024-05-01T12:00:00+00:00``); unchanged when it is neither
    ISO 8601 nor an RFC 5322 date. An offset that is not given is not made up."""
    text = " ".join(text.split())
    return _iso(text) or _mail(text) or text


def _iso(text: str) -> str:
    try:
        if len(text) <= 10:
            return date.fromisoformat(text).isoformat()
        return datetime.fromisoformat(text).isoformat()
    except ValueError:
        return ""


def _mail(text: str) -> str:
    try:
        return parsedate_to_datetime(text).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""
