"""A small web on loopback, every page of it known beforehand, and the batch scraper's acceptance over it."""
