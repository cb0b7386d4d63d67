"""Many pages at once: a durable queue, its workers, results, events and webhooks."""
