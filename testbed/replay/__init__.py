"""Recorded agent histories replayed message by message through compactors, side by side."""
