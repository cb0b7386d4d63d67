"""The ways in which one price is written."""

from __future__ import annotations

import re
from collections.abc import Iterable


def spellings(prices: Iterable[str]) -> list[str]:
    """Each price with a comma for the point, without cents, and with its thousands set apart."""
    found: list[str] = []
    for price in prices:
        found += [price, price.replace(".", ","), re.sub(r"\.00$", "", price)]
        if len(price) > 5:
            found.append(re.sub(r"[.,]\d\d$", "", price))
        if parts := re.fullmatch(r"(\d+)(\d{3})(\.\d\d)?", price):
            found += [f"{parts[1]}{mark}{parts[2]}" for mark in (",", ".", " ")]
    return list(dict.fromkeys(found))
