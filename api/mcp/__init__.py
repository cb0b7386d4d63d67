"""The service as tools for MCP clients: at ``/mcp`` and as ``pagefold mcp``.

The tools are a client of the HTTP API: its limits, tenants, permissions and errors hold for them.
"""

from api.mcp.endpoint import McpEndpoint
from api.mcp.server import make_server

__all__ = ["McpEndpoint", "make_server"]
