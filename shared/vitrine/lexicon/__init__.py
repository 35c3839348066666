"""The embedded interpreter: deterministic, offline, free, in French and English.

Small passes over one list of tokens claim what they understand; what is left is text.
All words come from ``language``; all values from the registry.
"""
