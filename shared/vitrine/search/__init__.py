"""One search for chat, gallery, API and MCP; engines depend on its protocol."""
