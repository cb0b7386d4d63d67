# Made from its namesake in ../awaiting: python -m api.reference
"""The whole client."""

from api.client.blocking.jobs import Jobs
from api.client.blocking.knowing import Knowing
from api.client.blocking.pages import Pages
from api.client.blocking.sessions import Sessions
from api.client.blocking.tabs import Tabs

__all__ = ["Pagefold"]


class Pagefold(Pages, Tabs, Sessions, Knowing, Jobs):
    """A service at ``url``; ``key`` is shown to it where one is given.

    Every method raises ``ProblemError`` for what the service refuses, and ``NoAnswer`` where nothing
    answers. What is refused because all places are taken is sent again, as ``retries`` says.
    """
