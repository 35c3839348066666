"""Fixtures and settings that every folder of tests may ask for."""

from __future__ import annotations

import os

from hypothesis import settings

from infra.local import surroundings

# What a person may tell the suite; every other setting is the tests' own.
KEPT = (
    "VITRINE_HYPOTHESIS",
    "VITRINE_RACES",
    "VITRINE_LOCAL_TYPESENSE_URL",
    "VITRINE_LOCAL_TYPESENSE_KEY",
)
pytest_plugins = ["tests.fix_stack", "tests.fix_table"]

# The suite draws the same examples each time, so that a red run is red for everybody;
# VITRINE_HYPOTHESIS=search draws new ones, and `make fuzz` always does.
settings.register_profile("same", derandomize=True, database=None)
settings.register_profile("search", derandomize=False, max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("VITRINE_HYPOTHESIS", "same"))

# A shell that publishes to real servers names them in variables that tests read too.
surroundings.shield()
for name in [name for name in os.environ if name.startswith("VITRINE_")]:
    if name not in KEPT:
        del os.environ[name]
