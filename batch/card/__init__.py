"""The data card of a run: what its data set is, how it was made, and what its pages' owners say."""

from batch.card.facts import Facts, facts_of
from batch.card.write import CARD, card_of, write_card

__all__ = ["CARD", "Facts", "card_of", "facts_of", "write_card"]
