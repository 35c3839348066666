from __future__ import annotations

from collections.abc import Iterator

import pytest

from vitrine.edge.telemetry import logger


@pytest.fixture(autouse=True, scope="module")
def spoken() -> Iterator[None]:
    """Let the logger speak again after attacks, which silence it."""
    level = logger.log_level
    yield
    logger.setLevel(level)
