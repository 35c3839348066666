"""The rim: the one place that knows Powertools, the MCP SDK, environment and clock."""

VERSION = "0.1.0"
"""What the MCP server and the OpenAPI file call this release."""
