"""What a history said that a later turn may need word for word, kept without a model."""

from compactor.facts.index import Fact, FactRule, Facts, facts_of
from compactor.facts.kinds import KINDS, FactKind, Found
from compactor.facts.listing import FACTS_HEAD, listing, texts_of

__all__ = [
    "FACTS_HEAD",
    "KINDS",
    "Fact",
    "FactKind",
    "FactRule",
    "Facts",
    "Found",
    "facts_of",
    "listing",
    "texts_of",
]
