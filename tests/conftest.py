"""Fixtures that every folder of tests may ask for."""

from __future__ import annotations

pytest_plugins = ["tests.fix_stack"]
