"""The rim: the one place that knows Powertools, the MCP SDK, environment and clock."""
