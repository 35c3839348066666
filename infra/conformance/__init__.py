"""The official conformance suite against this product's own MCP endpoint."""
