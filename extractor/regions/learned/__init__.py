"""Main content by a model that was trained offline: block by block, next to the hand rules."""
