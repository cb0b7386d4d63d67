"""The whole client."""

from api.client.awaiting.jobs import AsyncJobs
from api.client.awaiting.knowing import AsyncKnowing
from api.client.awaiting.pages import AsyncPages
from api.client.awaiting.sessions import AsyncSessions
from api.client.awaiting.tabs import AsyncTabs

__all__ = ["AsyncPagefold"]


class AsyncPagefold(AsyncPages, AsyncTabs, AsyncSessions, AsyncKnowing, AsyncJobs):
    """A service at ``url``; ``key`` is shown to it where one is given.

    Every method raises ``ProblemError`` for what the service refuses, and ``NoAnswer`` where nothing
    answers. What is refused because all places are taken is sent again, as ``retries`` says.
    """
